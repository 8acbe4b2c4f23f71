"""Kata 05's reference against the syncs and rollouts that real Kubernetes' own code made."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import ReplicaCount, Rollout

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"

solution = runpy.run_path(str(ROOT / "reference/kata-05-surge-stepping/solution.py"))
next_step, resolve_fenceposts = solution["next_step"], solution["resolve_fenceposts"]


def recorded(name: str) -> list[dict[str, Any]]:
    lines = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def table(*operations: str) -> list[dict[str, Any]]:
    rows = json.loads((VECTORS / "rolling.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["id"].split("/")[1] in operations]


def count(numbers: dict[str, int]) -> ReplicaCount:
    return ReplicaCount(numbers["spec"], numbers["available"])


STEPS, TRACES = recorded("rolling_step"), recorded("rolling_trace")
SHARES = table("scale_value")
# null is a field that is absent, and the kata has no absent fields.
FENCEPOSTS = [row for row in table("resolve_fenceposts") if None not in row["given"].values()]
SYNCS = table("rollout_step")
NEW_SIDE = table("reconcile_new")
OLD_SIDE = table("reconcile_old")
SEQUENCES = table("rollout_trace")


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert (len(STEPS), len(TRACES)) == (1800, 500)
    small = (SHARES, FENCEPOSTS, SYNCS, NEW_SIDE, OLD_SIDE, SEQUENCES)
    assert tuple(map(len, small)) == (9, 6, 3, 4, 6, 6)


def test_every_recorded_step() -> None:
    """Action, both sides and both fenceposts of each recorded sync; none of the rows is an error."""
    wrong = []
    for row in STEPS:
        given, expect = row["given"], row["expect"]
        assert expect["error"] == ""
        limits = given["max_surge"], given["max_unavailable"]
        old = [count(numbers) for numbers in given["old"]]
        step = next_step(Rollout(given["replicas"], *limits, count(given["new"]), old))
        fenceposts = resolve_fenceposts(*limits, given["replicas"])
        if (step.action, step.new, step.old, *fenceposts) != (
            expect["action"],
            expect["new_spec"],
            expect["old_specs"],
            expect["surge"],
            expect["unavailable"],
        ):
            wrong.append((row, step, fenceposts))
    assert not wrong


def played(given: dict[str, Any]) -> tuple[list[list[Any]], bool]:
    """A rollout as the recording played it, until two syncs in a row find nothing to do."""
    replicas = given["replicas"]
    old, new = ReplicaCount(replicas, replicas), ReplicaCount(0, 0)
    trace: list[list[Any]] = []

    def record(label: str) -> None:
        trace.append([label, old.spec, old.available, new.spec, new.available])

    record("start")
    idle = 0
    while idle < 2:
        step = next_step(Rollout(replicas, given["max_surge"], given["max_unavailable"], new, [old]))
        old = ReplicaCount(step.old[0], min(old.available, step.old[0]))
        new = ReplicaCount(step.new, min(new.available, step.new))
        record(step.action)
        healthy = new.spec if given["new_ready_ceiling"] < 0 else min(new.spec, given["new_ready_ceiling"])
        available = max(new.available, min(healthy, new.available + given["ready_per_step"]))
        idle = idle + 1 if step.action == "none" and available == new.available else 0
        if available != new.available:
            new = ReplicaCount(new.spec, available)
            record("kubelet")
    return trace, new.available == new.spec == replicas and old.spec == 0


def test_every_recorded_rollout() -> None:
    """Each whole rollout, sync by sync, and whether it came to its end."""
    wrong = [
        row for row in TRACES if played(row["given"]) != (row["expect"]["trace"], row["expect"]["complete"])
    ]
    assert not wrong


@pytest.mark.parametrize("row", SHARES, ids=lambda row: row["id"])
def test_share(row: dict[str, Any]) -> None:
    """One limit beside another that is not 0, so that there is nothing to rescue."""
    value, total = row["given"]["value"], row["given"]["total"]
    limits, index = ((value, 1), 0) if row["given"]["round_up"] else ((1, value), 1)
    if row["expect"].get("error"):
        with pytest.raises(ValueError, match="percentage"):
            resolve_fenceposts(*limits, total)
    else:
        assert resolve_fenceposts(*limits, total)[index] == row["expect"]["value"]


@pytest.mark.parametrize("row", FENCEPOSTS, ids=lambda row: row["id"])
def test_fenceposts(row: dict[str, Any]) -> None:
    """The table of Kubernetes' own tests."""
    given, expect = row["given"], row["expect"]
    limits = given["max_surge"], given["max_unavailable"], given["desired"]
    if expect.get("error"):
        with pytest.raises(ValueError, match="percentage"):
            resolve_fenceposts(*limits)
    else:
        assert resolve_fenceposts(*limits) == (expect["surge"], expect["unavailable"])


@pytest.mark.parametrize("row", SYNCS, ids=lambda row: row["id"])
def test_sync(row: dict[str, Any]) -> None:
    """Which side moves, and how far."""
    given, expect = row["given"], row["expect"]
    new = ReplicaCount(given["new_spec"], given["new_available"])
    limits = given["max_surge"], given["max_unavailable"]
    step = next_step(Rollout(given["desired"], *limits, new, [count(numbers) for numbers in given["olds"]]))
    wanted = (expect["action"].replace("_", "-"), expect["new"], expect["old_specs"])
    assert (step.action, step.new, step.old) == wanted


@pytest.mark.parametrize("row", NEW_SIDE, ids=lambda row: row["id"])
def test_new_side(row: dict[str, Any]) -> None:
    """Rows say nothing about old pods that may go, so none may here."""
    given, expect = row["given"], row["expect"]
    new, old = ReplicaCount(given["new"], 0), ReplicaCount(given["old"], 0)
    step = next_step(Rollout(given["desired"], given["max_surge"], 0, new, [old]))
    assert (step.action == "scale-new", step.new) == (expect["scaled"], expect["new"])


@pytest.mark.parametrize("row", OLD_SIDE, ids=lambda row: row["id"])
def test_old_side(row: dict[str, Any]) -> None:
    """Rows are about old sets alone, so the surge is cut down until the new set has no room to move first."""
    given, expect = row["given"], row["expect"]
    olds = [count(numbers) for numbers in given["olds"]]
    total = given["new_spec"] + sum(old.spec for old in olds)
    surge = min(given["max_surge"], max(0, total - given["desired"]))
    new = ReplicaCount(given["new_spec"], given["new_available"])
    step = next_step(Rollout(given["desired"], surge, given["max_unavailable"], new, olds))
    assert (step.action == "scale-old", step.old) == (expect["scaled"], expect["old_specs"])


@pytest.mark.parametrize("row", SEQUENCES, ids=lambda row: row["id"])
def test_sequence(row: dict[str, Any]) -> None:
    """The sequences of the Deployment controller's documentation: every new pod is available at once."""
    given = row["given"]
    pods = {"replicas": given["desired"], "ready_per_step": 1000, "new_ready_ceiling": -1}
    trace, complete = played({**given, **pods})
    changes = [[old, new] for label, old, _, new, _ in trace if label not in ("kubelet", "none")]
    assert (changes, complete) == (row["expect"]["trace"], True)
