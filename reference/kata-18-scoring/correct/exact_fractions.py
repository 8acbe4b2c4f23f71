"""Fractions wherever possible: no float until the square root."""

from fractions import Fraction as F
from math import floor, sqrt, trunc

from kubekata import Layout, parse_quantity


def to_int(resource, text):
    return int(parse_quantity(text) * (1000 if resource == "cpu" else 1))


def request(pod, defaults):
    out = {}
    for resource in defaults:
        per = [
            [to_int(resource, c.resources.requests[resource]) if resource in c.resources.requests else defaults[resource] for c in group]
            for group in (pod.spec.containers, pod.spec.init_containers)
        ]
        out[resource] = max([sum(per[0]), *per[1]]) + to_int(resource, pod.spec.overhead.get(resource, 0))
    return out


ASSUME = {"cpu": 100, "memory": 209715200}
NOTHING = {"cpu": 0, "memory": 0}


def assumed(pod):
    return request(pod, ASSUME)


def score(strategy, capacity, requested):
    kept = []
    for resource, weight in strategy.weights.items():
        if resource in capacity and capacity[resource] > 0:
            share = min(F(requested.get(resource, 0), capacity[resource]), F(1))
            if strategy.type == "LeastAllocated":
                kept.append((floor((1 - share) * 100), weight))
            elif strategy.type == "MostAllocated":
                kept.append((floor(share * 100), weight))
            else:
                points = height(strategy.shape, floor(share * 100))
                if points > 0:
                    kept.append((points, weight))
    if not kept:
        return 0
    mean = F(sum(p * w for p, w in kept), sum(w for p, w in kept))
    return floor(mean + F(1, 2)) if strategy.type.startswith("Requested") else floor(mean)


def height(shape, at):
    below = [p for p in shape if p[0] < at]
    above = [p for p in shape if p[0] >= at]
    if not below:
        return 10 * above[0][1]
    if not above:
        return 10 * below[-1][1]
    (x0, y0), (x1, y1) = below[-1], above[0]
    return 10 * y0 + trunc(F(10 * (y1 - y0) * (at - x0), x1 - x0))


def evenness(shares):
    if not shares:
        return 100
    mean = sum(shares) / len(shares)
    variance = sum((s - mean) ** 2 for s in shares) / len(shares)
    root = abs(shares[0] - shares[1]) / 2 if len(shares) == 2 else sqrt(variance)
    return int((1 - root) * 100)


def balance(capacity, used, pod):
    wanted = {r for r, v in pod.items() if v}
    if not wanted:
        return 0
    taking_part = sorted(r for r in wanted | {"cpu", "memory"} if capacity.get(r))
    before = evenness([min(F(1), F(used.get(r, 0), capacity[r])) for r in taking_part])
    after = evenness([min(F(1), F(used.get(r, 0) + pod.get(r, 0), capacity[r])) for r in taking_part])
    return 50 + floor(F(50 + after - before, 2))


def normalize(counts, reverse):
    if not any(counts):
        return [100 * reverse for _ in counts]
    shares = [floor(F(100 * c, max(counts))) for c in counts]
    return [100 - s for s in shares] if reverse else shares


def place(pods, nodes, strategy):
    by_name = {n.name: n for n in nodes}
    size = {k: {r: to_int(r, n.status.allocatable[r]) for r in NOTHING} for k, n in by_name.items()}
    on = {k: [] for k in by_name}
    waiting = []

    def sums(name, defaults, extra=()):
        rows = [request(p, defaults) for p in [*on[name], *extra]]
        return {r: sum(row[r] for row in rows) for r in NOTHING}

    for p in pods:
        good = []
        for name in by_name:
            after = sums(name, NOTHING, [p])
            if after["cpu"] <= size[name]["cpu"] and after["memory"] <= size[name]["memory"]:
                good.append(name)
        if not good:
            waiting.append(p.name)
            continue
        soft = [sum(1 for t in by_name[g].spec.taints if t.effect == "PreferNoSchedule") for g in good]
        nice = normalize(soft, True)
        totals = {}
        for g, w in zip(good, nice):
            totals[g] = score(strategy, size[g], sums(g, ASSUME, [p]))
            totals[g] += balance(size[g], sums(g, NOTHING), request(p, NOTHING))
            totals[g] += w + w + w
        top = max(totals.values())
        on[min(g for g in totals if totals[g] == top)].append(p)
    return Layout(
        {k: [p.name for p in v] for k, v in on.items()},
        waiting,
        sum(1 for v in on.values() if len(v) == 0),
        max((size[k]["cpu"] - sums(k, NOTHING)["cpu"] for k in on), default=0),
    )
