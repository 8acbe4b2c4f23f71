"""Kata 16's reference against the tables of the disruption controller and of the eviction handler."""

import json
import runpy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import (
    Condition,
    LabelSelector,
    Node,
    ObjectMeta,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
)
from kubekata.testing import EPOCH, World, node, pod, replica_set

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "tests/vectors/pdb.json").read_text(encoding="utf-8"))
IN_SCOPE = {
    "pdb_status": 16,
    "pdb_counts": 7,
    "decide_eviction": 16,
    "drain_sequence": 2,
    "matches": 3,
    "validate": 5,
}
LABELS = {"app": "web"}
NOW = EPOCH + timedelta(hours=1)

solution = runpy.run_path(str(ROOT / "reference/kata-16-disruption-budget/solution.py"))
budget_status, decide_eviction, drain = (
    solution[name] for name in ("budget_status", "decide_eviction", "drain")
)


def rows(operation: str) -> list[Any]:
    found = [row for row in TABLE if row["id"].split("/")[1] == operation]
    assert len(found) == IN_SCOPE[operation], f"{operation}: {len(found)} rows"
    return [pytest.param(row["given"], row["expect"], id=row["id"].split("/")[2]) for row in found]


def budget(name: str = "foo", selector: Any = LABELS, **spec: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        metadata=ObjectMeta(name=name, namespace="default", generation=1),
        spec=PodDisruptionBudgetSpec(
            selector=None if selector is None else LabelSelector(match_labels=dict(selector)), **spec
        ),
    )


def limits(given: dict[str, Any]) -> dict[str, Any]:
    return {key: given[key] for key in ("min_available", "max_unavailable") if key in given}


def owned_pod(row: dict[str, Any]) -> Pod:
    made = pod(row["name"], labels=LABELS, phase="Running", ready=row["ready"])
    if row["controller"]:
        owner = replica_set(row["controller"])
        owner.metadata.uid = row["controller"]
        made.metadata.owner_references = [owner.owner_reference()]
    if row.get("deleting"):
        made.metadata.deletion_timestamp = NOW
    return made


def test_every_row_is_in_scope() -> None:
    """A table that lost or gained rows must not pass as one that agrees."""
    assert len(TABLE) == sum(IN_SCOPE.values()) == 49


@pytest.mark.parametrize(("given", "expect"), rows("pdb_status"))
def test_status(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """16 rows: the whole status."""
    asked = budget(**limits(given))
    ages = given.get("disrupted", {})
    asked.status.disrupted_pods = {name: NOW - timedelta(seconds=age) for name, age in ages.items()}
    status = budget_status(asked, [owned_pod(row) for row in given["pods"]], given["scales"], NOW)
    assert expect == {
        "allowed": status.disruptions_allowed,
        "healthy": status.current_healthy,
        "desired": status.desired_healthy,
        "expected": status.expected_pods,
        "disrupted": sorted(status.disrupted_pods),
    }


@pytest.mark.parametrize(("given", "expect"), rows("pdb_counts"))
def test_counts(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """7 rows: desired and allowed, for a number of healthy pods of one controller."""
    pods = [
        owned_pod({"name": f"p{i}", "controller": "rs", "ready": i < given["healthy"]})
        for i in range(given["expected"])
    ]
    status = budget_status(budget(**limits(given)), pods, {"rs": given["expected"]}, NOW)
    assert expect == {"desired": status.desired_healthy, "allowed": status.disruptions_allowed}


@pytest.mark.parametrize(("given", "expect"), rows("decide_eviction"))
def test_decision(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """16 rows: code, charge, and the words of a refusal."""
    row = given["pod"]
    evicted = pod("p", labels=LABELS, phase=row["phase"], ready=row["ready"])
    if row.get("terminating"):
        evicted.metadata.deletion_timestamp = NOW
    answer = decide_eviction(
        evicted, [stored(each) for each in given["pdbs"]], dry_run=given.get("dry_run", False)
    )
    seen: dict[str, Any] = {
        "result": {201: "delete", 429: "retry"}.get(answer.code, "error"),
        "code": answer.code,
        "decrement": answer.charged,
        "cause": answer.cause,
        "retry_after": answer.retry_after,
    }
    if given["pdbs"]:
        seen["allowed_after"] = given["pdbs"][0]["allowed"] - answer.charged
    assert {key: seen[key] for key in expect} == expect


def stored(row: dict[str, Any]) -> PodDisruptionBudget:
    made = budget(row["name"], min_available=1, unhealthy_pod_eviction_policy=row.get("policy"))
    made.status.observed_generation = 1
    made.status.disruptions_allowed = row["allowed"]
    made.status.current_healthy, made.status.desired_healthy = row["healthy"], row["desired"]
    if row.get("condition"):
        made.status.conditions = [Condition(type="DisruptionAllowed", **row["condition"])]
    return made


@pytest.mark.parametrize(("given", "expect"), rows("drain_sequence"))
def test_drain_sequence(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """2 rows: one round of a drain, before the disruption controller counts again."""
    world = World()
    world.add(node("node-1"))
    healthy, desired = given["healthy"], given["desired"]
    numbers = {"name": "foo", "allowed": healthy - desired, "healthy": healthy, "desired": desired}
    world.add(stored(numbers))
    owner = world.add(replica_set("web"))
    for name in given["pods"]:
        world.add(pod(name, labels=LABELS, owner=owner, node="node-1", phase="Running", ready=True))
    report = drain(world.client(), "node-1", NOW)
    going = {each.name for each in world.list(Pod) if each.metadata.deleting}
    assert [[name, "evicted" if name in going else "429"] for name in given["pods"]] == expect["results"]
    assert (report.state, sorted(report.left)) == ("waiting", [f"default/{name}" for name in given["pods"]])
    found = world.get(Node, "node-1")
    assert found is not None
    assert found.spec.unschedulable


@pytest.mark.parametrize(("given", "expect"), rows("matches"))
def test_matches(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows: what a selector covers; that of the scheduler, which differs on purpose, is told apart here."""
    asked = budget(selector=given["selector"], min_available=0)
    labelled = pod("p", labels=given["labels"], phase="Running", ready=True)
    covered = budget_status(asked, [labelled], {}, NOW).expected_pods == 1
    refused = decide_eviction(labelled, [asked]).code == 429
    if given.get("user") == "preemption":
        assert (covered, refused) == (not expect["matches"], not expect["matches"])
        return
    assert (covered, refused) == (expect["matches"], expect["matches"])


@pytest.mark.parametrize(("given", "expect"), rows("validate"))
def test_validate(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """5 rows: specs that the API server would store, and specs that it would not."""
    if expect["valid"]:
        budget_status(budget(**given), [], {}, NOW)
        return
    with pytest.raises(ValueError, match=r"."):
        budget_status(budget(**given), [], {}, NOW)
