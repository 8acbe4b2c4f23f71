"""Small functions, composed."""

from functools import reduce
from math import ceil


def in_band(tolerance):
    return lambda ratio: 1 - tolerance <= ratio <= 1 + tolerance


def proposal(current, tolerance):
    return lambda ratio: current if in_band(tolerance)(ratio) else ceil(current * ratio)


def at_least(low):
    return lambda pods: max(low, pods)


def at_most(high):
    return lambda pods: min(high, pods)


def pipe(value, *stages):
    return reduce(lambda result, stage: stage(result), stages, value)


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    match (target > 0, min_replicas <= max_replicas, current):
        case (False, _, _):
            raise ValueError("target must be positive")
        case (_, False, _):
            raise ValueError("min_replicas must not exceed max_replicas")
        case (_, _, 0):
            return 0
    return pipe(value / target, proposal(current, tolerance), at_least(min_replicas), at_most(max_replicas))
