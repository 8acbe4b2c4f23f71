"""Examples from the brief. They run in your own process: print and the debugger work."""

from kata import FINALIZER, reconcile

from kubekata import RackNode, Request, Result
from kubekata.testing import World, rack_node


def call(world: World, times: int = 1) -> Result:
    """Call reconcile for r7 a few times, as its own writes would."""
    for _ in range(times):
        result = reconcile(world.client(), world.rack(), Request("r7"))
    return result


def running_world() -> World:
    """r7 is up: the finalizer is on, the machine too."""
    world = World()
    world.hardware.add("r7", power_state="On")
    world.add(rack_node("r7", finalizers=[FINALIZER]))
    return world


def test_finalizer_then_power() -> None:
    world = World()
    world.hardware.add("r7", power_state="Off")
    world.add(rack_node("r7", power="On"))

    call(world, times=3)
    node = world.get(RackNode, "r7")
    assert node is not None
    assert node.metadata.finalizers == [FINALIZER]
    assert [str(act) for act in world.hardware.acts()] == ["power_on(r7)"]


def test_a_second_pass_does_nothing() -> None:
    world = running_world()
    call(world)
    assert world.writes() == []
    assert world.hardware.acts() == []


def test_delete_waits_for_the_machine() -> None:
    world = running_world()
    world.client("admin").delete(RackNode, "r7")
    assert world.get(RackNode, "r7") is not None

    call(world, times=2)
    assert world.hardware.machine("r7") is None
    assert world.get(RackNode, "r7") is None


def test_a_machine_that_is_gone_already() -> None:
    world = running_world()
    world.hardware.remove("r7")
    world.client("admin").delete(RackNode, "r7")
    call(world, times=2)
    assert world.get(RackNode, "r7") is None


def test_an_object_that_is_gone_already() -> None:
    assert reconcile(World().client(), World().rack(), Request("r7")) == Result()
