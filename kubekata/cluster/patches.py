"""The three patch formats that change an object without asking who owns what.

JSON patch (RFC 6902), JSON merge patch (RFC 7386), and the strategic merge patch that kubectl sends for
built-in kinds.
"""

from __future__ import annotations

from typing import Any

import jsonpatch
import jsonpointer

from kubekata.cluster.errors import BadRequest, Invalid, RequestEntityTooLarge
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.scheme import copy_manifest

Manifest = dict[str, Any]

_MOST_OPERATIONS = 10_000
_REJECTED = "the server rejected our request due to an error in our request"
_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_DELETE_VALUES = "$deleteFromPrimitiveList/"


class RejectedPatch(Invalid):
    """The operations do not fit the object; a real server says no more than that, in empty details."""

    def to_status(self) -> Manifest:
        """Return this error as a ``Status`` manifest."""
        return {**super().to_status(), "details": {}}


def json_patch(document: Manifest, operations: Any) -> Manifest:
    """Return the document after a list of operations; all of them hold, or none.

    Raises:
        BadRequest: not a list of operations.
        Invalid: an operation cannot be carried out, or a test fails.
    """
    if not isinstance(operations, list):
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {_json_type(operations)} "
            "into Go value of type []interface {}"
        )
    if len(operations) > _MOST_OPERATIONS:
        raise RequestEntityTooLarge(
            f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, got {len(operations)}"
        )
    try:
        result = jsonpatch.JsonPatch(operations).apply(copy_manifest(document))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, KeyError, ValueError):
        raise RejectedPatch(_REJECTED) from None
    if not isinstance(result, dict):
        raise RejectedPatch(_REJECTED)
    return result


def merge_patch(document: Any, patch: Any) -> Any:
    """Return the document after a merge patch: null removes, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return copy_manifest(patch)
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge_patch(result.get(key), value)
    return result


def strategic_merge(document: Any, patch: Any, keys: ListKeys) -> Any:
    """Return the document after a strategic merge patch, whose lists merge by the items' keys.

    Raises:
        BadRequest: a directive that cannot be read, or an item without its key.
    """
    if not isinstance(patch, dict):
        return copy_manifest(patch)
    directive = patch.get(_DIRECTIVE, "merge")
    if directive == "delete":
        return {}
    if directive == "replace":
        return {key: copy_manifest(value) for key, value in patch.items() if key != _DIRECTIVE}
    if directive != "merge":
        raise BadRequest(f"unknown patch type found: {directive}")
    return _merge_fields(document, patch, keys)


def _merge_fields(document: Any, patch: Manifest, keys: ListKeys) -> Manifest:
    result: Manifest = dict(document) if isinstance(document, dict) else {}
    if isinstance(patch.get(_RETAIN), list):
        result = {key: value for key, value in result.items() if key in patch[_RETAIN]}
    for key, value in patch.items():
        if key.startswith("$"):
            _carry_out(result, key, value)
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, list):
            order = _as_list(patch.get(_ORDER + key))
            result[key] = _merge_list(result.get(key), value, keys.child(key), order)
        else:
            result[key] = strategic_merge(result.get(key), value, keys.child(key))
    return result


def _carry_out(result: Manifest, directive: str, values: Any) -> None:
    """The one directive that acts on its own; the others qualify what stands beside them."""
    if directive.startswith(_DELETE_VALUES):
        name = directive.removeprefix(_DELETE_VALUES)
        result[name] = [item for item in _as_list(result.get(name)) if item not in _as_list(values)]


def _merge_list(current: Any, patch: list[Any], keys: ListKeys, order: list[Any]) -> list[Any]:
    existing = list(current) if isinstance(current, list) else []
    if keys.is_set:
        merged = existing + [item for item in patch if item not in existing]
        return _in_order(merged, order, lambda item: item)
    if not keys.keys:
        return [copy_manifest(item) for item in patch]
    # A strategic merge goes by one key only, the first.
    key = keys.keys[0]
    if any(isinstance(item, dict) and item.get(_DIRECTIVE) == "replace" for item in patch):
        return [copy_manifest(item) for item in patch if _DIRECTIVE not in item]
    for item in patch:
        if not isinstance(item, dict) or key not in item:
            raise BadRequest(f"map: {item} does not contain declared merge key: {key}")
        at = next((i for i, old in enumerate(existing) if _has(old, key, item[key])), None)
        if item.get(_DIRECTIVE) == "delete":
            existing = [old for old in existing if not _has(old, key, item[key])]
        elif at is None:
            existing.append(strategic_merge({}, item, keys.item()))
        else:
            existing[at] = strategic_merge(existing[at], item, keys.item())
    return _in_order(existing, order, lambda item: {key: item.get(key)} if isinstance(item, dict) else item)


def _in_order(items: list[Any], order: list[Any], identity: Any) -> list[Any]:
    """Sort as the patch asks; items that it does not name keep their place after those before them."""
    if not order:
        return items
    position = -1
    ranked: list[tuple[int, int, Any]] = []
    for index, item in enumerate(items):
        if identity(item) in order:
            position = order.index(identity(item))
        ranked.append((position, index, item))
    return [item for _, _, item in sorted(ranked, key=lambda entry: entry[:2])]


def _has(item: Any, key: str, value: Any) -> bool:
    return isinstance(item, dict) and item.get(key) == value


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _json_type(value: Any) -> str:
    match value:
        case dict():
            return "object"
        case str():
            return "string"
        case bool():
            return "bool"
        case None:
            return "null"
    return "number"
