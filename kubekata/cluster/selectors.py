"""Label and field selectors in their text form, as ``kubectl -l`` and the API take them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kubekata.cluster.errors import BadRequest
from kubekata.cluster.validation import invalid, label_value_problems, qualified_name_problems

Manifest = Mapping[str, Any]

_TOKEN = re.compile(r"\s*(==|!=|=|!|\(|\)|,|>|<|[^\s=!(),<>]+)")
_OPERATORS = {"=", "==", "!=", "in", "notin", ">", "<"}
_EXPRESSION_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One term: ``key in values``; operators are =, !=, in, notin, exists, !, > and <."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """True if ``labels`` satisfy this term. A missing key satisfies only !=, notin and !."""
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "!":
                return value is None
            case "=" | "in":
                return value is not None and value in self.values
            case "!=" | "notin":
                return value is None or value not in self.values
        return value is not None and _compares(value, self.operator, next(iter(self.values)))


def _compares(value: str, operator: str, bound: str) -> bool:
    try:
        return int(value) > int(bound) if operator == ">" else int(value) < int(bound)
    except ValueError:
        return False


def parse_labels(text: str) -> tuple[Requirement, ...]:
    """Parse a label selector (apimachinery ``labels.Parse``); the empty text selects everything.

    Raises:
        BadRequest: not a selector.
    """
    return _LabelParser(text).parse()


class _LabelParser:
    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._at = 0

    def parse(self) -> tuple[Requirement, ...]:
        requirements: list[Requirement] = []
        while self._peek():
            requirements.append(self._checked_requirement())
            if not self._peek():
                break
            if self._next() != ",":
                raise BadRequest(f"found '{self._tokens[self._at - 1]}', expected: ',' or 'end of string'")
            if not self._peek():
                raise BadRequest("found '', expected: identifier after ','")
        return tuple(requirements)

    def _checked_requirement(self) -> Requirement:
        if self._peek() != "!" and not _is_word(self._peek()):
            raise BadRequest(f"found '{self._peek()}', expected: !, identifier, or 'end of string'")
        try:
            requirement = self._requirement()
            _check_requirement(requirement)
        except BadRequest as error:
            raise BadRequest(f"unable to parse requirement: {error.message}") from None
        return requirement

    def _requirement(self) -> Requirement:
        token = self._next()
        if token == "!":
            return Requirement(self._identifier(), "!")
        operator = self._peek()
        if operator in ("", ","):
            return Requirement(token, "exists")
        if operator not in _OPERATORS:
            raise BadRequest(f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt")
        self._next()
        if operator in ("in", "notin"):
            return Requirement(token, operator, self._values())
        value = self._next() if _is_word(self._peek()) else ""
        return Requirement(token, "=" if operator == "==" else operator, frozenset({value}))

    def _values(self) -> frozenset[str]:
        if self._next() != "(":
            raise BadRequest(f"found '{self._tokens[min(self._at, len(self._tokens)) - 1]}' expected: '('")
        values: set[str] = set()
        while True:
            token = self._next()
            if _is_word(token):
                values.add(token)
                token = self._next()
            if token == ")":
                return frozenset(values)
            if token != ",":
                raise BadRequest(f"found '{token}', expected: ',' or ')'")

    def _identifier(self) -> str:
        token = self._next()
        if not _is_word(token):
            raise BadRequest(f"found '{token}', expected: identifier")
        return token

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token


def _check_requirement(requirement: Requirement) -> None:
    problems = [invalid("key", requirement.key, why) for why in qualified_name_problems(requirement.key)]
    for index, value in enumerate(sorted(requirement.values)):
        if requirement.operator in (">", "<"):
            if not value.removeprefix("-").isdecimal():
                why = "for 'Gt', 'Lt' operators, the value must be an integer"
                problems.append(invalid(f"values[{index}]", value, why))
        else:
            at = f"values[{index}][{requirement.key}]"
            problems += [invalid(at, value, why) for why in label_value_problems(value)]
    if problems:
        raise BadRequest(f"{problems[0].field}: {problems[0].message}")


def _is_word(token: str) -> bool:
    return bool(token) and token not in ("==", "!=", "=", "!", "(", ")", ",", ">", "<")


def format_labels(labels: Mapping[str, str]) -> str:
    """Return the selector text that matches exactly these labels."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


FieldGetter = Callable[[Manifest], str]


def dig(manifest: Manifest, *path: str) -> Any:
    """Return the value at a path of keys, or None where a step is missing."""
    value: Any = manifest
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def parse_fields(text: str, supported: Mapping[str, FieldGetter]) -> tuple[tuple[str, bool, str], ...]:
    """Parse a field selector into (field, wanted equal, value) terms.

    Raises:
        BadRequest: malformed, or a field that this resource does not support.
    """
    terms: list[tuple[str, bool, str]] = []
    for term in filter(None, text.split(",")):
        operator = next((o for o in ("!=", "==", "=") if o in term), "")
        if not operator:
            raise BadRequest(f"invalid selector: '{text}'; can't understand '{term}'")
        field, value = term.split(operator, 1)
        if field not in supported:
            raise BadRequest(f"field label not supported: {field}")
        terms.append((field, operator != "!=", value))
    return tuple(terms)


def selector_matches(selector: Manifest | None, labels: Mapping[str, str]) -> bool:
    """True if a manifest's ``LabelSelector`` selects these labels: None selects nothing, ``{}`` all."""
    if selector is None:
        return False
    requirements = [
        Requirement(k, "=", frozenset({v})) for k, v in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or ():
        operator = _EXPRESSION_OPERATORS[expression["operator"]]
        requirements.append(
            Requirement(expression["key"], operator, frozenset(expression.get("values") or ()))
        )
    return all(requirement.holds(labels) for requirement in requirements)
