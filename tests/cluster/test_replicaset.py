"""The ReplicaSet controller: which pods it claims, makes, deletes first, and what it reports."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubekata import (
    ContainerStatus,
    Forbidden,
    ObjectMeta,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    ReplicaSet,
)
from kubekata.cluster.actors import Kubelet, ReplicaSetController, Scheduler
from kubekata.cluster.actors.deletion_order import DELETION_COST, deletion_cost, pods_to_delete
from kubekata.cluster.clock import EPOCH
from kubekata.cluster.world import World
from kubekata.testing import node, pod, replica_set
from tests.cluster.vectors import each, recorded, rows

Given = dict[str, Any]
_NOW = EPOCH + timedelta(days=100)


def _pod(row: Given, name: str = "") -> Pod:
    """Build a pod from a row: ages in seconds back from now, a null age for a missing time."""
    conditions = []
    if row.get("ready"):
        age = row.get("ready_age", row.get("ready_seconds"))
        since = None if age is None else _NOW - timedelta(seconds=age)
        conditions.append(PodCondition(type="Ready", status="True", last_transition_time=since))
    age = row.get("age", row.get("age_seconds"))
    cost = row.get("cost", row.get("deletion_cost", 0))
    return Pod(
        metadata=ObjectMeta(
            name=row.get("name", name),
            uid=row.get("uid", ""),
            annotations={DELETION_COST: str(cost)},
            creation_timestamp=None if age is None else _NOW - timedelta(seconds=age),
        ),
        spec=PodSpec(node_name=row.get("node", "")),
        status=PodStatus(
            phase=row["phase"],
            conditions=conditions,
            container_statuses=[ContainerStatus(restart_count=row.get("restarts", 0))],
        ),
    )


def _goes_first(one: Pod, other: Pod, ranks: list[int]) -> bool:
    """Compare two pods as if that many active pods were on the node of each."""
    one.spec.node_name = one.spec.node_name and "one"
    other.spec.node_name = other.spec.node_name and "other"
    crowd = [
        pod("x", node=p.spec.node_name)
        for p, rank in zip((one, other), ranks, strict=True)
        for _ in range(rank)
    ]
    forward = pods_to_delete([one, other], crowd, 1, _NOW) == [one]
    backward = pods_to_delete([other, one], crowd, 1, _NOW) == [one]
    return forward and backward


_LESS = [row for row in rows("replicaset", "less") if "sidecar_restarts" not in row["given"]["a"]]


@pytest.mark.parametrize("row", _LESS, ids=[row["id"] for row in _LESS])
def test_the_order_of_two_pods(row: Given) -> None:
    one, other = row["given"]["a"], row["given"]["b"]
    ranks = [one.get("rank", 0), other.get("rank", 0)]
    assert _goes_first(_pod(one, "a"), _pod(other, "b"), ranks) is row["expect"]["less"]


_ORDERS = [
    row
    for row in rows("replicaset", "delete_order")
    if not any("sidecar_restarts" in p for p in row["given"]["pods"])
]


@pytest.mark.parametrize("row", _ORDERS, ids=[row["id"] for row in _ORDERS])
def test_the_pods_that_go(row: Given) -> None:
    given = row["given"]
    pods = [_pod(p) for p in given["pods"]]
    related = pods if given["related"] is None else [_pod(p) for p in given["related"]]
    gone = pods_to_delete(pods, related, given["diff"], _NOW)
    assert [p.metadata.name for p in gone] == row["expect"]["delete"]


def test_the_order_in_every_recorded_case() -> None:
    compared = 0
    for row in recorded("replicaset_rank"):
        pods = [_pod(p) for p in row["given"]["pods"]]
        order = [p.metadata.name for p in pods_to_delete([*pods, _last()], pods, len(pods), _NOW)]
        tied = {frozenset(tie) for tie in row["expect"]["ties"]}
        for got, expected in zip(order, row["expect"]["deletion_order"], strict=True):
            assert got == expected or any({got, expected} <= tie for tie in tied), row
        compared += 1
    assert compared == 800


def _last() -> Pod:
    """A pod that outlives all others, so that the others have to be sorted."""
    return _pod({"name": "last", "phase": "Running", "node": "far", "ready": True, "cost": 2**31 - 1})


@each("replicaset", "deletion_cost")
def test_deletion_cost(given: Given, expect: Given) -> None:
    annotated = pod("p")
    if given.get("annotation") is not None:
        annotated.metadata.annotations = {DELETION_COST: given["annotation"]}
    assert deletion_cost(annotated) == expect["cost"]


@each("replicaset", "claim")
def test_claim(given: Given, expect: Given) -> None:
    if not given["controller"]["namespace"]:
        pytest.skip("a ReplicaSet has a namespace")
    world = World()
    world.ensure_namespace("fakens")
    owner = replica_set("web", len(given["pods"]))
    owner.metadata.uid = given["controller"]["uid"]
    if given["controller"].get("deleting"):
        owner.metadata.deletion_timestamp = world.now()
        owner.metadata.finalizers = ["example.com/hold"]
    owner = world.add(owner)
    for row in given["pods"]:
        made = pod(row["name"], labels={"app": "web" if row["matches"] else "other"}, phase="Running")
        made.metadata.namespace = row.get("namespace", "default")
        if row["owner"]:
            reference = owner.owner_reference()
            reference.uid = row["owner"]
            made.metadata.owner_references = [reference]
        if row.get("deleting"):
            made.metadata.deletion_timestamp = world.now()
            made.metadata.finalizers = ["example.com/hold"]
        world.add(made)
    controller = ReplicaSetController(world)
    controller.sync()
    touched = [
        ["adopt" if owned else "release", call.name]
        for call in world.log.writes(user="replicaset-controller")
        if call.verb == "update" and call.kind == "Pod" and call.after is not None
        for owned in [bool(call.after["metadata"].get("ownerReferences"))]
    ]
    assert sorted(touched) == sorted(expect["patches"])
    claimed = {
        p.name
        for p in world.list(Pod, owner=owner)
        if p.metadata.labels == {"app": "web"} and p.name.startswith("pod")
    }
    assert claimed == set(expect["claimed"])


@each("replicaset", "status")
def test_status(given: Given, expect: Given) -> None:
    world = World(start=_NOW)
    owner = replica_set("web", given["desired"])
    owner.spec.min_ready_seconds = given.get("min_ready", 0)
    owner.spec.template.metadata.labels = {"app": "web", "full": "yes"}
    owner = world.add(owner)
    for index, row in enumerate(given["pods"]):
        labels = {"app": "web", "full": "yes"} if row["full_labels"] else {"app": "web"}
        made = pod(f"pod-{index}", labels=labels, owner=owner, phase="Running", ready=row["ready"])
        if row["ready"] and row["ready_age"] is not None:
            made.status.conditions[0].last_transition_time = _NOW - timedelta(seconds=row["ready_age"])
        world.add(made)
    if given.get("has_failure_condition"):
        pytest.skip("see TestScaling: a failure is reported once, and cleared when it is over")
    if given.get("error"):
        world.faults_of("replicaset-controller").fail(Forbidden(given["error"]), "create", Pod, times=100)
        world.faults_of("replicaset-controller").fail(Forbidden(given["error"]), "delete", Pod, times=100)
    controller = ReplicaSetController(world)
    controller.sync()
    reported = world.get(ReplicaSet, "web")
    assert reported is not None
    status = reported.status
    got = {
        "replicas": status.replicas,
        "fully_labeled": status.fully_labeled_replicas,
        "ready": status.ready_replicas,
        "available": status.available_replicas,
        "failure": next((c.reason for c in status.conditions if c.type == "ReplicaFailure"), None),
    }
    assert {key: got[key] for key in expect} == expect


class TestScaling:
    """Up, down, and through trouble."""

    def test_up_down_and_nothing_to_do(self) -> None:
        world = World()
        world.start(ReplicaSetController(world))
        client = world.client()
        client.create(replica_set("web", 3))
        world.settle()
        pods = world.list(Pod)
        assert len(pods) == 3
        assert all(p.name.startswith("web-") and p.metadata.labels == {"app": "web"} for p in pods)
        mark = len(world.log)
        world.settle()
        world.advance(60)
        assert world.log.writes(user="replicaset-controller", since=mark) == []
        owner = client.get(ReplicaSet, "web")
        owner.spec.replicas = 1
        client.update(owner)
        world.settle()
        assert len(world.list(Pod)) == 1
        assert client.get(ReplicaSet, "web").status.replicas == 1

    def test_a_lost_pod_is_replaced_and_a_finished_one_does_not_count(self) -> None:
        world = World()
        world.start(ReplicaSetController(world))
        client = world.client()
        client.create(replica_set("web", 2))
        world.settle()
        one, two = world.list(Pod)
        client.delete(one)
        two.status.phase = "Failed"
        client.update_status(two)
        world.settle()
        assert len([p for p in world.list(Pod) if p.active]) == 2
        assert len(world.list(Pod)) == 3

    def test_large_sets_are_made_in_bursts(self) -> None:
        world = World()
        controller = ReplicaSetController(world)
        world.client().create(replica_set("web", 1200))
        sizes = []
        while controller.sync():
            sizes.append(len(world.list(Pod)))
        assert sizes[:3] == [500, 1000, 1200]

    def test_a_failure_is_reported_and_cleared(self) -> None:
        world = World()
        world.start(ReplicaSetController(world))
        world.faults_of("replicaset-controller").fail(Forbidden("quota"), "create", Pod, times=2)
        client = world.client()
        client.create(replica_set("web", 1))
        world.settle()
        failed = client.get(ReplicaSet, "web").status.conditions
        assert [(c.type, c.reason, c.message) for c in failed] == [
            ("ReplicaFailure", "FailedCreate", "quota")
        ]
        world.advance(5)
        assert client.get(ReplicaSet, "web").status.conditions == []
        assert len(world.list(Pod)) == 1

    def test_availability_waits_for_min_ready_seconds(self) -> None:
        world = World()
        world.add(node("node-1"))
        world.start(ReplicaSetController(world), Scheduler(world), Kubelet(world, ready_after=5))
        owner = replica_set("web", 1)
        owner.spec.min_ready_seconds = 10
        client = world.client()
        client.create(owner)
        seen = []
        for _ in range(4):
            status = client.get(ReplicaSet, "web").status
            seen.append((status.ready_replicas, status.available_replicas))
            world.advance(5)
        assert seen == [(0, 0), (1, 0), (1, 0), (1, 1)]

    def test_parts_of_the_template_that_no_type_knows_reach_the_pods(self) -> None:
        world = World()
        world.start(ReplicaSetController(world))
        probe = {"httpGet": {"path": "/", "port": 80}}
        template = {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "app:1", "readinessProbe": probe}]},
        }
        manifest = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "web"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template},
        }
        world.api.create(world.api.resource("apps/v1", "ReplicaSet"), "default", manifest)
        world.settle()
        (made,) = world.api.store.list("pods")
        assert made["spec"]["containers"][0]["readinessProbe"] == probe
