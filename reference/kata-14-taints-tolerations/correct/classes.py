"""Objects that know how to answer."""

from kubekata import Placement


class Toleration:
    def __init__(self, raw):
        self.raw = raw

    def covers_effect(self, taint):
        return self.raw.effect == "" or self.raw.effect == taint.effect

    def covers_key(self, taint):
        return self.raw.key == "" or self.raw.key == taint.key

    def covers_value(self, taint):
        if self.raw.operator == "Exists":
            return True
        if self.raw.operator == "Equal" or self.raw.operator == "":
            return self.raw.value == taint.value
        return False

    def covers(self, taint):
        return self.covers_effect(taint) and self.covers_key(taint) and self.covers_value(taint)


class Candidate:
    def __init__(self, node, pod):
        self.name = node.name
        self.points = 0
        self.reason = None
        tolerations = [Toleration(t) for t in pod.spec.tolerations]
        for taint in node.spec.taints:
            if any(t.covers(taint) for t in tolerations):
                continue
            if taint.effect == "PreferNoSchedule":
                self.points += 1
            else:
                self.reason = "node(s) had untolerated taint(s)"
        if self.reason is None:
            for key in pod.spec.node_selector:
                if node.metadata.labels.get(key, None) != pod.spec.node_selector[key]:
                    self.reason = "node(s) didn't match Pod's node affinity/selector"

    def __lt__(self, other):
        return self.points < other.points or (self.points == other.points and self.name < other.name)


def tolerates(toleration, taint):
    return Toleration(toleration).covers(taint)


def schedule(pod, nodes):
    candidates = [Candidate(node, pod) for node in nodes]
    free = [c for c in candidates if c.reason is None]
    if free:
        return Placement(min(free).name)
    if not candidates:
        return Placement(None, "no nodes available to schedule pods")
    reasons = [c.reason for c in candidates]
    return Placement(
        None,
        f"0/{len(reasons)} nodes are available: "
        + ", ".join(sorted({f"{reasons.count(r)} {r}" for r in reasons}))
        + ".",
    )
