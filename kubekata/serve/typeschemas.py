"""OpenAPI schemas of the typed kinds, made from the types themselves."""

from __future__ import annotations

import inspect
import types
import typing
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from kubekata.cluster.crdstrategies import DEFINITIONS
from kubekata.cluster.crdtypes import Definition
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.objects import ObjectMeta, OwnerReference
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.scheme import KINDS

Manifest = dict[str, Any]

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_SCALARS: dict[Any, Manifest] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
}
_OPEN: Manifest = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def meta_schemas() -> Manifest:
    """Return the schemas that every document has."""
    found: Manifest = {}
    metadata = _struct(ObjectMeta, "", found)
    owner = _struct(OwnerReference, "", found)
    fields = {"type": "array", "items": dict(_OPEN)}
    metadata["properties"] |= {"managedFields": fields, "selfLink": {"type": "string"}}
    text = {"type": "string"}
    return {
        f"{META}.ObjectMeta": metadata,
        f"{META}.OwnerReference": owner,
        f"{META}.ListMeta": {
            "type": "object",
            "properties": {
                "continue": text,
                "remainingItemCount": {"type": "integer", "format": "int64"},
                "resourceVersion": text,
            },
        },
        f"{META}.Patch": {"type": "object", "description": "A change in one of the patch formats."},
        f"{META}.Status": {
            "type": "object",
            "properties": {
                "apiVersion": text,
                "code": {"type": "integer", "format": "int32"},
                "details": dict(_OPEN),
                "kind": text,
                "message": text,
                "metadata": {"allOf": [{"$ref": f"#/components/schemas/{META}.ListMeta"}]},
                "reason": text,
                "status": text,
            },
        },
        f"{META}.DeleteOptions": {
            "type": "object",
            "properties": {
                "apiVersion": text,
                "dryRun": {"type": "array", "items": text},
                "gracePeriodSeconds": {"type": "integer", "format": "int64"},
                "kind": text,
                "orphanDependents": {"type": "boolean"},
                "preconditions": {"type": "object", "properties": {"resourceVersion": text, "uid": text}},
                "propagationPolicy": text,
            },
        },
    }


def type_schemas(resource: ResourceType) -> tuple[Manifest, Manifest]:
    """Return a built-in kind's schema and, by name, those that it refers to."""
    found: Manifest = {}
    kind: Any = Definition if resource == DEFINITIONS else KINDS.get((resource.api_version, resource.kind))
    if kind is None:
        schema: Manifest = {"type": "object", "properties": {}, "x-kubernetes-preserve-unknown-fields": True}
    else:
        prefix = f"io.k8s.api.{resource.group.split('.')[0] or 'core'}.{resource.version}"
        schema = _struct(kind, prefix, found)
    schema["properties"] = {
        "apiVersion": {"type": "string", "description": "The group and version of this object's schema."},
        "kind": {"type": "string", "description": "What this object is."},
        **schema["properties"],
        "metadata": {"allOf": [{"$ref": f"#/components/schemas/{META}.ObjectMeta"}]},
    }
    return schema, found


def _struct(kind: Any, prefix: str, found: Manifest) -> Manifest:
    hints = _hints(kind)
    properties: Manifest = {}
    for field in msgspec.structs.fields(kind):
        if field.name.startswith("_"):
            continue
        properties[field.encode_name] = _schema(hints[field.name], prefix, found, field.encode_name)
    schema: Manifest = {"type": "object", "properties": properties}
    text = inspect.getdoc(kind)
    if text:
        schema["description"] = text.split("\n\n")[0].replace("\n", " ").replace("``", "")
    return schema


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _schema(hint: Any, prefix: str, found: Manifest, name: str) -> Manifest:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return dict(_SCALARS[hint])
    if origin is typing.Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return _union([a for a in arguments if a is not types.NoneType], prefix, found, name)
    if origin in (list, dict):
        return _collection(origin, arguments, prefix, found, name)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return {"allOf": [_reference(hint, prefix, found)]}
    return dict(_OPEN)


def _union(choices: list[Any], prefix: str, found: Manifest, name: str) -> Manifest:
    if set(choices) == {int, str}:
        return {"type": "string", "format": "int-or-string"}
    return _schema(choices[0], prefix, found, name)


def _collection(origin: Any, arguments: tuple[Any, ...], prefix: str, found: Manifest, name: str) -> Manifest:
    if origin is list:
        return _list(arguments[0], prefix, found, name)
    return {"type": "object", "additionalProperties": _schema(arguments[1], prefix, found, name)}


def _list(item: Any, prefix: str, found: Manifest, name: str) -> Manifest:
    schema = _schema(item, prefix, found, name)
    if "allOf" in schema:
        schema = schema["allOf"][0]
    listing: Manifest = {"type": "array", "items": schema}
    keys = ListKeys().child(name)
    if keys.keys and not keys.is_set and "$ref" in schema:
        listing |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys.keys)}
    return listing


def _reference(kind: Any, prefix: str, found: Manifest) -> Manifest:
    if kind in (ObjectMeta, OwnerReference):
        return {"$ref": f"#/components/schemas/{META}.{kind.__name__}"}
    name = f"{prefix}.{kind.__name__}"
    if name not in found:
        found[name] = {}
        found[name] = _struct(kind, prefix, found)
    return {"$ref": f"#/components/schemas/{name}"}
