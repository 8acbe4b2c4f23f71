"""Recursion over the sorted nodes, the tally carried along."""

from kubekata import Placement, milli, whole


def _need(pod, key, unit):
    def req(c):
        return unit(c.resources.requests.get(key) or "0")

    def largest(containers, best):
        return best if not containers else largest(containers[1:], max(best, req(containers[0])))

    def total(containers):
        return 0 if not containers else req(containers[0]) + total(containers[1:])

    return largest(pod.spec.init_containers, total(pod.spec.containers)) + unit(pod.spec.overhead.get(key) or "0")


def _reasons(pod, node, pods):
    here = [p for p in pods if p.spec.node_name == node.metadata.name]
    here = [p for p in here if p.status.phase not in ("Succeeded", "Failed")]
    result = []
    if int(node.status.allocatable["pods"]) - len(here) <= 0:
        result += ["Too many pods"]
    for key, unit in (("cpu", milli), ("memory", whole)):
        want = _need(pod, key, unit)
        if want == 0:
            continue
        have = unit(node.status.allocatable[key])
        for p in here:
            have -= _need(p, key, unit)
        if want > have:
            result += ["Insufficient " + key]
    return result


def _walk(pod, nodes, pods, tally):
    if not nodes:
        return Placement(None, ", ".join(sorted(f"{n} {r}" for r, n in tally)))
    first, *rest = nodes
    reasons = _reasons(pod, first, pods)
    if not reasons:
        return Placement(first.metadata.name)
    counts = dict(tally)
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    return _walk(pod, rest, pods, tuple(counts.items()))


def schedule(pod, nodes, pods):
    if nodes == []:
        return Placement(None, "no nodes available to schedule pods")
    answer = _walk(pod, sorted(nodes, key=lambda n: n.metadata.name), pods, ())
    if answer.node is None:
        return Placement(None, f"0/{len(nodes)} nodes are available: {answer.message}.")
    return answer
