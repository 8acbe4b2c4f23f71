"""Values as tagged plain data, by exact type.

JSON's own types stand for themselves; everything else is an object with a tag `t`. A value of any other type
crosses as `Opaque`: its type's name and a short repr, enough to tell the learner what was wrong with it.
Nothing of the sender's behaviour crosses, so an `__eq__` that is always true has nobody left to fool.
"""

import collections
import dataclasses
import functools
import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from kubekata.cluster import objects
from kubekata.cluster.controller import Request, Result
from kubekata.cluster.hardware import Machine
from kubekata.cluster.objects import Part, Resource
from kubekata.cluster.scheme import SchemeError, from_manifest, to_manifest
from kubekata.cluster.values import registry

Plain = Any
"""What JSON can hold: None, bool, int, float, str, and lists and string-keyed objects of those."""

MAX_DEPTH = 100
REPR_LENGTH = 200

_SAFE_INT = 2**53
_CONTROLLER_VALUES = (Request, Result, Machine)


class WireError(ValueError):
    """The data is not an encoded value: whoever sent it does not speak the protocol."""


@dataclasses.dataclass(frozen=True)
class Opaque:
    """A value that cannot cross. `base` is the plain type it was derived from, or empty."""

    type_name: str
    text: str
    base: str = ""


class Codec:
    """Encodes and decodes values; the two sides add what only they know in `encode_other` and `decode_other`."""

    def encode(self, value: object, depth: int = 0) -> Plain:
        """The plain data that stands for `value`. Never raises for a strange value: it becomes opaque."""
        encoder = _ENCODERS.get(type(value))
        if encoder is not None:
            if depth > MAX_DEPTH:
                return opaque("nested too deeply", f"more than {MAX_DEPTH} levels")
            return encoder(self, value, depth + 1)
        return self._encode_object(value, depth)

    def decode(self, plain: Plain) -> Any:
        """The value that `plain` stands for. Raises WireError."""
        match plain:
            case None | bool() | int() | float() | str():
                return plain
            case list():
                return [self.decode(item) for item in plain]
            case {"t": str(tag)}:
                return self._decode_tagged(tag, plain)
        raise WireError("an object without a tag")

    def encode_other(self, value: object) -> Plain | None:
        """The data for a value that only this side can name, or None."""
        del value
        return None

    def decode_other(self, tag: str, plain: dict[str, Any]) -> Any:
        """The value for a tag that only this side understands. Raises WireError."""
        del plain
        raise WireError(f"unknown tag {tag!r}")

    def _encode_object(self, value: object, depth: int) -> Plain:
        cls = type(value)
        base = _plain_base(cls)
        try:
            other = self.encode_other(value)
            if other is None:
                other = self._encode_known(value, cls, depth)
            if other is None and base is not None and _compares_like(cls, base):
                other = _ENCODERS[base](self, _UNDERLYING[base](value), depth + 1)
        except (SchemeError, TypeError, AttributeError, RecursionError, msgspec.MsgspecError) as error:
            return opaque(_type_name(cls), str(error))
        if other is not None:
            return other
        return opaque(_type_name(cls), _short_repr(value), base.__name__ if base else "")

    def _encode_known(self, value: Any, cls: type, depth: int) -> Plain | None:
        """Values, objects and parts of objects; by their exact class."""
        if _values().get(cls.__name__) is cls:
            fields = {
                field.name: self.encode(getattr(value, field.name), depth + 1)
                for field in dataclasses.fields(cls)
            }
            return {"t": "value", "c": cls.__name__, "v": fields}
        if isinstance(value, Resource) and cls.__module__.startswith(objects.__name__):
            return {"t": "resource", "v": to_manifest(value)}
        if _parts().get(cls.__name__) is cls:
            return {"t": "part", "c": cls.__name__, "v": msgspec.to_builtins(value)}
        return None

    def _decode_tagged(self, tag: str, plain: dict[str, Any]) -> Any:
        try:
            decoder = _DECODERS.get(tag)
            if decoder is not None:
                return decoder(self, plain)
        except (SchemeError, msgspec.ValidationError) as error:
            return Opaque(str(plain.get("c", "object")), str(error))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise WireError(f"a malformed {tag}") from error
        return self.decode_other(tag, plain)


@functools.cache
def _values() -> dict[str, type]:
    return registry() | {cls.__name__: cls for cls in _CONTROLLER_VALUES}


@functools.cache
def _parts() -> dict[str, type[Part]]:
    return {
        name: cls
        for name, cls in vars(objects).items()
        if isinstance(cls, type) and issubclass(cls, Part) and not issubclass(cls, Resource)
    }


def opaque(type_name: str, text: str, base: str = "") -> Plain:
    """The data for a value that cannot cross."""
    return {"t": "opaque", "c": type_name, "v": _clean(text)[:REPR_LENGTH], "b": base}


def _type_name(cls: type) -> str:
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", "kata", "__main__") else f"{module}.{cls.__qualname__}"


def _short_repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:
        return f"<its __repr__ raised {type(error).__name__}>"


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _plain_base(cls: type) -> type | None:
    return next((base for base in cls.__mro__ if base in _UNDERLYING), None)


def _compares_like(cls: type, base: type) -> bool:
    """Whether a subclass is its base to any caller: named tuples, `defaultdict` and string enums are."""
    if cls in (collections.Counter, collections.OrderedDict):
        return True
    return cls.__eq__ is base.__eq__ and cls.__ne__ is base.__ne__


def _encode_int(_codec: Codec, value: int, _depth: int) -> Plain:
    return value if -_SAFE_INT < value < _SAFE_INT else {"t": "int", "v": f"{value:x}"}


def _encode_float(_codec: Codec, value: float, _depth: int) -> Plain:
    return value if math.isfinite(value) else {"t": "float", "v": repr(value)}


def _encode_str(_codec: Codec, value: str, _depth: int) -> Plain:
    try:
        value.encode()
    except UnicodeEncodeError:
        return {"t": "str", "v": value.encode("utf-16-le", "surrogatepass").hex()}
    return value


def _encode_list(codec: Codec, value: list[Any], depth: int) -> Plain:
    return [codec.encode(item, depth) for item in value]


def _encode_dict(codec: Codec, value: dict[Any, Any], depth: int) -> Plain:
    pairs = [[codec.encode(key, depth), codec.encode(item, depth)] for key, item in dict.items(value)]
    return {"t": "dict", "v": pairs}


def _items(tag: str) -> Callable[[Codec, Any, int], Plain]:
    def encode(codec: Codec, value: Any, depth: int) -> Plain:
        return {"t": tag, "v": [codec.encode(item, depth) for item in value]}

    return encode


def _encode_timedelta(_codec: Codec, value: timedelta, _depth: int) -> Plain:
    return {"t": "timedelta", "v": [value.days, value.seconds, value.microseconds]}


_ENCODERS: dict[type, Callable[[Codec, Any, int], Plain]] = {
    type(None): lambda _codec, value, _depth: value,
    bool: lambda _codec, value, _depth: value,
    int: _encode_int,
    float: _encode_float,
    str: _encode_str,
    bytes: lambda _codec, value, _depth: {"t": "bytes", "v": value.hex()},
    list: _encode_list,
    tuple: _items("tuple"),
    set: _items("set"),
    frozenset: _items("frozenset"),
    dict: _encode_dict,
    datetime: lambda _codec, value, _depth: {"t": "datetime", "v": value.isoformat()},
    timedelta: _encode_timedelta,
}

_UNDERLYING: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
}
"""How to read what a subclass holds without running a method of its own."""


def _decode_value(codec: Codec, plain: dict[str, Any]) -> Any:
    fields = {name: codec.decode(item) for name, item in plain["v"].items()}
    return _values()[plain["c"]](**fields)


_DECODERS: dict[str, Callable[[Codec, dict[str, Any]], Any]] = {
    "int": lambda _codec, plain: int(plain["v"], 16),
    "float": lambda _codec, plain: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[plain["v"]],
    "str": lambda _codec, plain: bytes.fromhex(plain["v"]).decode("utf-16-le", "surrogatepass"),
    "bytes": lambda _codec, plain: bytes.fromhex(plain["v"]),
    "tuple": lambda codec, plain: tuple(codec.decode(item) for item in plain["v"]),
    "set": lambda codec, plain: {codec.decode(item) for item in plain["v"]},
    "frozenset": lambda codec, plain: frozenset(codec.decode(item) for item in plain["v"]),
    "dict": lambda codec, plain: {codec.decode(key): codec.decode(item) for key, item in plain["v"]},
    "datetime": lambda _codec, plain: datetime.fromisoformat(plain["v"]),
    "timedelta": lambda _codec, plain: timedelta(*plain["v"]),
    "value": _decode_value,
    "resource": lambda _codec, plain: from_manifest(plain["v"]),
    "part": lambda _codec, plain: msgspec.convert(plain["v"], _parts()[plain["c"]]),
    "opaque": lambda _codec, plain: Opaque(str(plain["c"]), str(plain["v"]), str(plain.get("b", ""))),
}
