"""A small scheduling framework: filters return a reason, scores return a number."""

from collections import namedtuple

from kubekata import Placement, PodAffinity

Seat = namedtuple("Seat", "pod labels")
Term = namedtuple("Term", "matches key weight")


def compiled(pod):
    rules = PodAffinity()
    if pod.spec.affinity and pod.spec.affinity.pod_anti_affinity:
        rules = pod.spec.affinity.pod_anti_affinity

    def compile_one(t, weight):
        spaces = frozenset(t.namespaces or {pod.metadata.namespace})
        selector = t.label_selector
        check = (lambda other: False) if selector is None else (lambda other: other.metadata.namespace in spaces and selector.matches(other.metadata.labels))
        return Term(check, t.topology_key, weight)

    return (
        tuple(compile_one(t, 0) for t in rules.required_during_scheduling_ignored_during_execution),
        tuple(compile_one(w.pod_affinity_term, w.weight) for w in rules.preferred_during_scheduling_ignored_during_execution),
    )


def near(term, node, seat):
    mine = node.metadata.labels.get(term.key)
    return mine is not None and mine == seat.labels.get(term.key)


def own_rules(pod, node, seats):
    return any(t.matches(s.pod) and near(t, node, s) for s in seats for t in compiled(pod)[0])


def their_rules(pod, node, seats):
    return any(t.matches(pod) and near(t, node, s) for s in seats for t in compiled(s.pod)[0])


FILTERS = (
    (own_rules, "node(s) didn't match pod anti-affinity rules"),
    (their_rules, "node(s) didn't satisfy existing pods anti-affinity rules"),
)


def goodness(pod, node, seats):
    lost = 0
    for s in seats:
        lost += sum(t.weight for t in compiled(pod)[1] if t.matches(s.pod) and near(t, node, s))
        lost += sum(t.weight for t in compiled(s.pod)[1] if t.matches(pod) and near(t, node, s))
    return -lost


def schedule(pod, nodes, pods):
    everything = {node.name: node for node in sorted(nodes, key=lambda n: n.name, reverse=True)}
    seats = [
        Seat(p, everything[p.spec.node_name].metadata.labels)
        for p in reversed(pods)
        if p.status.phase not in ("Succeeded", "Failed") and p.spec.node_name in everything
    ]
    histogram, survivors = {}, []
    for node in everything.values():
        failed = next((reason for closes, reason in FILTERS if closes(pod, node, seats)), None)
        if failed:
            histogram[failed] = histogram.get(failed, 0) + 1
        else:
            survivors.append(node)
    if survivors:
        scores = [(goodness(pod, node, seats), node.name) for node in survivors]
        top = max(score for score, _ in scores)
        return Placement(min(name for score, name in scores if score == top))
    if not everything:
        return Placement(None, "no nodes available to schedule pods")
    return Placement(None, f"0/{len(everything)} nodes are available: {', '.join(sorted(f'{v} {k}' for k, v in histogram.items()))}.")
