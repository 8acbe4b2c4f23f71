"""Recursion instead of loops: a list of ReplicaSets is a first one and the rest."""

import re

from kubekata import ReplicaCount, Step


def percent_of(text, replicas):
    match = re.fullmatch(r"([0-9]+)%", text)
    if match is None:
        raise ValueError(text)
    return divmod(int(match[1]) * replicas, 100)


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    up = (
        max_surge
        if isinstance(max_surge, int)
        else sum(map(bool, percent_of(max_surge, replicas)[1:])) + percent_of(max_surge, replicas)[0]
    )
    down = max_unavailable if isinstance(max_unavailable, int) else percent_of(max_unavailable, replicas)[0]
    return (up, down) if up or down else (0, 1)


def take_idle(sets, budget):
    if not sets:
        return [], budget
    first, *rest = sets
    n = min(budget, first.spec - first.available)
    others, left = take_idle(rest, budget - n)
    return [ReplicaCount(first.spec - n, first.available), *others], left


def take_any(specs, budget):
    if not specs or budget == 0:
        return specs
    n = min(budget, specs[0])
    return [specs[0] - n] + take_any(specs[1:], budget - n)


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    before = [s.spec for s in rollout.old]
    room = rollout.replicas + surge - rollout.new.spec - sum(before)
    wanted = min(rollout.replicas, rollout.new.spec + max(room, 0))
    if wanted != rollout.new.spec:
        return Step("scale-new", wanted, before)
    budget = max(0, sum(before) + rollout.new.available - max(0, rollout.replicas - unavailable))
    kept, left = take_idle(rollout.old, budget)
    after = take_any([s.spec for s in kept], left)
    return Step("none" if after == before else "scale-old", wanted, after)
