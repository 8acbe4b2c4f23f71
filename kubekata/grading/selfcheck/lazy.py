"""Submissions that do nothing or return a constant, made from a kata's entry points. They have to score 0."""

import dataclasses
import itertools
import types
import typing
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from kubekata.cluster.objects import Part
from kubekata.grading import annotations
from kubekata.grading.catalog import EntryPoint, Method

_MOST_CONSTANTS = 6


class LazySubmission(NamedTuple):
    """The source of a submission, and what it is called in a finding."""

    name: str
    source: str


def submissions(entry_points: Sequence[EntryPoint]) -> list[LazySubmission]:
    """One that does nothing, then those that return constants of the declared types."""
    made = [_submission("a submission that does nothing", entry_points, -1)]
    count = max(len(_constants(returns)) for returns in _returns(entry_points))
    for number in range(count):
        values = dict.fromkeys(_constant(returns, number) for returns in _returns(entry_points))
        made.append(_submission(f"a submission that returns {' and '.join(values)}", entry_points, number))
    return made


def _submission(name: str, entry_points: Sequence[EntryPoint], number: int) -> LazySubmission:
    parts = ["from datetime import datetime, timedelta, timezone", "from kubekata import *"]
    for entry in entry_points:
        if entry.kind == "function":
            parts.append(_function(entry, entry.parameters, number))
            continue
        methods = [_function(method, ("self", *method.parameters), number) for method in entry.methods]
        body = "\n".join([_initializer(entry), *methods])
        parts.append(f"class {entry.name}:\n" + "\n".join(f"    {line}" for line in body.splitlines()))
    return LazySubmission(name, "\n\n\n".join(parts) + "\n")


def _function(entry: EntryPoint | Method, parameters: tuple[str, ...], number: int) -> str:
    value = "None" if number < 0 else _constant(entry.returns, number)
    return f"def {entry.name}({', '.join(parameters)}):\n    return {value}"


def _initializer(entry: EntryPoint) -> str:
    return f"def __init__({', '.join(('self', *entry.parameters))}):\n    self.nothing = None"


def _returns(entry_points: Sequence[EntryPoint]) -> list[str]:
    functions = [entry.returns for entry in entry_points if entry.kind == "function"]
    return functions + [method.returns for entry in entry_points for method in entry.methods]


def _constant(returns: str, number: int) -> str:
    constants = _constants(returns)
    return constants[min(number, len(constants) - 1)]


def _constants(returns: str) -> list[str]:
    return _of(annotations.parse(returns))[:_MOST_CONSTANTS]


def _of(hint: Any) -> list[str]:
    """Python expressions of that type, the most likely to be lucky first."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return [text for arg in args for text in _of(arg)]
    if origin is typing.Literal:
        return [repr(arg) for arg in args]
    if origin is tuple and not (len(args) == 2 and args[1] is ...):
        return _rows([_of(arg) for arg in args], "({},)")
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _rows([_of(field) for field in annotations.fields(hint).values()], f"{hint.__name__}({{}})")
    if isinstance(hint, type) and issubclass(hint, Part):
        return [f"{hint.__name__}({_required(hint)})"]
    return _PLAIN.get(origin or hint, ["None"])


def _rows(columns: list[list[str]], template: str) -> list[str]:
    width = max((len(column) for column in columns), default=1)
    rows = itertools.islice(
        zip(*([*column, *[column[-1]] * (width - len(column))] for column in columns), strict=True), width
    )
    return [template.format(", ".join(row)) for row in rows] or [template.format("")]


def _required(part: type[Part]) -> str:
    hints = typing.get_type_hints(part)
    needed = [field.name for field in msgspec.structs.fields(part) if field.required]
    return ", ".join(f"{name}={_of(hints[name])[0]}" for name in needed)


_PLAIN: dict[Any, list[str]] = {
    int: ["0", "1", "2", "10"],
    float: ["0.0", "1.0", "50.0", "100.0"],
    bool: ["True", "False"],
    str: ['""', '"web"'],
    list: ["[]"],
    tuple: ["()"],
    dict: ["{}"],
    set: ["set()"],
    frozenset: ["frozenset()"],
}
