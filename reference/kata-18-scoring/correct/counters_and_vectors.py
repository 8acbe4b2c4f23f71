"""Amounts as Counters, totals as a matrix of weighted plugin scores."""

from collections import Counter
from math import hypot

from kubekata import Layout, milli, whole

WEIGHTS = (1, 1, 3)
MAX = 100


def vector(requests, default=None):
    got = Counter()
    got["cpu"] = milli(requests["cpu"]) if "cpu" in requests else (default or {}).get("cpu", 0)
    got["memory"] = whole(requests["memory"]) if "memory" in requests else (default or {}).get("memory", 0)
    return got


def demand(pod, default=None):
    running = sum((vector(c.resources.requests, default) for c in pod.spec.containers), Counter())
    for c in pod.spec.init_containers:
        running |= vector(c.resources.requests, default)
    running.update(vector(pod.spec.overhead))
    return running


DEFAULT = {"cpu": 100, "memory": whole("200Mi")}


def assumed(pod):
    got = demand(pod, DEFAULT)
    return {"cpu": got["cpu"], "memory": got["memory"]}


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def score(strategy, capacity, requested):
    match strategy.type:
        case "LeastAllocated":
            rate = lambda free, used, cap: free * MAX // cap
        case "MostAllocated":
            rate = lambda free, used, cap: used * MAX // cap
        case _:

            def rate(free, used, cap):
                at = used * MAX // cap
                x0, y0 = None, None
                for x, y in strategy.shape:
                    y *= 10
                    if at <= x:
                        return y if x0 is None else y0 + trunc_div((y - y0) * (at - x0), x - x0)
                    x0, y0 = x, y
                return y0

    custom = strategy.type == "RequestedToCapacityRatio"
    numerator, denominator = 0, 0
    for resource, weight in strategy.weights.items():
        cap = capacity.get(resource, 0)
        if not cap:
            continue
        used = min(requested.get(resource, 0), cap)
        s = rate(cap - used, used, cap)
        if custom and not s:
            continue
        numerator += weight * s
        denominator += weight
    if not denominator:
        return 0
    return (numerator + denominator // 2) // denominator if custom else numerator // denominator


def deviation(shares):
    n = len(shares)
    if n < 2:
        return 0.0
    centre = sum(shares) / n
    return hypot(*(s - centre for s in shares)) / n**0.5 if n > 2 else abs(shares[1] - shares[0]) / 2


def balance(capacity, used, pod):
    if not +Counter(pod):
        return 0
    part = [r for r in capacity if capacity[r] > 0 and (pod.get(r, 0) > 0 or r == "cpu" or r == "memory")]
    now = Counter(used)
    then = Counter(used)
    then.update(pod)
    after, before = (int((1 - deviation([min(c[r], capacity[r]) / capacity[r] for r in part])) * MAX) for c in (then, now))
    return 50 + (50 + after - before) // 2


def normalize(counts, reverse):
    if set(counts) <= {0}:
        return [MAX] * len(counts) if reverse else list(counts)
    scaled = [MAX * c // max(counts) for c in counts]
    return list(map(MAX.__sub__, scaled)) if reverse else scaled


def place(pods, nodes, strategy):
    size = {n.name: vector(n.status.allocatable) for n in nodes}
    soft = Counter({n.name: sum(t.effect == "PreferNoSchedule" for t in n.spec.taints) for n in nodes})
    real = {name: Counter() for name in size}
    guess = {name: Counter() for name in size}
    where = {}
    for i, pod in enumerate(pods):
        need, think = demand(pod), demand(pod, DEFAULT)
        rows = {n: real[n] + need for n in size}
        rows = {n: row for n, row in rows.items() if row["cpu"] <= size[n]["cpu"] and row["memory"] <= size[n]["memory"]}
        if not rows:
            continue
        order = sorted(rows)
        columns = (
            [score(strategy, size[n], guess[n] + think) for n in order],
            [balance(size[n], real[n], need) for n in order],
            normalize([soft[n] for n in order], True),
        )
        totals = [sum(w * s for w, s in zip(WEIGHTS, row)) for row in zip(*columns)]
        chosen = order[max(range(len(order)), key=totals.__getitem__)]
        where[i] = chosen
        real[chosen].update(need)
        guess[chosen].update(think)
    by_node = {n: [pods[i].name for i, at in where.items() if at == n] for n in size}
    return Layout(
        nodes=by_node,
        waiting=[p.name for i, p in enumerate(pods) if i not in where],
        empty=len(set(size) - set(where.values())),
        largest=max((size[n]["cpu"] - real[n]["cpu"] for n in size), default=0),
    )
