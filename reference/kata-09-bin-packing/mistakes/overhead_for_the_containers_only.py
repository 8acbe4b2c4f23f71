"""Misconception: Overhead is one more container: init containers do not have it.

Fails: needs
"""

from collections import Counter

from kubekata import Container, Node, Placement, Pod, milli, whole

UNITS = {"cpu": milli, "memory": whole}
FINISHED = ("Succeeded", "Failed")


def needs(pod: Pod, resource: str) -> int:
    amount = UNITS[resource]

    def requested(container: Container) -> int:
        return amount(container.resources.requests.get(resource, "0"))

    running = sum(map(requested, pod.spec.containers))
    starting = max(map(requested, pod.spec.init_containers), default=0)
    return max(running + amount(pod.spec.overhead.get(resource, "0")), starting)


def reasons_against(node: Node, pod: Pod, pods: list[Pod]) -> list[str]:
    holding = [p for p in pods if p.spec.node_name == node.name and p.status.phase not in FINISHED]
    allocatable = node.status.allocatable

    reasons = []
    if len(holding) + 1 > int(allocatable["pods"]):
        reasons.append("Too many pods")
    for resource, amount in UNITS.items():
        wanted = needs(pod, resource)
        left = amount(allocatable[resource]) - sum(needs(p, resource) for p in holding)
        if wanted and wanted > left:
            reasons.append(f"Insufficient {resource}")
    return reasons


def schedule(pod: Pod, nodes: list[Node], pods: list[Pod]) -> Placement:
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    counts: Counter[str] = Counter()
    for node in sorted(nodes, key=lambda node: node.name):
        reasons = reasons_against(node, pod, pods)
        if not reasons:
            return Placement(node.name)
        counts.update(reasons)
    entries = sorted(f"{count} {reason}" for reason, count in counts.items())
    return Placement(None, f"0/{len(nodes)} nodes are available: {', '.join(entries)}.")
