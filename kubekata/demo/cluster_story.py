"""What the stories of a cluster are played with: reference solutions as actors, and pictures of the cluster."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from kubekata.cluster.client import Client
from kubekata.cluster.objects import Node, Pod, PodCondition
from kubekata.cluster.values import Placement
from kubekata.cluster.world import World

if TYPE_CHECKING:
    from kubekata.demo.stage import Stage

Loop = Callable[[Client], float | None]


class ReferenceActor:
    """A loop around a reference solution. The loop returns after how many seconds it wants to be called again."""

    def __init__(self, name: str, world: World, loop: Loop) -> None:
        self.name = name
        self._world = world
        self._loop = loop
        self._due: datetime | None = None

    def sync(self) -> bool:
        """Call the loop once; true if it changed anything."""
        start = len(self._world.log)
        wait = self._loop(self._world.client(self.name))
        self._due = None if wait is None else self._world.now() + timedelta(seconds=wait)
        return any(call.changed for call in self._world.writes(self.name, since=start))

    def next_wakeup(self) -> datetime | None:
        """When the loop asked to be called again."""
        return self._due


def scheduling(schedule: Any) -> Loop:
    """Place each pod that has no node, with kata 09's function, on nodes that are ready and untainted."""

    def loop(client: Client) -> None:
        pods = client.list(Pod, namespace=None)
        nodes = [node for node in client.list(Node) if node.ready and not node.spec.taints]
        for pod in pods:
            if pod.spec.node_name or not pod.active:
                continue
            placement = schedule(pod, nodes, [other for other in pods if other is not pod])
            settle(client, pod, placement)

    return loop


def settle(client: Client, pod: Pod, placement: Placement) -> None:
    """Bind a pod to its node, or write down why it has none."""
    if placement.node is not None:
        pod.spec.node_name = placement.node
        client.update(pod)
    elif _unschedulable(pod) != placement.message:
        pod.status.conditions = [
            PodCondition(
                type="PodScheduled",
                status="False",
                reason="Unschedulable",
                message=placement.message,
                last_transition_time=client.now(),
            )
        ]
        client.update_status(pod)


def _unschedulable(pod: Pod) -> str:
    return next((c.message for c in pod.status.conditions if c.reason == "Unschedulable"), "")


def picture(stage: Stage, world: World, *, cores: int = 4) -> None:
    """Draw the nodes, a block a core, and the pods that wait."""
    pods = world.list(Pod)
    rows = []
    for node in world.list(Node):
        here = [pod for pod in pods if pod.spec.node_name == node.name and pod.active]
        leaving = [pod for pod in pods if pod.spec.node_name == node.name and not pod.active]
        names = ", ".join(pod.name for pod in here) or "empty"
        remark = names if not leaving else f"{names}; leaving: {', '.join(pod.name for pod in leaving)}"
        if not node.ready:
            remark += "   (NotReady)"
        rows.append((node.name, stage.bar(len(here) + len(leaving), cores), remark))
    stage.rows(rows)
    for pod in pods:
        if pod.active and not pod.spec.node_name:
            stage.bad(pod.name, f"Pending: {_unschedulable(pod) or 'not looked at yet'}")
