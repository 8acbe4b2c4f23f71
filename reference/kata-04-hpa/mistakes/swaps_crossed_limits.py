"""Misconception: limits that are crossed were meant the other way round.

Fails: settings
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0:
        raise ValueError("target must be above zero")
    low, high = sorted((min_replicas, max_replicas))
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(low, min(high, proposal))
