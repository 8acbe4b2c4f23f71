"""Reference solution of kata 18: how the scheduler scores nodes, and what becomes of a cluster that way."""

from collections.abc import Callable
from itertools import pairwise
from math import sqrt

from kubekata import Container, Layout, Node, Pod, ScoringStrategy, milli, whole

UNITS = {"cpu": milli, "memory": whole}
NOT_GIVEN = {"cpu": "0", "memory": "0"}
NOT_GIVEN_SCORES = {"cpu": "100m", "memory": "200Mi"}
TAINT_WEIGHT = 3


def needs(pod: Pod, not_given: dict[str, str] = NOT_GIVEN) -> dict[str, int]:
    """What a pod takes, when a container without a request counts as `not_given`."""

    def needed(resource: str) -> int:
        amount = UNITS[resource]

        def requested(container: Container) -> int:
            return amount(container.resources.requests.get(resource, not_given[resource]))

        running = sum(map(requested, pod.spec.containers))
        starting = max(map(requested, pod.spec.init_containers), default=0)
        return max(running, starting) + amount(pod.spec.overhead.get(resource, "0"))

    return {resource: needed(resource) for resource in UNITS}


def assumed(pod: Pod) -> dict[str, int]:
    """What scoring takes a pod to ask for."""
    return needs(pod, NOT_GIVEN_SCORES)


def broken_line(shape: list[tuple[int, int]], utilization: int) -> int:
    """The height of the line through the points; quotients are cut toward zero."""
    if utilization <= shape[0][0]:
        return shape[0][1]
    for (left, low), (right, high) in pairwise(shape):
        if utilization <= right:
            return low + int((high - low) * (utilization - left) / (right - left))
    return shape[-1][1]


def resource_score(strategy: ScoringStrategy, capacity: int, requested: int) -> int:
    """The score of one resource that the node has."""
    taken = min(requested, capacity)
    if strategy.type == "LeastAllocated":
        return (capacity - taken) * 100 // capacity
    utilization = taken * 100 // capacity
    if strategy.type == "MostAllocated":
        return utilization
    return broken_line([(at, points * 10) for at, points in strategy.shape], utilization)


def score(strategy: ScoringStrategy, capacity: dict[str, int], requested: dict[str, int]) -> int:
    """Score a node from 0 to 100."""
    ratio = strategy.type == "RequestedToCapacityRatio"
    total = weights = 0
    for resource, weight in strategy.weights.items():
        if not capacity.get(resource):
            continue
        points = resource_score(strategy, capacity[resource], requested.get(resource, 0))
        if points or not ratio:
            total += points * weight
            weights += weight
    if not weights:
        return 0
    return (2 * total + weights) // (2 * weights) if ratio else total // weights


def evenness(capacity: dict[str, int], requested: dict[str, int], resources: list[str]) -> int:
    """100 when all the resources are used to the same share, less the further apart they are."""
    shares = [min(requested.get(resource, 0) / capacity[resource], 1.0) for resource in resources]
    if len(shares) == 2:
        # The scheduler has this short form too; the long one would round differently here and there.
        deviation = abs(shares[0] - shares[1]) / 2
    else:
        mean = sum(shares) / max(len(shares), 1)
        deviation = sqrt(sum((share - mean) ** 2 for share in shares) / max(len(shares), 1))
    return int((1 - deviation) * 100)


def balance(capacity: dict[str, int], used: dict[str, int], pod: dict[str, int]) -> int:
    """Score what a pod does to the balance between a node's resources."""
    if not any(pod.values()):
        return 0
    resources = [r for r in capacity if capacity[r] and (r in UNITS or pod.get(r))]
    together = {resource: used.get(resource, 0) + pod.get(resource, 0) for resource in resources}
    change = evenness(capacity, together, resources) - evenness(capacity, used, resources)
    return 50 + (50 + change) // 2


def normalize(counts: list[int], reverse: bool) -> list[int]:
    """Bring counts to the range from 0 to 100."""
    most = max([1, *counts])
    scores = [count * 100 // most for count in counts]
    return [100 - each for each in scores] if reverse else scores


def place(pods: list[Pod], nodes: list[Node], strategy: ScoringStrategy) -> Layout:
    """Put pods one after the other on empty nodes, each where the scores are highest."""
    capacity = {
        node.name: {resource: amount(node.status.allocatable[resource]) for resource, amount in UNITS.items()}
        for node in nodes
    }
    held: dict[str, list[Pod]] = {node.name: [] for node in nodes}
    waiting = []

    def taken(name: str, measure: Callable[[Pod], dict[str, int]], *more: Pod) -> dict[str, int]:
        amounts = [measure(pod) for pod in (*held[name], *more)]
        return {resource: sum(each[resource] for each in amounts) for resource in UNITS}

    def fits(pod: Pod, name: str) -> bool:
        return all(amount <= capacity[name][r] for r, amount in taken(name, needs, pod).items())

    for pod in pods:
        fitting = [node for node in nodes if fits(pod, node.name)]
        if not fitting:
            waiting.append(pod.name)
            continue
        soft = [sum(taint.effect == "PreferNoSchedule" for taint in node.spec.taints) for node in fitting]
        totals = {}
        for node, welcome in zip(fitting, normalize(soft, reverse=True), strict=True):
            totals[node.name] = (
                score(strategy, capacity[node.name], taken(node.name, assumed, pod))
                + balance(capacity[node.name], taken(node.name, needs), needs(pod))
                + welcome * TAINT_WEIGHT
            )
        held[min(totals, key=lambda name: (-totals[name], name))].append(pod)

    return Layout(
        nodes={name: [pod.name for pod in on_it] for name, on_it in held.items()},
        waiting=waiting,
        empty=sum(not on_it for on_it in held.values()),
        largest=max((capacity[name]["cpu"] - taken(name, needs)["cpu"] for name in held), default=0),
    )
