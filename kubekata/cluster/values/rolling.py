"""Values of the rolling-update katas: a rollout as the Deployment controller sees it, and its next move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class ReplicaCount:
    """How many pods one ReplicaSet is told to run, and how many of them serve.

    spec: pods asked for (the ReplicaSet's `spec.replicas`).
    available: pods ready for at least minReadySeconds (its `status.availableReplicas`).
    """

    spec: int
    available: int


@value
@dataclass(frozen=True)
class Rollout:
    """A Deployment in the middle of a rolling update.

    replicas: pods the Deployment should have in the end (`spec.replicas`).
    max_surge, max_unavailable: pods as an int, or a share of `replicas` as text such as "25%".
    new: the ReplicaSet of the current pod template.
    old: every other ReplicaSet of the Deployment, oldest first.
    """

    replicas: int
    max_surge: int | str
    max_unavailable: int | str
    new: ReplicaCount
    old: list[ReplicaCount]


@value
@dataclass(frozen=True)
class Step:
    """What one sync of the Deployment controller does to its ReplicaSets.

    action: which side is scaled, "none" when there is nothing to do now.
    new: `spec.replicas` of the new ReplicaSet after the step.
    old: `spec.replicas` of every old ReplicaSet after the step, in the order of `Rollout.old`.
    """

    action: Literal["scale-new", "scale-old", "none"]
    new: int
    old: list[int]
