"""Decimal arithmetic, rounding by mode."""

from decimal import ROUND_CEILING, Decimal


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    value, target, tolerance = (Decimal(str(number)) for number in (value, target, tolerance))
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError(f"cannot work with target {target} and limits {min_replicas}..{max_replicas}")
    if current == 0:
        return 0
    low, high = target * (1 - tolerance), target * (1 + tolerance)
    if low <= value <= high:
        pods = current
    else:
        pods = int((current * value / target).to_integral_value(rounding=ROUND_CEILING))
    return min(max(pods, min_replicas), max_replicas)
