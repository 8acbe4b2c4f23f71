"""Parses quantities itself and keeps plain dictionaries."""

import re
from fractions import Fraction

from kubekata import Placement

FACTORS = {"": 1, "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
           "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def number(text):
    text = str(text)
    match = re.fullmatch(r"([0-9.]+)(?:[eE](\d+))?([a-zA-Z]*)", text)
    value = Fraction(match.group(1)) * 10 ** int(match.group(2) or 0)
    return value * FACTORS[match.group(3)]


def usage(pod):
    totals = {"cpu": Fraction(0), "memory": Fraction(0)}
    for resource in totals:
        for c in pod.spec.containers:
            totals[resource] += number(c.resources.requests.get(resource, "0"))
        for c in pod.spec.init_containers:
            if number(c.resources.requests.get(resource, "0")) > totals[resource]:
                totals[resource] = number(c.resources.requests.get(resource, "0"))
        totals[resource] += number(pod.spec.overhead.get(resource, "0"))
    return totals


def schedule(pod, nodes, pods):
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    want = usage(pod)
    problems = []
    by_name = {n.metadata.name: n for n in nodes}
    while by_name:
        name = min(by_name)
        node = by_name.pop(name)
        free = {key: number(node.status.allocatable[key]) for key in ("cpu", "memory", "pods")}
        for p in pods:
            if p.spec.node_name == name and not p.status.phase in ("Succeeded", "Failed"):
                free["pods"] -= 1
                for key, value in usage(p).items():
                    free[key] -= value
        bad = []
        if free["pods"] < 1:
            bad.append("Too many pods")
        for key in ("cpu", "memory"):
            if want[key] != 0 and want[key] > free[key]:
                bad.append("Insufficient " + key)
        if bad == []:
            return Placement(name)
        problems.extend(bad)
    lines = []
    for reason in set(problems):
        lines.append(f"{problems.count(reason)} {reason}")
    lines.sort()
    return Placement(None, "0/" + str(len(nodes)) + " nodes are available: " + ", ".join(lines) + ".")
