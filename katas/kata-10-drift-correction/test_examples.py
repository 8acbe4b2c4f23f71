"""Examples from the brief. They run in your own process: print and the debugger work."""

import pytest
from kata import reconcile

from kubekata import RackNode, Request, Result, TransientError
from kubekata.testing import World, rack_node


def world_with(firmware: str, power: str) -> World:
    """r7 should be 2.1.0 and On; its machine is something else."""
    world = World()
    world.add(rack_node("r7", "2.1.0", power="On"))
    world.hardware.add("r7", firmware=firmware, power_state=power)
    return world


def call_until_quiet(world: World) -> None:
    for _ in range(10):
        try:
            result = reconcile(world.client(), world.rack(), Request("r7"))
        except TransientError:
            continue
        if not result.requeue_after:
            return
        world.advance(result.requeue_after)


def status(world: World) -> tuple[str, str, str]:
    node = world.get(RackNode, "r7")
    assert node is not None
    return node.status.phase, node.status.firmware, node.status.power_state


@pytest.mark.parametrize(
    ("firmware", "power", "steps"),
    [
        pytest.param("1.0.0", "On", ["power_off(r7)", "flash(r7, 2.1.0)", "power_on(r7)"], id="upgrade"),
        pytest.param("2.1.0", "Off", ["power_on(r7)"], id="a button was pressed"),
        pytest.param("3.0.0", "Off", ["flash(r7, 2.1.0)", "power_on(r7)"], id="downgrade"),
    ],
)
def test_worked_example(firmware: str, power: str, steps: list[str]) -> None:
    world = world_with(firmware, power)
    call_until_quiet(world)
    assert [str(act) for act in world.hardware.acts()] == steps
    assert status(world) == ("Ready", "2.1.0", "On")


def test_agreed_means_quiet() -> None:
    world = world_with("2.1.0", "On")
    call_until_quiet(world)  # the status is written once
    mark = len(world.log)
    assert reconcile(world.client(), world.rack(), Request("r7")) == Result()
    assert world.writes(since=mark) == []
    assert world.hardware.acts() == []


def test_a_flash_that_fails_once() -> None:
    world = world_with("1.0.0", "On")
    world.hardware.fail("flash", "r7")
    call_until_quiet(world)
    assert [str(act) for act in world.hardware.acts()] == [
        "power_off(r7)",
        "flash(r7, 2.1.0)",
        "power_on(r7)",
    ]
    assert status(world) == ("Ready", "2.1.0", "On")


def test_a_machine_that_was_carried_away() -> None:
    world = world_with("2.1.0", "On")
    world.hardware.remove("r7")
    result = reconcile(world.client(), world.rack(), Request("r7"))
    assert result.requeue_after
    assert status(world) == ("Missing", "", "")
