"""Numbers instead of lists of pods: free CPU, memory and places are counted down. Uses fits only for empty nodes."""

import copy
from datetime import timedelta

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"


class Box:
    def __init__(self, node):
        self.node = copy.copy(node)
        self.name = node.metadata.name
        given = node.status.allocatable
        self.size = (milli(given["cpu"]), whole(given["memory"]))
        self.free = list(self.size)
        self.places = whole(given["pods"])
        self.count = 0

    def put(self, pod):
        cpu, memory = requests_of(pod)
        self.free[0] -= cpu
        self.free[1] -= memory
        self.places -= 1
        self.count += 1

    def would_take(self, pod):
        if self.places < 1:
            return False
        for need, free in zip(requests_of(pod), self.free, strict=True):
            if need > 0 and need > free:
                return False
        return fits(pod, self.node, [])

    def offer(self, pod):
        taken = self.would_take(pod)
        if taken:
            self.put(pod)
        return taken

    @property
    def used(self):
        return [1 - free / size for free, size in zip(self.free, self.size, strict=True)]


class Cluster:
    def __init__(self, view):
        self.view = view
        self.group_names = [group.name for group in view.groups]

    def boxes(self):
        result = {}
        for node in self.view.nodes:
            result[node.metadata.name] = Box(node)
        for pod in self.view.pods:
            if pod.spec.node_name in result and pod.status.phase not in ("Succeeded", "Failed"):
                result[pod.spec.node_name].put(pod)
        return result

    def open_boxes(self, but=None):
        return [box for name, box in sorted(self.boxes().items()) if name != but and box.node.ready]

    def size(self, name):
        group = next(group for group in self.view.groups if group.name == name)
        members = [n for n in self.view.nodes if n.metadata.labels.get(GROUP) == name]
        return group.upcoming + len([n for n in members if not n.spec.unschedulable])


def give(pod, boxes):
    return next((True for box in boxes if box.offer(pod)), False)


def scale_up(cluster):
    state = Cluster(cluster)
    boxes = state.open_boxes()
    for group in sorted(cluster.groups, key=lambda g: g.name):
        for _ in range(group.upcoming):
            boxes.append(Box(group.template))
    rest = []
    for pod in cluster.pods:
        waits = pod.spec.node_name == "" and pod.metadata.deletion_timestamp is None
        if waits and pod.status.phase in ("Pending", "Running", "Unknown") and not give(pod, boxes):
            rest.append(pod)

    best = None
    for group in sorted(cluster.groups, key=lambda g: g.name):
        room = max(0, group.max_size - state.size(group.name))
        new = []
        for pod in rest:
            if give(pod, new):
                continue
            box = Box(group.template)
            if len(new) != room and box.offer(pod):
                new.append(box)
        if new:
            shares = [sum(box.used[i] for box in new) / len(new) for i in (0, 1)]
            waste = round(2 - shares[0] - shares[1], 9)
            if best is None or waste < best[0]:
                best = (waste, group.name, len(new))

    refused = {}
    for pod in rest:
        fitting = [group for group in cluster.groups if Box(group.template).would_take(pod)]
        if not fitting:
            refused[pod.name] = "fits no group"
        elif not [group for group in fitting if state.size(group.name) < group.max_size]:
            refused[pod.name] = "max size reached"
    return ScaleUp(best[1], best[2], refused) if best else ScaleUp(refused=refused)


def scale_down(cluster):
    state = Cluster(cluster)
    boxes = state.boxes()
    since = {}
    for node in cluster.nodes:
        if idle(state, node, boxes[node.name]):
            since[node.name] = cluster.unneeded_since.get(node.name, cluster.now)
    remove = None
    ten = timedelta(seconds=600)
    if cluster.last_scale_up is None or not cluster.now - cluster.last_scale_up < ten:
        lowest = None
        for node in sorted(cluster.nodes, key=lambda n: n.name):
            if node.name not in since or cluster.now - since[node.name] < ten:
                continue
            group = next(g for g in cluster.groups if g.name == node.metadata.labels[GROUP])
            if state.size(group.name) <= group.min_size:
                continue
            use = round(max(boxes[node.name].used), 9)
            if lowest is None or use < lowest:
                lowest, remove = use, node.name
    return ScaleDown(remove=remove, unneeded_since=since)


def idle(state, node, box):
    if node.metadata.labels.get(GROUP) not in state.group_names:
        return False
    if node.spec.unschedulable or not node.ready:
        return False
    if any(size - free >= size / 2 for free, size in zip(box.free, box.size, strict=True)):
        return False
    movers = []
    for pod in state.view.pods:
        if pod.spec.node_name != node.name or not pod.active:
            continue
        owner = pod.metadata.controller
        if owner is None:
            return False
        if owner.kind == "DaemonSet":
            continue
        if pod.metadata.annotations.get("cluster-autoscaler.kubernetes.io/safe-to-evict") == "false":
            return False
        movers.append(pod)
    for budget in state.view.budgets:
        left = budget.status.disruptions_allowed
        for pod in movers:
            same = pod.namespace == budget.namespace and budget.spec.selector is not None
            if same and budget.spec.selector.matches(pod.metadata.labels):
                left -= 1
        if left < 0:
            return False
    others = state.open_boxes(but=node.name)
    for pod in movers:
        if not give(pod, others):
            return False
    return True
