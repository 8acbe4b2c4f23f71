"""Misconception: rounding must be careful in both directions, so up on the way up and down on the way down.

Fails: ratio
"""

from math import ceil, floor


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    ratio = value / target
    proposal = current
    if ratio > 1 + tolerance:
        proposal = ceil(current * ratio)
    elif ratio < 1 - tolerance:
        proposal = floor(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
