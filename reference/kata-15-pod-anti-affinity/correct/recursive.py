"""No loops: recursion over pods and terms."""

from kubekata import Placement


def hard(pod):
    a = pod.spec.affinity
    return [] if a is None or a.pod_anti_affinity is None else a.pod_anti_affinity.required_during_scheduling_ignored_during_execution


def soft(pod):
    a = pod.spec.affinity
    return [] if a is None or a.pod_anti_affinity is None else a.pod_anti_affinity.preferred_during_scheduling_ignored_during_execution


def hits(term, carrier, target, here, there):
    return (
        term.label_selector is not None
        and target.metadata.namespace in (term.namespaces or (carrier.metadata.namespace,))
        and term.label_selector.matches(target.metadata.labels)
        and term.topology_key in here
        and term.topology_key in there
        and here[term.topology_key] == there[term.topology_key]
    )


def some(terms, carrier, target, here, there):
    return bool(terms) and (hits(terms[0], carrier, target, here, there) or some(terms[1:], carrier, target, here, there))


def total(wishes, carrier, target, here, there):
    if not wishes:
        return 0
    first = wishes[0].weight if hits(wishes[0].pod_affinity_term, carrier, target, here, there) else 0
    return first + total(wishes[1:], carrier, target, here, there)


def mine(pod, here, placed):
    return bool(placed) and (some(hard(pod), pod, placed[0][0], here, placed[0][1]) or mine(pod, here, placed[1:]))


def theirs(pod, here, placed):
    if not placed:
        return False
    other, there = placed[0]
    return some(hard(other), other, pod, here, there) or theirs(pod, here, placed[1:])


def cost(pod, here, placed):
    if not placed:
        return 0
    other, there = placed[0]
    own = total(soft(pod), pod, other, here, there)
    return own + total(soft(other), other, pod, here, there) + cost(pod, here, placed[1:])


def schedule(pod, nodes, pods):
    at = {n.name: n.metadata.labels for n in nodes}
    placed = [(p, at[p.spec.node_name]) for p in pods if p.spec.node_name in at and p.status.phase not in ("Failed", "Succeeded")]

    def split(names, free, own, foreign):
        if not names:
            return free, own, foreign
        name, rest = names[0], names[1:]
        if mine(pod, at[name], placed):
            return split(rest, free, own + 1, foreign)
        if theirs(pod, at[name], placed):
            return split(rest, free, own, foreign + 1)
        return split(rest, [*free, name], own, foreign)

    free, own, foreign = split(sorted(at), [], 0, 0)
    if free:
        # min keeps the first of equals, and the names are sorted.
        return Placement(min(free, key=lambda name: cost(pod, at[name], placed)))
    if own + foreign == 0:
        return Placement(None, "no nodes available to schedule pods")
    parts = []
    if own:
        parts.append(f"{own} node(s) didn't match pod anti-affinity rules")
    if foreign:
        parts.append(f"{foreign} node(s) didn't satisfy existing pods anti-affinity rules")
    parts.sort()
    return Placement(None, f"0/{own + foreign} nodes are available: {', '.join(parts)}.")
