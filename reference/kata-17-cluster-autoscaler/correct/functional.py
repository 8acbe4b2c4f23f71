"""No mutation: a fold carries the places along as tuples."""

from datetime import timedelta
from functools import reduce

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
LONG_ENOUGH = timedelta(minutes=10)


def put(places, pod):
    """The places with the pod in the first that takes it, or None."""
    for index, (node, pods) in enumerate(places):
        if fits(pod, node, pods):
            return (*places[:index], (node, (*pods, pod)), *places[index + 1 :])
    return None


def settle(places, pods):
    """(places, pods left over)."""

    def step(state, pod):
        places, left = state
        after = put(places, pod)
        return (places, (*left, pod)) if after is None else (after, left)

    return reduce(step, pods, (tuple(places), ()))


def grow(group, room, pods):
    def step(places, pod):
        after = put(places, pod)
        if after is not None:
            return after
        opened = put(((group.template, ()),), pod) if len(places) < room else None
        return places if opened is None else places + opened

    return reduce(step, pods, ())


def on(cluster, node):
    return tuple(
        pod
        for pod in cluster.pods
        if pod.spec.node_name == node.name and pod.status.phase not in {"Succeeded", "Failed"}
    )


def standing(cluster):
    return tuple(
        (node, on(cluster, node)) for node in sorted(cluster.nodes, key=lambda n: n.name) if node.ready
    )


def size(cluster, name):
    upcoming = sum(group.upcoming for group in cluster.groups if group.name == name)
    return upcoming + len(
        [n for n in cluster.nodes if n.metadata.labels.get(GROUP) == name and not n.spec.unschedulable]
    )


def capacity(node):
    return milli(node.status.allocatable["cpu"]), whole(node.status.allocatable["memory"])


def shares(node, number, pods):
    needs = [requests_of(pod) for pod in pods]
    return tuple(sum(need[i] for need in needs) / (capacity(node)[i] * number) for i in (0, 1))


def scale_up(cluster):
    by_name = sorted(cluster.groups, key=lambda g: g.name)
    coming = tuple((g.template, ()) for g in by_name for _ in range(g.upcoming))
    waiting = [pod for pod in cluster.pods if pod.active and pod.spec.node_name == ""]
    _, needy = settle(standing(cluster) + coming, waiting)
    room = {g.name: max(g.max_size - size(cluster, g.name), 0) for g in by_name}
    fitting = {pod.name: [g.name for g in by_name if fits(pod, g.template, ())] for pod in needy}
    refused = {
        name: "max size reached" if groups else "fits no group"
        for name, groups in fitting.items()
        if not any(room[group] for group in groups)
    }
    grown = {g.name: grow(g, room[g.name], needy) for g in by_name}
    useful = [g for g in by_name if grown[g.name]]
    if not useful:
        return ScaleUp(refused=refused)

    def used(group):
        places = grown[group.name]
        return sum(shares(group.template, len(places), [pod for _, pods in places for pod in pods]))

    best = max(useful, key=used)  # max keeps the first of equals, and they are in order of names
    return ScaleUp(best.name, len(grown[best.name]), refused)


def movers(cluster, node):
    return [pod for pod in on(cluster, node) if not pod.metadata.deleting and not daemon(pod)]


def daemon(pod):
    return bool(pod.metadata.controller) and pod.metadata.controller.kind == "DaemonSet"


def hit(budget, pods):
    if budget.spec.selector is None:
        return []
    return [
        pod for pod in pods if budget.namespace == pod.namespace and budget.spec.selector.matches(pod.metadata.labels)
    ]


def unneeded(cluster, node):
    pods = movers(cluster, node)
    return (
        any(node.metadata.labels.get(GROUP) == group.name for group in cluster.groups)
        and node.ready
        and not node.spec.unschedulable
        and max(shares(node, 1, on(cluster, node))) < 0.5
        and all(pod.metadata.controller for pod in pods)
        and not any(pod.metadata.annotations.get(SAFE_TO_EVICT) == "false" for pod in pods)
        and all(len(hit(budget, pods)) <= budget.status.disruptions_allowed for budget in cluster.budgets)
        and settle([place for place in standing(cluster) if place[0].name != node.name], pods)[1] == ()
    )


def scale_down(cluster):
    nodes = [node for node in cluster.nodes if unneeded(cluster, node)]
    since = {node.name: min(cluster.unneeded_since.get(node.name, cluster.now), cluster.now) for node in nodes}
    recent = cluster.last_scale_up is not None and cluster.now < cluster.last_scale_up + LONG_ENOUGH
    floors = {group.name: group.min_size for group in cluster.groups}
    ripe = [
        (max(shares(node, 1, on(cluster, node))), node.name)
        for node in nodes
        if not recent
        and since[node.name] <= cluster.now - LONG_ENOUGH
        and size(cluster, node.metadata.labels[GROUP]) > floors[node.metadata.labels[GROUP]]
    ]
    return ScaleDown(min(ripe)[1] if ripe else None, since)
