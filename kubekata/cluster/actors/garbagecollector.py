"""The garbage collector: dependents go when the last owner has gone (``pkg/controller/garbagecollector``)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.api import ApiRequest, DeleteOptions, PropagationPolicy
from kubekata.cluster.deletion import FOREGROUND, ORPHAN
from kubekata.cluster.errors import NotFound
from kubekata.cluster.store import StoreEvent

if TYPE_CHECKING:
    from kubekata.cluster.world import World

Manifest = dict[str, Any]


class Owner(Enum):
    """What became of an owner that an object refers to."""

    SOLID = "it protects its dependents, even while it is being deleted for another reason"
    WAITING = "it is being deleted in the foreground, and waits for its dependents"
    DANGLING = "it is gone, or another object has its name now"
    UNRESOLVABLE = "it cannot be looked up: no such kind, or a cluster-scoped object names a namespaced owner"


class GarbageCollector(Controller):
    """Deletes dependents in the background, in the foreground, or lets them go as orphans.

    An owner in another namespace looks absent, so that its dependents are deleted.
    """

    name = "garbage-collector"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._transport = world.transport(self.name)

    def observe(self, event: StoreEvent) -> None:
        """Queue an object whose owners or deletion may have changed, and those that depend on it."""
        metadata = event.obj["metadata"]
        if event.type == "DELETED":
            self._enqueue_all(self._dependents(metadata["uid"]))
        elif _may_matter(event):
            self.enqueue(Key.of(event.resource, event.obj))
        for state in filter(None, (event.obj, event.old)):
            self._enqueue_waiting_owners(state)

    def reconcile(self, key: Key) -> None:
        """Decide about one object (``attemptToDeleteItem``)."""
        item = self.world.api.store.get(*key)
        if item is None:
            return
        metadata = item["metadata"]
        finalizers = metadata.get("finalizers") or ()
        if not metadata.get("deletionTimestamp"):
            self._check_owners(key, item)
        elif ORPHAN in finalizers:
            self._orphan_dependents(key, item)
        elif FOREGROUND in finalizers:
            self._finish_foreground(key, item)

    def _check_owners(self, key: Key, item: Manifest) -> None:
        references = item["metadata"].get("ownerReferences") or []
        classes = [self._classify(reference, item) for reference in references]
        if not references or Owner.UNRESOLVABLE in classes:
            return
        if Owner.SOLID in classes:
            keep = [ref for ref, owner in zip(references, classes, strict=True) if owner is Owner.SOLID]
            if keep != references:
                self._update(key, item, ownerReferences=keep)
            return
        dependents = self._dependents(item["metadata"]["uid"])
        if Owner.WAITING in classes and dependents:
            # A dependent under deletion may in turn wait for its owner: a circle, cut by unblocking.
            if any(dependent["metadata"].get("deletionTimestamp") for _, dependent in dependents):
                self._unblock(key, item)
            self._delete(key, item, "Foreground")
            return
        self._delete(key, item, _own_policy(item))

    def _classify(self, reference: Manifest, item: Manifest) -> Owner:
        resource = self.world.api.resources.find(reference["apiVersion"], reference["kind"])
        namespace = item["metadata"].get("namespace", "")
        if resource is None or (resource.namespaced and not namespace):
            return Owner.UNRESOLVABLE
        found = self.world.api.store.get(
            resource.qualified, namespace if resource.namespaced else "", reference["name"]
        )
        return classify_owner(reference["uid"], found)

    def _orphan_dependents(self, key: Key, owner: Manifest) -> None:
        uid = owner["metadata"]["uid"]
        for dependent_key, dependent in self._dependents(uid):
            references = [ref for ref in dependent["metadata"]["ownerReferences"] if ref["uid"] != uid]
            self._update(dependent_key, dependent, ownerReferences=references)
        self._update(key, owner, finalizers=_without(owner, ORPHAN))

    def _finish_foreground(self, key: Key, owner: Manifest) -> None:
        blocking = [
            (dependent_key, dependent)
            for dependent_key, dependent in self._dependents(owner["metadata"]["uid"])
            if _blocks(dependent, owner["metadata"]["uid"])
        ]
        if not blocking:
            self._update(key, owner, finalizers=_without(owner, FOREGROUND))
            return
        self._enqueue_all(
            (dependent_key, dependent)
            for dependent_key, dependent in blocking
            if not dependent["metadata"].get("deletionTimestamp")
        )

    def _unblock(self, key: Key, item: Manifest) -> None:
        references = item["metadata"]["ownerReferences"]
        if any(reference.get("blockOwnerDeletion") for reference in references):
            free = [{**reference, "blockOwnerDeletion": False} for reference in references]
            self._update(key, item, ownerReferences=free)

    def _delete(self, key: Key, item: Manifest, policy: PropagationPolicy) -> None:
        options = DeleteOptions(propagation_policy=policy, uid=item["metadata"]["uid"])
        try:
            self._transport.call(
                ApiRequest(
                    verb="delete",
                    api_version=item["apiVersion"],
                    kind=item["kind"],
                    namespace=key.namespace,
                    name=key.name,
                    options=options,
                )
            )
        except NotFound:
            return

    def _update(self, key: Key, item: Manifest, **metadata: list[Any]) -> None:
        self._transport.call(
            ApiRequest(
                verb="update",
                api_version=item["apiVersion"],
                kind=item["kind"],
                namespace=key.namespace,
                name=key.name,
                body={**item, "metadata": {**item["metadata"], **metadata}},
            )
        )

    def _dependents(self, uid: str) -> list[tuple[Key, Manifest]]:
        store = self.world.api.store
        return [
            (Key.of(resource, manifest), manifest)
            for resource in store.resources()
            for manifest in store.list(resource, owner=uid)
        ]

    def _enqueue_all(self, items: Iterable[tuple[Key, Manifest]]) -> None:
        for key, _ in items:
            self.enqueue(key)

    def _enqueue_waiting_owners(self, dependent: Manifest) -> None:
        for reference in dependent["metadata"].get("ownerReferences") or ():
            found = self.world.api.store.by_uid(reference["uid"])
            if found is not None and classify_owner(reference["uid"], found[1]) is Owner.WAITING:
                self.enqueue(Key.of(*found))


def classify_owner(uid: str, found: Manifest | None) -> Owner:
    """Say what became of an owner; ``found`` is what bears its kind and name now."""
    if found is None or found["metadata"]["uid"] != uid:
        return Owner.DANGLING
    metadata = found["metadata"]
    in_foreground = FOREGROUND in (metadata.get("finalizers") or ())
    return Owner.WAITING if metadata.get("deletionTimestamp") and in_foreground else Owner.SOLID


def _may_matter(event: StoreEvent) -> bool:
    """True if an object's owners or its deletion are new; what it says otherwise is not our business."""
    metadata, before = event.obj["metadata"], event.old["metadata"] if event.old else {}
    decisive = ("ownerReferences", "deletionTimestamp", "finalizers")
    return any(metadata.get(key) and metadata.get(key) != before.get(key) for key in decisive)


def _own_policy(item: Manifest) -> PropagationPolicy:
    finalizers = item["metadata"].get("finalizers") or ()
    if ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in finalizers else "Background"


def _blocks(dependent: Manifest, uid: str) -> bool:
    references = dependent["metadata"].get("ownerReferences") or ()
    return any(ref["uid"] == uid and ref.get("blockOwnerDeletion") for ref in references)


def _without(manifest: Manifest, finalizer: str) -> list[str]:
    return [name for name in manifest["metadata"].get("finalizers") or () if name != finalizer]
