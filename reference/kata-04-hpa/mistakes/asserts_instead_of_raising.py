"""Misconception: assert is the way to state what the arguments must be.

Fails: settings
"""

from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    assert target > 0, "target must be above zero"
    assert min_replicas <= max_replicas, "min must not be above max"
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    else:
        proposal = ceil(current * ratio)
    return max(min_replicas, min(max_replicas, proposal))
