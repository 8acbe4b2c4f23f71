"""Frozen dataclasses that algorithm katas take and return, one module per topic.

To add one: decorate it with `@value` above `@dataclass(frozen=True)` and import it here.
"""

from kubekata.cluster.values.progress import PodCounts, RolloutReport, RolloutStalledError
from kubekata.cluster.values.registered import registry as registry
from kubekata.cluster.values.registered import value as value
from kubekata.cluster.values.rolling import ReplicaCount, Rollout, Step

__all__ = ["PodCounts", "ReplicaCount", "Rollout", "RolloutReport", "RolloutStalledError", "Step"]
