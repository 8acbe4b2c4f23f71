"""Does an answer have the type that the kata declares? By exact type, at every depth, in words for the learner."""

import collections.abc
import dataclasses
import functools
import types
import typing
from datetime import datetime, timedelta
from typing import Any

import kubekata
from kubekata.grading.host.codec import Handle
from kubekata.grading.show import show
from kubekata.grading.wire.values import Opaque

_NAMESPACE: dict[str, Any] = {
    **vars(typing),
    **{name: getattr(kubekata, name) for name in kubekata.__all__},
    "datetime": datetime,
    "timedelta": timedelta,
}


class UnknownAnnotation(ValueError):
    """An annotation in a kata.toml that names a type which nobody knows."""


@functools.cache
def parse(annotation: str) -> Any:
    """The type that an annotation's text means. Raises UnknownAnnotation."""
    try:
        return eval(annotation, dict(_NAMESPACE))  # the text is from kata.toml, and no learner writes there
    except Exception as error:
        raise UnknownAnnotation(f"no type is called {annotation!r}: {error}") from error


def mismatch(value: object, annotation: str) -> str | None:
    """What is wrong with `value` as an `annotation`, such as "None, expected Step"; None when it fits."""
    return _mismatch(value, parse(annotation), "")


def cure(value: object, annotation: str) -> str:
    """A hint at how to get from `value`, which is no `annotation`, to one that is."""
    if value is None:
        return "is a `return` missing?"
    if isinstance(value, Opaque) and annotation in ("int", "float", "str", "bool"):
        return f"wrap it in {annotation}(…)"
    if isinstance(value, Opaque) and value.type_name in ("generator", "map", "filter", "zip", "range"):
        return "wrap it in list(…)"
    if isinstance(value, Opaque) and value.type_name == "coroutine":
        return "the function is async: make it a plain one"
    return "the answer has to be of this type before its value is looked at"


def _mismatch(value: object, hint: Any, where: str) -> str | None:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        fits = any(_mismatch(value, option, where) is None for option in args)
    elif origin is typing.Literal:
        fits = any(type(value) is type(arg) and value == arg for arg in args)
    elif origin is not None:
        return _mismatch_container(value, hint, origin, args, where)
    elif type(value) is hint and dataclasses.is_dataclass(hint):
        return _mismatch_fields(value, hint, where)
    else:
        fits = _is_exactly(value, hint)
    return None if fits else _wrong(value, hint, where)


def _is_exactly(value: object, hint: Any) -> bool:
    if isinstance(value, Handle):
        return bool(value.class_name == _name(hint))
    if hint is float and type(value) is int:
        return True
    return hint is Any or type(value) is (type(None) if hint is None else hint)


def _mismatch_fields(value: object, hint: Any, where: str) -> str | None:
    for name, field_hint in fields(hint).items():
        problem = _mismatch(getattr(value, name), field_hint, f"{where or _name(hint)}.{name}")
        if problem:
            return problem
    return None


def _mismatch_container(value: Any, hint: Any, origin: Any, args: tuple[Any, ...], where: str) -> str | None:
    wanted = {collections.abc.Sequence: list, collections.abc.Mapping: dict}.get(origin, origin)
    if type(value) is not wanted:
        return _wrong(value, hint, where)
    if wanted is tuple and not (len(args) == 2 and args[1] is ...):
        if len(value) != len(args):
            return f"{where or 'a tuple'} of {len(value)} items, expected {_name(hint)}"
        pairs = list(zip(value, args, strict=True))
    elif wanted is dict:
        pairs = [pair for item in value.items() for pair in zip(item, args, strict=True)]
    else:
        pairs = [(item, args[0]) for item in value]
    for position, (item, item_hint) in enumerate(pairs):
        problem = _mismatch(
            item, item_hint, f"{where or 'item'} {position}" if not where else f"{where}[{position}]"
        )
        if problem:
            return problem
    return None


def _wrong(value: object, hint: Any, where: str) -> str:
    if isinstance(value, Opaque):
        kind = f"{value.type_name}, a subclass of {value.base}" if value.base else value.type_name
        text = value.text if value.text != kind else ""
        got = f"{kind} ({text})" if text else kind
    elif value is None:
        got = "None"
    elif isinstance(value, Handle):
        got = f"a {value.class_name} object"
    else:
        got = f"{show(value)} ({type(value).__name__})"
    return f"{where} is {got}, expected {_name(hint)}" if where else f"{got}, expected {_name(hint)}"


@functools.cache
def fields(cls: type) -> dict[str, Any]:
    """The types of a value's fields, by name."""
    return typing.get_type_hints(cls)


def _name(hint: Any) -> str:
    """A type as the brief writes it, without the modules that it comes from."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is type(None):
        return "None"
    if hint is ...:
        return "..."
    if origin is typing.Literal:
        return " or ".join(repr(arg) for arg in args)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_name(arg) for arg in args)
    name = getattr(origin or hint, "__name__", None) or str(hint)
    return f"{name}[{', '.join(_name(arg) for arg in args)}]" if args else name
