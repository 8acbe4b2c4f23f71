"""Starts from a copy of the previous condition and changes what has changed."""

from copy import copy

from kubekata import DeploymentCondition, PodCounts, RolloutReport, RolloutStalledError


def check_progress(report: RolloutReport, previous, pods, now) -> DeploymentCondition:
    def zero(limit):
        return str(limit).rstrip("%") == "0"

    if zero(report.max_surge) and zero(report.max_unavailable):
        raise RolloutStalledError("maxSurge/maxUnavailable 0/0")

    blank = DeploymentCondition(type="Progressing", status="Unknown", last_transition_time=now)
    first = previous is None
    condition = blank if first else copy(previous)
    history = condition.reason

    def become(status, reason, message=""):
        if condition.status != status:
            condition.last_transition_time = now
        condition.status, condition.reason, condition.message = status, reason, message
        condition.last_update_time = now
        return condition

    c: PodCounts = report.after
    exceeded = history == "ProgressDeadlineExceeded"
    if report.paused:
        keep = exceeded or history == "DeploymentPaused"
        return condition if keep else become("Unknown", "DeploymentPaused", "somebody paused it")
    over = history == "NewReplicaSetAvailable"
    if over and c.total - c.updated == 0:
        return condition
    if [c.total, c.updated, c.available] == [report.replicas] * 3:
        return become("True", "NewReplicaSetAvailable", "done")
    if first or over or gained(report):
        return become("True", "ReplicaSetUpdated", "going on")
    if history == "DeploymentPaused":
        return become("Unknown", "DeploymentResumed", "going on again")
    waited = now - condition.last_update_time
    if (
        not exceeded
        and report.deadline_seconds is not None
        and waited.total_seconds() > report.deadline_seconds
    ):
        become("False", "ProgressDeadlineExceeded")
        exceeded = True
    if exceeded:
        condition.message = text(pods)
    return condition


def gained(report):
    before, after = report.before, report.after
    if before.total - before.updated > after.total - after.updated:
        return True
    return (
        (after.updated > before.updated) | (after.ready > before.ready) | (after.available > before.available)
    )


def text(pods):
    cause, details = "Other", []
    for pod in pods:
        if not pod.active or pod.ready:
            continue
        refused = [
            c
            for c in pod.status.conditions
            if c.type == "PodScheduled" and c.status == "False" and c.reason == "Unschedulable"
        ]
        if refused:
            if cause != "Unschedulable":
                cause, details = "Unschedulable", []
            details.append(f"{pod.name}: {refused[0].message}")
        elif cause != "Unschedulable":
            cause = "NotReady"
            details.append(pod.name)
    return f"{cause}: {'; '.join(details)}"
