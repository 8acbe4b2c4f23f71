"""Which value types may cross between a submission and the grader, by class name."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import TypeVar

_T = TypeVar("_T")
_types: dict[str, type] = {}


def value(cls: type[_T]) -> type[_T]:
    """Register a frozen dataclass as a value that algorithm katas take or return.

    Values cross the process boundary by class name, so names are unique over all modules.
    Raises TypeError for a class that is not a frozen dataclass or whose name is taken.
    """
    if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise TypeError(f"{cls.__name__} is not a frozen dataclass: put @dataclass(frozen=True) below @value")
    taken_by = _types.setdefault(cls.__name__, cls)
    if taken_by is not cls:
        raise TypeError(f"the value name {cls.__name__} is taken by {taken_by.__module__}: choose another")
    return cls


def registry() -> dict[str, type]:
    """Every registered value type by class name; a copy."""
    return dict(_types)
