"""Step by step, with a name for everything."""

from datetime import timedelta

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"


def is_finished(pod):
    return pod.status.phase in ("Succeeded", "Failed")


def is_daemon_pod(pod):
    for reference in pod.metadata.owner_references:
        if reference.controller and reference.kind == "DaemonSet":
            return True
    return False


def has_controller(pod):
    for reference in pod.metadata.owner_references:
        if reference.controller:
            return True
    return False


def pods_on_node(cluster, node_name):
    result = []
    for pod in cluster.pods:
        if pod.spec.node_name == node_name and not is_finished(pod):
            result.append(pod)
    return result


def current_size(cluster, group):
    number = group.upcoming
    for node in cluster.nodes:
        if node.spec.unschedulable:
            continue
        if node.metadata.labels.get(GROUP) == group.name:
            number = number + 1
    return number


def try_to_place(pod, nodes, pods_by_index):
    index = 0
    while index < len(nodes):
        if fits(pod, nodes[index], pods_by_index[index]):
            pods_by_index[index].append(pod)
            return True
        index = index + 1
    return False


def scale_up(cluster):
    nodes = []
    pods = []
    for node in sorted(cluster.nodes, key=lambda n: n.metadata.name):
        if node.ready:
            nodes.append(node)
            pods.append(pods_on_node(cluster, node.metadata.name))
    for group in sorted(cluster.groups, key=lambda g: g.name):
        for _ in range(group.upcoming):
            nodes.append(group.template)
            pods.append([])

    without_room = []
    for pod in cluster.pods:
        if pod.spec.node_name != "":
            continue
        if is_finished(pod):
            continue
        if pod.metadata.deletion_timestamp is not None:
            continue
        if not try_to_place(pod, nodes, pods):
            without_room.append(pod)

    refused = {}
    for pod in without_room:
        fits_some_group = False
        some_group_may_grow = False
        for group in cluster.groups:
            if fits(pod, group.template, []):
                fits_some_group = True
                if current_size(cluster, group) < group.max_size:
                    some_group_may_grow = True
        if not fits_some_group:
            refused[pod.metadata.name] = "fits no group"
        elif not some_group_may_grow:
            refused[pod.metadata.name] = "max size reached"

    best_group = None
    best_number = 0
    best_waste = None
    for group in cluster.groups:
        new_nodes = []
        new_pods = []
        for pod in without_room:
            if try_to_place(pod, new_nodes, new_pods):
                continue
            if current_size(cluster, group) + len(new_nodes) >= group.max_size:
                continue
            if fits(pod, group.template, []):
                new_nodes.append(group.template)
                new_pods.append([pod])
        if len(new_nodes) == 0:
            continue
        cpu_requested = 0
        memory_requested = 0
        for on_one_node in new_pods:
            for pod in on_one_node:
                cpu, memory = requests_of(pod)
                cpu_requested = cpu_requested + cpu
                memory_requested = memory_requested + memory
        cpu_there = len(new_nodes) * milli(group.template.status.allocatable["cpu"])
        memory_there = len(new_nodes) * whole(group.template.status.allocatable["memory"])
        waste = (cpu_there - cpu_requested) / cpu_there + (memory_there - memory_requested) / memory_there
        if best_group is None or waste < best_waste or (waste == best_waste and group.name < best_group):
            best_group = group.name
            best_number = len(new_nodes)
            best_waste = waste
    return ScaleUp(best_group, best_number, refused)


def utilization_of(cluster, node):
    cpu_requested = 0
    memory_requested = 0
    for pod in pods_on_node(cluster, node.metadata.name):
        cpu, memory = requests_of(pod)
        cpu_requested = cpu_requested + cpu
        memory_requested = memory_requested + memory
    cpu_share = cpu_requested / milli(node.status.allocatable["cpu"])
    memory_share = memory_requested / whole(node.status.allocatable["memory"])
    return max(cpu_share, memory_share)


def group_of(cluster, node):
    for group in cluster.groups:
        if node.metadata.labels.get(GROUP) == group.name:
            return group
    return None


def nobody_needs(cluster, node):
    if group_of(cluster, node) is None:
        return False
    if not node.ready:
        return False
    if node.spec.unschedulable:
        return False
    if utilization_of(cluster, node) >= 0.5:
        return False

    has_to_move = []
    for pod in pods_on_node(cluster, node.metadata.name):
        if pod.metadata.deletion_timestamp is not None:
            continue
        if is_daemon_pod(pod):
            continue
        if not has_controller(pod):
            return False
        if SAFE_TO_EVICT in pod.metadata.annotations and pod.metadata.annotations[SAFE_TO_EVICT] == "false":
            return False
        has_to_move.append(pod)

    for budget in cluster.budgets:
        if budget.spec.selector is None:
            continue
        number = 0
        for pod in has_to_move:
            if pod.metadata.namespace != budget.metadata.namespace:
                continue
            if budget.spec.selector.matches(pod.metadata.labels):
                number = number + 1
        if number > budget.status.disruptions_allowed:
            return False

    other_nodes = []
    other_pods = []
    for other in sorted(cluster.nodes, key=lambda n: n.metadata.name):
        if other.metadata.name != node.metadata.name and other.ready:
            other_nodes.append(other)
            other_pods.append(pods_on_node(cluster, other.metadata.name))
    for pod in has_to_move:
        if not try_to_place(pod, other_nodes, other_pods):
            return False
    return True


def scale_down(cluster):
    unneeded_since = {}
    for node in cluster.nodes:
        if nobody_needs(cluster, node):
            if node.metadata.name in cluster.unneeded_since:
                unneeded_since[node.metadata.name] = cluster.unneeded_since[node.metadata.name]
            else:
                unneeded_since[node.metadata.name] = cluster.now

    if cluster.last_scale_up is not None:
        if cluster.now < cluster.last_scale_up + timedelta(minutes=10):
            return ScaleDown(remove=None, unneeded_since=unneeded_since)

    chosen = None
    for node in sorted(cluster.nodes, key=lambda n: n.metadata.name):
        if node.metadata.name not in unneeded_since:
            continue
        if cluster.now < unneeded_since[node.metadata.name] + timedelta(minutes=10):
            continue
        group = group_of(cluster, node)
        if current_size(cluster, group) <= group.min_size:
            continue
        if chosen is None or utilization_of(cluster, node) < utilization_of(cluster, chosen):
            chosen = node
    return ScaleDown(None if chosen is None else chosen.metadata.name, unneeded_since)
