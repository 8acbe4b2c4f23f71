"""Generators and dictionaries; the reason against a node as a word."""

from datetime import timedelta
from itertools import chain, repeat

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"
SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"


def first_fit(pods, places):
    """Yield the pods that find no place, filling the places meanwhile."""
    for pod in pods:
        for place in places:
            if fits(pod, place["node"], place["pods"]):
                place["pods"].append(pod)
                break
        else:
            yield pod


def filled(cluster):
    for node in sorted(cluster.nodes, key=lambda node: node.name):
        yield {"node": node, "pods": list(unfinished(cluster, node.name))}


def unfinished(cluster, name):
    return (p for p in cluster.pods if p.spec.node_name == name and p.status.phase not in ("Succeeded", "Failed"))


def empty(groups):
    for group in sorted(groups, key=lambda group: group.name):
        yield from ({"node": template, "pods": []} for template in repeat(group.template, group.upcoming))


def size(cluster, group):
    labels = (node.metadata.labels.get(GROUP) for node in cluster.nodes if not node.spec.unschedulable)
    return group.upcoming + list(labels).count(group.name)


def scale_up(cluster):
    ready = (place for place in filled(cluster) if place["node"].ready)
    waiting = (p for p in unfinished(cluster, "") if not p.metadata.deleting)
    needy = list(first_fit(waiting, list(chain(ready, empty(cluster.groups)))))
    offers = sorted(filter(None, (offer(cluster, group, needy) for group in cluster.groups)))
    refused = dict(refusals(cluster, needy))
    if offers:
        _waste, name, number = offers[0]
        return ScaleUp(name, number, refused)
    return ScaleUp(None, 0, refused)


def offer(cluster, group, needy):
    left = group.max_size - size(cluster, group)
    new, rest = [], list(needy)
    while rest and len(new) < left:
        # A new node is filled as far as it goes before the next one is opened: the same as first-fit.
        place = {"node": group.template, "pods": []}
        rest = list(first_fit(rest, [place]))
        if not place["pods"]:
            break
        new.append(place)
    if not new:
        return None
    held = [requests_of(pod) for place in new for pod in place["pods"]]
    cpu = milli(group.template.status.allocatable["cpu"]) * len(new)
    memory = whole(group.template.status.allocatable["memory"]) * len(new)
    unused = (1 - sum(each[0] for each in held) / cpu) + (1 - sum(each[1] for each in held) / memory)
    return round(unused, 9), group.name, len(new)


def refusals(cluster, needy):
    for pod in needy:
        sizes = [(size(cluster, g), g.max_size) for g in cluster.groups if fits(pod, g.template, [])]
        if not sizes:
            yield pod.name, "fits no group"
        elif all(now >= most for now, most in sizes):
            yield pod.name, "max size reached"


def scale_down(cluster):
    groups = {group.name: group for group in cluster.groups}
    since = {}
    ripe = []
    for node in cluster.nodes:
        if why_needed(cluster, node, groups):
            continue
        since[node.name] = cluster.unneeded_since.get(node.name, cluster.now)
        group = groups[node.metadata.labels[GROUP]]
        seconds = (cluster.now - since[node.name]).total_seconds()
        if seconds >= 600 and size(cluster, group) > group.min_size:
            ripe.append((share(cluster, node), node.name))
    if cluster.last_scale_up is not None and cluster.now - cluster.last_scale_up < timedelta(minutes=10):
        ripe.clear()
    return ScaleDown(min(ripe, default=(0, None))[1], since)


def share(cluster, node):
    held = [requests_of(pod) for pod in unfinished(cluster, node.name)]
    whole_node = milli(node.status.allocatable["cpu"]), whole(node.status.allocatable["memory"])
    return max(sum(column) / total for column, total in zip(zip(*held, strict=True), whole_node, strict=True)) if held else 0.0


def why_needed(cluster, node, groups):
    if node.metadata.labels.get(GROUP) not in groups:
        return "foreign"
    if node.spec.unschedulable or not node.ready:
        return "not in service"
    if share(cluster, node) >= 0.5:
        return "busy"
    moving = []
    for pod in unfinished(cluster, node.name):
        match pod.metadata.controller:
            case _ if pod.metadata.deleting:
                continue
            case None:
                return "alone"
            case controller if controller.kind == "DaemonSet":
                continue
        if pod.metadata.annotations.get(SAFE) == "false":
            return "annotated"
        moving.append(pod)
    for budget in cluster.budgets:
        chosen = budget.spec.selector
        mine = [p for p in moving if chosen and p.namespace == budget.namespace and chosen.matches(p.metadata.labels)]
        if len(mine) > budget.status.disruptions_allowed:
            return "budget"
    others = [place for place in filled(cluster) if place["node"].ready and place["node"].name != node.name]
    if any(True for _ in first_fit(moving, others)):
        return "nowhere to go"
    return ""
