"""All conflicts as a flat list of tuples first, then decided by node."""

from itertools import chain, groupby

from kubekata import Placement

MINE, YOURS, WISH = range(3)
TEXT = {
    MINE: "node(s) didn't match pod anti-affinity rules",
    YOURS: "node(s) didn't satisfy existing pods anti-affinity rules",
}


def terms(pod):
    """(weight or None, term) for everything that a pod has against others."""
    try:
        rules = pod.spec.affinity.pod_anti_affinity
        hard = [(None, t) for t in rules.required_during_scheduling_ignored_during_execution]
        return hard + [(w.weight, w.pod_affinity_term) for w in rules.preferred_during_scheduling_ignored_during_execution]
    except AttributeError:
        return []


def objections(carrier, target, hard_kind):
    for weight, t in terms(carrier):
        spaces = t.namespaces or [carrier.metadata.namespace]
        if target.metadata.namespace in spaces and t.label_selector is not None and t.label_selector.matches(target.metadata.labels):
            yield (hard_kind, 0, t.topology_key) if weight is None else (WISH, weight, t.topology_key)


def schedule(pod, nodes, pods):
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    label_of = {n.name: dict(n.metadata.labels) for n in nodes}
    conflicts = []
    for p in pods:
        home = label_of.get(p.spec.node_name)
        if home is None or p.status.phase in ("Succeeded", "Failed"):
            continue
        for kind, weight, key in chain(objections(pod, p, MINE), objections(p, pod, YOURS)):
            if key in home:
                conflicts += [(kind, weight, name) for name in label_of if label_of[name].get(key) == home[key]]
    verdict = {}
    for name in label_of:
        kinds = [(kind, weight) for kind, weight, at in conflicts if at == name]
        verdict[name] = (min((k for k, _ in kinds), default=WISH), sum(w for _, w in kinds))
    free = sorted((weight, name) for name, (kind, weight) in verdict.items() if kind == WISH)
    if free:
        return Placement(free[0][1])
    kinds = sorted(kind for kind, _ in verdict.values())
    texts = sorted(f"{len(list(group))} {TEXT[kind]}" for kind, group in groupby(kinds))
    return Placement(None, f"0/{len(verdict)} nodes are available: {', '.join(texts)}.")
