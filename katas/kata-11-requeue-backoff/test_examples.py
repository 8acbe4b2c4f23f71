"""Examples from the brief. They run in your own process: print and the debugger work."""

from kata import Backoff, reconcile

from kubekata import Condition, PermanentError, RackNode, Request, Result
from kubekata.testing import World, rack_node


def broken_world() -> World:
    """r7 should get 2.1.0, and its flash fails until `world.hardware.heal()`."""
    world = World()
    world.add(rack_node("r7", "2.1.0", power="Off"))
    world.hardware.add("r7", firmware="1.0.0")
    world.hardware.fail("flash", "r7", times=100)
    return world


def call(world: World) -> float | None:
    """Call once, and let the time pass that it asked for."""
    result = reconcile(world.client(), world.rack(), Request("r7"))
    world.advance(result.requeue_after or 0)
    return result.requeue_after


def node(world: World) -> RackNode:
    found = world.get(RackNode, "r7")
    assert found is not None
    return found


def degraded(world: World) -> Condition | None:
    return next((c for c in node(world).status.conditions if c.type == "Degraded"), None)


def test_backoff() -> None:
    backoff = Backoff(1, 10)
    assert [backoff.when("a") for _ in range(5)] == [1, 2, 4, 8, 10]
    assert backoff.when("b") == 1
    assert backoff.retries("a") == 5
    backoff.forget("a")
    assert backoff.retries("a") == 0
    assert backoff.when("a") == 1


def test_the_worked_example() -> None:
    world = broken_world()
    assert [call(world) for _ in range(5)] == [10, 20, 40, 60, 60]
    assert node(world).status.retries == 5

    given_up_at = world.now()
    assert [call(world) for _ in range(2)] == [300, 300]
    condition = degraded(world)
    assert condition is not None
    assert (condition.status, condition.reason) == ("True", "RetriesExhausted")
    assert condition.last_transition_time == given_up_at

    world.hardware.heal()
    assert call(world) is None
    assert node(world).status.retries == 0
    condition = degraded(world)
    assert condition is not None
    assert condition.status == "False"


def test_a_permanent_error() -> None:
    world = broken_world()
    world.hardware.heal()
    world.hardware.fail("flash", "r7", error=PermanentError("no such firmware image"))
    assert call(world) is None
    condition = degraded(world)
    assert condition is not None
    assert (condition.status, condition.reason) == ("True", "PermanentError")

    assert call(world) is None
    assert len([c for c in world.hardware.calls if c.method == "flash"]) == 1


def test_nothing_to_do() -> None:
    world = World()
    world.add(rack_node("r7", "2.1.0", power="Off"))
    world.hardware.add("r7", firmware="2.1.0")
    assert reconcile(world.client(), world.rack(), Request("r7")) == Result()
    assert world.hardware.acts() == []
