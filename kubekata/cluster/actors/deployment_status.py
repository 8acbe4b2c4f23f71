"""What a Deployment says about itself (``pkg/controller/deployment/{sync,progress}.go``)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import datetime, timedelta

from kubekata.cluster.actors.rollout import fences_of, min_available
from kubekata.cluster.objects import Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet
from kubekata.cluster.objects.meta import ConditionStatus

_NO_DEADLINE = 2**31 - 1
_ALL_DONE = "NewReplicaSetAvailable"
_TIMED_OUT = "ProgressDeadlineExceeded"


def compute_status(
    deployment: Deployment, sets: Sequence[ReplicaSet], new: ReplicaSet | None, now: datetime
) -> DeploymentStatus:
    """Return the counts and the Available condition; the other conditions are as before."""
    available = sum(rs.status.available_replicas for rs in sets)
    status = DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(rs.status.replicas for rs in sets),
        updated_replicas=new.status.replicas if new else 0,
        ready_replicas=sum(rs.status.ready_replicas for rs in sets),
        available_replicas=available,
        unavailable_replicas=max(0, sum(rs.spec.replicas for rs in sets) - available),
        collision_count=deployment.status.collision_count,
        conditions=copy.deepcopy(deployment.status.conditions),
    )
    if available >= min_available(deployment.spec.replicas, fences_of(deployment)):
        message = "Deployment has minimum availability."
        set_condition(
            status, "Available", "True", reason="MinimumReplicasAvailable", message=message, now=now
        )
    else:
        message = "Deployment does not have minimum availability."
        set_condition(
            status, "Available", "False", reason="MinimumReplicasUnavailable", message=message, now=now
        )
    return status


def report_progress(
    deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, now: datetime
) -> None:
    """Set the Progressing condition of ``status``: done, going on, or out of time.

    A Deployment whose rollout was complete stays so, whatever happens to its pods later.
    """
    current = condition_of(status, "Progressing")
    if deployment.spec.progress_deadline_seconds == _NO_DEADLINE:
        return
    all_updated = status.replicas == status.updated_replicas
    if all_updated and current is not None and current.reason == _ALL_DONE:
        return
    who = f'ReplicaSet "{new.name}"' if new else f'Deployment "{deployment.name}"'
    if is_complete(deployment, status):
        message = f"{who} has successfully progressed."
        set_condition(status, "Progressing", "True", reason=_ALL_DONE, message=message, now=now)
    elif _has_progressed(deployment.status, status):
        message = f"{who} is progressing."
        set_condition(
            status, "Progressing", "True", reason="ReplicaSetUpdated", message=message, now=now, refresh=True
        )
    elif _is_out_of_time(deployment, current, now):
        message = f"{who} has timed out progressing."
        set_condition(status, "Progressing", "False", reason=_TIMED_OUT, message=message, now=now)


def next_progress_check(deployment: Deployment, status: DeploymentStatus) -> datetime | None:
    """Return when the deadline will have passed, or None if nothing is being waited for."""
    current = condition_of(status, "Progressing")
    if deployment.spec.progress_deadline_seconds == _NO_DEADLINE or current is None:
        return None
    if is_complete(deployment, status) or current.reason == _TIMED_OUT or current.last_update_time is None:
        return None
    return current.last_update_time + timedelta(seconds=deployment.spec.progress_deadline_seconds + 1)


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """True if all pods are of the new set and available, and none of the old ones is left."""
    desired = deployment.spec.replicas
    return (
        status.updated_replicas == status.replicas == status.available_replicas == desired
        and status.observed_generation >= deployment.metadata.generation
    )


def condition_of(status: DeploymentStatus, kind: str) -> DeploymentCondition | None:
    """Return the condition of a type, or None."""
    return next((c for c in status.conditions if c.type == kind), None)


def set_condition(
    status: DeploymentStatus,
    kind: str,
    value: ConditionStatus,
    *,
    reason: str,
    message: str,
    now: datetime,
    refresh: bool = False,
) -> None:
    """Set a condition as ``SetDeploymentCondition`` does: the same status and reason change nothing.

    ``refresh`` moves ``lastUpdateTime`` all the same, which restarts the progress deadline.
    """
    current = condition_of(status, kind)
    if current is not None and (current.status, current.reason) == (value, reason) and not refresh:
        return
    kept = current.last_transition_time if current and current.status == value else now
    status.conditions = [c for c in status.conditions if c.type != kind]
    status.conditions.append(
        DeploymentCondition(
            type=kind,
            status=value,
            reason=reason,
            message=message,
            last_transition_time=kept,
            last_update_time=now,
        )
    )


def _has_progressed(before: DeploymentStatus, after: DeploymentStatus) -> bool:
    return (
        after.updated_replicas > before.updated_replicas
        or after.replicas - after.updated_replicas < before.replicas - before.updated_replicas
        or after.ready_replicas > before.ready_replicas
        or after.available_replicas > before.available_replicas
    )


def _is_out_of_time(deployment: Deployment, current: DeploymentCondition | None, now: datetime) -> bool:
    if current is None or current.reason == _ALL_DONE:
        return False
    if current.reason == _TIMED_OUT:
        return True
    deadline = timedelta(seconds=deployment.spec.progress_deadline_seconds)
    return current.last_update_time is not None and now - current.last_update_time > deadline
