"""Misconception: bad settings only matter while a rollout is under way.

Fails: settings
"""

from datetime import timedelta

from kubekata import DeploymentCondition, RolloutStalledError


def check_progress(report, previous, pods, now):
    old_reason = previous.reason if previous else ""
    b, a = report.before, report.after

    if report.paused:
        if old_reason in ("DeploymentPaused", "ProgressDeadlineExceeded"):
            return previous
        return make(previous, now, "Unknown", "DeploymentPaused", "Deployment is paused")

    if old_reason == "NewReplicaSetAvailable" and a.updated == a.total:
        return previous

    if a.updated == report.replicas and a.total == report.replicas and a.available == report.replicas:
        return make(previous, now, "True", "NewReplicaSetAvailable", "rollout is complete")

    if is_zero(report.max_surge) and is_zero(report.max_unavailable):
        raise RolloutStalledError("maxSurge and maxUnavailable are both zero")

    progressed = (
        a.updated > b.updated
        or a.total - a.updated < b.total - b.updated
        or a.ready > b.ready
        or a.available > b.available
    )
    if previous is None or old_reason == "NewReplicaSetAvailable" or progressed:
        return make(previous, now, "True", "ReplicaSetUpdated", "rollout is progressing")

    if old_reason == "DeploymentPaused":
        return make(previous, now, "Unknown", "DeploymentResumed", "Deployment is resumed")

    if old_reason == "ProgressDeadlineExceeded":
        condition = make(previous, now, "False", "ProgressDeadlineExceeded", explain(pods))
        condition.last_update_time = previous.last_update_time
        return condition

    if report.deadline_seconds is not None:
        deadline = timedelta(seconds=report.deadline_seconds)
        if now - previous.last_update_time > deadline:
            return make(previous, now, "False", "ProgressDeadlineExceeded", explain(pods))

    return previous


def is_zero(limit):
    return limit == 0 or limit == "0%"


def make(previous, now, status, reason, message):
    transition = now
    if previous is not None and previous.status == status:
        transition = previous.last_transition_time
    return DeploymentCondition(
        type="Progressing",
        status=status,
        reason=reason,
        message=message,
        last_update_time=now,
        last_transition_time=transition,
    )


def explain(pods):
    unschedulable, not_ready = [], []
    for pod in pods:
        if not pod.active:
            continue
        for c in pod.status.conditions:
            if c.type == "PodScheduled" and c.status == "False" and c.reason == "Unschedulable":
                unschedulable.append((pod.name, c.message))
                break
        else:
            if not pod.ready:
                not_ready.append(pod.name)
    if unschedulable:
        return "Unschedulable: " + "; ".join(f"{name}: {message}" for name, message in unschedulable)
    if not_ready:
        return "NotReady: " + ", ".join(not_ready)
    return "Other: no new pod is to blame"
