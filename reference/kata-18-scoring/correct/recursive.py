"""Recursion instead of loops, and immutable state."""

from functools import reduce

from kubekata import Layout, milli, whole


def amount(resource, text):
    return milli(text) if resource == "cpu" else whole(text)


def need(pod, resource, default):
    def ask(c):
        return amount(resource, c.resources.requests.get(resource, default))

    def total(cs):
        return ask(cs[0]) + total(cs[1:]) if cs else 0

    def biggest(cs):
        return max(ask(cs[0]), biggest(cs[1:])) if cs else 0

    return max(total(pod.spec.containers), biggest(pod.spec.init_containers)) + amount(resource, pod.spec.overhead.get(resource, "0"))


def assumed(pod):
    return {"memory": need(pod, "memory", "200Mi"), "cpu": need(pod, "cpu", "100m")}


def real(pod):
    return {"memory": need(pod, "memory", "0"), "cpu": need(pod, "cpu", "0")}


def along(points, u):
    (x, y), *rest = points
    if u <= x or not rest:
        return y
    x2, y2 = rest[0]
    if u >= x2:
        return along(rest, u)
    step = abs(y2 - y) * (u - x) // (x2 - x)
    return y + step if y2 > y else y - step


def one(strategy, cap, req):
    most = 100 if req > cap else req * 100 // cap
    if strategy.type == "LeastAllocated":
        return 0 if req > cap else (cap - req) * 100 // cap
    if strategy.type == "MostAllocated":
        return most
    return along([(x, y * 10) for x, y in strategy.shape], most)


def score(strategy, capacity, requested):
    ratio = strategy.type == "RequestedToCapacityRatio"

    def add(so_far, item):
        total, weights = so_far
        resource, weight = item
        if capacity.get(resource, 0) == 0:
            return so_far
        s = one(strategy, capacity[resource], requested.get(resource, 0))
        return so_far if ratio and s == 0 else (total + s * weight, weights + weight)

    total, weights = reduce(add, strategy.weights.items(), (0, 0))
    if weights == 0:
        return 0
    quotient, rest = divmod(total, weights)
    return quotient + 1 if ratio and 2 * rest >= weights else quotient


def balance(capacity, used, pod):
    if sum(pod.values()) == 0:
        return 0

    def even(extra):
        shares = [
            min(1, (used.get(r, 0) + extra.get(r, 0)) / capacity[r])
            for r in {"cpu", "memory"} | {r for r in pod if pod[r] > 0}
            if capacity.get(r, 0) > 0
        ]
        if not shares:
            return 100
        m = sum(shares) / len(shares)
        return int((1 - (sum((s - m) ** 2 for s in shares) / len(shares)) ** 0.5) * 100)

    return 50 + (50 + even(pod) - even({})) // 2


def normalize(counts, reverse):
    top = max(counts, default=0)
    straight = [c * 100 // top if top else 0 for c in counts]
    return [100 - s for s in straight] if reverse else straight


def plus(a, b):
    return {r: a[r] + b[r] for r in a}


def place(pods, nodes, strategy):
    size = {n.name: {r: amount(r, n.status.allocatable[r]) for r in ("memory", "cpu")} for n in nodes}
    soft = {n.name: [t.effect for t in n.spec.taints].count("PreferNoSchedule") for n in nodes}
    zero = {"memory": 0, "cpu": 0}

    def go(left, held, waiting):
        if not left:
            return held, waiting
        pod, rest = left[0], left[1:]

        def asked(name, what):
            return reduce(plus, map(what, held[name]), zero)

        open_names = [n for n in held if all(v <= size[n][r] for r, v in plus(asked(n, real), real(pod)).items())]
        if not open_names:
            return go(rest, held, [*waiting, pod.name])
        welcome = dict(zip(open_names, normalize([soft[n] for n in open_names], True)))

        def rank(n):
            total = score(strategy, size[n], plus(asked(n, assumed), assumed(pod)))
            total += balance(size[n], asked(n, real), real(pod)) + 3 * welcome[n]
            return (-total, n)

        best = sorted(open_names, key=rank)[0]
        return go(rest, {**held, best: (*held[best], pod)}, waiting)

    held, waiting = go(list(pods), {n.name: () for n in nodes}, [])
    free = [size[n]["cpu"] - sum(real(p)["cpu"] for p in held[n]) for n in held]
    return Layout(
        nodes={n: [p.name for p in ps] for n, ps in held.items()},
        waiting=waiting,
        empty=[len(ps) for ps in held.values()].count(0),
        largest=max([0, *free]),
    )
