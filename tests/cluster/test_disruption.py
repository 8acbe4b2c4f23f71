"""Disruption budgets and evictions, against the recorded decisions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubekata import (
    Condition,
    LabelSelector,
    ObjectMeta,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    TooManyRequests,
)
from kubekata.cluster.actors import DisruptionController
from kubekata.cluster.api import ApiRequest
from kubekata.cluster.errors import ApiError, Invalid
from kubekata.cluster.selectors import selector_matches
from kubekata.cluster.world import World
from kubekata.testing import pod, replica_set
from tests.cluster.vectors import each

Given = dict[str, Any]
_LABELS = {"app": "web"}


def _budget(name: str = "foo", **spec: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        metadata=ObjectMeta(name=name, namespace="default"),
        spec=PodDisruptionBudgetSpec(selector=LabelSelector(match_labels=dict(_LABELS)), **spec),
    )


@each("pdb", "pdb_status")
def test_status(given: Given, expect: Given) -> None:
    world = World()
    owners = {name: world.add(replica_set(name, size)) for name, size in given["scales"].items()}
    for row in given["pods"]:
        made = pod(
            row["name"],
            labels=_LABELS,
            phase="Running",
            ready=row["ready"],
            owner=owners.get(row["controller"]),
        )
        if row.get("deleting"):
            made.metadata.deletion_timestamp = world.now()
        world.add(made)
    budget = _budget(min_available=given.get("min_available"), max_unavailable=given.get("max_unavailable"))
    ages = given.get("disrupted", {})
    budget.status.disrupted_pods = {name: world.now() - timedelta(seconds=age) for name, age in ages.items()}
    world.add(budget)
    DisruptionController(world).sync()
    found = world.get(PodDisruptionBudget, "foo")
    assert found is not None
    status = found.status
    got = {
        "allowed": status.disruptions_allowed,
        "healthy": status.current_healthy,
        "desired": status.desired_healthy,
        "expected": status.expected_pods,
        "disrupted": sorted(status.disrupted_pods),
    }
    assert {key: got[key] for key in expect} == expect


@each("pdb", "decide_eviction")
def test_decide_eviction(given: Given, expect: Given) -> None:
    world = World()
    row = given["pod"]
    made = pod("p", labels=_LABELS, node="node-1", phase=row["phase"], ready=row["ready"])
    if row.get("terminating"):
        made.metadata.deletion_timestamp = world.now()
        made.metadata.deletion_grace_period_seconds = 30
    world.add(made)
    for budget_row in given["pdbs"]:
        world.add(_budget_from(budget_row))
    request_dry_run = given.get("dry_run", False)
    try:
        _evict(world, dry_run=request_dry_run)
        result: Given = {"result": "delete"}
    except TooManyRequests as error:
        causes = error.details["causes"]
        result = {
            "result": "retry",
            "code": error.code,
            "retry_after": error.retry_after or 0,
            "cause": causes[0]["message"],
        }
    except ApiError as error:
        result = {"result": "error", "code": error.code}
    if given["pdbs"]:
        before = given["pdbs"][0]["allowed"]
        after = world.get(PodDisruptionBudget, given["pdbs"][0]["name"])
        assert after is not None
        result["decrement"] = after.status.disruptions_allowed < before
        result["allowed_after"] = after.status.disruptions_allowed
    else:
        result["decrement"] = False
    for key, value in expect.items():
        assert result.get(key) == value, key


def _budget_from(row: Given) -> PodDisruptionBudget:
    budget = _budget(row["name"], min_available=1)
    budget.spec.unhealthy_pod_eviction_policy = row.get("policy")
    status = budget.status
    status.observed_generation = row.get("observed_generation", 1)
    status.disruptions_allowed = row["allowed"]
    status.current_healthy, status.desired_healthy = row["healthy"], row["desired"]
    if row.get("condition"):
        status.conditions = [Condition(type="DisruptionAllowed", **row["condition"])]
    return budget


def _evict(world: World, name: str = "p", *, dry_run: bool = False) -> None:
    world.transport().call(
        ApiRequest(
            verb="create",
            api_version="v1",
            kind="Pod",
            namespace="default",
            name=name,
            subresource="eviction",
            body={},
            dry_run=dry_run,
        )
    )


@each("pdb", "drain_sequence")
def test_a_drain_cannot_overspend(given: Given, expect: Given) -> None:
    world = World()
    owner = world.add(replica_set("web", given["healthy"]))
    for index in range(given["healthy"]):
        name = given["pods"][index] if index < len(given["pods"]) else f"other-{index}"
        world.add(pod(name, labels=_LABELS, node="node-1", phase="Running", ready=True, owner=owner))
    world.add(_budget(min_available=given["desired"]))
    world.start(DisruptionController(world))
    world.settle()
    results = []
    for name in given["pods"]:
        try:
            _evict(world, name)
            results.append([name, "evicted"])
        except TooManyRequests:
            results.append([name, "429"])
    assert results == expect["results"]


@each("pdb", "matches")
def test_matches(given: Given, expect: Given) -> None:
    if given.get("user") == "preemption":
        pytest.skip("no actor preempts")
    assert selector_matches(given["selector"], given["labels"]) is expect["matches"]


@each("pdb", "validate")
def test_validate(given: Given, expect: Given) -> None:
    client = World().client()
    try:
        client.create(_budget(**given))
        valid = True
    except Invalid:
        valid = False
    assert valid is expect["valid"]


def test_two_budgets_are_an_error_of_the_server() -> None:
    world = World()
    world.add(pod("p", labels=_LABELS, node="node-1", phase="Running", ready=True))
    world.add(_budget("one", min_available=0))
    world.add(_budget("two", min_available=0))
    with pytest.raises(ApiError, match="more than one PodDisruptionBudget") as refused:
        _evict(world)
    assert refused.value.code == 500


def test_a_budget_that_was_not_seen_yet_asks_for_patience() -> None:
    world = World()
    client = world.client()
    world.add(pod("p", labels=_LABELS, node="node-1", phase="Running", ready=True))
    client.create(_budget(min_available=0))
    with pytest.raises(TooManyRequests) as refused:
        client.evict(client.get(Pod, "p"))
    assert refused.value.retry_after == 10


def test_an_eviction_that_never_happens_is_written_off_after_two_minutes() -> None:
    world = World()
    for name in ("a", "b"):
        world.add(pod(name, labels=_LABELS, node="node-1", phase="Running", ready=True))
    budget = _budget(min_available=1)
    budget.status.disrupted_pods = {"a": world.now()}
    world.add(budget)
    world.start(DisruptionController(world))
    world.settle()
    allowed = []
    for _ in range(3):
        found = world.get(PodDisruptionBudget, "foo")
        assert found is not None
        allowed.append(found.status.disruptions_allowed)
        world.advance(60)
    assert allowed == [0, 0, 1]
