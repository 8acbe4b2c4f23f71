"""Small functions that return a condition or None, chained."""

from datetime import timedelta
from functools import partial

from kubekata import DeploymentCondition, RolloutStalledError

ZERO = {0, "0%"}


def check_progress(report, previous, pods, now):
    if {report.max_surge, report.max_unavailable} <= ZERO:
        raise RolloutStalledError("both of maxSurge, maxUnavailable are zero")
    steps = (pause, settled, complete, progress, resume, stuck)
    for step in steps:
        answer = step(report, previous, pods, now)
        if answer is not None:
            return answer
    return previous


def said(previous, *reasons):
    return previous is not None and previous.reason in reasons


def fresh(previous, now, status, reason, message=""):
    kept = previous is not None and previous.status == status
    return DeploymentCondition(
        type="Progressing",
        status=status,
        reason=reason,
        message=message,
        last_update_time=now,
        last_transition_time=previous.last_transition_time if kept else now,
    )


def pause(report, previous, pods, now):
    if not report.paused:
        return None
    if said(previous, "DeploymentPaused", "ProgressDeadlineExceeded"):
        return previous
    return fresh(previous, now, "Unknown", "DeploymentPaused", "paused")


def settled(report, previous, pods, now):
    over = said(previous, "NewReplicaSetAvailable") and report.after.total == report.after.updated
    return previous if over else None


def complete(report, previous, pods, now):
    after = report.after
    wanted = (report.replicas,) * 3
    return (
        fresh(previous, now, "True", "NewReplicaSetAvailable")
        if (after.total, after.updated, after.available) == wanted
        else None
    )


def progress(report, previous, pods, now):
    begins = previous is None or said(previous, "NewReplicaSetAvailable")
    b, a = report.before, report.after
    old_pods = [c.total - c.updated for c in (b, a)]
    if (
        begins
        or old_pods[1] < old_pods[0]
        or any(getattr(a, n) > getattr(b, n) for n in ("updated", "ready", "available"))
    ):
        return fresh(previous, now, "True", "ReplicaSetUpdated")
    return None


def resume(report, previous, pods, now):
    return (
        fresh(previous, now, "Unknown", "DeploymentResumed") if said(previous, "DeploymentPaused") else None
    )


def stuck(report, previous, pods, now):
    failed = partial(fresh, previous, status="False", reason="ProgressDeadlineExceeded")
    if said(previous, "ProgressDeadlineExceeded"):
        return failed(now=previous.last_update_time, message=diagnose(pods))
    if report.deadline_seconds is None:
        return None
    late = previous.last_update_time < now - timedelta(seconds=report.deadline_seconds)
    return failed(now=now, message=diagnose(pods)) if late else None


def diagnose(pods):
    alive = [pod for pod in pods if pod.active]
    lines = [
        f"{pod.name}: {c.message}" for pod in alive for c in pod.status.conditions if is_unschedulable(c)
    ]
    if lines:
        return f"Unschedulable: {'; '.join(lines)}"
    sick = sorted(pod.name for pod in alive if not pod.ready)
    return "NotReady: " + ", ".join(sick) if sick else "Other: old pods or missing ones"


def is_unschedulable(c):
    return c.type == "PodScheduled" and c.status == "False" and c.reason == "Unschedulable"
