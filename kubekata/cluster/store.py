"""The objects, indexed, with a resource version for every write (what etcd and the watch cache do).

Stored manifests are never changed in place: a write puts a new one. So a reader may keep what it got, and
must not change it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kubekata.cluster.selectors import dig

Manifest = dict[str, Any]
Key = tuple[str, str]
EventType = Literal["ADDED", "MODIFIED", "DELETED"]

_REMEMBERED_EVENTS = 10_000


@dataclass(frozen=True, slots=True)
class StoreEvent:
    """One change. ``obj`` is the new state, or the last one of a deleted object; ``old`` the one before."""

    type: EventType
    resource: str
    obj: Manifest
    old: Manifest | None
    resource_version: int


Listener = Callable[[StoreEvent], None]


def _owners(manifest: Manifest) -> Iterable[str]:
    return [ref["uid"] for ref in manifest["metadata"].get("ownerReferences", ()) if "uid" in ref]


def _labels(manifest: Manifest) -> Iterable[tuple[str, str]]:
    return (manifest["metadata"].get("labels") or {}).items()


def _node(manifest: Manifest) -> Iterable[str]:
    name = dig(manifest, "spec", "nodeName")
    return [name] if name else []


_INDEXERS: dict[str, Callable[[Manifest], Iterable[Any]]] = {
    "namespace": lambda manifest: [manifest["metadata"].get("namespace", "")],
    "owner": _owners,
    "label": _labels,
    "node": _node,
}


class _Table:
    """All objects of one resource. The indexes are client-go's ``cache.Indexer``."""

    def __init__(self) -> None:
        self.objects: dict[Key, Manifest] = {}
        self._indexes: dict[str, dict[Any, set[Key]]] = {name: defaultdict(set) for name in _INDEXERS}

    def put(self, key: Key, manifest: Manifest) -> None:
        old = self.objects.get(key)
        if old is not None:
            self._unindex(key, old)
        self.objects[key] = manifest
        for name, indexer in _INDEXERS.items():
            for value in indexer(manifest):
                self._indexes[name][value].add(key)

    def remove(self, key: Key) -> Manifest:
        manifest = self.objects.pop(key)
        self._unindex(key, manifest)
        return manifest

    def _unindex(self, key: Key, manifest: Manifest) -> None:
        for name, indexer in _INDEXERS.items():
            index = self._indexes[name]
            for value in indexer(manifest):
                keys = index[value]
                keys.discard(key)
                if not keys:
                    del index[value]

    def keys(self, **wanted: Any) -> set[Key] | dict[Key, Manifest]:
        """Keys that are in every wanted index entry, the smallest entry first."""
        if not wanted:
            return self.objects
        found = sorted((self._indexes[name].get(value, set()) for name, value in wanted.items()), key=len)
        return set.intersection(*found)


class Store:
    """Objects by resource (``pods``, ``racknodes.rack.example.com``) and (namespace, name)."""

    def __init__(self, *, first_version: int = 1) -> None:
        self._tables: dict[str, _Table] = defaultdict(_Table)
        self._uids: dict[str, tuple[str, Key]] = {}
        self._version = first_version
        self._listeners: list[Listener] = []
        self._history: deque[StoreEvent] = deque(maxlen=_REMEMBERED_EVENTS)
        self._compacted = first_version

    @property
    def version(self) -> int:
        """The resource version of the latest write."""
        return self._version

    @property
    def oldest_version(self) -> int:
        """Changes after this version are remembered; a watch from before it is too old."""
        return self._compacted

    def get(self, resource: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or None."""
        return self._tables[resource].objects.get((namespace, name))

    def by_uid(self, uid: str) -> tuple[str, Manifest] | None:
        """Return (resource, object) for a uid, or None."""
        found = self._uids.get(uid)
        if found is None:
            return None
        resource, key = found
        return resource, self._tables[resource].objects[key]

    def list(
        self,
        resource: str,
        *,
        namespace: str | None = None,
        owner: str | None = None,
        node: str | None = None,
        label: tuple[str, str] | None = None,
    ) -> list[Manifest]:
        """Return objects sorted by namespace and name; each argument given narrows by an index."""
        wanted = {"namespace": namespace, "owner": owner, "node": node, "label": label}
        table = self._tables[resource]
        keys = table.keys(**{name: value for name, value in wanted.items() if value is not None})
        return [table.objects[key] for key in sorted(keys)]

    def count(self, resource: str) -> int:
        """Return how many objects of a resource there are."""
        return len(self._tables[resource].objects)

    def resources(self) -> Iterator[str]:
        """Yield the resources that have objects."""
        return (resource for resource, table in list(self._tables.items()) if table.objects)

    def put(self, resource: str, manifest: Manifest) -> Manifest:
        """Store a new or changed object under the next resource version, and tell the listeners.

        ``manifest`` belongs to the store from now on.
        """
        metadata = manifest["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        table = self._tables[resource]
        old = table.objects.get(key)
        self._version += 1
        metadata["resourceVersion"] = str(self._version)
        table.put(key, manifest)
        self._uids[metadata["uid"]] = (resource, key)
        self._tell(StoreEvent("MODIFIED" if old else "ADDED", resource, manifest, old, self._version))
        return manifest

    def remove(self, resource: str, namespace: str, name: str) -> Manifest:
        """Remove an object and return its last state, which carries the deletion's resource version.

        Raises:
            KeyError: it is not there.
        """
        old = self._tables[resource].remove((namespace, name))
        self._uids.pop(old["metadata"]["uid"], None)
        self._version += 1
        last = {**old, "metadata": {**old["metadata"], "resourceVersion": str(self._version)}}
        self._tell(StoreEvent("DELETED", resource, last, old, self._version))
        return last

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with every change from now on; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def changes_since(self, version: int) -> Sequence[StoreEvent]:
        """Return the remembered changes after a version, oldest first.

        Raises:
            LookupError: changes since then have been forgotten.
        """
        if version < self._compacted:
            msg = f"too old resource version: {version} ({self._compacted})"
            raise LookupError(msg)
        return [event for event in self._history if event.resource_version > version]

    def as_of(self, version: int) -> Store:
        """Return a copy of the store as it was at an earlier version, by undoing the changes since.

        Raises:
            LookupError: changes since then have been forgotten.
        """
        undone = list(reversed(self.changes_since(version)))
        past = Store(first_version=version)
        for resource, table in self._tables.items():
            for key, manifest in table.objects.items():
                past._tables[resource].put(key, manifest)
        for event in undone:
            metadata = event.obj["metadata"]
            key = (metadata.get("namespace", ""), metadata["name"])
            table = past._tables[event.resource]
            if event.old is None:
                table.remove(key)
            else:
                table.put(key, event.old)
        return past

    def compact(self) -> None:
        """Forget all changes so far, as etcd's compaction does."""
        self._history.clear()
        self._compacted = self._version

    def _tell(self, event: StoreEvent) -> None:
        if len(self._history) == self._history.maxlen:
            self._compacted = self._history[0].resource_version
        self._history.append(event)
        for listener in list(self._listeners):
            listener(event)
