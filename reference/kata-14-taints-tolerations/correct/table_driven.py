"""Operators in a table, nodes ranked by a tuple."""

from kubekata import Placement

OPERATORS = {
    "": lambda mine, theirs: mine == theirs,
    "Equal": lambda mine, theirs: mine == theirs,
    "Exists": lambda mine, theirs: True,
}


def tolerates(toleration, taint):
    compare = OPERATORS.get(toleration.operator, lambda mine, theirs: False)
    return (
        (not toleration.effect or toleration.effect == taint.effect)
        and (not toleration.key or toleration.key == taint.key)
        and compare(toleration.value, taint.value)
    )


def schedule(pod, nodes):
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    ranking, histogram = [], {}
    for node in nodes:
        open_taints = [t for t in node.spec.taints if not any(tolerates(x, t) for x in pod.spec.tolerations)]
        if any(t.effect != "PreferNoSchedule" for t in open_taints):
            why = "node(s) had untolerated taint(s)"
        elif any(k not in node.metadata.labels or node.metadata.labels[k] != v for k, v in pod.spec.node_selector.items()):
            why = "node(s) didn't match Pod's node affinity/selector"
        else:
            ranking.append((len(open_taints), node.metadata.name))
            continue
        histogram[why] = histogram.get(why, 0) + 1
    if ranking:
        return Placement(sorted(ranking)[0][1])
    parts = sorted("%d %s" % (n, why) for why, n in histogram.items())
    return Placement(None, "0/%d nodes are available: %s." % (len(nodes), ", ".join(parts)))
