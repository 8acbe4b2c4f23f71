"""The policy group: PodDisruptionBudget."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import msgspec

from kubekata.cluster.objects.meta import Condition, LabelSelector, Part, Resource


class PodDisruptionBudgetSpec(Part):
    """One of ``min_available`` and ``max_unavailable``: an int or a percentage. No selector matches nothing."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Part):
    """What the disruption controller last computed; ``disrupted_pods`` maps pod name to eviction time."""

    observed_generation: int = 0
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    disrupted_pods: dict[str, datetime] = {}
    conditions: list[Condition] = []


class PodDisruptionBudget(Resource):
    """How many of a set of pods may be disrupted on purpose."""

    api_version: ClassVar[str] = "policy/v1"
    kind: ClassVar[str] = "PodDisruptionBudget"
    plural: ClassVar[str] = "poddisruptionbudgets"

    spec: PodDisruptionBudgetSpec = msgspec.field(default_factory=PodDisruptionBudgetSpec)
    status: PodDisruptionBudgetStatus = msgspec.field(default_factory=PodDisruptionBudgetStatus)
