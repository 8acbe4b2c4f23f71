"""The ReplicaSet controller: keeps as many pods as asked for (``pkg/controller/replicaset``)."""

from __future__ import annotations

import copy
from datetime import datetime, timedelta

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.actors.claiming import claim
from kubekata.cluster.actors.deletion_order import pods_to_delete
from kubekata.cluster.errors import ApiError, NotFound
from kubekata.cluster.objects import Condition, Pod, ReplicaSet
from kubekata.cluster.scheme import copy_manifest, from_manifest, to_manifest
from kubekata.cluster.selectors import selector_matches
from kubekata.cluster.store import Manifest, StoreEvent

_SETS = "replicasets.apps"
_BURST = 500


class ReplicaSetController(Controller):
    """Adopts and releases pods, creates and deletes them, and reports.

    A real controller also counts expectations, because its informers lag behind its own writes. Here
    reads are never stale, so there is nothing to expect.
    """

    name = "replicaset-controller"
    watches = frozenset({"pods", _SETS})

    def observe(self, event: StoreEvent) -> None:
        """Queue the set itself, the sets that own the pod (before or now), or those that may adopt it."""
        if event.resource == _SETS:
            self.enqueue(Key.of(_SETS, event.obj))
            return
        for state in filter(None, (event.obj, event.old)):
            controller = _controller_of(state)
            if controller is not None:
                self._enqueue_owner(controller)
            elif event.type != "DELETED":
                self._enqueue_adopters(state)

    def reconcile(self, key: Key) -> None:
        """Bring one set to its number of pods."""
        replica_set = self.world.get(ReplicaSet, key.name, key.namespace)
        if replica_set is None:
            return
        pods = claim(self.world, self.client, replica_set, Pod, replica_set.spec.selector)
        active = [pod for pod in pods if pod.active]
        problem: ApiError | None = None
        if not replica_set.metadata.deleting:
            problem = self._manage(replica_set, active)
        self._report(replica_set, active, problem)
        if problem is not None:
            raise problem

    def _enqueue_owner(self, controller: Manifest) -> None:
        found = self.world.api.store.by_uid(controller["uid"])
        if found is not None and found[0] == _SETS:
            self.enqueue(Key.of(*found))

    def _enqueue_adopters(self, pod: Manifest) -> None:
        labels = pod["metadata"].get("labels") or {}
        for manifest in self.world.api.store.list(_SETS, namespace=pod["metadata"]["namespace"]):
            if selector_matches(manifest["spec"].get("selector"), labels):
                self.enqueue(Key.of(_SETS, manifest))

    def _manage(self, replica_set: ReplicaSet, active: list[Pod]) -> ApiError | None:
        """Create or delete pods, at most a burst of them; returns the refusal that ended it, if any."""
        missing = replica_set.spec.replicas - len(active)
        try:
            for _ in range(min(missing, _BURST)):
                self.client.create(_new_pod(replica_set))
            if missing < 0:
                self._delete(replica_set, active, min(-missing, _BURST))
        except ApiError as error:
            return error
        return None

    def _delete(self, replica_set: ReplicaSet, active: list[Pod], count: int) -> None:
        related = self._related(replica_set)
        for pod in pods_to_delete(active, related, count, self.world.now()):
            try:
                self.client.delete(pod)
            except NotFound:
                continue

    def _related(self, replica_set: ReplicaSet) -> list[Pod]:
        """Pods of all sets with the same controller: the other half of a rollout counts as well."""
        owner = replica_set.metadata.controller
        found = self.world.api.store.by_uid(owner.uid) if owner else None
        if found is None:
            return self.world.list(Pod, owner=replica_set)
        siblings = self.world.api.store.list(_SETS, owner=found[1]["metadata"]["uid"])
        store = self.world.api.store
        uids = (sibling["metadata"]["uid"] for sibling in siblings)
        keys = [Key.of("pods", pod) for uid in uids for pod in store.list("pods", owner=uid)]
        pods = (self.world.get(Pod, key.name, key.namespace) for key in keys)
        return [pod for pod in pods if pod is not None]

    def _report(self, replica_set: ReplicaSet, active: list[Pod], problem: ApiError | None) -> None:
        spec, before = replica_set.spec, copy.deepcopy(replica_set.status)
        status, now = replica_set.status, self.world.now()
        template = spec.template.metadata.labels.items()
        ready = [pod for pod in active if pod.ready]
        status.replicas = len(active)
        status.fully_labeled_replicas = sum(template <= pod.metadata.labels.items() for pod in active)
        status.ready_replicas = len(ready)
        status.available_replicas = sum(self._is_available(replica_set, pod, now) for pod in ready)
        status.observed_generation = replica_set.metadata.generation
        _report_failure(replica_set, len(active), problem, now)
        if status != before:
            self.client.update_status(replica_set)

    def _is_available(self, replica_set: ReplicaSet, pod: Pod, now: datetime) -> bool:
        """True if the pod has been ready for minReadySeconds; otherwise asks to be woken then."""
        wait = replica_set.spec.min_ready_seconds
        if wait == 0:
            return True
        since = next(c.last_transition_time for c in pod.status.conditions if c.type == "Ready")
        if since is None:
            return False
        due = since + timedelta(seconds=wait)
        if due > now:
            self.wake(Key(_SETS, replica_set.namespace, replica_set.name), due)
        return due <= now


def _new_pod(replica_set: ReplicaSet) -> Pod:
    # Made from the manifest, so that the parts of the template that no type here knows reach the pod.
    manifest = to_manifest(replica_set)
    template = copy_manifest(manifest["spec"].get("template") or {})
    pod = from_manifest({"metadata": template.get("metadata") or {}, "spec": template.get("spec") or {}}, Pod)
    pod.metadata.name, pod.metadata.generate_name = "", f"{replica_set.name}-"
    pod.metadata.namespace = replica_set.namespace
    pod.metadata.owner_references = [replica_set.owner_reference()]
    return pod


def _report_failure(replica_set: ReplicaSet, active: int, problem: ApiError | None, now: datetime) -> None:
    """Keep the ReplicaFailure condition: there while creating or deleting fails, gone when it works."""
    conditions = replica_set.status.conditions
    existing = next((c for c in conditions if c.type == "ReplicaFailure"), None)
    if problem is None and existing is not None:
        conditions.remove(existing)
    if problem is not None and existing is None:
        reason = "FailedCreate" if active < replica_set.spec.replicas else "FailedDelete"
        conditions.append(
            Condition(
                type="ReplicaFailure",
                status="True",
                reason=reason,
                message=problem.message,
                last_transition_time=now,
            )
        )


def _controller_of(manifest: Manifest) -> Manifest | None:
    references = manifest["metadata"].get("ownerReferences") or ()
    return next((ref for ref in references if ref.get("controller")), None)
