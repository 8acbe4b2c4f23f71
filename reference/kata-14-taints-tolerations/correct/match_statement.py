"""Structural matching for the toleration, a stable sort for the nodes."""

from collections import defaultdict

from kubekata import Placement


def tolerates(toleration, taint):
    match (toleration.effect, toleration.key, toleration.operator):
        case (effect, _, _) if effect and effect != taint.effect:
            return False
        case (_, key, _) if key and key != taint.key:
            return False
        case (_, _, "Exists"):
            return True
        case (_, _, "Equal" | ""):
            return toleration.value == taint.value
        case _:
            return False


def schedule(pod, nodes):
    def left_over(node, kind):
        count = 0
        for taint in node.spec.taints:
            if (taint.effect == "PreferNoSchedule") == kind:
                count += all(not tolerates(t, taint) for t in pod.spec.tolerations)
        return count

    groups = defaultdict(list)
    for node in nodes:
        if left_over(node, kind=False) > 0:
            groups["node(s) had untolerated taint(s)"].append(node)
        elif set(pod.spec.node_selector.items()) - set(node.metadata.labels.items()):
            groups["node(s) didn't match Pod's node affinity/selector"].append(node)
        else:
            groups[""].append(node)
    if groups.get(""):
        by_name = sorted(groups[""], key=lambda n: n.metadata.name)
        by_points = sorted(by_name, key=lambda n: left_over(n, kind=True))
        return Placement(by_points[0].metadata.name)
    if not groups or not nodes:
        return Placement(None, "no nodes available to schedule pods")
    lines = [f"{len(members)} {reason}" for reason, members in groups.items() if reason]
    return Placement(None, f"0/{len(nodes)} nodes are available: {', '.join(sorted(lines))}.")
