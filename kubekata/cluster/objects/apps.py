"""The apps group: ReplicaSet and Deployment."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import msgspec

from kubekata.cluster.objects.core import PodTemplateSpec
from kubekata.cluster.objects.meta import Condition, LabelSelector, Part, Resource


class ReplicaSetSpec(Part):
    """How many pods, which ones count, and what a new one looks like."""

    replicas: int = 1
    min_ready_seconds: int = 0
    selector: LabelSelector = msgspec.field(default_factory=LabelSelector)
    template: PodTemplateSpec = msgspec.field(default_factory=PodTemplateSpec)


class ReplicaSetStatus(Part):
    """What the ReplicaSet controller last saw."""

    replicas: int = 0
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int | None = None
    observed_generation: int = 0
    conditions: list[Condition] = []


class ReplicaSet(Resource):
    """Keeps a number of pods."""

    api_version: ClassVar[str] = "apps/v1"
    kind: ClassVar[str] = "ReplicaSet"
    plural: ClassVar[str] = "replicasets"

    spec: ReplicaSetSpec = msgspec.field(default_factory=ReplicaSetSpec)
    status: ReplicaSetStatus = msgspec.field(default_factory=ReplicaSetStatus)


class RollingUpdate(Part):
    """How far a rollout may go above and below the desired number; ints or percentages (``"25%"``)."""

    max_unavailable: int | str = "25%"
    max_surge: int | str = "25%"


class DeploymentStrategy(Part):
    """RollingUpdate or Recreate."""

    type: str = "RollingUpdate"
    rolling_update: RollingUpdate | None = None


class DeploymentSpec(Part):
    """What to run and how to change it. Durations are in seconds."""

    replicas: int = 1
    selector: LabelSelector = msgspec.field(default_factory=LabelSelector)
    template: PodTemplateSpec = msgspec.field(default_factory=PodTemplateSpec)
    strategy: DeploymentStrategy = msgspec.field(default_factory=DeploymentStrategy)
    min_ready_seconds: int = 0
    revision_history_limit: int = 10
    paused: bool = False
    progress_deadline_seconds: int = 600


class DeploymentCondition(Condition):
    """A Deployment's condition; ``last_update_time`` moves with every sign of progress."""

    last_update_time: datetime | None = None


class DeploymentStatus(Part):
    """What the Deployment controller last saw."""

    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int | None = None
    collision_count: int | None = None
    conditions: list[DeploymentCondition] = []


class Deployment(Resource):
    """Rolls out ReplicaSets."""

    api_version: ClassVar[str] = "apps/v1"
    kind: ClassVar[str] = "Deployment"
    plural: ClassVar[str] = "deployments"

    spec: DeploymentSpec = msgspec.field(default_factory=DeploymentSpec)
    status: DeploymentStatus = msgspec.field(default_factory=DeploymentStatus)


class DaemonSet(Resource):
    """Runs a pod on every node. Only its identity matters here: its pods are not evicted."""

    api_version: ClassVar[str] = "apps/v1"
    kind: ClassVar[str] = "DaemonSet"
    plural: ClassVar[str] = "daemonsets"


class StatefulSet(Resource):
    """Keeps pods with stable names. Only its identity and size matter here."""

    api_version: ClassVar[str] = "apps/v1"
    kind: ClassVar[str] = "StatefulSet"
    plural: ClassVar[str] = "statefulsets"

    spec: ReplicaSetSpec = msgspec.field(default_factory=ReplicaSetSpec)
    status: ReplicaSetStatus = msgspec.field(default_factory=ReplicaSetStatus)
