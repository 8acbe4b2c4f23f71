"""Turns every toleration into predicates first, then walks the nodes once in name order."""

from functools import partial

from kubekata import Placement


def _ok(effect, key, operator, value, taint):
    if effect not in (taint.effect, ""):
        return False
    if key and taint.key != key:
        return False
    if operator == "Exists":
        return True
    if operator and operator != "Equal":
        return False
    return taint.value == value


def predicate(t):
    return partial(_ok, t.effect, t.key, t.operator, t.value)


def tolerates(toleration, taint):
    return predicate(toleration)(taint)


def schedule(pod, nodes):
    checks = [predicate(t) for t in pod.spec.tolerations]
    best_name, best_points = None, None
    tainted = mismatched = 0
    for node in sorted(nodes, key=lambda n: n.name):
        hard = soft = 0
        for taint in node.spec.taints:
            if not any(check(taint) for check in checks):
                if taint.effect in {"NoSchedule", "NoExecute"}:
                    hard += 1
                else:
                    soft += 1
        if hard:
            tainted += 1
            continue
        if not all(item in node.metadata.labels.items() for item in pod.spec.node_selector.items()):
            mismatched += 1
            continue
        if best_points is None or soft < best_points:
            best_name, best_points = node.name, soft
    if best_name is not None:
        return Placement(best_name, "")
    if tainted + mismatched == 0:
        return Placement(None, "no nodes available to schedule pods")
    entries = []
    if tainted:
        entries.append(f"{tainted} node(s) had untolerated taint(s)")
    if mismatched:
        entries.append(f"{mismatched} node(s) didn't match Pod's node affinity/selector")
    return Placement(None, f"0/{tainted + mismatched} nodes are available: {', '.join(sorted(entries))}.")
