"""OpenAPI documents: what ``kubectl apply`` checks before it writes, and what ``kubectl explain`` reads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from kubekata.cluster.resources import ResourceTable, ResourceType
from kubekata.serve.typeschemas import META, meta_schemas, type_schemas

Manifest = dict[str, Any]

_LIST_PARAMETERS = {
    "allowWatchBookmarks": "boolean",
    "continue": "string",
    "fieldSelector": "string",
    "labelSelector": "string",
    "limit": "integer",
    "resourceVersion": "string",
    "resourceVersionMatch": "string",
    "sendInitialEvents": "boolean",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}
_WRITE_PARAMETERS = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string"}
_DELETE_PARAMETERS = {
    "dryRun": "string",
    "gracePeriodSeconds": "integer",
    "orphanDependents": "boolean",
    "propagationPolicy": "string",
}
# kubectl computes strategic merge patches from its own types where a server does not offer to describe them.
_PATCHES = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_OBJECTS = ("application/json", "application/yaml")


def index(resources: ResourceTable) -> Manifest:
    """Return ``/openapi/v3``: a document for each group version, with a hash that changes with it."""
    paths: Manifest = {}
    for group, version in sorted({(r.group, r.version) for r in resources}):
        path = f"apis/{group}/{version}" if group else f"api/{version}"
        content = msgspec.json.encode(document(resources, group, version))
        digest = hashlib.sha512(content).hexdigest().upper()
        paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": paths}


def document(resources: ResourceTable, group: str, version: str) -> Manifest:
    """Return the OpenAPI v3 document of a group version."""
    paths: Manifest = {}
    schemas = meta_schemas()
    for resource in _of(resources, group, version):
        paths |= _paths(resource)
        schemas |= _schemas(resource)
    title = "Kubernetes CRD Swagger" if "." in group and not group.endswith(".k8s.io") else "Kubernetes"
    return {
        "openapi": "3.0.0",
        "info": {"title": title, "version": "v0.1.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def swagger(resources: ResourceTable) -> Manifest:
    """Return ``/openapi/v2``: the same schemas, without paths."""
    definitions = meta_schemas()
    for resource in resources:
        definitions |= _schemas(resource)
    moved = msgspec.json.encode(definitions).replace(b"#/components/schemas/", b"#/definitions/")
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.36.2"},
        "paths": {},
        "definitions": msgspec.json.decode(moved),
    }


def _of(resources: ResourceTable, group: str, version: str) -> Iterable[ResourceType]:
    found = [r for r in resources if (r.group, r.version) == (group, version)]
    return sorted(found, key=lambda r: r.plural)


def _schema_name(resource: ResourceType) -> str:
    if resource.custom:
        return ".".join([*reversed(resource.group.split(".")), resource.version, resource.kind])
    group = resource.group.split(".")[0] or "core"
    return f"io.k8s.api.{group}.{resource.version}.{resource.kind}"


def _ref(name: str) -> Manifest:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas(resource: ResourceType) -> Manifest:
    name = _schema_name(resource)
    gvk = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    found: Manifest = {}
    if resource.schema is not None:
        schema = dict(resource.schema)
        schema["properties"] = {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"allOf": [_ref(f"{META}.ObjectMeta")]},
            **{
                key: value
                for key, value in (schema.get("properties") or {}).items()
                if key not in ("apiVersion", "kind", "metadata")
            },
        }
    else:
        schema, found = type_schemas(resource)
    found[name] = {**schema, "x-kubernetes-group-version-kind": [gvk]}
    found[f"{name}List"] = {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "items": {"type": "array", "items": _ref(name)},
            "kind": {"type": "string"},
            "metadata": {"allOf": [_ref(f"{META}.ListMeta")]},
        },
        "x-kubernetes-group-version-kind": [{**gvk, "kind": resource.kind_of_list}],
    }
    return found


def _paths(resource: ResourceType) -> Manifest:
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    place = (
        f"{root}/namespaces/{{namespace}}/{resource.plural}"
        if resource.namespaced
        else f"{root}/{resource.plural}"
    )
    name = _schema_name(resource)
    paths: Manifest = {
        place: {
            "get": _operation(resource, "list", _LIST_PARAMETERS, f"{name}List"),
            "post": _operation(resource, "post", _WRITE_PARAMETERS, name, body=name),
            "delete": _operation(resource, "deletecollection", _LIST_PARAMETERS, f"{META}.Status"),
            "parameters": _path_parameters(place),
        },
        f"{place}/{{name}}": {
            "get": _operation(resource, "get", {"resourceVersion": "string"}, name),
            "delete": _operation(
                resource, "delete", _DELETE_PARAMETERS, f"{META}.Status", body=f"{META}.DeleteOptions"
            ),
            **_writes(resource, name),
            "parameters": _path_parameters(f"{place}/{{name}}"),
        },
    }
    if resource.has_status:
        paths[f"{place}/{{name}}/status"] = {
            "get": _operation(resource, "get", {"resourceVersion": "string"}, name, part="Status"),
            **_writes(resource, name, part="Status"),
            "parameters": _path_parameters(f"{place}/{{name}}/status"),
        }
    if resource.namespaced:
        paths[f"{root}/{resource.plural}"] = {
            "get": _operation(resource, "list", {}, f"{name}List", part="ForAllNamespaces"),
            "parameters": _parameters(_LIST_PARAMETERS),
        }
    return paths


def _writes(resource: ResourceType, name: str, part: str = "") -> Manifest:
    return {
        "put": _operation(resource, "put", _WRITE_PARAMETERS, name, body=name, part=part),
        "patch": _operation(
            resource,
            "patch",
            {**_WRITE_PARAMETERS, "force": "boolean"},
            name,
            body=f"{META}.Patch",
            takes=_PATCHES,
            part=part,
        ),
    }


def _operation(
    resource: ResourceType,
    action: str,
    parameters: dict[str, str],
    answer: str,
    *,
    body: str = "",
    takes: tuple[str, ...] = _OBJECTS,
    part: str = "",
) -> Manifest:
    group = "".join(word.title() for word in (resource.group or "core").split("."))
    scope = "Namespaced" if resource.namespaced else ""
    operation: Manifest = {
        "operationId": f"{action}{group}{resource.version.title()}{scope}{resource.kind}{part}",
        "parameters": _parameters(parameters),
        "responses": {
            "200": {"content": {media: {"schema": _ref(answer)} for media in _OBJECTS}, "description": "OK"},
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {
            "group": resource.group,
            "version": resource.version,
            "kind": resource.kind,
        },
    }
    if body:
        content = {media: {"schema": _ref(body)} for media in takes}
        operation["requestBody"] = {"content": content, "required": action != "delete"}
    return operation


def _parameters(parameters: dict[str, str]) -> list[Manifest]:
    return [
        {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}
        for name, kind in parameters.items()
    ]


def _path_parameters(path: str) -> list[Manifest]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "uniqueItems": True},
        }
        for name in ("name", "namespace")
        if f"{{{name}}}" in path
    ]
