"""Kata 04: Horizontal Pod Autoscaler. The brief is README.md beside this file."""


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

    current: replicas that run now.
    value: the metric, averaged over the running pods; same unit as target.
    target: what that average should be.
    tolerance: how far value / target may be from 1 before anything changes; 0.1 is ten percent.

    Raises ValueError when target is not above zero or min_replicas is above max_replicas.
    """
    raise NotImplementedError
