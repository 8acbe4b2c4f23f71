"""What makes a schema acceptable in a CustomResourceDefinition.

The rules of ``ValidateStructural`` and ``ValidateCustomResourceDefinitionOpenAPISchema``, for the keywords
that custom resources really use.
"""

from __future__ import annotations

import re
from typing import Any

from kubekata.cluster.schemas.values import compile_pattern, validate_value
from kubekata.cluster.validation import FieldError, forbidden, invalid, not_supported, required

Schema = dict[str, Any]

_TYPES = ["array", "boolean", "integer", "number", "object", "string"]
_FORBIDDEN = {
    "definitions": "definitions is not supported",
    "dependencies": "dependencies is not supported",
    "id": "id is not supported",
    "patternProperties": "patternProperties is not supported",
    "$ref": "$ref is not supported",
}


def schema_errors(schema: Any, field: str) -> list[FieldError]:
    """Return what keeps ``schema`` from being a structural schema; ``field`` is where it stands."""
    if not isinstance(schema, dict):
        return [required(field, "schemas are required")]
    if not schema.get("type"):
        return [required(f"{field}.type", "must not be empty at the root")]
    if schema["type"] != "object":
        return [invalid(f"{field}.type", schema["type"], "must be object at the root")]
    return _errors(schema, field, "")


def _errors(schema: Schema, field: str, inside: str) -> list[FieldError]:
    errors = _type_errors(schema, field, inside) + _keyword_errors(schema, field)
    for name, part in sorted((schema.get("properties") or {}).items()):
        at = f"{field}.properties[{name}]"
        if isinstance(part, dict):
            errors += _errors(part, at, "object fields")
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        errors += _errors(additional, f"{field}.additionalProperties", "object fields")
    items = schema.get("items")
    if isinstance(items, dict):
        errors += _errors(items, f"{field}.items", "array items")
    if not errors and schema.get("default") is not None:
        problems = validate_value(schema["default"], schema, f"{field}.default")
        errors += [FieldError(p.field, p.reason, p.message) for p in problems]
    return errors


def _type_errors(schema: Schema, field: str, inside: str) -> list[FieldError]:
    kind = schema.get("type")
    loose = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if not kind:
        if loose or not inside:
            return []
        return [required(f"{field}.type", f"must not be empty for specified {inside}")]
    if kind not in _TYPES:
        return [not_supported(f"{field}.type", kind, _TYPES)]
    if kind == "array" and "items" not in schema:
        return [required(f"{field}.items", "must be specified")]
    return []


def _keyword_errors(schema: Schema, field: str) -> list[FieldError]:
    errors = [forbidden(f"{field}.{key}", why) for key, why in _FORBIDDEN.items() if key in schema]
    if schema.get("uniqueItems"):
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden(f"{field}.uniqueItems", why))
    if schema.get("additionalProperties") is False:
        why = "additionalProperties cannot be set to false"
        errors.append(forbidden(f"{field}.additionalProperties", why))
    if schema.get("properties") and "additionalProperties" in schema:
        why = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden(f"{field}.additionalProperties", why))
    if isinstance(schema.get("items"), list):
        why = "items must be a schema object and not an array"
        errors.append(forbidden(f"{field}.items", why))
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            compile_pattern(pattern)
        except re.error:
            errors.append(invalid(f"{field}.pattern", pattern, "must be a valid regular expression"))
    if schema.get("x-kubernetes-list-type") == "map" and not schema.get("x-kubernetes-list-map-keys"):
        why = "must not be empty if x-kubernetes-list-type is map"
        errors.append(required(f"{field}.x-kubernetes-list-map-keys", why))
    return errors
