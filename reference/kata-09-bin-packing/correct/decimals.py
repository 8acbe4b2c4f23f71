"""Exact decimals in base units, comprehensions throughout, no rounding anywhere."""

from collections import defaultdict
from decimal import Decimal

from kubekata import Placement, parse_quantity

RESOURCES = ("cpu", "memory")


def quantity(mapping, key):
    return parse_quantity(mapping[key]) if key in mapping else Decimal(0)


def needed(pod):
    return {
        key: max(
            sum((quantity(c.resources.requests, key) for c in pod.spec.containers), Decimal(0)),
            max([quantity(c.resources.requests, key) for c in pod.spec.init_containers] or [Decimal(0)]),
        )
        + quantity(pod.spec.overhead, key)
        for key in RESOURCES
    }


def schedule(pod, nodes, pods):
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    tenants = defaultdict(list)
    for other in pods:
        if other.status.phase != "Succeeded" and other.status.phase != "Failed":
            tenants[other.spec.node_name].append(needed(other))
    mine = needed(pod)
    verdicts = {}
    for node in nodes:
        here = tenants[node.name]
        verdicts[node.name] = ["Too many pods"] * (len(here) >= int(node.status.allocatable["pods"])) + [
            f"Insufficient {key}"
            for key in RESOURCES
            if mine[key] and mine[key] + sum(t[key] for t in here) > quantity(node.status.allocatable, key)
        ]
    fitting = [name for name, reasons in verdicts.items() if not reasons]
    if fitting:
        return Placement(min(fitting), "")
    flat = [reason for reasons in verdicts.values() for reason in reasons]
    entries = sorted({f"{flat.count(reason)} {reason}" for reason in flat})
    return Placement(None, f"0/{len(nodes)} nodes are available: " + ", ".join(entries) + ".")
