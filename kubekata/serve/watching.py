"""Watches: every change of a resource, sent to those who asked for it as it happens."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.crdstrategies import DEFINITIONS
from kubekata.cluster.errors import Expired
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.selectors import Requirement, parse_fields, parse_labels
from kubekata.cluster.store import StoreEvent

Manifest = dict[str, Any]

_MOST_WAITING = 5_000
_REMEMBERED_ENCODINGS = 512


@dataclass
class Filter:
    """What a watch is about."""

    resource: ResourceType
    namespace: str = ""
    labels: tuple[Requirement, ...] = ()
    fields: tuple[tuple[str, bool, str], ...] = ()

    @classmethod
    def of(cls, resource: ResourceType, namespace: str, labels: str, fields: str) -> Filter:
        """Parse the selectors.

        Raises:
            BadRequest: one of them cannot be read.
        """
        return cls(resource, namespace, parse_labels(labels), parse_fields(fields, resource.selectable))

    def selects(self, manifest: Manifest | None) -> bool:
        """True if the watch is about this object in this state."""
        if manifest is None:
            return False
        metadata = manifest["metadata"]
        if self.namespace and metadata.get("namespace") != self.namespace:
            return False
        labels = metadata.get("labels") or {}
        if not all(requirement.holds(labels) for requirement in self.labels):
            return False
        getters = self.resource.selectable
        return all((getters[name](manifest) == value) is equal for name, equal, value in self.fields)

    def translate(self, event: StoreEvent) -> tuple[str, Manifest] | None:
        """Return what a change means to this watch: its type and object; None if nothing.

        An object that starts to be selected is added to this watch, one that no longer is is deleted.
        """
        was, now = self.selects(event.old), event.type != "DELETED" and self.selects(event.obj)
        if now:
            return ("MODIFIED" if was else "ADDED"), event.obj
        if not was or event.old is None:
            return None
        if event.type == "DELETED":
            return "DELETED", event.obj
        # The last state that was selected, at the version of the change that ended it.
        metadata = {**event.old["metadata"], "resourceVersion": str(event.resource_version)}
        return "DELETED", {**event.old, "metadata": metadata}


@dataclass(eq=False)
class Watcher:
    """One open watch: a queue of what it has yet to send."""

    filter: Filter
    closed: bool = False
    waiting: deque[StoreEvent] = field(default_factory=deque)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, event: StoreEvent) -> None:
        """Note a change; a client that lags too far behind is let go."""
        if len(self.waiting) >= _MOST_WAITING:
            self.close()
            return
        self.waiting.append(event)
        self.changed.set()

    def close(self) -> None:
        """End the watch."""
        self.closed = True
        self.changed.set()

    async def events(self, timeout: float) -> list[StoreEvent]:
        """Return what has happened, waiting at most ``timeout`` seconds for something to happen."""
        if not self.waiting and not self.closed:
            try:
                async with asyncio.timeout(max(timeout, 0)):
                    await self.changed.wait()
            except TimeoutError:
                return []
        self.changed.clear()
        events, self.waiting = list(self.waiting), deque()
        return events


class Watches:
    """All open watches of a server."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._watchers: dict[str, set[Watcher]] = {}
        self._encoded: dict[tuple[Any, ...], bytes] = {}
        self.closing = False
        api.store.subscribe(self._hear)

    def open(self, filter_: Filter, since: int | None) -> Watcher:
        """Start a watch after a resource version; None for from now on.

        Raises:
            Expired: the changes since then have been forgotten.
        """
        watcher = Watcher(filter_)
        name = filter_.resource.qualified
        if since is not None:
            for event in self._changes_since(name, since):
                watcher.put(event)
        self._watchers.setdefault(name, set()).add(watcher)
        return watcher

    def end(self, watcher: Watcher) -> None:
        """Forget a watch."""
        self._watchers.get(watcher.filter.resource.qualified, set()).discard(watcher)

    def close(self) -> None:
        """End all watches."""
        self.closing = True
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()

    def encode(self, key: tuple[Any, ...], encode: Callable[[], bytes]) -> bytes:
        """Return the bytes of an event, made once for all watches that send it in the same form."""
        found = self._encoded.get(key)
        if found is None:
            if len(self._encoded) >= _REMEMBERED_ENCODINGS:
                self._encoded.clear()
            found = self._encoded[key] = encode()
        return found

    def _changes_since(self, name: str, since: int) -> Iterable[StoreEvent]:
        try:
            changes = self._api.store.changes_since(since)
        except LookupError as error:
            raise Expired(str(error)) from None
        return [event for event in changes if event.resource == name]

    def _hear(self, event: StoreEvent) -> None:
        for watcher in self._watchers.get(event.resource, ()):
            watcher.put(event)
        if event.resource == DEFINITIONS.qualified and event.type == "DELETED":
            # A definition has the name of its resource, which is no longer served now.
            for watcher in self._watchers.pop(event.obj["metadata"]["name"], set()):
                watcher.close()
