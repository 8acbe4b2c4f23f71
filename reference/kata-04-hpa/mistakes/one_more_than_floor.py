"""Misconception: floor plus one is the same as rounding up.

Fails: ratio
"""


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError("bad settings")
    if current == 0:
        return 0
    ratio = value / target
    if 1 - tolerance <= ratio <= 1 + tolerance:
        proposal = current
    elif value <= 0:
        proposal = 0
    else:
        proposal = int(current * ratio) + 1
    return max(min_replicas, min(max_replicas, proposal))
