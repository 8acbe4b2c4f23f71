"""The simulated rack: what its machines allow, and how its faults behave."""

import pytest

from kubekata import MachineNotFound, PermanentError, TransientError
from kubekata.testing import World


@pytest.fixture
def world() -> World:
    world = World()
    world.hardware.add("r7", power_state="On", firmware="1.0.0")
    return world


def test_firmware_is_written_only_to_a_machine_that_is_off(world: World) -> None:
    """Flashing a running machine is refused for good, and changes nothing."""
    rack = world.rack()
    with pytest.raises(PermanentError, match="off"):
        rack.flash("r7", "2.0.0")
    assert rack.machine("r7").firmware == "1.0.0"
    rack.power_off("r7")
    rack.flash("r7", "2.0.0")
    assert (rack.machine("r7").power_state, rack.machine("r7").firmware) == ("Off", "2.0.0")


def test_switching_twice_is_no_error(world: World) -> None:
    """A machine that is on stays on."""
    world.rack().power_on("r7")
    assert world.rack().machine("r7").power_state == "On"


def test_a_decommissioned_machine_is_gone(world: World) -> None:
    """Every later call says so."""
    world.rack().decommission("r7")
    for call in (world.rack().machine, world.rack().power_on, world.rack().decommission):
        with pytest.raises(MachineNotFound):
            call("r7")


@pytest.mark.parametrize("version", ["", "2.0", "2.0.0-rc1", "latest"])
def test_a_version_has_three_numbers(world: World, version: str) -> None:
    """Anything else is refused for good."""
    world.rack().power_off("r7")
    with pytest.raises(PermanentError, match="not a firmware version"):
        world.rack().flash("r7", version)


def test_a_version_that_is_refused(world: World) -> None:
    """A missing image is a permanent error until it is there."""
    world.rack().power_off("r7")
    world.hardware.refuse_version("9.9.9")
    with pytest.raises(PermanentError, match="no such firmware image"):
        world.rack().flash("r7", "9.9.9")
    world.hardware.heal()
    world.rack().flash("r7", "9.9.9")


def test_failures_come_after_successes_and_end(world: World) -> None:
    """One success, two failures, then success again; the machine is changed only by the successes."""
    world.hardware.fail("power_off", "r7", times=2, after=1)
    rack = world.rack()
    rack.power_off("r7")
    rack.power_on("r7")
    for _ in range(2):
        with pytest.raises(TransientError):
            rack.power_off("r7")
        assert rack.machine("r7").power_state == "On"
    rack.power_off("r7")
    assert rack.machine("r7").power_state == "Off"


def test_a_lost_answer_is_work_done(world: World) -> None:
    """The caller sees a TransientError, the machine is changed, and the call counts as failed."""
    world.hardware.interrupt("power_off", "r7")
    with pytest.raises(TransientError):
        world.rack().power_off("r7")
    assert world.rack().machine("r7").power_state == "Off"
    assert world.hardware.acts() == []


def test_a_hook_runs_before_the_call_that_it_waits_for(world: World) -> None:
    """It sees the world as it was, and only for the calls that fit."""
    seen: list[str] = []

    def look() -> None:
        machine = world.hardware.machine("r7")
        assert machine is not None
        seen.append(machine.power_state)

    world.hardware.before(look, "power_off", "r7", nth=2)
    rack = world.rack()
    rack.power_off("r7")
    rack.power_on("r7")
    rack.power_off("r7")
    rack.power_off("r7")
    assert seen == ["On"]


def test_acts_leave_looks_failures_and_other_users_out(world: World) -> None:
    """What was meant to change something, and did not fail."""
    world.hardware.fail("power_on", "r7")
    with pytest.raises(TransientError):
        world.rack().power_on("r7")
    world.rack().machine("r7")
    world.rack().power_off("r7")
    world.rack("technician").power_on("r7")
    assert [str(call) for call in world.hardware.acts("submission")] == ["power_off(r7)"]
    assert [call.user for call in world.hardware.acts()] == ["submission", "technician"]
