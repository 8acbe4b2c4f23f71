"""Who set which field: the bookkeeping behind server-side apply (``metadata.managedFields``).

A set of fields is a set of paths; a path's steps are written as in ``FieldsV1``: ``f:spec``,
``k:{"name":"app"}`` for an item of a keyed list, ``v:"text"`` for a value in a set. The rules are those of
structured-merge-diff and apimachinery's ``managedfields``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from kubekata.cluster.errors import Conflict
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.scheme import copy_manifest

Manifest = dict[str, Any]
Path = tuple[str, ...]
Fields = frozenset[Path]

_CONTAINER = object()
_NOT_TRACKED = {"apiVersion", "kind"}
_SERVER_METADATA = {
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
}


@dataclass(frozen=True)
class Manager:
    """One entry: a client, how it writes, and the fields that it set last."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""
    fields: Fields = frozenset()
    time: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What tells entries apart."""
        return self.name, self.operation, self.subresource

    def __str__(self) -> str:
        text = json.dumps(self.name)
        if self.subresource:
            text += f' with subresource "{self.subresource}"'
        return text if self.operation == "Apply" else f"{text} using {self.api_version}"


def managers_of(manifest: Manifest) -> list[Manager]:
    """Return the entries that an object carries; entries that cannot be read are left out."""
    entries = (manifest.get("metadata") or {}).get("managedFields")
    found: list[Manager] = []
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not entry.get("manager"):
            continue
        tree = entry.get("fieldsV1")
        found.append(
            Manager(
                name=str(entry["manager"]),
                operation=str(entry.get("operation", "Update")),
                api_version=str(entry.get("apiVersion", "")),
                subresource=str(entry.get("subresource", "")),
                fields=frozenset(_paths(tree)) if isinstance(tree, dict) else frozenset(),
                time=str(entry.get("time", "")),
            )
        )
    return found


def to_entries(managers: Iterable[Manager]) -> list[Manifest]:
    """Return entries as an object carries them; an entry without fields is dropped."""
    entries: list[Manifest] = []
    for manager in managers:
        if not manager.fields:
            continue
        entry: Manifest = {
            "manager": manager.name,
            "operation": manager.operation,
            "apiVersion": manager.api_version,
            "time": manager.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": _tree(manager.fields),
        }
        if manager.subresource:
            entry["subresource"] = manager.subresource
        entries.append(entry)
    return entries


def after_update(new: Manifest, old: Manifest | None, manager: Manager, keys: ListKeys) -> list[Manager]:
    """Return the entries after ``manager`` wrote ``new`` over ``old``: it owns what it changed."""
    before = flatten(old or {}, keys)
    after = flatten(new, keys)
    changed = frozenset(path for path, value in after.items() if path not in before or before[path] != value)
    result: list[Manager] = []
    own = replace(manager, fields=changed)
    for entry in managers_of(new if (new.get("metadata") or {}).get("managedFields") else old or {}):
        kept = frozenset(path for path in entry.fields if _exists(path, after))
        if entry.identity == manager.identity:
            merged = kept | changed
            own = replace(manager, fields=merged, time=manager.time if merged != entry.fields else entry.time)
        else:
            taken = {path for path in changed if path in before and after[path] is not _CONTAINER}
            result.append(replace(entry, fields=kept - taken))
    return [*result, own]


def after_apply(
    applied: Manifest, live: Manifest, manager: Manager, keys: ListKeys, *, force: bool
) -> tuple[Manifest, list[Manager]]:
    """Return the merged object and the entries after an apply.

    Raises:
        Conflict: other managers own fields that this apply would change, and it does not force.
    """
    wanted, before = flatten(applied, keys), flatten(live, keys)
    mine = frozenset(p for p, value in wanted.items() if value is not _CONTAINER or p[-1][:2] == "k:")
    merged = _merge(live, applied, keys)
    others = [entry for entry in managers_of(live) if entry.identity != manager.identity]
    previous = next((e for e in managers_of(live) if e.identity == manager.identity), None)
    if previous is not None:
        elsewhere = frozenset().union(*(entry.fields for entry in others)) if others else frozenset()
        for path in sorted(previous.fields - mine - elsewhere, key=len):
            # A map or list goes with its last field, not because one of its owners let go.
            if before.get(path) is not _CONTAINER or path[-1].startswith("k:"):
                _remove(merged, path, keys)
    after = flatten(merged, keys)
    changed = {path for path in mine if before.get(path) != after.get(path) and path in before}
    conflicts = [(entry, path) for entry in others for path in sorted(entry.fields & changed)]
    if conflicts and not force:
        raise _conflict(conflicts)
    survivors = [
        replace(entry, fields=frozenset(p for p in entry.fields - changed if _exists(p, after)))
        for entry in others
    ]
    time = previous.time if previous is not None and previous.fields == mine else manager.time
    return merged, [*survivors, replace(manager, fields=mine, time=time)]


def flatten(manifest: Manifest, keys: ListKeys) -> dict[Path, Any]:
    """Return every path of an object with its value; a map or keyed list stands for itself."""
    found: dict[Path, Any] = {}
    for name, value in manifest.items():
        if name in _NOT_TRACKED:
            continue
        if name == "metadata":
            for key, part in (value or {}).items():
                if key not in _SERVER_METADATA:
                    _flatten(part, ("f:metadata", f"f:{key}"), keys.child("metadata").child(key), found)
            continue
        _flatten(value, (f"f:{name}",), keys.child(name), found)
    return found


def _flatten(value: Any, path: Path, keys: ListKeys, found: dict[Path, Any]) -> None:
    if isinstance(value, dict) and value and not keys.atomic_map:
        found[path] = _CONTAINER
        for name, part in value.items():
            _flatten(part, (*path, f"f:{name}"), keys.child(name), found)
    elif isinstance(value, list) and value and keys.keys:
        found[path] = _CONTAINER
        for item in value:
            step = _step(item, keys)
            if keys.is_set:
                found[*path, step] = item
            else:
                _flatten(item, (*path, step), keys.item(), found)
    else:
        found[path] = value


def _step(item: Any, keys: ListKeys) -> str:
    if keys.is_set:
        return "v:" + json.dumps(item, separators=(",", ":"))
    return "k:" + json.dumps(keys.identify(item), separators=(",", ":"), sort_keys=True)


def _exists(path: Path, flat: dict[Path, Any]) -> bool:
    return path in flat


def _merge(live: Any, applied: Any, keys: ListKeys) -> Any:
    if isinstance(applied, dict) and isinstance(live, dict) and not keys.atomic_map:
        merged = dict(live)
        for name, value in applied.items():
            merged[name] = _merge(live.get(name), value, keys.child(name))
        return merged
    if isinstance(applied, list) and isinstance(live, list) and keys.keys:
        return _merge_lists(live, applied, keys)
    return copy_manifest(applied)


def _merge_lists(live: list[Any], applied: list[Any], keys: ListKeys) -> list[Any]:
    merged = list(live)
    if keys.is_set:
        return merged + [item for item in applied if item not in merged]
    for item in applied:
        identity = keys.identify(item)
        at = next((i for i, old in enumerate(merged) if keys.identify(old) == identity), None)
        if at is None:
            merged.append(copy_manifest(item))
        else:
            merged[at] = _merge(merged[at], item, keys.item())
    return merged


def _remove(value: Any, path: Path, keys: ListKeys) -> None:
    """Remove what a path leads to, in copies made on the way down, so that ``live`` stays as it is."""
    step, rest = path[0], path[1:]
    if step.startswith("f:"):
        name = step[2:]
        if not isinstance(value, dict) or name not in value:
            return
        if not rest:
            if not isinstance(value[name], dict) or not value[name]:
                value.pop(name)
            return
        value[name] = _shallow_copy(value[name])
        _remove(value[name], rest, keys.child(name))
        if value[name] in ({}, []) and name != "metadata":
            del value[name]
        return
    if not isinstance(value, list):
        return
    at = next((i for i, item in enumerate(value) if _step(item, keys) == step), None)
    if at is None:
        return
    if not rest:
        del value[at]
        return
    value[at] = _shallow_copy(value[at])
    _remove(value[at], rest, keys.item())


def _shallow_copy(value: Any) -> Any:
    return value.copy() if isinstance(value, dict | list) else value


def _conflict(conflicts: list[tuple[Manager, Path]]) -> Conflict:
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {entry}",
            "field": path_text(path),
        }
        for entry, path in conflicts
    ]
    if len(conflicts) == 1:
        entry, path = conflicts[0]
        message = f"Apply failed with 1 conflict: conflict with {entry}: {path_text(path)}"
        return Conflict(message, details={"causes": causes})
    by_manager: dict[str, list[str]] = {}
    for entry, path in conflicts:
        by_manager.setdefault(str(entry), []).append(path_text(path))
    parts = [
        f"conflicts with {name}:\n" + "\n".join(f"- {path}" for path in paths)
        for name, paths in sorted(by_manager.items())
    ]
    message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(parts)
    return Conflict(message, details={"causes": causes})


def path_text(path: Path) -> str:
    """Return a path as people read it: ``.spec.containers[name="app"].image``."""
    parts: list[str] = []
    for step in path:
        kind, text = step[:2], step[2:]
        if kind == "f:":
            parts.append(f".{text}")
        elif kind == "k:":
            pairs = ",".join(f"{key}={json.dumps(value)}" for key, value in json.loads(text).items())
            parts.append(f"[{pairs}]")
        else:
            parts.append(f"[={text}]")
    return "".join(parts)


def _paths(tree: Manifest, prefix: Path = ()) -> Iterable[Path]:
    for step, children in tree.items():
        if step == ".":
            yield prefix
            continue
        path = (*prefix, step)
        if not children:
            yield path
        elif isinstance(children, dict):
            yield from _paths(children, path)


def _tree(fields: Fields) -> Manifest:
    tree: Manifest = {}
    inner = {path[:length] for path in fields for length in range(1, len(path))}
    for path in sorted(fields):
        node = tree
        for step in path:
            node = node.setdefault(step, {})
        if path in inner:
            node["."] = {}
    return tree
