"""Pattern matching on the previous reason."""

import msgspec

from kubekata import DeploymentCondition, RolloutStalledError


def check_progress(report, previous, pods, now):
    match (report.max_surge, report.max_unavailable):
        case (0 | "0%", 0 | "0%"):
            raise RolloutStalledError("maxSurge + maxUnavailable = 0")

    was = previous and previous.reason
    write = writer(previous, now)
    counts = report.after
    done = counts.total == counts.updated == counts.available == report.replicas
    match was, report.paused:
        case (("DeploymentPaused" | "ProgressDeadlineExceeded"), True):
            return previous
        case _, True:
            return write("Unknown", "DeploymentPaused")
        case "NewReplicaSetAvailable", _ if counts.total == counts.updated:
            return previous
        case _ if done:
            return write("True", "NewReplicaSetAvailable")
        case ((None | "NewReplicaSetAvailable"), _):
            return write("True", "ReplicaSetUpdated")
        case _ if better(report.before, counts):
            return write("True", "ReplicaSetUpdated")
        case "DeploymentPaused", _:
            return write("Unknown", "DeploymentResumed")
        case "ProgressDeadlineExceeded", _:
            return msgspec.structs.replace(previous, message=blame(pods))
    silent = (now - previous.last_update_time).total_seconds()
    if silent > (float("inf") if report.deadline_seconds is None else report.deadline_seconds):
        return write("False", "ProgressDeadlineExceeded", blame(pods))
    return previous


def writer(previous, now):
    def write(status, reason, message="…"):
        condition = DeploymentCondition(type="Progressing", status=status, reason=reason, message=message)
        condition.last_update_time = condition.last_transition_time = now
        if previous is not None and previous.status == status:
            condition.last_transition_time = previous.last_transition_time
        return condition

    return write


def better(b, a):
    return (
        a.updated > b.updated
        or b.total - b.updated > a.total - a.updated
        or a.ready > b.ready
        or a.available > b.available
    )


def blame(pods):
    groups = {"Unschedulable": [], "NotReady": []}
    for pod in pods:
        if pod.metadata.deletion_timestamp or pod.status.phase in ("Failed", "Succeeded"):
            continue
        by_type = {c.type: c for c in pod.status.conditions}
        scheduled, ready = by_type.get("PodScheduled"), by_type.get("Ready")
        if scheduled and scheduled.status == "False" and scheduled.reason == "Unschedulable":
            groups["Unschedulable"].append(f"{pod.name} ({scheduled.message})")
        elif not ready or ready.status != "True":
            groups["NotReady"].append(pod.name)
    for cause, names in groups.items():
        if names:
            return f"{cause}: {' and '.join(names)}"
    return "Other: see the ReplicaSets and their events"
