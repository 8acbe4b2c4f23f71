"""Examples from the brief. They run in your own process: print and the debugger work."""

from datetime import timedelta

import pytest
from kata import reconcile

from kubekata import Node, Pod, Request, Result, Toleration
from kubekata.testing import EPOCH, World, node, pod

UNREACHABLE = "node.kubernetes.io/unreachable"
NODE_A = Request("node-a")


@pytest.fixture
def world() -> World:
    """Three nodes; node-a has a pod that may stay 300 seconds, and one that may stay 60."""
    world = World()
    for name in ("node-a", "node-b", "node-c"):
        world.add(node(name))
    for name, seconds in (("patient", 300), ("hasty", 60)):
        toleration = Toleration(
            key=UNREACHABLE, operator="Exists", effect="NoExecute", toleration_seconds=seconds
        )
        world.add(pod(name, node="node-a", phase="Running", tolerations=[toleration]))
    return world


def at(world: World, seconds: float) -> Result:
    """Go to a moment, let node-b and node-c send their heartbeats, and look at node-a."""
    world.clock.set(EPOCH + timedelta(seconds=seconds))
    for name in ("node-b", "node-c"):
        heartbeat(world, name)
    return reconcile(world.client(), NODE_A)


def heartbeat(world: World, name: str) -> None:
    kubelet = world.client("kubelet")
    found = kubelet.get(Node, name)
    found.status.conditions[0].status = "True"
    found.status.conditions[0].last_heartbeat_time = world.now()
    kubelet.update_status(found)


def going(world: World) -> list[str]:
    """A pod on a node that does not answer stays for its grace period: being deleted is all there is to see."""
    return [found.name for found in world.list(Pod) if found.metadata.deleting]


def test_silent_for_exactly_the_grace_period(world: World) -> None:
    result = at(world, 50)
    assert result.requeue_after is not None
    assert 0 < result.requeue_after <= 1
    assert not world.writes()


def test_a_node_falls_silent_and_comes_back(world: World) -> None:
    result = at(world, 51)
    found = world.client().get(Node, "node-a")
    assert (found.status.conditions[0].status, found.status.conditions[0].reason) == (
        "Unknown",
        "NodeStatusUnknown",
    )
    assert {(taint.key, taint.effect) for taint in found.spec.taints} == {
        (UNREACHABLE, "NoSchedule"),
        (UNREACHABLE, "NoExecute"),
    }
    assert result == Result(requeue_after=60)

    result = at(world, 111)
    assert going(world) == ["hasty"]
    assert result == Result(requeue_after=240)

    world.clock.set(EPOCH + timedelta(seconds=200))
    heartbeat(world, "node-a")
    at(world, 200)
    assert world.client().get(Node, "node-a").spec.taints == []
    at(world, 240)
    assert going(world) == ["hasty"]


def test_all_nodes_are_down(world: World) -> None:
    world.clock.set(EPOCH + timedelta(seconds=60))
    reconcile(world.client(), NODE_A)
    found = world.client().get(Node, "node-a")
    assert {taint.effect for taint in found.spec.taints} == {"NoSchedule"}


def test_a_node_that_is_gone(world: World) -> None:
    assert reconcile(world.client(), Request("node-z")) == Result()
