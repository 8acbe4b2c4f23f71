"""Misconception: A taint is a taint: PreferNoSchedule keeps pods away.

Fails: filter
"""

from collections import Counter

from kubekata import Node, Placement, Pod, Taint, Toleration

HARD = ("NoSchedule", "NoExecute", "PreferNoSchedule")
SOFT = ("PreferNoSchedule",)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect):
        return False
    if toleration.key not in ("", taint.key):
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and toleration.value == taint.value


def untolerated(pod: Pod, node: Node, effects: tuple[str, ...]) -> list[Taint]:
    return [
        taint
        for taint in node.spec.taints
        if taint.effect in effects and not any(tolerates(t, taint) for t in pod.spec.tolerations)
    ]


def reason_against(pod: Pod, node: Node) -> str | None:
    if untolerated(pod, node, HARD):
        return "node(s) had untolerated taint(s)"
    if not pod.spec.node_selector.items() <= node.metadata.labels.items():
        return "node(s) didn't match Pod's node affinity/selector"
    return None


def schedule(pod: Pod, nodes: list[Node]) -> Placement:
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    reasons = {node.name: reason_against(pod, node) for node in nodes}
    welcoming = [node for node in nodes if reasons[node.name] is None]
    if welcoming:
        best = min(welcoming, key=lambda node: (len(untolerated(pod, node, SOFT)), node.name))
        return Placement(best.name)
    entries = sorted(f"{count} {reason}" for reason, count in Counter(reasons.values()).items())
    return Placement(None, f"0/{len(nodes)} nodes are available: {', '.join(entries)}.")
