"""The scheduler: gives every pod the first node, by name, that it fits."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.actors.fitting import Needs, NodeRoom, fit_message
from kubekata.cluster.api import ApiRequest
from kubekata.cluster.objects import Pod, PodCondition
from kubekata.cluster.selectors import dig
from kubekata.cluster.store import StoreEvent

if TYPE_CHECKING:
    from kubekata.cluster.world import World

Manifest = dict[str, Any]

_PODS = "pods"
_FINISHED = ("Succeeded", "Failed")
_AFTER_EVERY_NAME = "~"
_MANY_KINDS_OF_PODS = 1000


class Scheduler(Controller):
    """First fit by node name: requests, pod count, taints, node selector and ``unschedulable`` count.

    A pod that fits nowhere gets ``PodScheduled=False`` with the real scheduler's message, and is tried
    again when a node changes or frees room. Unlike the real one it neither scores nor preempts.
    """

    name = "scheduler"
    watches = frozenset({_PODS, "nodes"})

    def __init__(self, world: World) -> None:
        self._rooms: dict[str, NodeRoom] = {}
        self._names: list[str] = []
        self._placed: dict[str, tuple[str, Needs]] = {}
        self._waiting: dict[Key, None] = {}
        # Pods often need the same. These two remember, per need, where to start looking and what to say
        # when there is nothing; a change of a node corrects them.
        self._start_at: dict[Needs, str] = {}
        self._messages: dict[Needs, str] = {}
        super().__init__(world)
        self._transport = world.transport(self.name)

    def observe(self, event: StoreEvent) -> None:
        """Keep the books on nodes and pods, and queue pods without a node."""
        if event.resource == _PODS:
            self._observe_pod(event)
        else:
            self._observe_node(event)

    def reconcile(self, key: Key) -> None:
        """Bind a pod, or say why not."""
        manifest = self.world.api.store.get(_PODS, key.namespace, key.name)
        if manifest is None or not _wants_a_node(manifest):
            return
        needs = Needs.of(manifest)
        node = self._first_fit(needs)
        if node is not None:
            self._bind(manifest, node)
            return
        self._waiting[key] = None
        self._say_unschedulable(key, self._message(needs))

    def _in_order(self, keys: list[Key]) -> list[Key]:
        return sorted(keys, key=self._urgency)

    def _urgency(self, key: Key) -> tuple[int, str]:
        """Higher priority first, then the older pod; equal ones keep their order (``PrioritySort``)."""
        pod = self.world.api.store.get(_PODS, key.namespace, key.name) or {}
        return -(dig(pod, "spec", "priority") or 0), dig(pod, "metadata", "creationTimestamp") or ""

    def _observe_pod(self, event: StoreEvent) -> None:
        pod, key = event.obj, Key.of(_PODS, event.obj)
        uid = pod["metadata"]["uid"]
        node = "" if event.type == "DELETED" else _takes_room_on(pod)
        before = self._placed.get(uid)
        if before is not None and before[0] != node:
            del self._placed[uid]
            if before[0] in self._rooms:
                self._rooms[before[0]].give_back(before[1])
                self._improved(before[0])
        if node and (before is None or before[0] != node):
            needs = Needs.of(pod)
            self._placed[uid] = (node, needs)
            if node in self._rooms:
                self._rooms[node].take(needs)
        if event.type == "DELETED":
            self._waiting.pop(key, None)
        elif _wants_a_node(pod) and key not in self._waiting:
            self.enqueue(key)

    def _observe_node(self, event: StoreEvent) -> None:
        name = event.obj["metadata"]["name"]
        if event.type == "DELETED":
            self._names.remove(name)
            del self._rooms[name]
            self._messages.clear()
            return
        if name in self._rooms and _same_for_scheduling(self._rooms[name].node, event.obj):
            return
        if name not in self._rooms:
            insort(self._names, name)
        room = self._rooms[name] = NodeRoom(event.obj)
        for pod in self.world.api.store.list(_PODS, node=name):
            placed = self._placed.get(pod["metadata"]["uid"])
            if placed is not None:
                room.take(placed[1])
        self._improved(name)

    def _improved(self, node: str) -> None:
        """A node may take pods now that it refused before."""
        self._messages.clear()
        if len(self._start_at) > _MANY_KINDS_OF_PODS:
            self._start_at.clear()
        for needs, start in self._start_at.items():
            self._start_at[needs] = min(start, node)
        for key in self._waiting:
            self.enqueue(key)
        self._waiting.clear()

    def _first_fit(self, needs: Needs) -> str | None:
        start = bisect_left(self._names, self._start_at.get(needs, ""))
        for index in range(start, len(self._names)):
            name = self._names[index]
            if self._rooms[name].refusal(needs) is None:
                self._start_at[needs] = name
                return name
        self._start_at[needs] = _AFTER_EVERY_NAME
        return None

    def _message(self, needs: Needs) -> str:
        if needs not in self._messages:
            refusals = (self._rooms[name].refusal(needs) for name in self._names)
            self._messages[needs] = fit_message(refusal for refusal in refusals if refusal)
        return self._messages[needs]

    def _bind(self, pod: Manifest, node: str) -> None:
        metadata = pod["metadata"]
        self._transport.call(
            ApiRequest(
                verb="create",
                api_version="v1",
                kind="Pod",
                namespace=metadata["namespace"],
                name=metadata["name"],
                subresource="binding",
                body={
                    "apiVersion": "v1",
                    "kind": "Binding",
                    "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
                    "target": {"apiVersion": "v1", "kind": "Node", "name": node},
                },
            )
        )

    def _say_unschedulable(self, key: Key, message: str) -> None:
        pod = self.world.get(Pod, key.name, key.namespace)
        if pod is None:
            return
        condition = next((c for c in pod.status.conditions if c.type == "PodScheduled"), None)
        if condition is None:
            now = self.world.now()
            condition = PodCondition(type="PodScheduled", status="False", last_transition_time=now)
            pod.status.conditions.append(condition)
        if condition.reason == "Unschedulable" and condition.message == message:
            return
        condition.reason, condition.message = "Unschedulable", message
        self.client.update_status(pod)


def _wants_a_node(pod: Manifest) -> bool:
    return (
        not dig(pod, "spec", "nodeName")
        and not pod["metadata"].get("deletionTimestamp")
        and dig(pod, "status", "phase") not in _FINISHED
    )


def _takes_room_on(pod: Manifest) -> str:
    """The node whose room a pod takes; a finished pod takes none."""
    return "" if dig(pod, "status", "phase") in _FINISHED else dig(pod, "spec", "nodeName") or ""


def _same_for_scheduling(before: Mapping[str, Any], after: Manifest) -> bool:
    """True if a change of a node cannot matter, as its heartbeat's does not."""
    fields = (("spec",), ("metadata", "labels"), ("status", "allocatable"))
    return all(dig(before, *field) == dig(after, *field) for field in fields)
