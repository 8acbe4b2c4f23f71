"""Objects with one job each, and an error type of their own."""

import math
from dataclasses import dataclass


class BadSettings(ValueError):
    """The autoscaler cannot work with these settings."""


@dataclass(frozen=True)
class Limits:
    low: int
    high: int

    def __post_init__(self):
        if self.low > self.high:
            raise BadSettings(f"{self.low} > {self.high}")

    def clamp(self, pods):
        return sorted((self.low, pods, self.high))[1]


@dataclass(frozen=True)
class Metric:
    value: float
    target: float
    tolerance: float

    def __post_init__(self):
        if not self.target > 0:
            raise BadSettings(f"target {self.target}")

    @property
    def ratio(self):
        return self.value / self.target

    def calm(self):
        return not (self.ratio < 1 - self.tolerance or self.ratio > 1 + self.tolerance)

    def pods(self, current):
        return current if self.calm() else math.ceil(self.ratio * current)


class Autoscaler:
    def __init__(self, metric, limits):
        self.metric = metric
        self.limits = limits

    def decide(self, current):
        if current == 0:
            return 0
        return self.limits.clamp(self.metric.pods(current))


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    scaler = Autoscaler(Metric(value, target, tolerance), Limits(min_replicas, max_replicas))
    return scaler.decide(current)
