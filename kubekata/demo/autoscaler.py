"""The story of kata 17: a cluster that grows for a rush and shrinks when it is over.

Its drains are kata 16's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from kubekata.cluster.actors import DisruptionController, Kubelet, ReplicaSetController, Scheduler
from kubekata.cluster.builders import node, pod, replica_set
from kubekata.cluster.builders import pod_template as template
from kubekata.cluster.client import Client
from kubekata.cluster.objects import (
    LabelSelector,
    Node,
    ObjectMeta,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    ReplicaSet,
)
from kubekata.cluster.values import ClusterView, NodeGroup, ScaleUp
from kubekata.cluster.world import World

if TYPE_CHECKING:
    from kubekata.demo.reference import References
    from kubekata.demo.stage import Stage

GROUP = "autoscaler.example.com/group"
LOOK_EVERY = timedelta(seconds=10)
NODE_COMES_AFTER = timedelta(seconds=90)
DRAIN_TAKES_AT_MOST = timedelta(minutes=10)
YOU = "you"
LABELS = {"app": "web"}

Tell = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class _Order:
    """A node that the cloud will deliver."""

    due: datetime
    group: str
    name: str


class Autoscaler:
    """An actor around the references: looks every ten seconds, asks the cloud, drains and gives back."""

    name = "autoscaler"

    def __init__(self, world: World, references: References, groups: list[NodeGroup], tell: Tell) -> None:
        self.looks = 0
        self.asked = 0
        self.removed = 0
        self._world = world
        self._kata: Any = references["kata-17"]
        self._drain: Any = references["kata-16"].drain
        self._groups = groups
        self._tell = tell
        self._next_look = world.now()
        self._orders: list[_Order] = []
        self._draining: dict[str, datetime] = {}
        self._unneeded_since: dict[str, datetime] = {}
        self._last_scale_up: datetime | None = None
        self._refused: dict[str, str] = {}

    def sync(self) -> bool:
        """Take in what the cloud delivers, and look if it is time; true if anything changed."""
        now = self._world.now()
        delivered = [order for order in self._orders if order.due <= now]
        self._orders = [order for order in self._orders if order.due > now]
        for order in delivered:
            self._world.add(_machine(order.name, self._group(order.group)))
        if now < self._next_look:
            return bool(delivered)
        self._next_look = now + LOOK_EVERY
        client = self._world.client(self.name)
        self.looks += 1
        self._up(self._kata.scale_up(self._view(client)))
        self._down(client)
        return True

    def next_wakeup(self) -> datetime | None:
        """The next look, or the next node that comes."""
        return min([self._next_look, *(order.due for order in self._orders)])

    def _group(self, name: str) -> NodeGroup:
        return next(group for group in self._groups if group.name == name)

    def _view(self, client: Client) -> ClusterView:
        coming = [order.group for order in self._orders]
        return ClusterView(
            now=client.now(),
            nodes=client.list(Node),
            pods=client.list(Pod, namespace=None),
            groups=[dataclasses.replace(group, upcoming=coming.count(group.name)) for group in self._groups],
            budgets=client.list(PodDisruptionBudget, namespace=None),
            unneeded_since=self._unneeded_since,
            last_scale_up=self._last_scale_up,
        )

    def _up(self, up: ScaleUp) -> None:
        for name, why in up.refused.items():
            if self._refused.get(name) != why:
                self._tell(f"no node would help {name}: {why}")
        self._refused = dict(up.refused)
        if up.group is None:
            return
        self._last_scale_up = self._world.now()
        for _ in range(up.nodes):
            self.asked += 1
            due = self._world.now() + NODE_COMES_AFTER
            self._orders.append(_Order(due, up.group, f"{up.group}-{self.asked}"))
        self._tell(f"asks for {up.nodes} of {up.group}")

    def _down(self, client: Client) -> None:
        for name, deadline in list(self._draining.items()):
            self._drain_on(client, name, deadline)
        if self._draining:
            return
        down = self._kata.scale_down(self._view(client))
        self._unneeded_since = down.unneeded_since
        if down.remove is not None:
            minutes = (client.now() - down.unneeded_since[down.remove]).total_seconds() / 60
            self._tell(f"drains {down.remove}, which nobody has needed for {minutes:.0f} minutes")
            self._draining[down.remove] = client.now() + DRAIN_TAKES_AT_MOST
            self._drain_on(client, down.remove, self._draining[down.remove])

    def _drain_on(self, client: Client, name: str, deadline: datetime) -> None:
        report = self._drain(client, name, deadline)
        if report.state == "waiting":
            return
        del self._draining[name]
        if report.state == "stuck":
            self._tell(f"gives up on {name}: {', '.join(report.left.values())}")
            found = client.get(Node, name)
            found.spec.unschedulable = False
            client.update(found)
            return
        client.delete(Node, name)
        self.removed += 1
        self._tell(f"gives {name} back")


class _Cluster:
    """The cluster of the story, and what is shown of it."""

    def __init__(self, stage: Stage, references: References) -> None:
        self.stage = stage
        self.world = World()
        self.start = self.world.now()
        self.client = self.world.client(YOU)
        groups = [
            _group("small", 1, 6, cpu="4", memory="16Gi"),
            _group("large", 0, 2, cpu="16", memory="64Gi"),
        ]
        self.world.add(_machine("small-0", groups[0]))
        self.autoscaler = Autoscaler(
            self.world, references, groups, lambda text: stage.says("autoscaler", f"{self.clock}  {text}")
        )
        self.world.start(
            ReplicaSetController(self.world),
            DisruptionController(self.world),
            Scheduler(self.world),
            Kubelet(self.world, 5.0),
            self.autoscaler,
        )

    @property
    def clock(self) -> str:
        seconds = int((self.world.now() - self.start).total_seconds())
        return f"{seconds // 60:02}:{seconds % 60:02}"

    def scale(self, replicas: int) -> None:
        web = self.client.get(ReplicaSet, "web")
        web.spec.replicas = replicas
        self.client.update(web)
        self.stage.says(YOU, f"{self.clock}  kubectl scale: {replicas} replicas")

    def pass_minutes(self, minutes: float) -> None:
        self.world.advance(minutes * 60)

    def picture(self) -> None:
        """Draw the nodes, a block a requested core."""
        rows = []
        pods = self.world.list(Pod)
        for each in self.world.list(Node):
            here = [one for one in pods if one.spec.node_name == each.name]
            cores = int(each.status.allocatable["cpu"])
            names = ", ".join(sorted({one.name.split("-")[0] for one in here})) or "empty"
            rows.append((each.name, self.stage.bar(_cores(here), cores), names))
        self.stage.rows(rows)
        waiting = [one for one in pods if not one.spec.node_name]
        if waiting:
            self.stage.bad("pods", f"{self.clock}  {len(waiting)} Pending")
        else:
            self.stage.good("pods", f"{self.clock}  {len(pods)} placed, none waits")


def play(stage: Stage, references: References) -> None:
    """Tell the story."""
    stage.open(
        "Ninety minutes of a cluster autoscaler",
        "Two groups of machines, small (4 cores, 1 to 6 nodes) and large (16 cores, 0 to 2 nodes); a node takes 90 "
        "seconds to come. The autoscaler looks every 10 seconds and remembers next to nothing.",
    )
    cluster = _Cluster(stage, references)
    _rush(cluster)
    _giant(cluster)
    _quiet(cluster)
    _refusal(cluster)
    _swing(cluster)
    stage.close("Kata 17 asks for the two decisions, kata 16 for the drain.")


def _rush(cluster: _Cluster) -> None:
    cluster.stage.act("A rush", "Pods that have no room bring nodes, of the group that wastes least.")
    cluster.client.create(replica_set("web", 3, template=template(LABELS, cpu="1", memory="1Gi")))
    cluster.client.create(
        PodDisruptionBudget(
            metadata=ObjectMeta(name="web", namespace="default"),
            spec=PodDisruptionBudgetSpec(selector=LabelSelector(match_labels=LABELS), max_unavailable=1),
        )
    )
    cluster.pass_minutes(1)
    cluster.picture()
    cluster.scale(13)
    before = cluster.autoscaler.looks
    cluster.pass_minutes(1)
    cluster.picture()
    looks = cluster.autoscaler.looks - before
    cluster.stage.says(
        "autoscaler", f"{cluster.clock}  has looked {looks} times, and asked once: nodes on their way count"
    )
    cluster.pass_minutes(1)
    cluster.picture()


def _giant(cluster: _Cluster) -> None:
    cluster.stage.act(
        "Too large, and large enough", "A pod that fits no template brings no node, and is told so."
    )
    cluster.client.create(pod("giant", cpu="32", memory="1Gi"))
    cluster.client.create(pod("report", cpu="10", memory="40Gi", owner=cluster.client.get(ReplicaSet, "web")))
    cluster.stage.says(YOU, f"{cluster.clock}  kubectl apply: a pod of 32 cores, and one of 10 cores")
    cluster.pass_minutes(2)
    cluster.picture()
    for name in ("giant", "report"):
        cluster.client.delete(Pod, name)
    cluster.stage.says(YOU, f"{cluster.clock}  kubectl delete pod giant report")


def _quiet(cluster: _Cluster) -> None:
    cluster.stage.act(
        "The rush is over",
        "A node below half used, whose pods fit elsewhere, is drained and given back after ten minutes.",
    )
    cluster.scale(6)
    cluster.pass_minutes(1)
    cluster.picture()
    cluster.pass_minutes(13)
    cluster.picture()


def _refusal(cluster: _Cluster) -> None:
    cluster.stage.act(
        "Somebody says no", "A pod without a controller would be gone for ever, so its node stays."
    )
    notebook = pod("notebook", cpu="500m", memory="1Gi")
    notebook.spec.node_selector = {GROUP: "large"}
    cluster.client.create(notebook)
    cluster.stage.says(YOU, f"{cluster.clock}  kubectl run notebook: a pod of its own, on a large node")
    cluster.pass_minutes(17)
    cluster.picture()
    cluster.client.delete(Pod, "notebook")
    cluster.stage.says(YOU, f"{cluster.clock}  kubectl delete pod notebook")
    cluster.pass_minutes(11)
    cluster.picture()


def _swing(cluster: _Cluster) -> None:
    cluster.stage.act(
        "A load that swings", "Up for four minutes, down for eight: what is needed again soon stays."
    )
    asked, removed = cluster.autoscaler.asked, cluster.autoscaler.removed
    for _ in range(3):
        cluster.scale(14)
        cluster.pass_minutes(4)
        cluster.scale(6)
        cluster.pass_minutes(8)
    cluster.picture()
    came, went = cluster.autoscaler.asked - asked, cluster.autoscaler.removed - removed
    cluster.stage.good(
        "autoscaler", f"{cluster.clock}  nodes asked for: {came}, for the first swing; given back: {went}"
    )


def _cores(pods: list[Pod]) -> int:
    requests = (one.spec.containers[0].resources.requests.get("cpu", "0") for one in pods)
    return round(sum(int(text[:-1]) / 1000 if text.endswith("m") else int(text) for text in requests))


def _group(name: str, least: int, most: int, **size: str) -> NodeGroup:
    return NodeGroup(name, node("template", labels={GROUP: name}, **size), least, most)  # type: ignore[arg-type]


def _machine(name: str, group: NodeGroup) -> Node:
    size = group.template.status.allocatable
    return node(name, cpu=size["cpu"], memory=size["memory"], labels={GROUP: group.name})
