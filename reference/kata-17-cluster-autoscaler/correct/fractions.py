"""Exact shares, and dictionaries from node name to pods."""

from collections import defaultdict
from datetime import timedelta
from fractions import Fraction

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

LABEL = "autoscaler.example.com/group"
KEEP = "cluster-autoscaler.kubernetes.io/safe-to-evict"
TEN = timedelta(minutes=10)


def running(cluster):
    by_node = defaultdict(list)
    for pod in cluster.pods:
        if pod.spec.node_name and pod.status.phase not in ("Failed", "Succeeded"):
            by_node[pod.spec.node_name].append(pod)
    return by_node


def place(pod, slots):
    for node, pods in slots:
        if fits(pod, node, pods):
            pods.append(pod)
            return True
    return False


def slots_of(cluster, without=""):
    by_node = running(cluster)
    return [
        (node, list(by_node[node.name]))
        for node in sorted(cluster.nodes, key=lambda node: node.name)
        if node.ready and node.name != without
    ]


def sizes(cluster):
    count = {group.name: group.upcoming for group in cluster.groups}
    for node in cluster.nodes:
        name = node.metadata.labels.get(LABEL, "")
        if name in count and not node.spec.unschedulable:
            count[name] += 1
    return count


def scale_up(cluster):
    slots = slots_of(cluster)
    for group in sorted(cluster.groups, key=lambda group: group.name):
        slots.extend((group.template, []) for _ in range(group.upcoming))
    needy = []
    for pod in cluster.pods:
        if not pod.spec.node_name and pod.active and not place(pod, slots):
            needy.append(pod)
    count = sizes(cluster)
    reasons = {}
    for pod in needy:
        hosts = [group for group in cluster.groups if fits(pod, group.template, ())]
        if not hosts:
            reasons[pod.name] = "fits no group"
        elif all(count[group.name] >= group.max_size for group in hosts):
            reasons[pod.name] = "max size reached"
    answers = []
    for group in cluster.groups:
        fresh = []
        for pod in needy:
            if place(pod, fresh) or count[group.name] + len(fresh) >= group.max_size:
                continue
            if fits(pod, group.template, []):
                fresh.append((group.template, [pod]))
        if fresh:
            answers.append((waste(group.template, fresh), group.name, len(fresh)))
    if not answers:
        return ScaleUp(None, 0, reasons)
    _, name, number = min(answers)
    return ScaleUp(name, number, reasons)


def waste(template, fresh):
    pods = [pod for _, held in fresh for pod in held]
    cpu = Fraction(sum(requests_of(pod)[0] for pod in pods), milli(template.status.allocatable["cpu"]) * len(fresh))
    memory = Fraction(
        sum(requests_of(pod)[1] for pod in pods), whole(template.status.allocatable["memory"]) * len(fresh)
    )
    return 2 - cpu - memory


def use(node, pods):
    cpu = Fraction(sum(requests_of(pod)[0] for pod in pods), milli(node.status.allocatable["cpu"]))
    memory = Fraction(sum(requests_of(pod)[1] for pod in pods), whole(node.status.allocatable["memory"]))
    return max(cpu, memory)


def stays(pod):
    owner = pod.metadata.controller
    return not pod.active or (owner is not None and owner.kind == "DaemonSet")


def scale_down(cluster):
    count, by_node = sizes(cluster), running(cluster)
    used = {}
    for node in cluster.nodes:
        here = by_node[node.name]
        if not node.ready or node.spec.unschedulable or node.metadata.labels.get(LABEL) not in count:
            continue
        if use(node, here) * 2 >= 1:
            continue
        guests = [pod for pod in here if not stays(pod)]
        if any(pod.metadata.controller is None for pod in guests):
            continue
        if any(pod.metadata.annotations.get(KEEP, "") == "false" for pod in guests):
            continue
        if not all(spares(budget, guests) for budget in cluster.budgets):
            continue
        slots = slots_of(cluster, without=node.name)
        if all([place(pod, slots) for pod in guests]):
            used[node.name] = use(node, here)
    since = {name: cluster.unneeded_since.get(name) or cluster.now for name in used}
    minimum = {group.name: group.min_size for group in cluster.groups}
    group_of = {node.name: node.metadata.labels.get(LABEL) for node in cluster.nodes}
    ready = sorted(
        (used[name], name)
        for name in used
        if since[name] + TEN <= cluster.now and count[group_of[name]] > minimum[group_of[name]]
    )
    calm = cluster.last_scale_up is None or cluster.last_scale_up + TEN <= cluster.now
    return ScaleDown(ready[0][1] if ready and calm else None, since)


def spares(budget, pods):
    selector = budget.spec.selector
    if selector is None:
        return True
    hit = [pod for pod in pods if pod.namespace == budget.namespace and selector.matches(pod.metadata.labels)]
    return len(hit) <= budget.status.disruptions_allowed
