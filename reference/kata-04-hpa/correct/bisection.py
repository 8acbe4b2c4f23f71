"""Looks for the smallest legal size that carries the load, by recursion over halves."""


def smallest_that_carries(load, target, low, high):
    """Smallest size in low..high whose pods stay at or below target; high when none does."""
    if low >= high:
        return high
    middle = (low + high) // 2
    if middle * target >= load:
        return smallest_that_carries(load, target, low, middle)
    return smallest_that_carries(load, target, middle + 1, high)


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError
    if current == 0:
        return 0
    if value >= target * (1 - tolerance) and value <= target * (1 + tolerance):
        if current > max_replicas:
            return max_replicas
        return current if current > min_replicas else min_replicas
    return smallest_that_carries(current * value, target, min_replicas, max_replicas)
