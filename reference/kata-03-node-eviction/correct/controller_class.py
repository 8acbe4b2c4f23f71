"""A class for one look, with the zone as an object."""

from dataclasses import dataclass
from datetime import timedelta

from kubekata import *

KEYS = {"False": "node.kubernetes.io/not-ready", "Unknown": "node.kubernetes.io/unreachable"}


@dataclass
class Zone:
    nodes: list
    now: object

    def down(self):
        return [n for n in self.nodes if health(n, self.now) != "True"]

    def interval(self):
        share = len(self.down()) / len(self.nodes)
        if 2 < len(self.down()) < len(self.nodes) and share > 0.5499999:
            return 100.0 if len(self.nodes) > 50 else float("inf")
        return 10.0

    def last(self):
        times = [t.time_added for n in self.nodes for t in n.spec.taints if t.effect == "NoExecute" and t.key in KEYS.values()]
        return max(times) if times else None

    def seconds_to_wait(self):
        if self.interval() == float("inf"):
            return None
        if self.last() is None:
            return 0.0
        return max(0.0, self.interval() - (self.now - self.last()).total_seconds())


def condition(node):
    return [c for c in node.status.conditions if c.type == "Ready"][0]


def age(node, now):
    return (now - condition(node).last_heartbeat_time).total_seconds()


def health(node, now):
    return "Unknown" if age(node, now) > 50 else condition(node).status


class Look:
    def __init__(self, client, node):
        self.client, self.node, self.now = client, node, client.now()
        self.waits = []

    def run(self):
        self.report()
        self.taint()
        self.drain()
        if age(self.node, self.now) <= 50:
            self.waits.append(51 - age(self.node, self.now))
        return Result(min(self.waits)) if self.waits else Result()

    def report(self):
        ready = condition(self.node)
        if health(self.node, self.now) == ready.status:
            return
        ready.status, ready.reason, ready.last_transition_time = "Unknown", "NodeStatusUnknown", self.now
        self.node = self.client.update_status(self.node)

    def wanted(self):
        status = health(self.node, self.now)
        if status == "True":
            return {}
        key = KEYS[status]
        result = {(key, "NoSchedule"): Taint(key=key, effect="NoSchedule")}
        everyone = self.client.list(Node)
        if all(health(n, self.now) != "True" for n in everyone):
            return result
        started = [t.time_added for t in self.node.spec.taints if t.key in KEYS.values() and t.effect == "NoExecute"]
        if not started:
            same = lambda n: [n.metadata.labels.get(f"topology.kubernetes.io/{k}") for k in ("region", "zone")]
            zone = Zone([n for n in everyone if same(n) == same(self.node)], self.now)
            wait = zone.seconds_to_wait()
            if wait == 0:
                started = [self.now]
            elif wait is not None:
                self.waits.append(wait)
        if started:
            result[key, "NoExecute"] = Taint(key=key, effect="NoExecute", time_added=started[0])
        return result

    def taint(self):
        wanted = self.wanted()
        theirs = [t for t in self.node.spec.taints if t.key not in KEYS.values()]
        mine = {(t.key, t.effect) for t in self.node.spec.taints if t not in theirs}
        if mine != set(wanted):
            self.node.spec.taints = list(wanted.values()) + theirs
            self.node = self.client.update(self.node)

    def drain(self):
        for pod in self.client.list(Pod, fields=f"spec.nodeName={self.node.name}", namespace=None):
            left = self.seconds_left(pod)
            if pod.metadata.deleting or left is None:
                continue
            if left > 0:
                self.waits.append(left)
                continue
            try:
                self.client.delete(Pod, pod.name, pod.namespace)
            except NotFound:
                pass

    def seconds_left(self, pod):
        answers = []
        for taint in self.node.spec.taints:
            if taint.effect != "NoExecute":
                continue
            since = (self.now - taint.time_added).total_seconds()
            allowed = [t.toleration_seconds for t in pod.spec.tolerations if matches(t, taint)]
            if not allowed:
                answers.append(0 - since)
            elif allowed[0] is not None:
                answers.append(allowed[0] - since)
        return min(answers) if answers else None


def matches(t, taint):
    if t.effect not in ("", taint.effect):
        return False
    match t.operator:
        case "Exists":
            return t.key in ("", taint.key)
        case "Equal" | "":
            return (t.key, t.value) == (taint.key, taint.value)
    return False


def reconcile(client, request):
    try:
        node = client.get(Node, request.name)
    except NotFound:
        return Result()
    return Look(client, node).run()
