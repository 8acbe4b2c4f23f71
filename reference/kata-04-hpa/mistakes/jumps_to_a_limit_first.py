"""Misconception: outside the limits there is nothing to compute: go to the nearest limit and look again next time.

Fails: limits
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    if current > max_replicas:
        return max_replicas
    if current < min_replicas:
        return min_replicas
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        return current
    return max(min_replicas, min(max_replicas, ceil(current * ratio)))
