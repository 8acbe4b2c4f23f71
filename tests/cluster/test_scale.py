"""What a call costs depends on what it touches, not on what else there is.

Costs are counted in function calls, which do not depend on how busy the machine is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from kubekata import ConfigMap, Node, ObjectMeta, Pod, ReplicaSet
from kubekata.cluster.actors import Kubelet, ReplicaSetController, Scheduler
from kubekata.cluster.world import World
from kubekata.testing import node, pod, replica_set


def _cost(action: Callable[[], object]) -> int:
    """Count the function calls of an action, those of C included."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def _world(others: int) -> World:
    """A world with one ReplicaSet of three pods on one node, and ``others`` times more beside it."""
    world = World()
    for index in range(others + 1):
        world.add(node(f"node-{index:05}"))
        owner = world.add(replica_set(f"web-{index:05}", 3))
        for number in range(3):
            world.add(
                pod(
                    f"web-{index:05}-{number}",
                    labels={"app": owner.name},
                    owner=owner,
                    node=f"node-{index:05}",
                    phase="Running",
                    ready=True,
                )
            )
        world.add(ConfigMap(metadata=ObjectMeta(name=f"config-{index:05}", namespace="default")))
    return world


def _calls(world: World) -> dict[str, Callable[[], object]]:
    client = world.client()
    owner = client.get(ReplicaSet, "web-00000")

    def update() -> None:
        found = client.get(Pod, "web-00000-0")
        found.metadata.annotations["seen"] = "yes"
        client.update(found)

    return {
        "get": lambda: client.get(Pod, "web-00000-0"),
        "list by owner": lambda: client.list(Pod, owner=owner),
        "list by label": lambda: client.list(Pod, labels={"app": "web-00000"}),
        "list by node": lambda: client.list(Pod, fields="spec.nodeName=node-00000"),
        "update": update,
        "create": lambda: client.create(pod("fresh")),
        "delete": lambda: client.delete(Pod, "fresh"),
    }


@pytest.mark.parametrize("name", list(_calls(_world(0))))
def test_a_call_does_not_pay_for_other_objects(name: str) -> None:
    few, many = _world(2), _world(400)
    if name == "delete":
        for world in (few, many):
            world.client().create(pod("fresh"))
    assert _cost(_calls(many)[name]) <= 1.1 * _cost(_calls(few)[name])


def test_an_idle_control_plane_does_nothing() -> None:
    world = _world(400)
    world.start_control_plane()
    world.settle()
    assert _cost(world.settle) < 200


def test_one_change_costs_the_actors_what_it_touches() -> None:
    costs = []
    for others in (2, 400):
        world = _world(others)
        world.start(ReplicaSetController(world), Scheduler(world), Kubelet(world))
        world.settle()
        client = world.client()

        def lose_a_pod(world: World = world, client: Any = client) -> None:
            client.delete(Pod, "web-00000-0", grace_period_seconds=0)
            world.settle()

        costs.append(_cost(lose_a_pod))
        assert len([p for p in world.list(Pod, labels={"app": "web-00000"}) if p.active]) == 3
    assert costs[1] <= 1.2 * costs[0]


def test_many_equal_pods_are_placed_without_starting_over() -> None:
    """Doubling nodes and pods doubles the work, though every pod would look at every full node before."""
    costs = []
    for size in (100, 200):
        world = World()
        for index in range(size):
            world.add(node(f"node-{index:05}", cpu="1"))
        scheduler = Scheduler(world)
        for index in range(2 * size):
            world.client().create(pod(f"p-{index:05}", cpu="500m"))
        costs.append(_cost(scheduler.sync))
        assert all(p.spec.node_name for p in world.list(Pod))
    assert costs[1] <= 2.3 * costs[0]


def test_a_large_cluster_loads_and_lists() -> None:
    world = World()
    for index in range(500):
        world.add(node(f"node-{index:05}"))
    for index in range(5000):
        world.add(pod(f"pod-{index:05}", node=f"node-{index % 500:05}", phase="Running"))
    assert len(world.client().list(Node)) == 500
    assert len(world.client().list(Pod)) == 5000
    assert len(world.client().list(Pod, fields="spec.nodeName=node-00007")) == 10
