"""Misconception: the minimum holds for every count, so 0 replicas are brought up to it.

Fails: zero
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
