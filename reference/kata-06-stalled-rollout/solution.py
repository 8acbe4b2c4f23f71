"""Reference solution of kata 06: the Progressing condition of a Deployment, with a diagnosis."""

from datetime import datetime, timedelta

from kubekata import DeploymentCondition, Pod, PodCounts, RolloutReport, RolloutStalledError

COMPLETE = "NewReplicaSetAvailable"
EXCEEDED = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"


def check_progress(  # noqa: PLR0911 - one return a rule, in the order of the brief
    report: RolloutReport,
    previous: DeploymentCondition | None,
    pods: list[Pod],
    now: datetime,
) -> DeploymentCondition:
    """Return the Deployment's Progressing condition as of now.

    Raises RolloutStalledError for settings under which no pod could ever be replaced.
    """
    if is_zero(report.max_surge) and is_zero(report.max_unavailable):
        raise RolloutStalledError("maxSurge and maxUnavailable are both 0: no pod may come and none may go")

    def changed(status: str, reason: str, message: str) -> DeploymentCondition:
        keeps_status = previous is not None and previous.status == status
        return DeploymentCondition(
            type="Progressing",
            status=status,
            reason=reason,
            message=message,
            last_update_time=now,
            last_transition_time=previous.last_transition_time if keeps_status else now,
        )

    was = previous.reason if previous else None
    after = report.after
    if report.paused:
        return previous if was in (PAUSED, EXCEEDED) else changed("Unknown", PAUSED, "paused by somebody")
    if was == COMPLETE and after.total == after.updated:
        return previous
    if after.updated == after.total == after.available == report.replicas:
        return changed("True", COMPLETE, f"all {report.replicas} pods are updated and available")
    if previous is None or was == COMPLETE or has_moved(report.before, after):
        return changed("True", "ReplicaSetUpdated", f"{after.updated} of {report.replicas} pods are updated")
    if was == PAUSED:
        return changed("Unknown", "DeploymentResumed", "resumed; waiting for the next sign of progress")

    stuck = changed("False", EXCEEDED, diagnosis(pods))
    if was == EXCEEDED:
        stuck.last_update_time = previous.last_update_time
        return stuck
    limit = report.deadline_seconds
    overdue = limit is not None and now - previous.last_update_time > timedelta(seconds=limit)
    return stuck if overdue else previous


def is_zero(limit: int | str) -> bool:
    """Tell whether a limit is written as zero; one that only rounds to zero is not."""
    return limit in (0, "0%")


def has_moved(before: PodCounts, after: PodCounts) -> bool:
    """Tell whether a rollout got any further from one look to the next."""
    return (
        after.updated > before.updated
        or after.total - after.updated < before.total - before.updated
        or after.ready > before.ready
        or after.available > before.available
    )


def diagnosis(pods: list[Pod]) -> str:
    """Say which of the new ReplicaSet's pods hold the rollout up, and how."""
    active = [pod for pod in pods if pod.active]
    homeless = {pod.name: told for pod in active if (told := scheduler_says(pod)) is not None}
    if homeless:
        told = " ".join(dict.fromkeys(homeless.values()))
        return f"Unschedulable: {', '.join(homeless)}: {told}"
    waiting = [pod.name for pod in active if not pod.ready]
    if waiting:
        return f"NotReady: {', '.join(waiting)}"
    return "Other: every new pod is ready; look for missing pods (a quota?) and old ones that do not go"


def scheduler_says(pod: Pod) -> str | None:
    """Return why no node takes this pod, or None if one has or the scheduler has not said."""
    for condition in pod.status.conditions:
        if (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "Unschedulable"):
            return condition.message
    return None
