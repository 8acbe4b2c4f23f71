"""The kubelets of all nodes: they start the pods bound to them, and finish those that are to go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.objects import ContainerStatus, Pod, PodCondition
from kubekata.cluster.objects.meta import ConditionStatus
from kubekata.cluster.selectors import dig
from kubekata.cluster.store import StoreEvent

if TYPE_CHECKING:
    from kubekata.cluster.world import World

_PODS = "pods"


@dataclass(frozen=True)
class _Readiness:
    """Pods that fit become ready ``seconds`` after their start; None is never."""

    seconds: float | None
    image: str
    labels: Mapping[str, str]
    name: str

    def fits(self, pod: Pod) -> bool:
        return (
            (not self.image or any(c.image == self.image for c in pod.spec.containers))
            and all(pod.metadata.labels.get(key) == value for key, value in self.labels.items())
            and self.name in ("", pod.name)
        )


class Kubelet(Controller):
    """Starts every pod that is bound to a node, reports it ready later, and carries deletions out.

    It keeps the status of the pods that it started. A pod that a scenario put in place as running
    already (without a start time) is only deleted. On a node that is down it does nothing.

    Args:
        ready_after: seconds from a pod's start until it is ready; None for never.
        stop_after: seconds that a pod takes to stop once it is deleted, at most its grace period.
    """

    name = "kubelet"
    watches = frozenset({_PODS})

    def __init__(self, world: World, ready_after: float | None = 0.0, *, stop_after: float = 0.0) -> None:
        self._rules = [_Readiness(ready_after, image="", labels={}, name="")]
        self._stop_after = stop_after
        self._started = 0
        super().__init__(world)
        world.outages.on_resume(self._catch_up)

    def set_ready_after(
        self,
        seconds: float | None,
        *,
        image: str = "",
        labels: Mapping[str, str] | None = None,
        name: str = "",
    ) -> None:
        """Let pods of an image, with labels, or of a name be ready sooner, later or (None) never.

        The last rule that fits a pod counts, also for pods that run already.
        """
        self._rules.append(_Readiness(seconds, image, dict(labels or {}), name))
        for manifest in self.world.api.store.list(_PODS):
            if dig(manifest, "status", "phase") == "Running":
                self.enqueue(Key.of(_PODS, manifest))

    def observe(self, event: StoreEvent) -> None:
        """Take note of a bound pod with which something may be left to do."""
        pod = event.obj
        if event.type == "DELETED" or not dig(pod, "spec", "nodeName"):
            return
        status = pod.get("status") or {}
        unfinished = status.get("phase") == "Pending" or status.get("startTime")
        if unfinished or pod["metadata"].get("deletionTimestamp"):
            self.enqueue(Key.of(event.resource, pod))

    def reconcile(self, key: Key) -> None:
        """Bring one pod a step further."""
        pod = self.world.get(Pod, key.name, key.namespace)
        if pod is None or not pod.spec.node_name or pod.spec.node_name in self.world.outages:
            return
        if pod.metadata.deleting:
            self._stop(key, pod)
        elif pod.status.phase == "Pending":
            self._start(pod)
        elif pod.status.phase == "Running" and pod.status.start_time is not None:
            self._report(key, pod, pod.status.start_time)

    def _start(self, pod: Pod) -> None:
        now = self.world.now()
        self._started += 1
        status = pod.status
        status.phase = "Running"
        status.start_time = now
        status.pod_ip = f"10.244.{self._started // 256 % 256}.{self._started % 256}"
        status.container_statuses = [ContainerStatus(name=c.name, image=c.image) for c in pod.spec.containers]
        _set_condition(pod, "PodScheduled", "True", now)
        _set_condition(pod, "Initialized", "True", now)
        self._set_ready(pod, self._ready_at(pod, now) == now)

    def _report(self, key: Key, pod: Pod, started: datetime) -> None:
        due = self._ready_at(pod, started)
        ready = due is not None and due <= self.world.now()
        if due is not None and not ready:
            self.wake(key, due)
        if ready != pod.ready:
            self._set_ready(pod, ready)

    def _ready_at(self, pod: Pod, started: datetime) -> datetime | None:
        seconds = next(rule.seconds for rule in reversed(self._rules) if rule.fits(pod))
        return None if seconds is None else started + timedelta(seconds=seconds)

    def _set_ready(self, pod: Pod, ready: bool) -> None:
        now = self.world.now()
        for status in pod.status.container_statuses:
            status.ready = ready
        for kind in ("ContainersReady", "Ready"):
            condition = _set_condition(pod, kind, "True" if ready else "False", now)
            if not ready:
                names = " ".join(c.name for c in pod.spec.containers)
                condition.reason = "ContainersNotReady"
                condition.message = f"containers with unready status: [{names}]"
        self.client.update_status(pod)

    def _stop(self, key: Key, pod: Pod) -> None:
        metadata = pod.metadata
        grace = metadata.deletion_grace_period_seconds or 0
        if metadata.deletion_timestamp is None or (grace == 0 and metadata.finalizers):
            return
        asked = metadata.deletion_timestamp - timedelta(seconds=grace)
        due = asked + timedelta(seconds=min(self._stop_after, grace))
        if due > self.world.now():
            self.wake(key, due)
            return
        self.client.delete(pod, grace_period_seconds=0, precondition_uid=pod.uid)

    def _catch_up(self, node: str) -> None:
        for manifest in self.world.api.store.list(_PODS, node=node):
            self.enqueue(Key.of(_PODS, manifest))


def _set_condition(pod: Pod, kind: str, status: ConditionStatus, now: datetime) -> PodCondition:
    condition = next((c for c in pod.status.conditions if c.type == kind), None)
    if condition is None:
        condition = PodCondition(type=kind, status=status, last_transition_time=now)
        pod.status.conditions.append(condition)
    if condition.status != status:
        condition.status, condition.last_transition_time = status, now
    condition.reason = condition.message = ""
    return condition
