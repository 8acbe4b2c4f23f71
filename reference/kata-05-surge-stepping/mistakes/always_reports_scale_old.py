"""Misconception: with nothing to do for the new ReplicaSet it is the old ones' turn, whether or not one changes.

Fails: moves
"""

from math import ceil, floor

from kubekata import Step


def to_pods(value, replicas, rounding):
    if isinstance(value, int):
        return value
    if not value.endswith("%") or not value[:-1].isdigit():
        raise ValueError(f"not a percentage: {value!r}")
    return rounding(int(value[:-1]) * replicas / 100)


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    surge = to_pods(max_surge, replicas, ceil)
    unavailable = to_pods(max_unavailable, replicas, floor)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return surge, unavailable


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    old = [rs.spec for rs in rollout.old]
    new = rollout.new.spec

    if new > rollout.replicas:
        return Step("scale-new", rollout.replicas, old)
    room = rollout.replicas + surge - (new + sum(old))
    if new < rollout.replicas and room > 0:
        return Step("scale-new", min(rollout.replicas, new + room), old)

    min_available = rollout.replicas - unavailable
    new_unavailable = rollout.new.spec - rollout.new.available
    budget = new + sum(old) - min_available - new_unavailable
    after = list(old)
    if budget > 0:
        for i, rs in enumerate(rollout.old):
            n = min(budget, rs.spec - rs.available)
            after[i] -= n
            budget -= n
        for i in range(len(after)):
            n = min(budget, after[i])
            after[i] -= n
            budget -= n
    return Step("scale-old", new, after)
