"""Reference solution of kata 17: nodes for pods that have no room, and back again when nobody needs them."""

from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from kubekata import ClusterView, Node, NodeGroup, Pod, ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
UTILIZATION_THRESHOLD = 0.5
UNNEEDED_TIME = timedelta(minutes=10)
DELAY_AFTER_ADD = timedelta(minutes=10)


@dataclass
class Place:
    """A node, real or imagined, and the pods on it."""

    node: Node
    pods: list[Pod]

    def take(self, pod: Pod) -> bool:
        if not fits(pod, self.node, self.pods):
            return False
        self.pods.append(pod)
        return True


@dataclass
class Option:
    """New nodes of one group, and the pods that they would hold."""

    group: NodeGroup
    places: list[Place]

    @property
    def waste(self) -> Fraction | int:
        # Fractions: as floats, two wastes that are equal may differ in the last digit, and equal ones go by name.
        pods = [requests_of(pod) for place in self.places for pod in place.pods]
        return sum(
            1 - Fraction(sum(each[i] for each in pods), whole_node * len(self.places))
            for i, whole_node in enumerate(size_of(self.group.template))
        )


def scale_up(cluster: ClusterView) -> ScaleUp:
    """Say which group gets how many more nodes, so that waiting pods find room."""
    waiting = pods_without_room(cluster)
    growing = {group.name for group in cluster.groups if group_size(cluster, group) < group.max_size}
    refused = {}
    for pod in waiting:
        helpful = {group.name for group in cluster.groups if fits(pod, group.template, [])}
        if not helpful & growing:
            refused[pod.name] = "max size reached" if helpful else "fits no group"
    options = [pack(cluster, group, waiting) for group in cluster.groups]
    useful = [option for option in options if option.places]
    if not useful:
        return ScaleUp(refused=refused)
    best = min(useful, key=lambda option: (option.waste, option.group.name))
    return ScaleUp(best.group.name, len(best.places), refused)


def pods_without_room(cluster: ClusterView) -> list[Pod]:
    """The waiting pods that fit neither a node that is there nor one that is on its way."""
    places = open_places(cluster)
    for group in sorted(cluster.groups, key=lambda group: group.name):
        places += [Place(group.template, []) for _ in range(group.upcoming)]
    waiting = [pod for pod in cluster.pods if pod.active and not pod.spec.node_name]
    return [pod for pod in waiting if not any(place.take(pod) for place in places)]


def pack(cluster: ClusterView, group: NodeGroup, pods: list[Pod]) -> Option:
    spare = group.max_size - group_size(cluster, group)
    places: list[Place] = []
    for pod in pods:
        if any(place.take(pod) for place in places):
            continue
        new = Place(group.template, [])
        if len(places) < spare and new.take(pod):
            places.append(new)
    return Option(group, places)


def scale_down(cluster: ClusterView) -> ScaleDown:
    """Say which nodes nobody needs, since when, and which one of them goes now."""
    unneeded = {node.name: node for node in cluster.nodes if is_unneeded(cluster, node)}
    since = {name: cluster.unneeded_since.get(name, cluster.now) for name in unneeded}
    if cluster.last_scale_up is not None and cluster.now - cluster.last_scale_up < DELAY_AFTER_ADD:
        return ScaleDown(None, since)
    shrinking = {group.name for group in cluster.groups if group_size(cluster, group) > group.min_size}
    ripe = [
        node
        for name, node in unneeded.items()
        if cluster.now - since[name] >= UNNEEDED_TIME and node.metadata.labels[GROUP] in shrinking
    ]
    first = min(ripe, key=lambda node: (utilization(cluster, node), node.name), default=None)
    return ScaleDown(first.name if first else None, since)


def is_unneeded(cluster: ClusterView, node: Node) -> bool:
    groups = {group.name for group in cluster.groups}
    if node.metadata.labels.get(GROUP) not in groups or not node.ready or node.spec.unschedulable:
        return False
    if utilization(cluster, node) >= UTILIZATION_THRESHOLD:
        return False
    moving = [pod for pod in pods_on(cluster, node) if pod.active and not is_daemon(pod)]
    if not all(may_move(pod) for pod in moving) or not budgets_allow(cluster, moving):
        return False
    places = [place for place in open_places(cluster) if place.node.name != node.name]
    return all(any(place.take(pod) for place in places) for pod in moving)


def utilization(cluster: ClusterView, node: Node) -> float:
    pods = [requests_of(pod) for pod in pods_on(cluster, node)]
    return max(sum(each[i] for each in pods) / whole_node for i, whole_node in enumerate(size_of(node)))


def may_move(pod: Pod) -> bool:
    return pod.metadata.controller is not None and pod.metadata.annotations.get(SAFE_TO_EVICT) != "false"


def is_daemon(pod: Pod) -> bool:
    return pod.metadata.controller is not None and pod.metadata.controller.kind == "DaemonSet"


def budgets_allow(cluster: ClusterView, moving: list[Pod]) -> bool:
    for budget in cluster.budgets:
        selector = budget.spec.selector
        covered = [
            pod
            for pod in moving
            if selector and pod.namespace == budget.namespace and selector.matches(pod.metadata.labels)
        ]
        if len(covered) > budget.status.disruptions_allowed:
            return False
    return True


def open_places(cluster: ClusterView) -> list[Place]:
    """The nodes that take pods, by name; cordoned ones take none, as ``fits`` knows."""
    nodes = sorted((node for node in cluster.nodes if node.ready), key=lambda node: node.name)
    return [Place(node, pods_on(cluster, node)) for node in nodes]


def pods_on(cluster: ClusterView, node: Node) -> list[Pod]:
    """The pods that take room on a node: all that are not finished."""
    return [
        pod
        for pod in cluster.pods
        if pod.spec.node_name == node.name and pod.status.phase not in ("Succeeded", "Failed")
    ]


def group_size(cluster: ClusterView, group: NodeGroup) -> int:
    """Nodes there and on their way; a cordoned one is on its way out."""
    here = [node for node in cluster.nodes if node.metadata.labels.get(GROUP) == group.name]
    return sum(not node.spec.unschedulable for node in here) + group.upcoming


def size_of(node: Node) -> tuple[int, int]:
    return milli(node.status.allocatable["cpu"]), whole(node.status.allocatable["memory"])
