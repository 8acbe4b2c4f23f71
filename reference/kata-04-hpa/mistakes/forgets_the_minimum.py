"""Misconception: the maximum protects the cluster; the minimum takes care of itself, as load never vanishes.

Fails: limits
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = max(0, ceil(current * ratio))
    return min(max_replicas, proposal)
