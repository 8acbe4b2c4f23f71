"""Reference solution of kata 04: the Horizontal Pod Autoscaler's formula, with its edges."""

from math import ceil


def desired_replicas(
    current: int,
    value: float,
    target: float,
    *,
    min_replicas: int,
    max_replicas: int,
    tolerance: float = 0.1,
) -> int:
    """Say how many replicas the workload should have now.

    value is the metric averaged over the running pods, in target's unit. Raises ValueError when target is not
    above zero or min_replicas is above max_replicas.
    """
    if target <= 0:
        raise ValueError(f"target must be above zero, got {target}")
    if min_replicas > max_replicas:
        raise ValueError(f"min_replicas {min_replicas} is above max_replicas {max_replicas}")
    if current == 0:
        return 0

    ratio = value / target
    # abs(ratio - 1) <= tolerance is not the same in floats: 1.1 - 1 is a little more than 0.1.
    in_band = 1 - tolerance <= ratio <= 1 + tolerance
    proposal = current if in_band else ceil(ratio * current)
    return max(min_replicas, min(proposal, max_replicas))
