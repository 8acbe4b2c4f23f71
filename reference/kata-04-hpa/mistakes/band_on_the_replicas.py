"""Misconception: a change of less than ten percent of the replicas is not worth doing.

Fails: band
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    proposal = ceil(current * value / target)
    if abs(proposal - current) <= tolerance * current:
        proposal = current
    return max(min_replicas, min(max_replicas, proposal))
