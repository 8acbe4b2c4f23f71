"""Recursion and set arithmetic."""

from kubekata import Placement


def tolerates(toleration, taint):
    wildcard = ("", None)
    same_effect = toleration.effect in wildcard or toleration.effect == taint.effect
    same_key = toleration.key in wildcard or toleration.key == taint.key
    if not (same_effect and same_key):
        return False
    return {"Exists": True, "Equal": toleration.value == taint.value, "": toleration.value == taint.value}.get(
        toleration.operator, False
    )


def remaining(taints, tolerations):
    if not tolerations:
        return list(taints)
    first, *rest = tolerations
    return remaining([t for t in taints if not tolerates(first, t)], rest)


def schedule(pod, nodes):
    def visit(todo, best, tally):
        if not todo:
            return best, tally
        node, *rest = todo
        left = remaining(node.spec.taints, pod.spec.tolerations)
        if [t for t in left if t.effect != "PreferNoSchedule"]:
            return visit(rest, best, [*tally, "node(s) had untolerated taint(s)"])
        if {**node.metadata.labels, **pod.spec.node_selector} != node.metadata.labels:
            return visit(rest, best, [*tally, "node(s) didn't match Pod's node affinity/selector"])
        here = (len(left), node.metadata.name)
        return visit(rest, here if best is None else min(best, here), tally)

    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    best, tally = visit(list(nodes), None, [])
    if best:
        return Placement(best[1])
    entries = sorted(f"{tally.count(reason)} {reason}" for reason in set(tally))
    return Placement(None, f"0/{len(nodes)} nodes are available: {', '.join(entries)}.")
