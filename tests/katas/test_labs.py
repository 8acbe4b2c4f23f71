"""The success criteria of the two labs that the katas grew out of, one test each, on the reference solutions.

The RackNode lab: convergence, idempotency, drift, requeue, finalizer cleanup.
The control-plane lab: reconcile, bin-packing, self-heal, node eviction, HPA, rolling update, stalled rollout,
rollback.
"""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from kubekata import (
    Client,
    Conflict,
    Deployment,
    Node,
    Placement,
    Pod,
    PodCounts,
    RackNode,
    ReplicaCount,
    ReplicaSet,
    Request,
    RevisionNotFoundError,
    Rollout,
    RolloutReport,
    RolloutStalledError,
)
from kubekata.cluster.actors import (
    DeploymentController,
    Kubelet,
    NodeHeartbeats,
    ReplicaSetController,
    Scheduler,
)
from kubekata.demo.reference import References
from kubekata.grading.catalog import Project
from kubekata.testing import World, deployment, node, pod, pod_template, rack_node, replica_set

REFERENCE = References(Project())
NODE = Request("node-00")
WEB = Request("web")
RUNS = 100


def until_quiet(call: Any, world: World) -> None:
    """Call a reconciler as its loop would, moving the clock to each requeue."""
    for _ in range(RUNS):
        wait = call().requeue_after
        if wait is None:
            return
        world.advance(wait)
    pytest.fail(f"asks to be called again after {RUNS} calls")


class Rack:
    """One RackNode, one machine, and the reference operator of a kata."""

    def __init__(self, kata: str, *, state: Any = "Off", firmware: str = "1.0.0", **spec: Any) -> None:
        self.world = World()
        self.world.hardware.add("node-00", power_state=state, firmware=firmware)
        self.world.client("user").create(rack_node("node-00", "2.1.0", **spec))
        self._reconcile = REFERENCE[kata].reconcile

    def reconcile(self) -> Any:
        return self._reconcile(self.world.client(), self.world.rack(), NODE)

    def settle(self) -> None:
        until_quiet(self.reconcile, self.world)

    @property
    def machine(self) -> tuple[str, str]:
        machine = self.world.hardware.machine("node-00")
        assert machine is not None
        return machine.firmware, machine.power_state

    @property
    def object(self) -> RackNode:
        found = self.world.get(RackNode, "node-00")
        assert found is not None
        return found

    def acts(self) -> list[str]:
        return [call.method for call in self.world.hardware.acts()]


class TestRackNodeConverges:
    """From whatever state a machine is in to what its spec says."""

    @pytest.mark.parametrize("power", ["On", "Off"])
    @pytest.mark.parametrize("firmware", ["1.0.0", "2.1.0", "3.0.0"])
    def test_from_any_state(self, power: str, firmware: str) -> None:
        """Provision, upgrade and downgrade, from on and from off."""
        rack = Rack("kata-10", state=power, firmware=firmware)
        rack.settle()
        assert rack.machine == ("2.1.0", "On")
        assert (rack.object.status.phase, rack.object.status.firmware) == ("Ready", "2.1.0")

    def test_to_off(self) -> None:
        """A machine that shall be off is flashed and left off."""
        rack = Rack("kata-10", state="On", power="Off")
        rack.settle()
        assert rack.machine == ("2.1.0", "Off")


class TestRackNodeIsIdempotent:
    """Looking again costs nothing."""

    def test_second_call_touches_no_hardware(self) -> None:
        """A converged machine gets no call but the look."""
        rack = Rack("kata-10")
        rack.settle()
        before = rack.acts()
        assert rack.reconcile().requeue_after is None
        assert rack.acts() == before

    def test_second_call_writes_nothing(self) -> None:
        """The object keeps its resource version."""
        rack = Rack("kata-10")
        rack.settle()
        before = len(rack.world.log)
        rack.reconcile()
        assert rack.world.writes(since=before) == []


class TestRackNodeDrift:
    """What changes behind the operator's back is seen and repaired at the next look."""

    @pytest.mark.parametrize(("firmware", "power"), [("1.4.2", "On"), ("2.1.0", "Off"), ("9.9.9", "Off")])
    def test_out_of_band_change_is_repaired(self, firmware: str, power: Any) -> None:
        """No event is needed: firmware, power, and both."""
        rack = Rack("kata-10")
        rack.settle()
        rack.world.hardware.add("node-00", power_state=power, firmware=firmware)
        rack.settle()
        assert rack.machine == ("2.1.0", "On")

    def test_a_status_that_lies_is_corrected(self) -> None:
        """The world decides, not what was once written about it."""
        rack = Rack("kata-10")
        rack.settle()
        client = rack.world.client("somebody")
        lying = client.get(RackNode, "node-00")
        lying.status.firmware = "7.7.7"
        client.update_status(lying)
        rack.settle()
        assert rack.object.status.firmware == "2.1.0"


class TestRackNodeRequeue:
    """A transient failure is tried again, later and later, and not for ever."""

    def test_failure_asks_for_another_try(self) -> None:
        """A requeue, not a crash, and nothing half-applied."""
        rack = Rack("kata-11")
        rack.world.hardware.fail("flash", "node-00")
        assert (rack.reconcile().requeue_after or 0) > 0
        assert rack.machine == ("1.0.0", "Off")

    def test_waits_double(self) -> None:
        """Exponential backoff while it fails."""
        rack = Rack("kata-11")
        rack.world.hardware.fail("flash", "node-00", times=3)
        waits = [rack.reconcile().requeue_after for _ in range(3)]
        assert waits == [waits[0], 2 * waits[0], 4 * waits[0]]

    def test_success_after_failures(self) -> None:
        """It recovers by itself, and the failures are forgotten."""
        rack = Rack("kata-11")
        rack.world.hardware.fail("flash", "node-00", times=3)
        rack.settle()
        assert rack.machine[0] == "2.1.0"
        assert rack.object.status.retries == 0


class TestRackNodeFinalizer:
    """The machine is cleaned up before its object goes."""

    def deleting(self) -> Rack:
        rack = Rack("kata-08")
        rack.settle()
        rack.world.client("user").delete(rack.object)
        return rack

    def test_finalizer_before_hardware(self) -> None:
        """The object is protected before anything is touched."""
        rack = Rack("kata-08")
        rack.settle()
        assert rack.object.metadata.finalizers
        assert rack.world.hardware.acts()

    def test_delete_decommissions(self) -> None:
        """Machine gone, object gone."""
        rack = self.deleting()
        rack.settle()
        assert rack.world.hardware.names == []
        assert rack.world.get(RackNode, "node-00") is None

    def test_failing_cleanup_keeps_the_object(self) -> None:
        """Nothing is orphaned while the rack does not answer."""
        rack = self.deleting()
        rack.world.hardware.fail("decommission", "node-00")
        assert rack.reconcile().requeue_after is not None
        assert rack.object.metadata.deleting
        rack.settle()
        assert rack.world.get(RackNode, "node-00") is None

    def test_machine_already_gone(self) -> None:
        """Cleaned up by somebody else is cleaned up."""
        rack = self.deleting()
        rack.world.hardware.remove("node-00")
        rack.settle()
        assert rack.world.get(RackNode, "node-00") is None


def web_world(replicas: int = 3) -> World:
    world = World()
    world.client("user").create(replica_set("web", replicas))
    return world


def reconcile_web(world: World, kata: str) -> Any:
    return REFERENCE[kata].reconcile(world.client(), WEB)


def active(world: World) -> list[Pod]:
    return [each for each in world.list(Pod) if each.active]


def scale(world: World, replicas: int) -> None:
    client = world.client("user")
    web = client.get(ReplicaSet, "web")
    web.spec.replicas = replicas
    client.update(web)


class TestReconcile:
    """Desired and actual are compared, and the difference is closed."""

    @pytest.mark.parametrize("replicas", [0, 1, 5])
    def test_up_to_the_number(self, replicas: int) -> None:
        """As many pods as asked for."""
        world = web_world(replicas)
        reconcile_web(world, "kata-01")
        assert len(active(world)) == replicas

    def test_down_to_the_number(self) -> None:
        """The surplus goes."""
        world = web_world(5)
        reconcile_web(world, "kata-01")
        scale(world, 2)
        reconcile_web(world, "kata-01")
        assert len(active(world)) == 2

    def test_again_changes_nothing(self) -> None:
        """Ten more calls make no write."""
        world = web_world()
        reconcile_web(world, "kata-01")
        before = len(world.log)
        for _ in range(10):
            reconcile_web(world, "kata-01")
        assert world.writes(since=before) == []


class TestBinPacking:
    """Requests decide where a pod goes."""

    def schedule(self, *args: Any) -> Placement:
        placement: Placement = REFERENCE["kata-09"].schedule(*args)
        return placement

    def test_by_requests(self) -> None:
        """Usage is not asked."""
        taken = [pod("a", node="node-a", cpu="3", phase="Running")]
        assert self.schedule(pod("b", cpu="2"), [node("node-a"), node("node-b")], taken).node == "node-b"

    def test_first_fit(self) -> None:
        """The first node by name that has room."""
        assert self.schedule(pod("a", cpu="1"), [node("node-b"), node("node-a")], []).node == "node-a"

    def test_pending_with_the_reason(self) -> None:
        """No room is an answer, in the scheduler's words."""
        answer = self.schedule(pod("a", cpu="5"), [node("node-a"), node("node-b")], [])
        assert answer == Placement(None, "0/2 nodes are available: 2 Insufficient cpu.")


class TestSelfHeal:
    """What is lost comes back."""

    def test_deleted_pod_comes_back(self) -> None:
        """A pod deleted by hand is replaced."""
        world = web_world()
        reconcile_web(world, "kata-02")
        world.client("user").delete(active(world)[0])
        reconcile_web(world, "kata-02")
        assert len(active(world)) == 3

    def test_failed_pod_is_replaced(self) -> None:
        """A failed pod does not count."""
        world = web_world()
        reconcile_web(world, "kata-02")
        client = world.client("kubelet")
        broken = client.get(Pod, active(world)[0].name)
        broken.status.phase = "Failed"
        client.update_status(broken)
        reconcile_web(world, "kata-02")
        assert len(active(world)) == 3

    def test_create_fails_midway(self) -> None:
        """Nothing is lost and nothing made twice."""
        world = web_world(4)
        world.faults.fail(Conflict("busy"), "create", Pod, nth=2)
        for _ in range(3):
            try:
                reconcile_web(world, "kata-02")
            except Conflict:
                continue
        assert len(active(world)) == 4


class TestNodeEviction:
    """A node that goes silent loses its pods, in time and not before."""

    GRACE, TOLERATION = 50, 300

    def lost_node(self) -> tuple[World, NodeHeartbeats, str]:
        world = World()
        for name in ("node-a", "node-b", "node-c"):
            world.add(node(name))
        heartbeats = NodeHeartbeats(world)
        world.start(ReplicaSetController(world), Scheduler(world), Kubelet(world, 1.0), heartbeats)
        world.client("user").create(replica_set("web", 4, template=pod_template({"app": "web"}, cpu="1")))
        self.run(world, 5)
        lost = active(world)[0].spec.node_name
        heartbeats.stop(lost)
        return world, heartbeats, lost

    def run(self, world: World, seconds: float) -> None:
        """Play the node controller's loop: every node is looked at every five seconds."""
        for _ in range(int(seconds // 5)):
            for each in world.list(Node):
                REFERENCE["kata-03"].reconcile(world.client(), Request(each.name))
            world.advance(5)

    def on(self, world: World, name: str) -> int:
        return len([each for each in active(world) if each.spec.node_name == name])

    def test_nothing_within_the_grace_period(self) -> None:
        """A late heartbeat is no failure."""
        world, _, lost = self.lost_node()
        self.run(world, self.GRACE - 15)
        found = world.get(Node, lost)
        assert found is not None
        assert found.spec.taints == []

    def test_tainted_after_it(self) -> None:
        """Then the node is tainted, and its pods stay for as long as they tolerate that."""
        world, _, lost = self.lost_node()
        self.run(world, self.GRACE + 60)
        found = world.get(Node, lost)
        assert found is not None
        assert any(taint.effect == "NoExecute" for taint in found.spec.taints)
        assert self.on(world, lost) == 4

    def test_pods_move_to_the_survivors(self) -> None:
        """When the tolerations have run out the pods are evicted and run elsewhere."""
        world, _, lost = self.lost_node()
        self.run(world, self.GRACE + self.TOLERATION + 60)
        assert self.on(world, lost) == 0
        assert len(active(world)) == 4
        assert all(each.ready for each in active(world))

    def test_a_node_that_comes_back_keeps_its_pods(self) -> None:
        """Pending evictions are called off."""
        world, heartbeats, lost = self.lost_node()
        self.run(world, self.GRACE + 60)
        heartbeats.resume(lost)
        self.run(world, self.TOLERATION + 60)
        found = world.get(Node, lost)
        assert found is not None
        assert found.spec.taints == []
        assert self.on(world, lost) == 4


class TestHorizontalPodAutoscaler:
    """ceil(current x value / target), a band, and limits."""

    def desired(self, current: int, value: float, low: int = 1, high: int = 100) -> int:
        wanted: int = REFERENCE["kata-04"].desired_replicas(
            current, value, 100, min_replicas=low, max_replicas=high
        )
        return wanted

    def test_rounds_up(self) -> None:
        """Part of a pod is a pod."""
        assert self.desired(3, 150) == 5

    def test_tolerance(self) -> None:
        """Ten percent either way is left alone, edges included."""
        assert [self.desired(10, value) for value in (90, 110, 111, 89)] == [10, 10, 12, 9]

    def test_clamp(self) -> None:
        """Never below the minimum, never above the maximum."""
        assert (self.desired(4, 1000, high=8), self.desired(4, 1, low=2)) == (8, 2)


def roll_out(replicas: int, surge: Any, unavailable: Any) -> list[tuple[int, int]]:
    """Play a whole rollout; (available, total) after each step."""
    next_step = REFERENCE["kata-05"].next_step
    old, new = ReplicaCount(replicas, replicas), ReplicaCount(0, 0)
    seen = []
    for _ in range(RUNS):
        step = next_step(Rollout(replicas, surge, unavailable, new, [old]))
        old = ReplicaCount(step.old[0], min(old.available, step.old[0]))
        ready = new.available if step.action != "none" else min(step.new, new.available + 1)
        new = ReplicaCount(step.new, ready)
        seen.append((old.available + new.available, old.spec + new.spec))
        if (old.spec, new.available) == (0, replicas):
            return seen
    pytest.fail("the rollout does not end")


class TestRollingUpdate:
    """Step by step, within maxSurge and maxUnavailable."""

    LIMITS = [(10, "25%", "25%"), (4, 1, 0), (5, 0, 2), (7, "100%", 0), (3, 0, "10%")]

    @pytest.mark.parametrize(("replicas", "surge", "unavailable"), LIMITS)
    def test_floor_and_ceiling(self, replicas: int, surge: Any, unavailable: Any) -> None:
        """Never fewer ready than the floor, never more pods than the ceiling, and it ends."""
        up, down = REFERENCE["kata-05"].resolve_fenceposts(surge, unavailable, replicas)
        seen = roll_out(replicas, surge, unavailable)
        assert min(ready for ready, _ in seen) >= replicas - down
        assert max(total for _, total in seen) <= replicas + up

    def test_percentages(self) -> None:
        """Surge rounds up, unavailable rounds down."""
        assert REFERENCE["kata-05"].resolve_fenceposts("25%", "25%", 10) == (3, 2)


def judged(before: PodCounts, after: PodCounts, pods: list[Pod], seconds: int, **settings: Any) -> Any:
    """The Progressing condition of a rollout that was seen to move once, and then not for some time."""
    check = REFERENCE["kata-06"].check_progress
    limits = {"replicas": 4, "max_surge": 1, "max_unavailable": 1} | settings
    start = World().now()
    moved = check(RolloutReport(**limits, before=PodCounts(4, 0, 4, 4), after=before), None, pods, start)
    later = start + timedelta(seconds=seconds)
    return check(RolloutReport(**limits, before=before, after=after), moved, pods, later)


class TestStalledRollout:
    """Slow is told from stuck, with the reason."""

    STUCK = PodCounts(total=4, updated=2, ready=2, available=2)

    def test_zero_and_zero_raises(self) -> None:
        """No pod may come and none may go."""
        with pytest.raises(RolloutStalledError):
            judged(self.STUCK, self.STUCK, [], 1, max_surge=0, max_unavailable=0)

    def test_two_of_four_ready(self) -> None:
        """The stuck Deployment of the lab: no progress past the deadline, and the pods to look at."""
        waiting = [pod("web-3", phase="Running", ready=False), pod("web-4", phase="Running", ready=False)]
        condition = judged(self.STUCK, self.STUCK, waiting, 601)
        assert (condition.status, condition.reason) == ("False", "ProgressDeadlineExceeded")
        assert "web-3" in condition.message

    def test_slow_is_not_stuck(self) -> None:
        """Within the deadline, and with every step forward, it is progressing."""
        further = PodCounts(total=4, updated=3, ready=3, available=3)
        assert judged(self.STUCK, self.STUCK, [], 599).status == "True"
        assert judged(self.STUCK, further, [], 5000).status == "True"


class TestRollback:
    """The way back is a new revision of an old template."""

    def rolled_out(self, *images: str) -> World:
        world = World()
        for name in ("node-a", "node-b"):
            world.add(node(name))
        controllers = DeploymentController(world), ReplicaSetController(world)
        world.start(*controllers, Scheduler(world), Kubelet(world, 1.0), NodeHeartbeats(world))
        client = world.client("user")
        client.create(deployment("web", 4, image=images[0]))
        world.advance(60)
        for image in images[1:]:
            self.set_image(client, image)
            world.advance(60)
        return world

    def set_image(self, client: Client, image: str) -> None:
        web = client.get(Deployment, "web")
        web.spec.template.spec.containers[0].image = image
        client.update(web)

    def images(self, world: World) -> set[str]:
        return {each.spec.containers[0].image for each in active(world)}

    def test_to_the_previous_revision(self) -> None:
        """Undo goes one back, and the old ReplicaSet gets the newest number."""
        world = self.rolled_out("app:1", "app:2")
        assert REFERENCE["kata-07"].rollback(world.client(), WEB) == 3
        world.advance(60)
        assert self.images(world) == {"app:1"}
        assert len(world.list(ReplicaSet)) == 2

    def test_to_a_revision(self) -> None:
        """Undo to a number goes there."""
        world = self.rolled_out("app:1", "app:2", "app:3")
        REFERENCE["kata-07"].rollback(world.client(), WEB, 1)
        world.advance(60)
        assert self.images(world) == {"app:1"}

    def test_to_a_revision_that_is_not_there(self) -> None:
        """An error that names the ones that are."""
        world = self.rolled_out("app:1", "app:2")
        with pytest.raises(RevisionNotFoundError, match="1, 2"):
            REFERENCE["kata-07"].rollback(world.client(), WEB, 9)

    def test_availability_holds_while_going_back(self) -> None:
        """A rollback in the middle of a rollout stays within the budget."""
        world = self.rolled_out("app:1")
        self.set_image(world.client("user"), "app:2")
        world.advance(1.5)
        REFERENCE["kata-07"].rollback(world.client(), WEB)
        for _ in itertools.repeat(None, 40):
            world.advance(0.5)
            assert len([each for each in active(world) if each.ready]) >= 3
        assert self.images(world) == {"app:1"}
