"""A rule knows who carries it and where; the cluster asks all of its rules."""

from kubekata import Placement


class Rule:
    def __init__(self, carrier, raw, weight=None):
        self.spaces = set(raw.namespaces) or {carrier.metadata.namespace}
        self.selector = raw.label_selector
        self.key = raw.topology_key
        self.weight = weight

    def concerns(self, pod):
        if pod.metadata.namespace not in self.spaces or self.selector is None:
            return False
        return self.selector.matches(pod.metadata.labels)


def rules_of(pod):
    if pod.spec.affinity is None or pod.spec.affinity.pod_anti_affinity is None:
        return [], []
    raw = pod.spec.affinity.pod_anti_affinity
    hard = [Rule(pod, t) for t in raw.required_during_scheduling_ignored_during_execution]
    soft = [Rule(pod, w.pod_affinity_term, w.weight) for w in raw.preferred_during_scheduling_ignored_during_execution]
    return hard, soft


class Occupant:
    def __init__(self, pod, node):
        self.pod = pod
        self.labels = node.metadata.labels
        self.hard, self.soft = rules_of(pod)

    def shares(self, rule, node):
        return rule.key in self.labels and self.labels[rule.key] == node.metadata.labels.get(rule.key)


class Newcomer:
    def __init__(self, pod, occupants):
        self.pod = pod
        self.occupants = occupants
        self.hard, self.soft = rules_of(pod)

    def objection(self, node):
        for rule in self.hard:
            for o in self.occupants:
                if rule.concerns(o.pod) and o.shares(rule, node):
                    return "node(s) didn't match pod anti-affinity rules"
        for o in self.occupants:
            for rule in o.hard:
                if rule.concerns(self.pod) and o.shares(rule, node):
                    return "node(s) didn't satisfy existing pods anti-affinity rules"
        return ""

    def penalty(self, node):
        points = 0
        for o in self.occupants:
            for rule in self.soft:
                if rule.concerns(o.pod) and o.shares(rule, node):
                    points += rule.weight
            for rule in o.soft:
                if rule.concerns(self.pod) and o.shares(rule, node):
                    points += rule.weight
        return points


def schedule(pod, nodes, pods):
    names = {n.metadata.name: n for n in nodes}
    occupants = []
    for p in pods:
        if p.status.phase in ("Succeeded", "Failed"):
            continue
        if p.spec.node_name in names:
            occupants.append(Occupant(p, names[p.spec.node_name]))
    newcomer = Newcomer(pod, occupants)
    best = None
    objections = {}
    for name in sorted(names):
        reason = newcomer.objection(names[name])
        if reason:
            objections[reason] = objections.get(reason, 0) + 1
            continue
        points = newcomer.penalty(names[name])
        if best is None or points < best[0]:
            best = (points, name)
    if best:
        return Placement(best[1])
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    return Placement(None, f"0/{len(nodes)} nodes are available: " + ", ".join(sorted(f"{n} {r}" for r, n in objections.items())) + ".")
