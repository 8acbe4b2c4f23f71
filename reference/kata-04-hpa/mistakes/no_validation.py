"""Misconception: the API server has validated everything, so the function need not.

Fails: settings
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
