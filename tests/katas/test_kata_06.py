"""Kata 06's reference against the tables and the live rollouts of real Kubernetes."""

import json
import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import DeploymentCondition, Pod, PodCondition, PodCounts, RolloutReport
from kubekata.testing import pod

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
START = datetime(2026, 1, 1, tzinfo=UTC)
STANDING = PodCounts(total=5, updated=2, ready=3, available=3)

check_progress = runpy.run_path(str(ROOT / "reference/kata-06-stalled-rollout/solution.py"))["check_progress"]


def table(operation: str) -> list[dict[str, Any]]:
    rows = json.loads((VECTORS / "rolling.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["id"].split("/")[1] == operation]


COMPLETE, PROGRESSING = table("complete"), table("progressing")
TIMED_OUT, CONDITIONS = table("timed_out"), table("progress_condition")
LIVE = {
    moment["moment"]: moment["state"]
    for moment in json.loads((VECTORS / "live.json").read_text(encoding="utf-8"))["stalled"]
}


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert tuple(map(len, (COMPLETE, PROGRESSING, TIMED_OUT, CONDITIONS))) == (6, 6, 6, 9)
    assert len(LIVE) == 8


def previous(reason: str, status: str = "True") -> DeploymentCondition:
    return DeploymentCondition(
        type="Progressing", status=status, reason=reason, last_update_time=START, last_transition_time=START
    )


def look(
    replicas: int,
    before: PodCounts,
    after: PodCounts,
    condition: DeploymentCondition | None,
    seconds: float,
    *,
    deadline: int | None = 600,
    pods: list[Pod] | None = None,
) -> DeploymentCondition:
    report = RolloutReport(replicas, "25%", "25%", before, after, deadline_seconds=deadline)
    found: DeploymentCondition = check_progress(
        report, condition, pods or [], START + timedelta(seconds=seconds)
    )
    return found


@pytest.mark.parametrize("row", COMPLETE, ids=lambda row: row["id"])
def test_complete(row: dict[str, Any]) -> None:
    """Rows say nothing about ready pods; here as many are ready as available."""
    given = row["given"]
    counts = PodCounts(given["replicas"], given["updated"], given["available"], given["available"])
    found = look(given["desired"], counts, counts, previous("ReplicaSetUpdated"), 1)
    assert (found.reason == "NewReplicaSetAvailable") == row["expect"]["complete"]


@pytest.mark.parametrize("row", PROGRESSING, ids=lambda row: row["id"])
def test_progressing(row: dict[str, Any]) -> None:
    """Progress moves lastUpdateTime; nothing else does."""
    before, after = PodCounts(*row["given"]["old"]), PodCounts(*row["given"]["new"])
    found = look(1000, before, after, previous("ReplicaSetUpdated"), 1)
    assert (found.last_update_time > START) == row["expect"]["progressing"]


@pytest.mark.parametrize("row", TIMED_OUT, ids=lambda row: row["id"])
def test_timed_out(row: dict[str, Any]) -> None:
    """A rollout that stands still."""
    given = row["given"]
    condition = previous(given["reason"]) if given.get("has_condition", True) else None
    found = look(4, STANDING, STANDING, condition, given["seconds_since_update"], deadline=given["deadline"])
    assert (found.reason == "ProgressDeadlineExceeded") == row["expect"]["timed_out"]


@pytest.mark.parametrize("row", CONDITIONS, ids=lambda row: row["id"])
def test_condition(row: dict[str, Any]) -> None:
    """Status and reason after one sync."""
    given = row["given"]
    current = given["current"]
    condition = previous(current[1], current[0]) if current else None
    before, after = PodCounts(*given["old_status"]), PodCounts(*given["new_status"])
    found = look(
        given["desired"], before, after, condition, given["since_update"], deadline=given["deadline"]
    )
    assert [found.status, found.reason] == row["expect"]["condition"]


def counts(deployment: dict[str, Any]) -> PodCounts:
    names = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    return PodCounts(*(deployment[name] or 0 for name in names))


def said(deployment: dict[str, Any]) -> list[str]:
    found = next(c for c in deployment["conditions"] if c["type"] == "Progressing")
    return [found["status"], found["reason"]]


def test_live_pod_that_fits_nowhere() -> None:
    """Four replicas on three nodes that take one each, and a deadline of 6 seconds."""
    first, late = (
        LIVE[name]["deployment"]
        for name in ("4 replicas of 2900m on three 4-core nodes", "after the progress deadline of 6 seconds")
    )
    scheduled = PodCondition(**LIVE["the Pending pod"]["conditions"][0])
    pending = pod("st-d")
    pending.status.conditions.append(scheduled)
    before, after = PodCounts(4, 4, 0, 0), counts(first)

    condition = look(4, before, after, None, 0, deadline=6, pods=[pending])
    assert [condition.status, condition.reason] == said(first)
    condition = look(4, after, counts(late), condition, 6.1, deadline=6, pods=[pending])
    assert [condition.status, condition.reason] == said(late)
    assert condition.message.startswith("Unschedulable:")
    assert scheduled.message in condition.message


def test_live_pods_that_never_become_ready() -> None:
    """Two bad pods at a surge of one, then a rollback in the middle."""
    slow, stuck, done = (
        LIVE[name]["deployment"]
        for name in (
            "new pods never become ready, 25%/25% of 4",
            "after the deadline",
            "rolled back in the middle",
        )
    )
    pods = [
        pod(f"nr-{name}", phase="Pending", node=node) for name, node in (("a", "node-a"), ("b", "node-b"))
    ]
    before = PodCounts(4, 0, 4, 4)

    condition = look(4, before, counts(slow), previous("NewReplicaSetAvailable"), 0, deadline=6, pods=pods)
    assert [condition.status, condition.reason] == said(slow)
    condition = look(4, counts(slow), counts(stuck), condition, 6.1, deadline=6, pods=pods)
    assert [condition.status, condition.reason] == said(stuck)
    assert condition.message.startswith("NotReady:")
    condition = look(4, counts(stuck), counts(done), condition, 9, deadline=6)
    assert [condition.status, condition.reason] == said(done)
