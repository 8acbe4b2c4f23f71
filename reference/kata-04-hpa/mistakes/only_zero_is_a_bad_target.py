"""Misconception: only division by zero can go wrong.

Fails: settings
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target == 0:
        raise ValueError("target must not be zero")
    if min_replicas > max_replicas:
        raise ValueError("min above max")
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
