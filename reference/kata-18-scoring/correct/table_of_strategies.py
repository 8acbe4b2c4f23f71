"""Lambdas in tables, bisect for the shape, pstdev for the deviation."""

from bisect import bisect_left
from statistics import pstdev

from kubekata import Layout, milli, whole

CORE = ("cpu", "memory")
PARSE = dict(zip(CORE, (milli, whole)))


def wants(pod, lacking):
    ask = lambda c, r: PARSE[r](c.resources.requests.get(r, lacking[r]))
    return {
        r: max(sum(ask(c, r) for c in pod.spec.containers), *(ask(c, r) for c in pod.spec.init_containers), 0)
        + PARSE[r](pod.spec.overhead.get(r, "0"))
        for r in CORE
    }


assumed = lambda pod: wants(pod, {"cpu": "0.1", "memory": "200Mi"})
honest = lambda pod: wants(pod, {"cpu": "0", "memory": "0"})


def curve(shape):
    xs, ys = [x for x, _ in shape], [y * 10 for _, y in shape]

    def f(u):
        i = bisect_left(xs, u)
        if i == 0:
            return ys[0]
        if i == len(xs):
            return ys[-1]
        rise, run, walked = ys[i] - ys[i - 1], xs[i] - xs[i - 1], u - xs[i - 1]
        return ys[i - 1] + (rise * walked // run if rise >= 0 else -(-rise * walked // run))

    return f


TABLE = {
    "LeastAllocated": lambda shape: lambda c, r: max(c - r, 0) * 100 // c,
    "MostAllocated": lambda shape: lambda c, r: min(r, c) * 100 // c,
    "RequestedToCapacityRatio": lambda shape: lambda c, r: curve(shape)(min(r, c) * 100 // c),
}


def score(strategy, capacity, requested):
    f = TABLE[strategy.type](strategy.shape)
    rows = [(f(capacity[r], requested.get(r, 0)), w) for r, w in strategy.weights.items() if capacity.get(r)]
    if strategy.shape:
        rows = [row for row in rows if row[0]]
    if not rows:
        return 0
    top, bottom = sum(s * w for s, w in rows), sum(w for _, w in rows)
    return int(top / bottom + 0.5) if strategy.shape else top // bottom


def balance(capacity, used, pod):
    if not max(pod.values(), default=0):
        return 0
    names = [r for r in capacity if capacity[r] and (r in CORE or pod.get(r, 0))]
    grade = lambda amounts: int((1 - pstdev([min(a / capacity[r], 1.0) for r, a in amounts])) * 100) if names else 100
    before = grade([(r, used.get(r, 0)) for r in names])
    after = grade([(r, used.get(r, 0) + pod.get(r, 0)) for r in names])
    return (150 + after - before) // 2


def normalize(counts, reverse):
    sign = (lambda s: 100 - s) if reverse else (lambda s: s)
    return [sign(c * 100 // max(max(counts), 1)) for c in counts]


def place(pods, nodes, strategy):
    names = sorted(n.name for n in nodes)
    node = {n.name: n for n in nodes}
    size = {n: {r: PARSE[r](node[n].status.allocatable[r]) for r in CORE} for n in names}
    real = {n: dict.fromkeys(CORE, 0) for n in names}
    seen = {n: dict.fromkeys(CORE, 0) for n in names}
    layout = {n: [] for n in names}
    waiting = []
    for p in pods:
        r, a = honest(p), assumed(p)
        fit = [n for n in names if real[n]["cpu"] + r["cpu"] <= size[n]["cpu"] and real[n]["memory"] + r["memory"] <= size[n]["memory"]]
        if not fit:
            waiting += [p.name]
            continue
        taints = normalize([sum("PreferNoSchedule" == t.effect for t in node[n].spec.taints) for n in fit], True)
        best = max(
            zip(fit, taints),
            key=lambda pair: 3 * pair[1]
            + balance(size[pair[0]], real[pair[0]], r)
            + score(strategy, size[pair[0]], {k: seen[pair[0]][k] + a[k] for k in CORE}),
        )[0]
        layout[best].append(p.name)
        for k in CORE:
            real[best][k] += r[k]
            seen[best][k] += a[k]
    empty = sum(1 for n in names if layout[n] == [])
    left = [size[n]["cpu"] - real[n]["cpu"] for n in names]
    return Layout(nodes=layout, waiting=waiting, empty=empty, largest=max(left) if left else 0)
