"""Misconception: A wish is about sharing a node.

Fails: preferred
"""

from collections import Counter

from kubekata import Node, Placement, Pod, PodAffinity, PodAffinityTerm

FINISHED = ("Succeeded", "Failed")
OWN_RULE = "node(s) didn't match pod anti-affinity rules"
THEIR_RULE = "node(s) didn't satisfy existing pods anti-affinity rules"

Placed = tuple[Pod, Node]


def rules(pod: Pod) -> PodAffinity:
    affinity = pod.spec.affinity
    return (affinity and affinity.pod_anti_affinity) or PodAffinity()


def required(pod: Pod) -> list[PodAffinityTerm]:
    return rules(pod).required_during_scheduling_ignored_during_execution


def preferred(pod: Pod) -> list[tuple[int, PodAffinityTerm]]:
    terms = rules(pod).preferred_during_scheduling_ignored_during_execution
    return [(term.weight, term.pod_affinity_term) for term in terms]


def matches(carrier: Pod, term: PodAffinityTerm, other: Pod) -> bool:
    if other.metadata.namespace not in (term.namespaces or [carrier.metadata.namespace]):
        return False
    return term.label_selector is not None and term.label_selector.matches(other.metadata.labels)


def together(key: str, one: Node, other: Node) -> bool:
    domain = one.metadata.labels.get(key)
    return domain is not None and domain == other.metadata.labels.get(key)


def reason_against(pod: Pod, node: Node, placed: list[Placed]) -> str | None:
    for other, where in placed:
        if any(matches(pod, t, other) and together(t.topology_key, node, where) for t in required(pod)):
            return OWN_RULE
    for other, where in placed:
        if any(matches(other, t, pod) and together(t.topology_key, node, where) for t in required(other)):
            return THEIR_RULE
    return None


def penalty(pod: Pod, node: Node, placed: list[Placed]) -> int:
    total = 0
    for other, where in placed:
        wishes = [(weight, term) for weight, term in preferred(pod) if matches(pod, term, other)]
        wishes += [(weight, term) for weight, term in preferred(other) if matches(other, term, pod)]
        total += sum(weight for weight, term in wishes if node.name == where.name)
    return total


def schedule(pod: Pod, nodes: list[Node], pods: list[Pod]) -> Placement:
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    by_name = {node.name: node for node in nodes}
    placed = [
        (other, by_name[other.spec.node_name])
        for other in pods
        if other.spec.node_name in by_name and other.status.phase not in FINISHED
    ]
    reasons = {node.name: reason_against(pod, node, placed) for node in nodes}
    welcoming = [node for node in nodes if reasons[node.name] is None]
    if welcoming:
        return Placement(min(welcoming, key=lambda node: (penalty(pod, node, placed), node.name)).name)
    entries = sorted(f"{count} {reason}" for reason, count in Counter(reasons.values()).items())
    return Placement(None, f"0/{len(nodes)} nodes are available: {', '.join(entries)}.")
