"""Step by step, everything spelled out, with a ledger per node."""

import math

from kubekata import Layout, milli, whole


def container_request(container, resource, default):
    if resource in container.resources.requests:
        text = container.resources.requests[resource]
        if resource == "cpu":
            return milli(text)
        return whole(text)
    return default


def pod_needs(pod, cpu_default, memory_default):
    cpu = 0
    memory = 0
    for c in pod.spec.containers:
        cpu = cpu + container_request(c, "cpu", cpu_default)
        memory = memory + container_request(c, "memory", memory_default)
    for c in pod.spec.init_containers:
        init_cpu = container_request(c, "cpu", cpu_default)
        init_memory = container_request(c, "memory", memory_default)
        if init_cpu > cpu:
            cpu = init_cpu
        if init_memory > memory:
            memory = init_memory
    if "cpu" in pod.spec.overhead:
        cpu = cpu + milli(pod.spec.overhead["cpu"])
    if "memory" in pod.spec.overhead:
        memory = memory + whole(pod.spec.overhead["memory"])
    return {"cpu": cpu, "memory": memory}


def assumed(pod):
    return pod_needs(pod, 100, 200 * 1024 * 1024)


def score(strategy, capacity, requested):
    scores = []
    weights = []
    for resource in sorted(strategy.weights):
        if resource not in capacity:
            continue
        if capacity[resource] <= 0:
            continue
        r = requested[resource] if resource in requested else 0
        if r > capacity[resource]:
            r = capacity[resource]
        if strategy.type == "LeastAllocated":
            s = ((capacity[resource] - r) * 100) // capacity[resource]
        elif strategy.type == "MostAllocated":
            s = (r * 100) // capacity[resource]
        elif strategy.type == "RequestedToCapacityRatio":
            u = (r * 100) // capacity[resource]
            s = None
            for i in range(len(strategy.shape)):
                x, y = strategy.shape[i]
                if u <= x:
                    if i == 0:
                        s = y * 10
                    else:
                        px, py = strategy.shape[i - 1]
                        numerator = (y * 10 - py * 10) * (u - px)
                        denominator = x - px
                        quotient = abs(numerator) // denominator
                        if numerator < 0:
                            quotient = -quotient
                        s = py * 10 + quotient
                    break
            if s is None:
                s = strategy.shape[-1][1] * 10
            if s == 0:
                continue
        else:
            raise ValueError(strategy.type)
        scores.append(s * strategy.weights[resource])
        weights.append(strategy.weights[resource])
    if sum(weights) == 0:
        return 0
    if strategy.type == "RequestedToCapacityRatio":
        return math.floor(sum(scores) / sum(weights) + 0.5)
    return sum(scores) // sum(weights)


def share(amount, capacity):
    if amount >= capacity:
        return 1.0
    return amount / capacity


def evenness(shares):
    if len(shares) == 0 or len(shares) == 1:
        return 100
    if len(shares) == 2:
        deviation = abs(shares[0] - shares[1]) / 2
    else:
        mean = sum(shares) / len(shares)
        total = 0.0
        for s in shares:
            total = total + (s - mean) ** 2
        deviation = math.sqrt(total / len(shares))
    return int((1 - deviation) * 100)


def balance(capacity, used, pod):
    something = False
    for resource in pod:
        if pod[resource] > 0:
            something = True
    if not something:
        return 0
    before = []
    after = []
    for resource in sorted(capacity):
        if capacity[resource] == 0:
            continue
        new = pod.get(resource, 0)
        if resource not in ("cpu", "memory") and new == 0:
            continue
        old = used.get(resource, 0)
        before.append(share(old, capacity[resource]))
        after.append(share(old + new, capacity[resource]))
    difference = evenness(after) - evenness(before)
    return 50 + (50 + difference) // 2


def normalize(counts, reverse):
    largest = 0
    for count in counts:
        if count > largest:
            largest = count
    result = []
    for count in counts:
        if largest == 0:
            value = 0
        else:
            value = (100 * count) // largest
        if reverse:
            value = 100 - value
        result.append(value)
    return result


def place(pods, nodes, strategy):
    ledgers = []
    for node in nodes:
        soft = 0
        for taint in node.spec.taints:
            if taint.effect == "PreferNoSchedule":
                soft += 1
        ledgers.append(
            {
                "name": node.metadata.name,
                "capacity": {
                    "cpu": milli(node.status.allocatable["cpu"]),
                    "memory": whole(node.status.allocatable["memory"]),
                },
                "soft": soft,
                "pods": [],
                "real": {"cpu": 0, "memory": 0},
                "assumed": {"cpu": 0, "memory": 0},
            }
        )
    waiting = []
    for pod in pods:
        need = pod_needs(pod, 0, 0)
        guess = assumed(pod)
        candidates = []
        for ledger in ledgers:
            if ledger["real"]["cpu"] + need["cpu"] > ledger["capacity"]["cpu"]:
                continue
            if ledger["real"]["memory"] + need["memory"] > ledger["capacity"]["memory"]:
                continue
            candidates.append(ledger)
        if len(candidates) == 0:
            waiting.append(pod.metadata.name)
            continue
        points = normalize([c["soft"] for c in candidates], True)
        best = None
        best_total = None
        for i in range(len(candidates)):
            c = candidates[i]
            requested = {
                "cpu": c["assumed"]["cpu"] + guess["cpu"],
                "memory": c["assumed"]["memory"] + guess["memory"],
            }
            total = score(strategy, c["capacity"], requested)
            total += balance(c["capacity"], c["real"], need)
            total += 3 * points[i]
            if best is None or total > best_total or (total == best_total and c["name"] < best["name"]):
                best = c
                best_total = total
        best["pods"].append(pod.metadata.name)
        for resource in ("cpu", "memory"):
            best["real"][resource] += need[resource]
            best["assumed"][resource] += guess[resource]
    largest = 0
    empty = 0
    layout = {}
    for ledger in ledgers:
        layout[ledger["name"]] = ledger["pods"]
        if not ledger["pods"]:
            empty += 1
        if ledger["capacity"]["cpu"] - ledger["real"]["cpu"] > largest:
            largest = ledger["capacity"]["cpu"] - ledger["real"]["cpu"]
    return Layout(nodes=layout, waiting=waiting, empty=empty, largest=largest)
