"""Answers: objects and errors as HTTP responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from aiohttp import web

from kubekata.cluster.errors import ApiError
from kubekata.cluster.paging import Page
from kubekata.cluster.resources import ResourceType
from kubekata.serve.negotiation import Accepted
from kubekata.serve.tables import partial_metadata, table
from kubekata.serve.zeros import with_zeros

Manifest = dict[str, Any]

OBJECT_FORMS = ("Table", "PartialObjectMetadata")
LIST_FORMS = ("Table", "PartialObjectMetadataList")


def answer(
    value: Any, accepted: Accepted, *, status: int = 200, warnings: Iterable[str] = ()
) -> web.Response:
    """Return a value in the form that was asked for."""
    response = web.Response(body=accepted.encode(value), status=status, content_type=accepted.media_type)
    for warning in warnings:
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
    return response


def status_answer(error: ApiError) -> web.Response:
    """Return an error as a ``Status``."""
    response = web.Response(
        body=msgspec.json.encode(error.to_status()), status=error.code, content_type="application/json"
    )
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(int(error.retry_after))
    return response


def page_not_found() -> web.Response:
    """Return the answer for a path that leads nowhere."""
    return web.Response(text="404 page not found\n", status=404)


def as_served(resource: ResourceType, manifest: Manifest) -> Manifest:
    """Return a stored object in the version that was asked for; all versions are stored as one."""
    if not resource.custom:
        return with_zeros(manifest)
    if manifest.get("apiVersion") == resource.api_version:
        return manifest
    return {**manifest, "apiVersion": resource.api_version, "kind": manifest.get("kind", resource.kind)}


def object_form(
    resource: ResourceType, manifest: Manifest, accepted: Accepted, now: datetime, include: str = "Metadata"
) -> Manifest:
    """Return an object as itself, as a Table, or as its metadata."""
    served = as_served(resource, manifest)
    if accepted.form == "Table":
        metadata = {"resourceVersion": manifest["metadata"].get("resourceVersion", "")}
        return table(resource, [served], metadata, now, version=accepted.version, include=include)
    if accepted.form == "PartialObjectMetadata":
        return partial_metadata(served, accepted.version)
    return served


def list_form(
    resource: ResourceType, page: Page, accepted: Accepted, now: datetime, include: str, *, counts: bool
) -> Manifest:
    """Return a page as a list, a Table, or a list of metadata.

    Args:
        counts: whether to say how many items remain; with selectors nobody knows.
    """
    metadata: Manifest = {"resourceVersion": page.resource_version}
    if page.continue_token:
        metadata["continue"] = page.continue_token
        if counts:
            metadata["remainingItemCount"] = page.remaining
    items: Sequence[Manifest] = [as_served(resource, item) for item in page.items]
    if accepted.form == "Table":
        return table(resource, items, metadata, now, version=accepted.version, include=include)
    if accepted.form == "PartialObjectMetadataList":
        return {
            "kind": "PartialObjectMetadataList",
            "apiVersion": f"meta.k8s.io/{accepted.version}",
            "metadata": metadata,
            "items": [partial_metadata(item, accepted.version) for item in items],
        }
    if resource.custom:
        metadata.setdefault("continue", "")
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind_of_list,
        "metadata": metadata,
        "items": items,
    }
