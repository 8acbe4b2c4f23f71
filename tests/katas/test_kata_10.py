"""Kata 10's reference from every state, with a failure or a lost answer at every step.

No table of real Kubernetes is in this kata's scope: it has no machines. These are all states and all single faults.
"""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import pytest

from kubekata import RackNode, Request
from kubekata.testing import World, rack_node

ROOT = Path(__file__).parents[2]
POWERS = ("On", "Off")
FIRMWARES = ("2.1.0", "1.0.0", "3.0.0", "")
FAULTS = (
    "none",
    *(f"{how} {method}" for how in ("fail", "interrupt") for method in ("power_on", "power_off", "flash")),
)
CASES = list(itertools.product(FIRMWARES, POWERS, POWERS, FAULTS))


def load_solution() -> ModuleType:
    path = ROOT / "reference/kata-10-drift-correction/solution.py"
    spec = importlib.util.spec_from_file_location("kata_10_solution", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLUTION = load_solution()


def test_all_cases_are_there() -> None:
    """Four firmwares, two power states found, two wanted, seven faults."""
    assert len(CASES) == 112


@pytest.mark.parametrize(("firmware", "power", "wanted", "fault"), CASES)
def test_converges_and_tells_the_truth(firmware: str, power: str, wanted: str, fault: str) -> None:
    """Every call leaves a true status; in the end machine and spec agree, and a further call does nothing."""
    world = World()
    world.add(rack_node("r7", "2.1.0", power=wanted))
    world.hardware.add("r7", firmware=firmware, power_state="On" if power == "On" else "Off")
    if fault != "none":
        how, method = fault.split()
        getattr(world.hardware, how)(method, "r7")

    for _ in range(4):
        result = SOLUTION.reconcile(world.client(), world.rack(), Request("r7"))
        node, machine = world.get(RackNode, "r7"), world.hardware.machine("r7")
        assert node is not None
        assert machine is not None
        assert (node.status.firmware, node.status.power_state) == (machine.firmware, machine.power_state)
        agrees = (machine.firmware, machine.power_state) == ("2.1.0", wanted)
        assert (node.status.phase == "Ready") is agrees
        assert (result.requeue_after is None) is agrees
    assert agrees
    assert not [call for call in world.hardware.calls if call.error and "off" in str(call.error)], (
        "a needless risk"
    )
    assert sum(call.method == "flash" and call.error is None for call in world.hardware.calls) <= 1
