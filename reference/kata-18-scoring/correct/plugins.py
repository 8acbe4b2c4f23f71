"""One class for every score plugin."""

from fractions import Fraction
import math

from kubekata import Layout, milli, whole

MEBI = 1 << 20


def ask(container, resource, default):
    text = container.resources.requests.get(resource)
    if text is None:
        return default
    return milli(text) if resource == "cpu" else whole(text)


def pod_request(pod, cpu, memory):
    result = {}
    for resource, default in (("cpu", cpu), ("memory", memory)):
        amount = 0
        for c in pod.spec.containers:
            amount += ask(c, resource, default)
        for c in pod.spec.init_containers:
            amount = max(amount, ask(c, resource, default))
        if resource in pod.spec.overhead:
            extra = pod.spec.overhead[resource]
            amount += milli(extra) if resource == "cpu" else whole(extra)
        result[resource] = amount
    return result


def assumed(pod):
    return pod_request(pod, 100, 200 * MEBI)


def real(pod):
    return pod_request(pod, 0, 0)


class Strategy:
    skip_zero = False

    def __init__(self, given):
        self.given = given

    def one(self, capacity, requested):
        raise NotImplementedError

    def finish(self, pairs):
        return sum(s * w for s, w in pairs) // sum(w for _, w in pairs)

    def __call__(self, capacity, requested):
        pairs = []
        for resource in self.given.weights:
            has = capacity.get(resource, 0)
            if has == 0:
                continue
            s = self.one(has, requested.get(resource, 0))
            if s == 0 and self.skip_zero:
                continue
            pairs.append((s, self.given.weights[resource]))
        return self.finish(pairs) if pairs else 0


class Least(Strategy):
    def one(self, capacity, requested):
        if requested > capacity:
            return 0
        return (capacity - requested) * 100 // capacity


class Most(Strategy):
    def one(self, capacity, requested):
        if requested > capacity:
            return 100
        return requested * 100 // capacity


class Ratio(Most):
    skip_zero = True

    def one(self, capacity, requested):
        u = super().one(capacity, requested)
        points = [(x, 10 * y) for x, y in self.given.shape]
        before = None
        for point in points:
            if u <= point[0]:
                if before is None:
                    return point[1]
                return before[1] + math.trunc(Fraction((point[1] - before[1]) * (u - before[0]), point[0] - before[0]))
            before = point
        return points[-1][1]

    def finish(self, pairs):
        exact = Fraction(sum(s * w for s, w in pairs), sum(w for _, w in pairs))
        return math.floor(exact + Fraction(1, 2))


KINDS = {"LeastAllocated": Least, "MostAllocated": Most, "RequestedToCapacityRatio": Ratio}


def score(strategy, capacity, requested):
    return KINDS[strategy.type](strategy)(capacity, requested)


class Balance:
    def __init__(self, capacity, resources):
        self.capacity = capacity
        self.resources = resources

    def even(self, requested):
        shares = []
        for r in self.resources:
            share = requested.get(r, 0) / self.capacity[r]
            shares.append(1.0 if share > 1 else share)
        if len(shares) < 2:
            return 100
        if len(shares) == 2:
            std = abs((shares[0] - shares[1]) / 2)
        else:
            mean = sum(shares) / len(shares)
            std = math.sqrt(sum((s - mean) * (s - mean) for s in shares) / len(shares))
        return int((1 - std) * 100)


def balance(capacity, used, pod):
    if all(v == 0 for v in pod.values()):
        return 0
    resources = [r for r in ("cpu", "memory") if capacity.get(r, 0)]
    resources += [r for r in pod if pod[r] and r not in ("cpu", "memory") and capacity.get(r, 0)]
    plugin = Balance(capacity, resources)
    after = plugin.even({r: used.get(r, 0) + pod.get(r, 0) for r in resources})
    return 50 + (50 + after - plugin.even(used)) // 2


def normalize(counts, reverse):
    top = max(counts) if counts else 0
    if top == 0:
        return [100 if reverse else 0] * len(counts)
    out = []
    for c in counts:
        s = 100 * c // top
        out.append(100 - s if reverse else s)
    return out


class Machine:
    def __init__(self, node):
        self.name = node.name
        self.size = {"cpu": milli(node.status.allocatable["cpu"]), "memory": whole(node.status.allocatable["memory"])}
        self.soft = len([t for t in node.spec.taints if t.effect == "PreferNoSchedule"])
        self.pods = []
        self.real = {"cpu": 0, "memory": 0}
        self.thought = {"cpu": 0, "memory": 0}

    def fits(self, pod):
        need = real(pod)
        return all(self.real[r] + need[r] <= self.size[r] for r in need)

    def total(self, pod, strategy, welcome):
        more = assumed(pod)
        requested = {r: self.thought[r] + more[r] for r in more}
        return score(strategy, self.size, requested) + balance(self.size, self.real, real(pod)) + 3 * welcome

    def take(self, pod):
        self.pods.append(pod.name)
        for r in ("cpu", "memory"):
            self.real[r] += real(pod)[r]
            self.thought[r] += assumed(pod)[r]


def place(pods, nodes, strategy):
    machines = sorted((Machine(n) for n in nodes), key=lambda m: m.name)
    waiting = []
    for pod in pods:
        open_ones = [m for m in machines if m.fits(pod)]
        if open_ones == []:
            waiting.append(pod.name)
            continue
        welcome = normalize([m.soft for m in open_ones], True)
        totals = [m.total(pod, strategy, w) for m, w in zip(open_ones, welcome)]
        open_ones[totals.index(max(totals))].take(pod)
    largest = 0
    for m in machines:
        largest = max(largest, m.size["cpu"] - m.real["cpu"])
    return Layout({m.name: m.pods for m in machines}, waiting, len([m for m in machines if not m.pods]), largest)
