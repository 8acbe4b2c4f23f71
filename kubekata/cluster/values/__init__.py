"""Frozen dataclasses that algorithm katas take and return, one module per topic.

To add one: decorate it with `@value` above `@dataclass(frozen=True)` and import it here.
"""

from kubekata.cluster.values.autoscaling import ClusterView, NodeGroup, ScaleDown, ScaleUp
from kubekata.cluster.values.disruption import BudgetStatus, DrainReport, EvictionAnswer
from kubekata.cluster.values.garbage import Deletion
from kubekata.cluster.values.progress import PodCounts, RolloutReport, RolloutStalledError
from kubekata.cluster.values.registered import registry as registry
from kubekata.cluster.values.registered import value as value
from kubekata.cluster.values.rollback import DeploymentPausedError, RevisionNotFoundError
from kubekata.cluster.values.rolling import ReplicaCount, Rollout, Step
from kubekata.cluster.values.scheduling import Placement
from kubekata.cluster.values.scoring import Layout, ScoringStrategy

__all__ = [
    "BudgetStatus",
    "ClusterView",
    "Deletion",
    "DeploymentPausedError",
    "DrainReport",
    "EvictionAnswer",
    "Layout",
    "NodeGroup",
    "Placement",
    "PodCounts",
    "ReplicaCount",
    "RevisionNotFoundError",
    "Rollout",
    "RolloutReport",
    "RolloutStalledError",
    "ScaleDown",
    "ScaleUp",
    "ScoringStrategy",
    "Step",
]
