"""Examples from the brief. They run in your own process: print and the debugger work."""

from datetime import datetime, timedelta

import pytest
from kata import check_progress

from kubekata import DeploymentCondition, Pod, PodCondition, PodCounts, RolloutReport, RolloutStalledError
from kubekata.testing import EPOCH, pod

NO_CPU = "0/2 nodes are available: 2 Insufficient cpu."


def at(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def unschedulable(name: str) -> Pod:
    waiting = pod(name)
    waiting.status.conditions.append(
        PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message=NO_CPU)
    )
    return waiting


def look(
    ready_before: int, ready: int, previous: DeploymentCondition | None, now: datetime
) -> DeploymentCondition:
    """Look at a rollout of 4 updated pods, of which some are ready."""
    report = RolloutReport(
        replicas=4,
        max_surge="25%",
        max_unavailable="25%",
        before=PodCounts(4, 4, ready_before, ready_before),
        after=PodCounts(4, 4, ready, ready),
    )
    good = [pod(f"web-{letter}", phase="Running", ready=True) for letter in "abcd"[:ready]]
    return check_progress(
        report, previous, [*good, *map(unschedulable, ("web-c", "web-d")[: 4 - ready])], now
    )


def test_two_of_four_ready() -> None:
    condition = look(0, 0, None, at(0))
    assert (condition.type, condition.status, condition.reason) == (
        "Progressing",
        "True",
        "ReplicaSetUpdated",
    )

    condition = look(0, 2, condition, at(20))
    assert (condition.last_update_time, condition.last_transition_time) == (at(20), at(0))

    condition = look(2, 2, condition, at(620))
    assert (condition.status, condition.last_update_time) == ("True", at(20))

    condition = look(2, 2, condition, at(621))
    assert (condition.status, condition.reason) == ("False", "ProgressDeadlineExceeded")
    assert (condition.last_update_time, condition.last_transition_time) == (at(621), at(621))
    assert condition.message.startswith("Unschedulable:")
    assert "web-c" in condition.message
    assert "web-d" in condition.message
    assert NO_CPU in condition.message

    condition = look(2, 2, condition, at(900))
    assert (condition.status, condition.last_update_time) == ("False", at(621))

    condition = look(2, 4, condition, at(950))
    assert (condition.status, condition.reason) == ("True", "NewReplicaSetAvailable")


def report(**settings: object) -> RolloutReport:
    standing_still = PodCounts(total=5, updated=2, ready=3, available=3)
    given = {
        "max_surge": 1,
        "max_unavailable": 1,
        "before": standing_still,
        "after": standing_still,
        **settings,
    }
    return RolloutReport(replicas=4, **given)  # type: ignore[arg-type]


def test_no_pod_more_and_no_pod_less() -> None:
    with pytest.raises(RolloutStalledError, match="maxSurge") as raised:
        check_progress(report(max_surge=0, max_unavailable="0%"), None, [], at(0))
    assert "maxUnavailable" in str(raised.value)


def test_one_percent_is_not_zero() -> None:
    assert check_progress(report(max_surge=0, max_unavailable="1%"), None, [], at(0)).status == "True"


def test_paused_is_neither_slow_nor_stuck() -> None:
    previous = check_progress(report(), None, [], at(0))
    condition = check_progress(report(paused=True), previous, [], at(5000))
    assert (condition.status, condition.reason) == ("Unknown", "DeploymentPaused")
    condition = check_progress(report(), condition, [], at(9000))
    assert (condition.status, condition.reason) == ("Unknown", "DeploymentResumed")
