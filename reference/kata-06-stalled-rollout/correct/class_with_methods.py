"""A class that holds one look."""

from kubekata import DeploymentCondition, RolloutStalledError


class ProgressCheck:
    def __init__(self, report, previous, pods, now):
        self.report, self.previous, self.pods, self.now = report, previous, pods, now
        self.reason = "" if previous is None else previous.reason

    def verdict(self):
        if self.report.paused:
            return (
                None
                if self.reason in ("DeploymentPaused", "ProgressDeadlineExceeded")
                else ("Unknown", "DeploymentPaused")
            )
        if self.reason == "NewReplicaSetAvailable" and self.report.after.updated >= self.report.after.total:
            return None
        if self.is_complete():
            return ("True", "NewReplicaSetAvailable")
        if self.starts() or self.moves():
            return ("True", "ReplicaSetUpdated")
        if self.reason == "DeploymentPaused":
            return ("Unknown", "DeploymentResumed")
        if self.reason == "ProgressDeadlineExceeded" or self.is_late():
            return ("False", "ProgressDeadlineExceeded")
        return None

    def is_complete(self):
        after, wanted = self.report.after, self.report.replicas
        return all(n == wanted for n in (after.total, after.updated, after.available))

    def starts(self):
        return self.previous is None or self.reason == "NewReplicaSetAvailable"

    def moves(self):
        def score(c):
            return (c.updated, c.updated - c.total, c.ready, c.available)

        return any(x > y for x, y in zip(score(self.report.after), score(self.report.before)))

    def is_late(self):
        limit = self.report.deadline_seconds
        return limit is not None and (self.now - self.previous.last_update_time).total_seconds() > limit

    def condition(self):
        found = self.verdict()
        if found is None:
            return self.previous
        status, reason = found
        since, written = self.now, self.now
        if self.previous is not None and self.previous.status == status:
            since = self.previous.last_transition_time
        if reason == "ProgressDeadlineExceeded" == self.reason:
            written = self.previous.last_update_time
        return DeploymentCondition(
            type="Progressing",
            status=status,
            reason=reason,
            message=self.message(reason),
            last_update_time=written,
            last_transition_time=since,
        )

    def message(self, reason):
        if reason != "ProgressDeadlineExceeded":
            return ""
        active = list(filter(lambda pod: pod.active, self.pods))
        homeless = [
            (p, c)
            for p in active
            for c in p.status.conditions
            if c.type == "PodScheduled" and c.status == "False" and c.reason == "Unschedulable"
        ]
        if homeless:
            return "\n".join(["Unschedulable:"] + [f"- {p.name}: {c.message}" for p, c in homeless])
        unready = [p for p in active if not p.ready]
        if unready:
            return "\n".join(["NotReady:"] + [f"- {p.name} ({p.status.phase})" for p in unready])
        return "Other: nothing to be seen in the new pods"


def check_progress(report, previous, pods, now):
    zeros = [limit in (0, "0%") for limit in (report.max_surge, report.max_unavailable)]
    if all(zeros):
        raise RolloutStalledError(
            "set maxUnavailable or maxSurge to at least 1: with both at zero nothing can move"
        )
    return ProgressCheck(report, previous, pods, now).condition()
