"""The Deployment controller: rolls a change of the pod template out (``pkg/controller/deployment``)."""

from __future__ import annotations

from typing import Any

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.actors.claiming import claim
from kubekata.cluster.actors.deployment_status import (
    compute_status,
    condition_of,
    is_complete,
    next_progress_check,
    report_progress,
    set_condition,
)
from kubekata.cluster.actors.revisions import (
    DESIRED_REPLICAS,
    HASH_LABEL,
    MAX_REPLICAS,
    REVISION,
    annotate_new_set,
    beyond_history_limit,
    find_new_set,
    oldest_first,
    template_hash,
    template_of,
)
from kubekata.cluster.actors.rollout import (
    SetSize,
    fences_of,
    new_set_size,
    old_set_sizes,
    scale_in_proportion,
)
from kubekata.cluster.objects import Deployment, Pod, ReplicaSet
from kubekata.cluster.scheme import from_manifest
from kubekata.cluster.selectors import selector_matches
from kubekata.cluster.store import Manifest, StoreEvent

_DEPLOYMENTS = "deployments.apps"
_SETS = "replicasets.apps"
_FINISHED = ("Succeeded", "Failed")


class DeploymentController(Controller):
    """Rolls out by RollingUpdate or Recreate, scales in proportion, keeps revisions, reports progress."""

    name = "deployment-controller"
    watches = frozenset({_DEPLOYMENTS, _SETS, "pods"})

    def observe(self, event: StoreEvent) -> None:
        """Queue a Deployment, that of a changed ReplicaSet, or one that waits for old pods to end."""
        if event.resource == _DEPLOYMENTS:
            self.enqueue(Key.of(_DEPLOYMENTS, event.obj))
        elif event.resource == _SETS:
            self._enqueue_for_set(event)
        else:
            self._enqueue_for_pod(event)

    def reconcile(self, key: Key) -> None:
        """Take one Deployment one step further (``syncDeployment``)."""
        deployment = self.world.get(Deployment, key.name, key.namespace)
        if deployment is None:
            return
        selector = deployment.spec.selector
        sets = oldest_first(claim(self.world, self.client, deployment, ReplicaSet, selector))
        if deployment.metadata.deleting:
            self._report(key, deployment, sets, progress=False)
        elif deployment.spec.paused or _was_scaled(deployment, sets):
            self._scale(key, deployment, sets)
        elif deployment.spec.strategy.type == "Recreate":
            self._recreate(key, deployment, sets)
        else:
            self._roll(key, deployment, sets)

    def _roll(self, key: Key, deployment: Deployment, sets: list[ReplicaSet]) -> None:
        fences, desired = fences_of(deployment), deployment.spec.replicas
        old = _old_sets(deployment, sets)
        total = sum(rs.spec.replicas for rs in sets)
        first_size = min(desired, max(0, desired + fences.surge - total))
        deployment, new = self._ensure_new_set(deployment, sets, old, first_size)
        sizes = [_size(rs) for rs in old]
        size = new_set_size(desired, fences, _size(new), sizes)
        # The old sets wait for the next sync when the new one changed.
        if not self._resize(deployment, new, size):
            for rs, wanted in zip(old, old_set_sizes(desired, fences, _size(new), sizes), strict=True):
                self._resize(deployment, rs, wanted)
        self._finish(key, deployment, [*old, new])

    def _recreate(self, key: Key, deployment: Deployment, sets: list[ReplicaSet]) -> None:
        old = _old_sets(deployment, sets)
        shrunk = [self._resize(deployment, rs, 0) for rs in old]
        if any(shrunk) or any(rs.status.replicas for rs in old) or self._any_pod_runs(old):
            self._report(key, deployment, sets)
            return
        deployment, new = self._ensure_new_set(deployment, sets, old, deployment.spec.replicas)
        self._resize(deployment, new, deployment.spec.replicas)
        self._finish(key, deployment, [*old, new])

    def _scale(self, key: Key, deployment: Deployment, sets: list[ReplicaSet]) -> None:
        """Follow a change of ``spec.replicas``, or stand by while paused: no set is made or rolled."""
        new, old = find_new_set(deployment, sets), _old_sets(deployment, sets)
        size, sizes = scale_in_proportion(
            deployment.spec.replicas,
            fences_of(deployment),
            _size(new, len(old)) if new else None,
            [_size(rs, age) for age, rs in enumerate(old)],
            rolling=deployment.spec.strategy.type == "RollingUpdate",
        )
        for rs, wanted in zip(old, sizes, strict=True):
            self._resize(deployment, rs, wanted, annotate=rs.spec.replicas > 0)
        if new is not None and size is not None:
            self._resize(deployment, new, size)
        if deployment.spec.paused:
            self._clean_up(deployment, old)
        self._report(key, deployment, sets, progress=False)

    def _ensure_new_set(
        self, deployment: Deployment, sets: list[ReplicaSet], old: list[ReplicaSet], replicas: int
    ) -> tuple[Deployment, ReplicaSet]:
        """Return the set of the present template, made with ``replicas`` pods if it is missing."""
        new = find_new_set(deployment, sets)
        created = new is None
        if new is None:
            new = self._new_set(deployment, replicas)
            annotate_new_set(deployment, new, old)
            new = self.client.create(new)
        elif annotate_new_set(deployment, new, old):
            new = self.client.update(new)
        revision = new.metadata.annotations[REVISION]
        if deployment.metadata.annotations.get(REVISION) != revision:
            deployment.metadata.annotations[REVISION] = revision
            deployment = self.client.update(deployment)
        if condition_of(deployment.status, "Progressing") is None or created:
            reason = "NewReplicaSetCreated" if created else "FoundNewReplicaSet"
            did = "Created new" if created else "Found new"
            message = f'{did} replica set "{new.name}"'
            now = self.world.now()
            status = deployment.status
            set_condition(status, "Progressing", "True", reason=reason, message=message, now=now)
            deployment = self.client.update_status(deployment)
        return deployment, new

    def _new_set(self, deployment: Deployment, replicas: int) -> ReplicaSet:
        # Made from the manifest, so that the parts of the template that no type here knows reach the set.
        template = template_of(deployment)
        name = template_hash(template, deployment.status.collision_count or 0)
        labels = template.setdefault("metadata", {}).setdefault("labels", {})
        labels[HASH_LABEL] = name
        new = from_manifest({"metadata": {}, "spec": {"template": template}}, ReplicaSet)
        new.metadata.name = f"{deployment.name}-{name}"
        new.metadata.namespace = deployment.namespace
        new.metadata.labels = dict(labels)
        new.metadata.owner_references = [deployment.owner_reference()]
        new.spec.replicas = replicas
        new.spec.min_ready_seconds = deployment.spec.min_ready_seconds
        new.spec.selector.match_labels = {**deployment.spec.selector.match_labels, HASH_LABEL: name}
        new.spec.selector.match_expressions = list(deployment.spec.selector.match_expressions)
        new.metadata.annotations.update(_size_annotations(deployment))
        return new

    def _resize(self, deployment: Deployment, rs: ReplicaSet, size: int, *, annotate: bool = True) -> bool:
        """Tell a set its size; True if the size is another one. Changes ``rs``."""
        changed = rs.spec.replicas != size
        wanted = _size_annotations(deployment)
        stale = annotate and not wanted.items() <= rs.metadata.annotations.items()
        if not changed and not stale:
            return False
        rs.spec.replicas = size
        rs.metadata.annotations.update(wanted)
        rs.metadata = self.client.update(rs).metadata
        return changed

    def _finish(self, key: Key, deployment: Deployment, sets: list[ReplicaSet]) -> None:
        if is_complete(deployment, deployment.status):
            self._clean_up(deployment, _old_sets(deployment, sets))
        self._report(key, deployment, sets)

    def _clean_up(self, deployment: Deployment, old: list[ReplicaSet]) -> None:
        for rs in beyond_history_limit(deployment, old):
            self.client.delete(rs)

    def _report(
        self, key: Key, deployment: Deployment, sets: list[ReplicaSet], *, progress: bool = True
    ) -> None:
        now, new = self.world.now(), find_new_set(deployment, sets)
        status = compute_status(deployment, sets, new, now)
        if progress:
            report_progress(deployment, status, new, now)
            due = next_progress_check(deployment, status)
            if due is not None and due > now:
                self.wake(key, due)
        if status != deployment.status:
            deployment.status = status
            self.client.update_status(deployment)

    def _any_pod_runs(self, sets: list[ReplicaSet]) -> bool:
        pods = (pod for rs in sets for pod in self.world.list(Pod, owner=rs))
        return any(pod.status.phase not in _FINISHED for pod in pods)

    def _enqueue_for_set(self, event: StoreEvent) -> None:
        owner = _controller_of(event.obj)
        if owner is not None:
            self._enqueue_uid(owner["uid"])
            return
        metadata = event.obj["metadata"]
        for manifest in self.world.api.store.list(_DEPLOYMENTS, namespace=metadata["namespace"]):
            if selector_matches(manifest["spec"].get("selector"), metadata.get("labels") or {}):
                self.enqueue(Key.of(_DEPLOYMENTS, manifest))

    def _enqueue_for_pod(self, event: StoreEvent) -> None:
        """Only Recreate waits for pods to end; else the sets say all there is to know."""
        owner = _controller_of(event.obj)
        found = self.world.api.store.by_uid(owner["uid"]) if owner else None
        above = _controller_of(found[1]) if found else None
        if above is not None:
            self._enqueue_uid(above["uid"], strategy="Recreate")

    def _enqueue_uid(self, uid: str, strategy: str = "") -> None:
        found = self.world.api.store.by_uid(uid)
        if found is None or found[0] != _DEPLOYMENTS:
            return
        if strategy in ("", found[1]["spec"]["strategy"]["type"]):
            self.enqueue(Key.of(*found))


def _was_scaled(deployment: Deployment, sets: list[ReplicaSet]) -> bool:
    """True if an active set was last sized for another number of replicas."""
    desired = str(deployment.spec.replicas)
    return any(
        rs.metadata.annotations.get(DESIRED_REPLICAS, desired) != desired for rs in sets if rs.spec.replicas
    )


def _old_sets(deployment: Deployment, sets: list[ReplicaSet]) -> list[ReplicaSet]:
    new = find_new_set(deployment, sets)
    return [rs for rs in sets if new is None or rs.uid != new.uid]


def _size(rs: ReplicaSet, newness: int = 0) -> SetSize:
    ceiling = int(rs.metadata.annotations.get(MAX_REPLICAS, "0")) or rs.status.replicas
    return SetSize(rs.spec.replicas, rs.status.available_replicas, ceiling, newness)


def _size_annotations(deployment: Deployment) -> dict[str, str]:
    desired = deployment.spec.replicas
    return {
        DESIRED_REPLICAS: str(desired),
        MAX_REPLICAS: str(desired + fences_of(deployment).surge),
    }


def _controller_of(manifest: Manifest) -> Any:
    references = manifest["metadata"].get("ownerReferences") or ()
    return next((ref for ref in references if ref.get("controller")), None)
