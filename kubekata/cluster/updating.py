"""What an update keeps of the old object, and whether it changes anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubekata.cluster.errors import NotFound
from kubekata.cluster.managedfields import Manager, managers_of
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.scheme import copy_manifest

Manifest = dict[str, Any]

_FROM_THE_SERVER = ("uid", "creationTimestamp")
_LEFT_OUT_WHEN_EMPTY = ("labels", "annotations", "finalizers", "ownerReferences")


def drop_empty_metadata(metadata: Manifest) -> None:
    """Remove empty maps and lists, which say nothing and are not stored; changes ``metadata``."""
    for key in _LEFT_OUT_WHEN_EMPTY:
        if key in metadata and not metadata[key]:
            del metadata[key]


def carry_over(resource: ResourceType, new: Manifest, old: Manifest) -> None:
    """Put into ``new`` what an update of the main resource may leave out or not decide."""
    metadata, before = new["metadata"], old["metadata"]
    metadata.setdefault("name", before["name"])
    if "namespace" in before:
        metadata["namespace"] = before["namespace"]
    for key in (*_FROM_THE_SERVER, "managedFields"):
        if key in before:
            metadata.setdefault(key, before[key])
    for key in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        if key in before and metadata.get(key) is None:
            metadata[key] = before[key]
    for key in ("resourceVersion", "generation"):
        metadata.pop(key, None)
        if key in before:
            metadata[key] = before[key]
    if resource.has_status:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]


def with_status(resource: ResourceType, new: Manifest, old: Manifest) -> Manifest:
    """Return the old object with the new status.

    Raises:
        NotFound: this resource has no status subresource.
    """
    if not resource.has_status:
        raise NotFound("the server could not find the requested resource")
    result: Manifest = copy_manifest(old)
    result.pop("status", None)
    if new.get("status"):
        result["status"] = new["status"]
    return result


def desired(resource: ResourceType, manifest: Manifest) -> Manifest:
    """Everything whose change counts as a new generation."""
    aside = {"apiVersion", "metadata", "status"} if resource.has_status else {"apiVersion", "metadata"}
    return {key: value for key, value in manifest.items() if key not in aside}


def without_status(resource: ResourceType, manifest: Manifest) -> Manifest:
    """Return an object without the status that its main resource does not decide."""
    return {key: value for key, value in manifest.items() if key != "status" or not resource.has_status}


def same_managers(managers: Sequence[Manager], old: Manifest) -> bool:
    """True if the fields are owned as before, whenever it was that they were written."""

    def owned(entries: Sequence[Manager]) -> set[tuple[Any, ...]]:
        return {(*entry.identity, entry.fields) for entry in entries if entry.fields}

    return owned(managers) == owned(managers_of(old))


def same(new: Manifest, old: Manifest) -> bool:
    """True if an update changes nothing; who manages a field does not count."""

    def bare(manifest: Manifest) -> Manifest:
        metadata = {
            k: v for k, v in manifest["metadata"].items() if k != "managedFields" and v not in ([], {})
        }
        return {**manifest, "metadata": metadata}

    return bare(new) == bare(old)
