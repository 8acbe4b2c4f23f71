"""JSON as Go's decoder reads it: the same sentences for what cannot be read, and repeated fields noticed."""

from __future__ import annotations

import json
from typing import Any

_SPACE = " \t\r\n"
_LITERALS = ("true", "false", "null")
_ESCAPES = '"\\/bfnrt'
_DEEPEST = 500


class JsonError(ValueError):
    """Not JSON; the message is Go's ``encoding/json`` syntax error."""


class Repeats(dict[str, Any]):
    """An object in which a key stood more than once; the last one counts."""

    repeated: tuple[str, ...] = ()


def decode(text: str) -> Any:
    """Return the value that a JSON text holds.

    Raises:
        JsonError: not JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise JsonError("exceeded max depth") from None
    except ValueError:
        raise JsonError(_Scanner(text).problem()) from None


def repeated_fields(value: Any, path: str = "") -> list[str]:
    """Return the paths of fields that stood more than once in a decoded value."""
    found: list[str] = []
    if isinstance(value, Repeats):
        found += [f"{path}.{name}" if path else name for name in value.repeated]
    if isinstance(value, dict):
        for name, item in value.items():
            found += repeated_fields(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += repeated_fields(item, f"{path}[{index}]")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    names = [name for name, _ in pairs]
    special = Repeats(plain)
    special.repeated = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
    return special


class _Problem(Exception):
    pass


class _Scanner:
    """Finds the first character that cannot stand where it does, and says what was looked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def problem(self) -> str:
        try:
            self._value("looking for beginning of value", 0)
            self._skip_space()
            if self._at < len(self._text):
                self._complain("after top-level value")
        except _Problem as problem:
            return str(problem)
        return "invalid JSON"

    def _complain(self, where: str) -> None:
        if self._at >= len(self._text):
            raise _Problem("unexpected end of JSON input")
        char = self._text[self._at]
        shown = {"'": "'\\''", '"': "'\"'"}.get(char) or "'" + json.dumps(char, ensure_ascii=False)[
            1:-1
        ] + "'"
        raise _Problem(f"invalid character {shown} {where}")

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in _SPACE:
            self._at += 1

    def _peek(self) -> str:
        self._skip_space()
        return self._text[self._at] if self._at < len(self._text) else ""

    def _value(self, where: str, depth: int) -> None:
        char = self._peek()
        if depth > _DEEPEST:
            raise _Problem("exceeded max depth")
        if char == "{":
            self._object(depth)
        elif char == "[":
            self._array(depth)
        elif char == '"':
            self._string()
        elif char and char in "-0123456789":
            self._number()
        elif char and any(word.startswith(char) for word in _LITERALS):
            self._literal(next(word for word in _LITERALS if word.startswith(char)))
        else:
            self._complain(where)

    def _object(self, depth: int) -> None:
        self._at += 1
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            if self._peek() != '"':
                self._complain("looking for beginning of object key string")
            self._string()
            if self._peek() != ":":
                self._complain("after object key")
            self._at += 1
            self._value("looking for beginning of value", depth + 1)
            if self._peek() == "}":
                self._at += 1
                return
            if self._peek() != ",":
                self._complain("after object key:value pair")
            self._at += 1

    def _array(self, depth: int) -> None:
        self._at += 1
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            self._value("looking for beginning of value", depth + 1)
            if self._peek() == "]":
                self._at += 1
                return
            if self._peek() != ",":
                self._complain("after array element")
            self._at += 1

    def _string(self) -> None:
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return
            if ord(char) < ord(" "):
                self._complain("in string literal")
            if char == "\\":
                self._at += 1
                self._escape()
            self._at += 1
        self._complain("")

    def _escape(self) -> None:
        char = self._text[self._at : self._at + 1]
        if char == "u":
            for _ in range(4):
                self._at += 1
                if self._text[self._at : self._at + 1] not in tuple("0123456789abcdefABCDEF"):
                    self._complain("in \\u hexadecimal character escape")
        elif char not in tuple(_ESCAPES):
            self._complain("in string escape code")

    def _number(self) -> None:
        if self._text[self._at] == "-":
            self._at += 1
        self._digits("in numeric literal")
        if self._text[self._at : self._at + 1] == ".":
            self._at += 1
            self._digits("after decimal point in numeric literal")
        if self._text[self._at : self._at + 1] in ("e", "E"):
            self._at += 1
            if self._text[self._at : self._at + 1] in ("+", "-"):
                self._at += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, where: str) -> None:
        start = self._at
        while self._text[self._at : self._at + 1].isdecimal():
            self._at += 1
            if self._at == start + 1 and self._text[start] == "0" and where == "in numeric literal":
                return
        if self._at == start:
            self._complain(where)

    def _literal(self, word: str) -> None:
        for char in word:
            if self._text[self._at : self._at + 1] != char:
                self._complain(f"in literal {word} (expecting '{char}')")
            self._at += 1
