"""Misconception: one decision may at most double the replicas (or reach four), as older controllers did.

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
        proposal = min(ceil(current * ratio), max(2 * current, 4))
    return max(min_replicas, min(max_replicas, proposal))
