"""Misconception: the tolerance is a flag of the controller manager that nobody ever changes.

Fails: band
"""

from math import ceil


TOLERANCE = 0.1


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    ratio = value / target
    if 1 - TOLERANCE <= ratio <= 1 + TOLERANCE:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
