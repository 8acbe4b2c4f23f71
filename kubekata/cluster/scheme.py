"""Between typed objects and manifests, without loss.

A type here knows only the fields that the katas need; a real manifest has more. ``from_manifest`` keeps
the manifest it read beside the object, and ``to_manifest`` puts the fields that the type does not know
back where they were, so that reading an object and writing it never strips a volume or a probe.
(Go's typed clients do strip them; that is a well-known way to lose data.)
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from kubekata.cluster import objects
from kubekata.cluster.objects import Part, Resource

Manifest = dict[str, Any]
R = TypeVar("R", bound=Resource)

_ORIGINAL = "_original"

KINDS: dict[tuple[str, str], type[Resource]] = {
    (kind.api_version, kind.kind): kind
    for kind in vars(objects).values()
    if isinstance(kind, type) and issubclass(kind, Resource) and kind.kind
}


class SchemeError(ValueError):
    """The manifest is not of a known kind, or does not fit its type; the message names the field."""


def kind_of(manifest: Mapping[str, Any]) -> type[Resource]:
    """Return the type for a manifest's apiVersion and kind.

    Raises:
        SchemeError: no such kind here.
    """
    key = (str(manifest.get("apiVersion", "")), str(manifest.get("kind", "")))
    if key not in KINDS:
        known = ", ".join(sorted(kind.kind for kind in KINDS.values()))
        msg = f"no kind {key[1]!r} in {key[0]!r}; known kinds: {known}"
        raise SchemeError(msg)
    return KINDS[key]


def from_manifest(manifest: Mapping[str, Any], kind: type[R] | None = None) -> R:
    """Return a fresh typed object; nothing of ``manifest`` is shared in a way that can be written through.

    Raises:
        SchemeError: unknown kind, or a field of the wrong type.
    """
    wanted = kind or kind_of(manifest)
    try:
        obj = msgspec.convert(manifest, wanted)
    except msgspec.ValidationError as error:
        msg = f"{wanted.kind} manifest: {error}"
        raise SchemeError(msg) from None
    obj.__dict__[_ORIGINAL] = manifest
    return typing.cast("R", obj)


def to_manifest(obj: Resource) -> Manifest:
    """Return the manifest of a typed object, with apiVersion and kind, ready for ``kubectl apply``.

    Raises:
        SchemeError: a field holds something that cannot stand in a manifest.
    """
    try:
        typed = msgspec.to_builtins(obj)
    except (TypeError, msgspec.ValidationError) as error:
        msg = f"{obj.kind} object: {error}"
        raise SchemeError(msg) from None
    typed = _carry_unknown(typed, obj.__dict__.get(_ORIGINAL, {}), type(obj))
    typed.pop("apiVersion", None)
    typed.pop("kind", None)
    return {"apiVersion": obj.api_version, "kind": obj.kind, **typed}


def copy_manifest(value: Any) -> Any:
    """Return a deep copy of plain JSON data (faster than ``copy.deepcopy``, which has to look for cycles)."""
    if isinstance(value, dict):
        return {key: copy_manifest(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_manifest(item) for item in value]
    return value


def _carry_unknown(typed: Manifest, original: Mapping[str, Any], part: type[Part]) -> Manifest:
    fields = _fields(part)
    for key, value in original.items():
        field = fields.get(key)
        if field is None or (key not in typed and field.means_unset(value)):
            typed[key] = copy_manifest(value)
    for key, field in fields.items():
        if field.part is None or key not in typed:
            continue
        before = original.get(key)
        if isinstance(typed[key], list):
            _carry_unknown_items(typed[key], before or [], field.part)
            continue
        carried = _carry_unknown(typed[key], before or {}, field.part)
        # An empty part says nothing, unless its presence alone does (a selector that selects all).
        if not carried and before is None and not field.nullable:
            del typed[key]
    return typed


def _carry_unknown_items(typed: list[Manifest], original: list[Any], part: type[Part]) -> None:
    key = _encoded_name(part, part.merge_key)
    for index, item in enumerate(typed):
        if key:
            before: Manifest = next((o for o in original if o.get(key) == item.get(key)), {})
        else:
            before = original[index] if index < len(original) else {}
        _carry_unknown(item, before, part)


class _Field(typing.NamedTuple):
    default: Any
    part: type[Part] | None
    nullable: bool

    def means_unset(self, value: Any) -> bool:
        """True if a manifest that spells ``value`` out says no more than one that leaves it out."""
        return value == self.default or (not self.nullable and value in ([], {}))


@cache
def _fields(part: type[Part]) -> dict[str, _Field]:
    hints = typing.get_type_hints(part)
    return {
        field.encode_name: _Field(
            default=None if field.default is msgspec.NODEFAULT else field.default,
            part=_part_in(hints[field.name]),
            nullable=types.NoneType in typing.get_args(hints[field.name]),
        )
        for field in msgspec.structs.fields(part)
    }


@cache
def _encoded_name(part: type[Part], name: str) -> str:
    return next((f.encode_name for f in msgspec.structs.fields(part) if f.name == name), "")


def _part_in(hint: Any) -> type[Part] | None:
    """The Part that a field holds, directly, optionally, or in a list."""
    candidates = [hint, *typing.get_args(hint)]
    return next((c for c in candidates if isinstance(c, type) and issubclass(c, Part)), None)
