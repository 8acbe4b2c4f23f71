"""Dropping what a structural schema does not name (``pkg/apiserver/schema/pruning``)."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_OBJECT_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


def prune(value: Any, schema: Schema, *, is_object: bool = True) -> list[str]:
    """Remove unknown fields from ``value`` and return their paths, such as ``spec.color``, sorted.

    Args:
        is_object: ``value`` is a whole object, whose apiVersion, kind and metadata always stay.
    """
    return sorted(_prune(value, schema, "", is_object=is_object))


def _prune(value: Any, schema: Schema, path: str, *, is_object: bool) -> list[str]:
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, dict):
            return []
        return [
            unknown
            for index, item in enumerate(value)
            for unknown in _prune_child(item, items, f"{path}[{index}]")
        ]
    if not isinstance(value, dict):
        return []
    properties: dict[str, Schema] = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    keeps_all = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    removed: list[str] = []
    for name in list(value):
        if is_object and name in _OBJECT_FIELDS:
            continue
        at = f"{path}.{name}" if path else name
        if name in properties:
            removed += _prune_child(value[name], properties[name], at)
        elif isinstance(additional, dict):
            removed += _prune_child(value[name], additional, at)
        elif not keeps_all and additional is not True:
            del value[name]
            removed.append(at)
    return removed


def _prune_child(value: Any, schema: Schema, path: str) -> list[str]:
    return _prune(value, schema, path, is_object=bool(schema.get("x-kubernetes-embedded-resource")))
