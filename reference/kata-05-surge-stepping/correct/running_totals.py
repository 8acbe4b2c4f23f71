"""Functional: the budget is cut into slices by running totals, nothing is counted down."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import accumulate
from operator import add, sub

from kubekata import Step


def scaled(limit, replicas, rounding):
    if isinstance(limit, int):
        return limit
    head, tail = limit[:-1], limit[-1:]
    if tail != "%" or not head.isdigit():
        raise ValueError(f"{limit} is not a percentage")
    return int((Decimal(head) / 100 * replicas).to_integral_value(rounding))


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    pair = scaled(max_surge, replicas, ROUND_CEILING), scaled(max_unavailable, replicas, ROUND_FLOOR)
    return pair if any(pair) else (0, 1)


def slices(counts, budget):
    ends = list(accumulate(counts, initial=0))
    within = [min(end, budget) for end in ends]
    return list(map(sub, within[1:], within))


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    old = tuple(rs.spec for rs in rollout.old)
    new = min(rollout.replicas, max(rollout.new.spec, rollout.replicas + surge - sum(old)))
    if new != rollout.new.spec:
        return Step("scale-new", new, list(old))
    idle = [rs.spec - rs.available for rs in rollout.old]
    serving = [rs.available for rs in rollout.old]
    budget = max(0, sum(old) + rollout.new.available + unavailable - rollout.replicas)
    gone = slices(idle + serving, budget)
    after = list(map(sub, old, map(add, gone[: len(old)], gone[len(old) :])))
    return Step(("none", "scale-old")[tuple(after) != old], new, after)
