"""Tables: objects as rows, which is what ``kubectl get`` asks for (``meta.k8s.io/v1`` Table)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from kubekata.cluster import jsonpath
from kubekata.cluster.resources import Column, ResourceType
from kubekata.serve.columns import NAME, BuiltInColumn, built_in_columns
from kubekata.serve.durations import age

Manifest = dict[str, Any]


def table(
    resource: ResourceType,
    items: Sequence[Manifest],
    metadata: Manifest,
    now: datetime,
    *,
    version: str = "v1",
    include: str = "Metadata",
    headers: bool = True,
) -> Manifest:
    """Return objects as a Table.

    Args:
        metadata: of the list or the object.
        include: what stands beside the cells: ``None``, ``Metadata`` or ``Object``.
        headers: False for the second and later tables of a watch.
    """
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": metadata,
        "columnDefinitions": list(_definitions(resource)) if headers else [],
        "rows": [_row(resource, item, now, version, include) for item in items],
    }


def partial_metadata(manifest: Manifest, version: str = "v1") -> Manifest:
    """Return an object's metadata alone."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": manifest["metadata"],
    }


def _definitions(resource: ResourceType) -> Iterable[Manifest]:
    columns: Iterable[Column | BuiltInColumn]
    columns = (NAME, *resource.columns) if resource.custom else built_in_columns(resource.kind)
    for column in columns:
        yield {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }


def _row(resource: ResourceType, item: Manifest, now: datetime, version: str, include: str) -> Manifest:
    if resource.custom:
        cells = [item["metadata"]["name"], *(_cell(column, item, now) for column in resource.columns)]
    else:
        cells = [column.cell(item, now) for column in built_in_columns(resource.kind)]
    row: Manifest = {"cells": cells}
    if include == "Object":
        row["object"] = item
    elif include != "None":
        row["object"] = partial_metadata(item, version)
    return row


def _cell(column: Column, item: Manifest, now: datetime) -> Any:
    found = jsonpath.find(item, column.path)
    if not found or found[0] is None:
        return None
    value = found[0]
    match column.type:
        case "date":
            return age(value, now)
        case "string":
            return _text(value)
        case "boolean":
            return value if isinstance(value, bool) else None
        case "integer":
            return int(value) if _is_number(value) else None
    return value if _is_number(value) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
