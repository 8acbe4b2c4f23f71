"""PATCH: read, change, and write under the rules of an update; and server-side apply."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from kubekata.cluster.apiserver import ApiServer, list_keys
from kubekata.cluster.clock import timestamp
from kubekata.cluster.decoding import check_decodes, normalize
from kubekata.cluster.errors import BadRequest, NotFound, UnsupportedMediaType
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.managedfields import Manager, after_apply
from kubekata.cluster.patches import json_patch, merge_patch, strategic_merge
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.scale import scale_of, with_scale
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.validation import invalid_object, required

Manifest = dict[str, Any]
PatchType = Literal["json", "merge", "strategic", "apply"]
Check = Callable[[Manifest], None]

MEDIA_TYPES: dict[str, PatchType] = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


@dataclass(frozen=True)
class Patch:
    """A change that a client asks for.

    Attributes:
        body: operations, a partial object, or for an apply the client's whole opinion.
        field_manager: in whose name.
        force: an apply takes fields over from others.
        check: looks at the result before it is stored, and may refuse it.
    """

    type: PatchType
    body: Any
    field_manager: str = ""
    force: bool = False
    check: Check = lambda _: None


def accepted_media_types(resource: ResourceType) -> list[str]:
    """Return the patch formats that a resource takes; custom ones have no strategic merge."""
    return [name for name, kind in MEDIA_TYPES.items() if kind != "strategic" or not resource.custom]


def patch_object(
    api: ApiServer,
    resource: ResourceType,
    namespace: str,
    name: str,
    patch: Patch,
    *,
    subresource: str = "",
    dry_run: bool = False,
) -> tuple[Manifest, bool]:
    """Carry a patch out; returns the object (or its Scale) and whether it was created.

    Raises:
        NotFound, Conflict, Invalid, BadRequest, UnsupportedMediaType.
    """
    if patch.type == "strategic" and resource.custom:
        raise unsupported(accepted_media_types(resource))
    if patch.type == "apply":
        return _apply(api, resource, namespace, name, patch, subresource=subresource, dry_run=dry_run)
    old = api.get(resource, namespace, name)
    if subresource == "scale":
        before = scale_of(resource, old)
        wanted = _patched(before, patch, ListKeys("Scale"))
        new = with_scale(resource, old, wanted)
        stored = api.update(
            resource, namespace, name, new, dry_run=dry_run, field_manager=patch.field_manager
        )
        return scale_of(resource, stored), False
    new = normalize(resource, _patched(old, patch, list_keys(resource)))
    new.setdefault("metadata", {})
    check_decodes(resource, new)
    new["metadata"].setdefault("resourceVersion", old["metadata"]["resourceVersion"])
    patch.check(new)
    stored = api.update(
        resource,
        namespace,
        name,
        new,
        subresource=subresource,
        dry_run=dry_run,
        field_manager=patch.field_manager,
    )
    return stored, False


def unsupported(accepted: list[str]) -> UnsupportedMediaType:
    """Return the answer to a body in a format that is not read here."""
    return UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        + ", ".join(accepted)
    )


def _patched(old: Manifest, patch: Patch, keys: ListKeys) -> Manifest:
    if patch.type == "json":
        return json_patch(old, patch.body)
    if not isinstance(patch.body, dict):
        raise BadRequest(
            "error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}"
        )
    merge = merge_patch(old, patch.body) if patch.type == "merge" else strategic_merge(old, patch.body, keys)
    return cast("Manifest", merge)


def _apply(
    api: ApiServer,
    resource: ResourceType,
    namespace: str,
    name: str,
    patch: Patch,
    *,
    subresource: str,
    dry_run: bool,
) -> tuple[Manifest, bool]:
    _check_apply(resource, name, patch)
    unknown = api.unknown_fields(resource, patch.body)
    if unknown:
        kind = f"{resource.api_version}, Kind={resource.kind}"
        raise BadRequest(
            f"failed to create typed patch object ({namespace}/{name}; {kind}): .{unknown[0]}: field not "
            "declared in schema"
        )
    patch.check(copy_manifest(patch.body))
    now = timestamp(api.now().replace(microsecond=0))
    manager = Manager(patch.field_manager, "Apply", resource.api_version, subresource, time=now)
    applied = _scoped(normalize(resource, patch.body), resource, subresource)
    keys = list_keys(resource)
    live = api.store.get(resource.qualified, namespace, name)
    if live is None:
        if subresource:
            raise NotFound.of(resource.plural, name, resource.group)
        body: Manifest = copy_manifest(patch.body)
        body.setdefault("metadata", {})["name"] = name
        _, managers = after_apply(applied, {}, manager, keys, force=True)
        return api.create(resource, namespace, body, dry_run=dry_run, managers=managers), True
    merged, managers = after_apply(applied, live, manager, keys, force=patch.force)
    merged["apiVersion"] = patch.body["apiVersion"]
    merged["metadata"].setdefault("resourceVersion", live["metadata"]["resourceVersion"])
    stored = api.update(
        resource, namespace, name, merged, subresource=subresource, dry_run=dry_run, managers=managers
    )
    return stored, False


def _check_apply(resource: ResourceType, name: str, patch: Patch) -> None:
    if not patch.field_manager:
        error = required("fieldManager", "is required for apply patch")
        refusal = invalid_object("PatchOptions.meta.k8s.io", "", [error])
        raise refusal
    applied = patch.body
    if not isinstance(applied, dict):
        raise BadRequest("error decoding YAML: the applied configuration must be an object")
    for key, title in (("apiVersion", "apiVersion"), ("kind", "Kind")):
        if not applied.get(key):
            raise BadRequest(f"Object '{title}' is missing in '{json.dumps(applied)}'")
    check_decodes(resource, applied)
    metadata = applied.get("metadata") or {}
    if metadata.get("managedFields") is not None:
        raise BadRequest("metadata.managedFields must be nil")
    if metadata.get("name", name) != name:
        raise BadRequest(
            f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})"
        )


def _scoped(applied: Manifest, resource: ResourceType, subresource: str) -> Manifest:
    """The part of an applied configuration that counts: status only through its own subresource."""
    if subresource == "status":
        return {key: value for key, value in applied.items() if key in ("apiVersion", "kind", "status")}
    return {key: value for key, value in applied.items() if key != "status" or not resource.has_status}
