"""The scheduler: what fits, in which words it does not, and first fit by name."""

from __future__ import annotations

from typing import Any

import pytest

from kubekata import Conflict, Node, NotFound, Pod, Taint, Toleration
from kubekata.cluster.actors import Scheduler
from kubekata.cluster.actors.fitting import Needs, NodeRoom, Refusal, fit_message
from kubekata.cluster.api import ApiRequest
from kubekata.cluster.scheme import to_manifest
from kubekata.cluster.strategies import validate_tolerations
from kubekata.cluster.validation import FieldError
from kubekata.cluster.world import World
from kubekata.testing import node, pod
from tests.cluster.vectors import each, recorded

Given = dict[str, Any]


def _amounts(given: Given) -> Given:
    return {key: f"{value}m" if key == "cpu" else str(value) for key, value in given.items()}


def _needs(requests: Given) -> Needs:
    return Needs.of({"spec": {"containers": [{"resources": {"requests": _amounts(requests)}}]}})


@each("scheduler", "fit")
def test_fit(given: Given, expect: Given) -> None:
    allocatable = _amounts(given["allocatable"])
    room = NodeRoom({"metadata": {}, "status": {"allocatable": allocatable}})
    room.take(_needs(given["used"]))
    room.pods = given["pods_on_node"]
    refusal = room.refusal(_needs(given["request"]))
    assert (list(refusal.reasons) if refusal else []) == expect["reasons"]
    status = "Success"
    if refusal:
        status = "UnschedulableAndUnresolvable" if refusal.for_good else "Unschedulable"
    assert status == expect["status"]


@each("scheduler", "fit_error")
def test_the_histogram_of_reasons(given: Given, expect: Given) -> None:
    if given.get("prefilter"):
        pytest.skip("no filter here looks at all nodes at once")
    refusals = [Refusal(tuple(reasons)) for reasons in given["node_reasons"]]
    histogram = fit_message(refusals).split(" no new claims", 1)[0]
    assert histogram == expect["message"].split(" preemption:", 1)[0]


@each("taints", "tolerates")
def test_tolerates(given: Given, expect: Given) -> None:
    if given.get("comparison_operators"):
        pytest.skip("Lt and Gt belong to an alpha feature that is off")
    needs = Needs.of({"spec": {"tolerations": [given["toleration"]]}})
    assert needs.tolerates(given["taint"]) is expect["tolerated"]


@each("taints", "can_schedule")
def test_taints_block(given: Given, expect: Given) -> None:
    room = NodeRoom(
        {"metadata": {}, "spec": {"taints": given["taints"]}, "status": {"allocatable": {"pods": 1}}}
    )
    refusal = room.refusal(Needs.of({"spec": {"tolerations": given["tolerations"]}}))
    assert (refusal is None) is expect["schedulable"]


def test_every_recorded_filter_verdict() -> None:
    compared = 0
    for row in recorded("scheduler_fit"):
        wanted = row["given"]["pod"]
        asked = _needs({"cpu": wanted["cpu_m"], "memory": wanted["mem_mi"] * 2**20})
        for given, expect in zip(row["given"]["nodes"], row["expect"], strict=True):
            size = {"cpu": f"{given['cpu_m']}m", "memory": f"{given['mem_mi']}Mi", "pods": given["max_pods"]}
            room = NodeRoom({"metadata": {}, "status": {"allocatable": size}})
            for other in given["pods"]:
                room.take(_needs({"cpu": other["cpu_m"], "memory": other["mem_mi"] * 2**20}))
            refusal = room.refusal(asked)
            assert (refusal is None) is expect["fits"], row
            assert (list(refusal.reasons) if refusal else []) == expect["reasons"], row
            compared += 1
    assert compared > 1000


def _placements(world: World) -> dict[str, str]:
    return {p.name: p.spec.node_name for p in world.list(Pod)}


def _message(world: World, name: str) -> str:
    found = world.get(Pod, name)
    assert found is not None
    (condition,) = [c for c in found.status.conditions if c.type == "PodScheduled"]
    assert (condition.status, condition.reason) == ("False", "Unschedulable")
    return condition.message


class TestPlacing:
    """First fit by node name."""

    def test_the_first_node_by_name_that_fits(self) -> None:
        world = World()
        for name in ("node-b", "node-a", "node-c"):
            world.add(node(name, cpu="1"))
        world.start(Scheduler(world))
        for index in range(5):
            world.client().create(pod(f"p{index}", cpu="500m"))
            world.settle()
        assert list(_placements(world).values()) == ["node-a", "node-a", "node-b", "node-b", "node-c"]

    def test_a_pod_that_fits_nowhere_says_why_and_is_placed_when_it_fits(self) -> None:
        world = World()
        for name in ("node-a", "node-b", "node-c"):
            world.add(node(name, cpu="4"))
        world.start(Scheduler(world))
        client = world.client()
        for index in range(4):
            client.create(pod(f"p{index}", cpu="2900m"))
        world.settle()
        assert _message(world, "p3") == (
            "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes "
            "are available: 3 No preemption victims found for incoming pod."
        )
        client.delete(Pod, "p1", grace_period_seconds=0)
        world.settle()
        assert _placements(world)["p3"] == "node-b"

    def test_all_kinds_of_refusal_in_one_message(self) -> None:
        world = World()
        world.add(node("full", cpu="100m"))
        world.add(node("tainted", taints=[Taint(key="gpu", effect="NoSchedule")]))
        cordoned = node("cordoned")
        cordoned.spec.unschedulable = True
        world.add(cordoned)
        world.start(Scheduler(world))
        world.client().create(pod("p", cpu="1"))
        world.settle()
        assert _message(world, "p").startswith(
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
            "1 node(s) were unschedulable. "
        )

    def test_no_nodes_at_all(self) -> None:
        world = World()
        world.start(Scheduler(world))
        world.client().create(pod("p"))
        world.settle()
        assert _message(world, "p") == "no nodes available to schedule pods"
        world.add(node("node-1"))
        world.settle()
        assert _placements(world) == {"p": "node-1"}

    def test_a_toleration_and_an_uncordoned_node_open_the_door(self) -> None:
        world = World()
        world.add(node("node-1", taints=[Taint(key="gpu", effect="NoSchedule")]))
        world.start(Scheduler(world))
        client = world.client()
        client.create(pod("tolerant", tolerations=[Toleration(key="gpu", operator="Exists")]))
        client.create(pod("plain"))
        world.settle()
        assert _placements(world) == {"plain": "", "tolerant": "node-1"}
        tainted = client.get(Node, "node-1")
        tainted.spec.taints = []
        client.update(tainted)
        world.settle()
        assert _placements(world)["plain"] == "node-1"

    def test_higher_priority_goes_first(self) -> None:
        world = World()
        world.start(Scheduler(world))
        for name, priority in (("low", 0), ("high", 10)):
            wanted = pod(name, cpu="1")
            wanted.spec.priority = priority
            world.client().create(wanted)
        world.add(node("node-1", cpu="1"))
        world.settle()
        assert _placements(world) == {"high": "node-1", "low": ""}

    def test_finished_pods_free_their_room(self) -> None:
        world = World()
        world.add(node("node-1", cpu="1"))
        world.add(pod("done", node="node-1", phase="Running", cpu="1"))
        world.start(Scheduler(world))
        client = world.client()
        client.create(pod("next", cpu="1"))
        world.settle()
        assert _placements(world)["next"] == ""
        done = client.get(Pod, "done")
        done.status.phase = "Succeeded"
        client.update_status(done)
        world.settle()
        assert _placements(world)["next"] == "node-1"

    def test_heartbeats_do_not_wake_it(self) -> None:
        world = World()
        world.add(node("node-1", cpu="1"))
        scheduler = Scheduler(world)
        world.client().create(pod("p", cpu="2"))
        scheduler.sync()
        beating = world.client().get(Node, "node-1")
        beating.status.conditions[0].last_heartbeat_time = world.now()
        world.client().update_status(beating)
        mark = len(world.log)
        assert not scheduler.sync()
        assert len(world.log) == mark


class TestBinding:
    """The binding subresource."""

    @staticmethod
    def _bind(world: World, name: str, target: str) -> None:
        body = {"target": {"kind": "Node", "name": target}}
        world.transport().call(
            ApiRequest(
                verb="create",
                api_version="v1",
                kind="Pod",
                namespace="default",
                name=name,
                subresource="binding",
                body=body,
            )
        )

    def test_a_pod_is_bound_once(self) -> None:
        world = World()
        world.client().create(pod("p"))
        self._bind(world, "p", "node-1")
        with pytest.raises(Conflict, match='pod p is already assigned to node "node-1"'):
            self._bind(world, "p", "node-2")

    def test_a_missing_pod(self) -> None:
        with pytest.raises(NotFound):
            self._bind(World(), "p", "node-1")


@each("taints", "validate_toleration")
def test_validate_toleration(given: Given, expect: Given) -> None:
    if given.get("comparison_operators"):
        pytest.skip("Lt and Gt belong to an alpha feature that is off")
    toleration = {"tolerationSeconds" if k == "seconds" else k: v for k, v in given["toleration"].items()}
    errors: list[FieldError] = validate_tolerations([toleration], "spec.tolerations")
    assert (not errors) is expect["valid"]


def test_the_needs_of_a_typed_pod() -> None:
    needs = Needs.of(to_manifest(pod("p", cpu="250m", memory="1Gi")))
    assert dict(needs.amounts) == {"cpu": 250, "memory": 2**30}
