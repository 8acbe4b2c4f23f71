"""Defaults of a structural schema (``pkg/apiserver/schema/defaulting``)."""

from __future__ import annotations

from typing import Any

from kubekata.cluster.scheme import copy_manifest

Schema = dict[str, Any]


def apply_defaults(value: Any, schema: Schema) -> None:
    """Fill in what is missing; changes ``value``.

    A null where null is not allowed counts as missing if there is a default.
    """
    if isinstance(value, dict):
        properties: dict[str, Schema] = schema.get("properties") or {}
        for name, part in properties.items():
            absent = name not in value or (value[name] is None and not part.get("nullable"))
            if absent and "default" in part:
                value[name] = copy_manifest(part["default"])
        additional = schema.get("additionalProperties")
        for name, item in value.items():
            inner = properties.get(name) or (additional if isinstance(additional, dict) else None)
            if inner:
                apply_defaults(item, inner)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            apply_defaults(item, schema["items"])
