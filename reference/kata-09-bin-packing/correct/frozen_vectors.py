"""Needs as named tuples that know how to compare themselves."""

from functools import reduce
from typing import NamedTuple

from kubekata import Placement, Pod, milli, whole


class Amount(NamedTuple):
    pods: int = 0
    cpu: int = 0
    memory: int = 0

    def plus(self, other):
        return Amount(*(a + b for a, b in zip(self, other)))

    def minus(self, other):
        return Amount(*(a - b for a, b in zip(self, other)))

    def at_least(self, other):
        return Amount(*(max(a, b) for a, b in zip(self, other)))


NAMES = Amount("Too many pods", "Insufficient cpu", "Insufficient memory")


def amount(requests, pods=0):
    return Amount(pods, milli(requests.get("cpu", "0")), whole(requests.get("memory", "0")))


def of(pod: Pod) -> Amount:
    steady = reduce(Amount.plus, (amount(c.resources.requests) for c in pod.spec.containers), Amount())
    peak = reduce(Amount.at_least, (amount(c.resources.requests) for c in pod.spec.init_containers), steady)
    return peak.plus(amount(pod.spec.overhead, pods=1))


def schedule(pod, nodes, pods):
    want = of(pod)
    missing = {}
    for node in sorted(nodes, key=lambda n: n.metadata.name):
        total = amount(node.status.allocatable, pods=int(node.status.allocatable["pods"]))
        alive = (p for p in pods if p.status.phase in ("Pending", "Running", "Unknown"))
        left = reduce(Amount.minus, (of(p) for p in alive if p.spec.node_name == node.metadata.name), total)
        short = [name for name, need, have in zip(NAMES, want, left) if need and need > have]
        if not short:
            return Placement(node.metadata.name)
        for name in short:
            missing.setdefault(name, set()).add(node.metadata.name)
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    return Placement(
        None,
        f"0/{len(nodes)} nodes are available: "
        f"{', '.join(sorted('%d %s' % (len(where), name) for name, where in missing.items()))}.",
    )
