"""Kubelets, heartbeats, outages and the namespace lifecycle."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kubekata import ConfigMap, Forbidden, Lease, Namespace, Node, NotFound, ObjectMeta, Pod
from kubekata.cluster.actors import Kubelet, NamespaceController, NodeHeartbeats
from kubekata.cluster.world import World
from kubekata.testing import node, pod


def _get(world: World, name: str) -> Pod:
    found = world.get(Pod, name)
    assert found is not None
    return found


class TestKubelet:
    """It starts, reports, and ends the pods of its nodes."""

    def test_a_bound_pod_runs_at_once_and_is_ready_later(self) -> None:
        world = World()
        world.start(Kubelet(world, ready_after=5))
        world.client().create(pod("p", node="node-1"))
        world.settle()
        started = _get(world, "p")
        assert (started.status.phase, started.ready) == ("Running", False)
        assert started.status.start_time == world.now()
        world.advance(4.9)
        assert not _get(world, "p").ready
        world.advance(0.1)
        ready = _get(world, "p")
        assert ready.ready
        (condition,) = [c for c in ready.status.conditions if c.type == "Ready"]
        assert condition.last_transition_time == world.now()

    def test_an_unbound_pod_waits(self) -> None:
        world = World()
        world.start(Kubelet(world))
        world.client().create(pod("p"))
        world.advance(60)
        assert _get(world, "p").status.phase == "Pending"

    def test_readiness_by_image_label_and_name(self) -> None:
        world = World()
        kubelet = Kubelet(world, ready_after=1)
        kubelet.set_ready_after(None, image="bad:1")
        kubelet.set_ready_after(10, labels={"tier": "slow"})
        kubelet.set_ready_after(0, name="special")
        world.start(kubelet)
        client = world.client()
        client.create(pod("plain", node="node-1"))
        client.create(pod("bad", node="node-1", image="bad:1"))
        client.create(pod("slow", node="node-1", labels={"tier": "slow"}))
        client.create(pod("special", node="node-1", image="bad:1"))
        seen = []
        for _ in range(3):
            world.advance(5 if seen else 0)
            seen.append([p.name for p in world.list(Pod) if p.ready])
        assert seen == [["special"], ["plain", "special"], ["plain", "slow", "special"]]

    def test_a_running_pod_can_lose_and_regain_its_readiness(self) -> None:
        world = World()
        kubelet = Kubelet(world)
        world.start(kubelet)
        world.client().create(pod("p", node="node-1"))
        world.settle()
        kubelet.set_ready_after(None, name="p")
        world.advance(1)
        assert not _get(world, "p").ready
        kubelet.set_ready_after(0, name="p")
        world.advance(1)
        assert _get(world, "p").ready

    def test_pods_put_in_place_by_a_scenario_keep_their_status(self) -> None:
        world = World()
        world.add(pod("p", node="node-1", phase="Running", ready=False))
        world.start(Kubelet(world))
        world.advance(60)
        assert not _get(world, "p").ready

    @pytest.mark.parametrize(("stop_after", "gone_after"), [(0, 0), (5, 5), (100, 30)])
    def test_a_deletion_takes_its_time_but_no_longer_than_the_grace(
        self, stop_after: int, gone_after: int
    ) -> None:
        world = World()
        world.start(Kubelet(world, stop_after=stop_after))
        world.client().create(pod("p", node="node-1"))
        world.settle()
        world.client().delete(Pod, "p")
        if gone_after:
            world.advance(gone_after - 0.5)
            assert _get(world, "p").metadata.deleting
            world.advance(0.5)
        world.settle()
        assert world.get(Pod, "p") is None

    def test_a_finalizer_holds_a_stopped_pod(self) -> None:
        world = World()
        world.start(Kubelet(world))
        held = pod("p", node="node-1")
        held.metadata.finalizers = ["example.com/hold"]
        client = world.client()
        client.create(held)
        world.settle()
        client.delete(Pod, "p")
        world.advance(60)
        stopped = _get(world, "p")
        assert stopped.metadata.deletion_grace_period_seconds == 0
        stopped.metadata.finalizers = []
        client.update(stopped)
        assert world.get(Pod, "p") is None


class TestOutages:
    """A node that is down does nothing at all."""

    def test_nothing_starts_or_ends_there_until_it_is_back(self) -> None:
        world = World()
        world.start(Kubelet(world))
        client = world.client()
        client.create(pod("old", node="node-1"))
        world.settle()
        world.outages.stop("node-1")
        client.create(pod("new", node="node-1"))
        client.delete(Pod, "old")
        world.advance(600)
        assert _get(world, "old").metadata.deleting
        assert _get(world, "new").status.phase == "Pending"
        world.outages.resume("node-1")
        world.settle()
        assert world.get(Pod, "old") is None
        assert _get(world, "new").ready


class TestHeartbeats:
    """Every ten seconds, through the Ready condition, the Lease, or both."""

    @staticmethod
    def _beat(world: World, name: str) -> float:
        found = world.get(Node, name)
        assert found is not None
        (ready,) = [c for c in found.status.conditions if c.type == "Ready"]
        assert ready.last_heartbeat_time is not None
        return (ready.last_heartbeat_time - world.clock.now()) / timedelta(seconds=1)

    def test_stop_and_resume(self) -> None:
        world = World()
        for name in ("node-1", "node-2"):
            world.add(node(name))
        heartbeats = NodeHeartbeats(world)
        world.start(heartbeats)
        world.advance(25)
        assert self._beat(world, "node-1") == -5
        heartbeats.stop("node-1")
        world.advance(40)
        assert (self._beat(world, "node-1"), self._beat(world, "node-2")) == (-45, -5)
        heartbeats.resume("node-1")
        world.advance(5)
        assert self._beat(world, "node-1") == 0

    def test_a_heartbeat_brings_ready_back(self) -> None:
        world = World()
        world.add(node("node-1", ready=False))
        heartbeats = NodeHeartbeats(world)
        world.start(heartbeats)
        world.settle()
        assert world.list(Node)[0].ready
        heartbeats.set_ready("node-1", False)
        world.advance(10)
        assert not world.list(Node)[0].ready

    def test_leases(self) -> None:
        world = World()
        world.add(node("node-1"))
        world.start(NodeHeartbeats(world, status=False, lease=True))
        world.advance(20)
        (lease,) = world.list(Lease)
        assert (lease.namespace, lease.name, lease.spec.holder_identity) == (
            "kube-node-lease",
            "node-1",
            "node-1",
        )
        assert lease.spec.renew_time == world.now()

    def test_the_moments_do_not_depend_on_how_the_clock_is_moved(self) -> None:
        def beats(steps: list[float]) -> list[str]:
            world = World()
            world.add(node("node-1"))
            world.start(NodeHeartbeats(world))
            for step in steps:
                world.advance(step)
            return [str(call.at) for call in world.log.writes(user="kubelet")]

        assert beats([60]) == beats([7, 0, 13.5, 39.5]) == beats([1] * 60)


class TestNamespaces:
    """A namespace goes after its content."""

    def test_content_first(self) -> None:
        world = World()
        world.ensure_namespace("team")
        client = world.client()
        client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="team")))
        held = ConfigMap(metadata=ObjectMeta(name="b", namespace="team", finalizers=["example.com/hold"]))
        client.create(held)
        world.start(NamespaceController(world))
        client.delete(Namespace, "team")
        world.settle()
        assert client.get(Namespace, "team").status.phase == "Terminating"
        assert [c.name for c in world.list(ConfigMap)] == ["b"]
        with pytest.raises(Forbidden, match="because it is being terminated"):
            client.create(ConfigMap(metadata=ObjectMeta(name="c", namespace="team")))
        last = client.get(ConfigMap, "b", "team")
        last.metadata.finalizers = []
        client.update(last)
        world.settle()
        with pytest.raises(NotFound):
            client.get(Namespace, "team")

    def test_an_update_neither_ends_nor_saves_a_namespace(self) -> None:
        world = World()
        world.ensure_namespace("team")
        client = world.client()
        client.delete(Namespace, "team")
        team = client.get(Namespace, "team")
        team.metadata.labels["a"] = "b"
        team.spec.finalizers = []
        client.update(team)
        assert client.get(Namespace, "team").spec.finalizers == ["kubernetes"]
