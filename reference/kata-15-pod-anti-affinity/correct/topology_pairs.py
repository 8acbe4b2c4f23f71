"""As the real plugin does it: count matches by (key, value) pair first, then look at the labels of each node."""

from collections import Counter, defaultdict

from kubekata import Placement

REQUIRED = "required_during_scheduling_ignored_during_execution"
PREFERRED = "preferred_during_scheduling_ignored_during_execution"


def listed(pod, which):
    holder = getattr(pod.spec.affinity, "pod_anti_affinity", None)
    return getattr(holder, which, [])


def about(term, carrier, pod):
    spaces = term.namespaces if term.namespaces else [carrier.metadata.namespace]
    selector = term.label_selector
    return bool(selector is not None and pod.metadata.namespace in spaces and selector.matches(pod.metadata.labels))


def schedule(pod, nodes, pods):
    if len(nodes) == 0:
        return Placement(node=None, message="no nodes available to schedule pods")
    labels = {n.name: n.metadata.labels for n in nodes}
    mine, theirs, points = set(), set(), Counter()
    for other in pods:
        if other.spec.node_name not in labels or other.status.phase in {"Succeeded", "Failed"}:
            continue
        at = labels[other.spec.node_name]
        for term in listed(pod, REQUIRED):
            if about(term, pod, other) and term.topology_key in at:
                mine.add((term.topology_key, at[term.topology_key]))
        for term in listed(other, REQUIRED):
            if about(term, other, pod) and term.topology_key in at:
                theirs.add((term.topology_key, at[term.topology_key]))
        for carrier, target in ((pod, other), (other, pod)):
            for wish in listed(carrier, PREFERRED):
                key = wish.pod_affinity_term.topology_key
                if about(wish.pod_affinity_term, carrier, target) and key in at:
                    points[key, at[key]] += wish.weight
    groups = defaultdict(list)
    for name, has in labels.items():
        pairs = set(has.items())
        if pairs & mine:
            groups["node(s) didn't match pod anti-affinity rules"].append(name)
        elif pairs & theirs:
            groups["node(s) didn't satisfy existing pods anti-affinity rules"].append(name)
        else:
            groups[""].append((sum(points[pair] for pair in pairs), name))
    if groups[""]:
        return Placement(node=sorted(groups[""])[0][1])
    texts = sorted(str(len(names)) + " " + reason for reason, names in groups.items() if names)
    return Placement(node=None, message="0/{} nodes are available: {}.".format(len(nodes), ", ".join(texts)))
