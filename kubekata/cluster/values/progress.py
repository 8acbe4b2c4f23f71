"""Values of the stalled-rollout kata: what a Deployment reports about a rollout, and the rollout that cannot move."""

from __future__ import annotations

from dataclasses import dataclass

from kubekata.cluster.values.registered import value


class RolloutStalledError(Exception):
    """A rollout that no amount of waiting can move; the message names the settings that are to blame."""


@value
@dataclass(frozen=True)
class PodCounts:
    """How many pods a Deployment counted at one moment (its `status`).

    total: pods of all its ReplicaSets, old and new (`status.replicas`).
    updated: pods of the new ReplicaSet (`status.updatedReplicas`).
    ready: ready pods, old and new (`status.readyReplicas`).
    available: pods ready for at least minReadySeconds, old and new (`status.availableReplicas`).
    """

    total: int
    updated: int
    ready: int
    available: int


@value
@dataclass(frozen=True)
class RolloutReport:
    """A Deployment's settings, and its numbers at the last look and at this one.

    replicas: pods the Deployment should have in the end (`spec.replicas`).
    max_surge, max_unavailable: as written, pods as an int or a share as text such as "25%".
    before, after: the counts at the last look and at this one.
    paused: somebody paused the rollout (`spec.paused`).
    deadline_seconds: how long it may stand still (`spec.progressDeadlineSeconds`); None for no limit.
    """

    replicas: int
    max_surge: int | str
    max_unavailable: int | str
    before: PodCounts
    after: PodCounts
    paused: bool = False
    deadline_seconds: int | None = 600
