"""The rules as rows of a table, tried in order."""

from datetime import timedelta
from typing import NamedTuple

from kubekata import DeploymentCondition, RolloutStalledError


class Look(NamedTuple):
    report: object
    previous: object
    pods: list
    now: object

    @property
    def was(self):
        return self.previous.reason if self.previous else "nothing"

    @property
    def old(self):
        return (
            self.report.before.total - self.report.before.updated,
            self.report.after.total - self.report.after.updated,
        )


KEEP = object()
KEEP_BUT_EXPLAIN = object()


def paused_already(k):
    return k.report.paused and k.was in {"DeploymentPaused", "ProgressDeadlineExceeded"}


def paused(k):
    return k.report.paused


def settled(k):
    return k.was == "NewReplicaSetAvailable" and k.old[1] == 0


def complete(k):
    counts = k.report.after
    return {counts.total, counts.updated, counts.available} == {k.report.replicas}


def progress(k):
    if k.was in ("nothing", "NewReplicaSetAvailable"):
        return True
    b, a = k.report.before, k.report.after
    gains = [a.updated - b.updated, k.old[0] - k.old[1], a.ready - b.ready, a.available - b.available]
    return max(gains) > 0


def resumed(k):
    return k.was == "DeploymentPaused"


def stays_stuck(k):
    return k.was == "ProgressDeadlineExceeded"


def overdue(k):
    if k.report.deadline_seconds is None:
        return False
    return k.previous.last_update_time + timedelta(seconds=k.report.deadline_seconds) < k.now


RULES = [
    (paused_already, KEEP),
    (paused, ("Unknown", "DeploymentPaused")),
    (settled, KEEP),
    (complete, ("True", "NewReplicaSetAvailable")),
    (progress, ("True", "ReplicaSetUpdated")),
    (resumed, ("Unknown", "DeploymentResumed")),
    (stays_stuck, KEEP_BUT_EXPLAIN),
    (overdue, ("False", "ProgressDeadlineExceeded")),
    (lambda k: True, KEEP),
]


def check_progress(report, previous, pods, now):
    if report.max_surge in (0, "0%") and report.max_unavailable in (0, "0%"):
        raise RolloutStalledError(
            f"maxSurge={report.max_surge!r} and maxUnavailable={report.max_unavailable!r}"
        )
    look = Look(report, previous, pods, now)
    outcome = next(outcome for applies, outcome in RULES if applies(look))
    if outcome is KEEP:
        return previous
    if outcome is KEEP_BUT_EXPLAIN:
        previous.message = why(pods)
        return previous
    status, reason = outcome
    condition = DeploymentCondition(type="Progressing", status=status, reason=reason, last_update_time=now)
    condition.message = why(pods) if status == "False" else reason
    same = previous and previous.status == status
    condition.last_transition_time = previous.last_transition_time if same else now
    return condition


def why(pods):
    pods = [p for p in pods if p.active]
    said = {
        p.name: c.message
        for p in pods
        for c in p.status.conditions
        if (c.type, c.status, c.reason) == ("PodScheduled", "False", "Unschedulable")
    }
    if said:
        return f"Unschedulable: {said}"
    unready = [p.name for p in pods if not p.ready]
    return f"NotReady: {unready}" if unready else "Other: ?"
