"""Exact arithmetic with fractions."""

from fractions import Fraction
from math import ceil


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0:
        raise ValueError("target")
    if max_replicas < min_replicas:
        raise ValueError("limits")
    if not current:
        return 0
    ratio = Fraction(str(value)) / Fraction(str(target))
    band = Fraction(str(tolerance))
    pods = current if -band <= ratio - 1 <= band else ceil(ratio * current)
    if pods < min_replicas:
        return min_replicas
    if pods > max_replicas:
        return max_replicas
    return pods
