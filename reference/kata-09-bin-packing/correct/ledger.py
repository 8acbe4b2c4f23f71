"""One pass over the pods fills a ledger per node; nodes are then asked for their verdict."""

from dataclasses import dataclass

from kubekata import Placement, milli, whole


def ask(pod):
    spec = pod.spec
    answer = []
    for key, unit in (("cpu", milli), ("memory", whole)):
        total = 0
        for c in spec.containers:
            total += unit(c.resources.requests.get(key, 0))
        for c in spec.init_containers:
            total = max(total, unit(c.resources.requests.get(key, 0)))
        answer.append(total + unit(spec.overhead.get(key, 0)))
    return tuple(answer)


@dataclass
class Ledger:
    cpu: int
    memory: int
    places: int

    @classmethod
    def open(cls, node):
        a = node.status.allocatable
        return cls(milli(a["cpu"]), whole(a["memory"]), int(a["pods"]))

    def book(self, pod):
        cpu, memory = ask(pod)
        self.cpu -= cpu
        self.memory -= memory
        self.places -= 1

    def objections(self, cpu, memory):
        if self.places < 1:
            yield "Too many pods"
        if cpu > 0 and self.cpu < cpu:
            yield "Insufficient cpu"
        if memory > 0 and self.memory < memory:
            yield "Insufficient memory"


def schedule(pod, nodes, pods):
    if len(nodes) == 0:
        return Placement(node=None, message="no nodes available to schedule pods")
    ledgers = {node.metadata.name: Ledger.open(node) for node in nodes}
    for other in pods:
        if other.status.phase in {"Failed", "Succeeded"}:
            continue
        if other.spec.node_name in ledgers:
            ledgers[other.spec.node_name].book(other)
    tally = {}
    best = None
    for name, ledger in ledgers.items():
        found = list(ledger.objections(*ask(pod)))
        for objection in found:
            tally[objection] = tally.get(objection, 0) + 1
        if not found and (best is None or name < best):
            best = name
    if best is not None:
        return Placement(best)
    text = ", ".join(sorted(str(n) + " " + why for why, n in tally.items()))
    return Placement(None, "0/%d nodes are available: %s." % (len(nodes), text))
