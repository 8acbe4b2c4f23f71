"""Values as a learner reads them: short, and never only what two long values have in common."""

from datetime import datetime
from typing import Any

import msgspec

from kubekata.cluster.objects import Part, Resource
from kubekata.grading.wire.values import Opaque

LENGTH = 300

_MOST_BITS = 10_000


def show(value: object, length: int = LENGTH) -> str:
    """One line, at most `length` characters; what is left out of a longer one is counted."""
    text = _text(value)
    if len(text) <= length:
        return text
    return f"{text[: length - 30]}… ({len(text):,} characters)"


def same(actual: Any, expected: Any) -> bool:
    """Equal as the learner means it: NaN equals itself, and True is not 1."""
    if isinstance(actual, bool) is not isinstance(expected, bool):
        return False
    if isinstance(actual, list | tuple) and type(actual) is type(expected):
        return len(actual) == len(expected) and all(
            same(one, other) for one, other in zip(actual, expected, strict=True)
        )
    if isinstance(actual, float) and isinstance(expected, float) and actual != actual:  # noqa: PLR0124 - NaN
        return expected != expected  # noqa: PLR0124
    return bool(actual == expected)


def difference(actual: Any, expected: Any) -> str:
    """What is different about `actual`: for sequences too long to show, the first item that differs."""
    both_long = len(_text(actual)) > LENGTH or len(_text(expected)) > LENGTH
    if not both_long or not isinstance(actual, list | tuple) or not isinstance(expected, list | tuple):
        return show(actual)
    if len(actual) != len(expected):
        count = f"{len(actual):,} items instead of {len(expected):,}"
    else:
        count = f"{len(actual):,} items"
    for position, (one, other) in enumerate(zip(actual, expected, strict=False)):
        if not same(one, other):
            return f"{count}; item {position} is {show(one, 80)} instead of {show(other, 80)}"
    return count


def _text(value: object) -> str:
    match value:
        case Opaque():
            return value.text or value.type_name
        case Part():
            return _part(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case list() | tuple() if not (isinstance(value, tuple) and len(value) == 1):
            left, right = "[]" if isinstance(value, list) else "()"
            return left + ", ".join(_text(item) for item in value) + right
        case dict():
            return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items()) + "}"
    too_long = isinstance(value, int) and value.bit_length() > _MOST_BITS
    return "an int of more than 3,000 digits" if too_long else repr(value)


def _part(part: Part) -> str:
    """An object by its name, a part of one by the fields that are not as they were born."""
    if isinstance(part, Resource):
        return f"{part.kind} {part.name}"
    told = [
        f"{field.name}={_text(getattr(part, field.name))}"
        for field in msgspec.structs.fields(part)
        if getattr(part, field.name) not in (field.default, None, [], {}, "")
    ]
    return f"{type(part).__name__}({', '.join(told)})"
