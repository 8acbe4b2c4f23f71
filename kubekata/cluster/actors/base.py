"""What the world asks of an actor, and the loop that most of them share."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from kubekata.cluster.errors import ApiError
from kubekata.cluster.store import Manifest, StoreEvent

if TYPE_CHECKING:
    from kubekata.cluster.world import World

_RETRY_SECONDS = 1.0


class Actor(Protocol):
    """A controller, scheduler or kubelet that acts when it is woken.

    An actor is level-triggered: it looks at the store and does what is due at the present time. It
    remembers nothing that it could not find out again, but for timers.
    """

    name: str

    def sync(self) -> bool:
        """Do what is due now; return True if anything was written."""
        ...

    def next_wakeup(self) -> datetime | None:
        """When to be woken even if nothing changes; None if only a change matters."""
        ...


class Key(NamedTuple):
    """One object that a controller has to look at. ``resource`` is the plural with its group."""

    resource: str
    namespace: str
    name: str

    @classmethod
    def of(cls, resource: str, manifest: Manifest) -> Key:
        """The key of a stored object."""
        metadata = manifest["metadata"]
        return cls(resource, metadata.get("namespace", ""), metadata["name"])


class Controller(ABC):
    """An actor with a work queue: changes put keys into it, ``sync`` takes them out.

    So it costs what changed, not what exists. Reads go to the store, as a real controller's go to its
    informers; writes go through ``client``, so that the log says who wrote.

    Attributes:
        name: the user under which it writes.
        watches: the resources whose changes it hears of; empty for all of them.
    """

    name: str
    watches: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, world: World) -> None:
        self.world = world
        self.client = world.client(self.name)
        self._queue: dict[Key, None] = {}
        self._timers: list[tuple[datetime, int, Key]] = []
        self._timer_order = count()
        for event in _existing(world, self.watches):
            self.observe(event)
        world.api.store.subscribe(self._hear)

    @abstractmethod
    def observe(self, event: StoreEvent) -> None:
        """Put into the queue what a change concerns. What exists at the start arrives as ADDED."""

    @abstractmethod
    def reconcile(self, key: Key) -> None:
        """Bring one object to where it should be.

        An ApiError means that somebody else was faster or the server refused: the key is tried again.
        """

    def enqueue(self, key: Key) -> None:
        """Look at an object at the next opportunity; being asked twice is being asked once."""
        self._queue[key] = None

    def wake(self, key: Key, at: datetime) -> None:
        """Look at an object at a moment."""
        heapq.heappush(self._timers, (at, next(self._timer_order), key))

    def sync(self) -> bool:
        """Work through what is queued or due now; True if anything was written."""
        now = self.world.now()
        while self._timers and self._timers[0][0] <= now:
            self.enqueue(heapq.heappop(self._timers)[2])
        if not self._queue:
            return False
        version = self.world.api.store.version
        keys, self._queue = self._in_order(list(self._queue)), {}
        for key in keys:
            try:
                self.reconcile(key)
            except ApiError:
                self.wake(key, now + timedelta(seconds=_RETRY_SECONDS))
        return self.world.api.store.version != version

    def next_wakeup(self) -> datetime | None:
        """The moment of the earliest timer."""
        return self._timers[0][0] if self._timers else None

    def _in_order(self, keys: list[Key]) -> list[Key]:
        return keys

    def _hear(self, event: StoreEvent) -> None:
        if not self.watches or event.resource in self.watches:
            self.observe(event)


def _existing(world: World, resources: frozenset[str]) -> Iterator[StoreEvent]:
    store = world.api.store
    for resource in sorted(resources) or list(store.resources()):
        for manifest in store.list(resource):
            yield StoreEvent("ADDED", resource, manifest, None, store.version)
