"""The first story: a RackNode, its machine, and the function between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubekata.cluster.builders import rack_node
from kubekata.cluster.controller import Request, Result
from kubekata.cluster.objects import RackNode
from kubekata.cluster.world import World

if TYPE_CHECKING:
    from kubekata.demo.reference import References
    from kubekata.demo.stage import Stage

NAME = "node-00"
OPERATOR = "operator"


class Operator:
    """Reconcilers in a row on one RackNode, and what they were seen to do."""

    def __init__(self, world: World, stage: Stage, *reconcilers: Any) -> None:
        self.world = world
        self.stage = stage
        self._reconcilers = reconcilers

    def look(self) -> Result:
        """Call the reconcilers once and narrate what they do; returns the sooner of their results."""
        results, acted = [], False
        for reconcile in self._reconcilers:
            calls, rack_calls = len(self.world.log), len(self.world.hardware.calls)
            results.append(reconcile(self.world.client(OPERATOR), self.world.rack(OPERATOR), Request(NAME)))
            acted |= self._narrate(calls, rack_calls)
        if not acted:
            self.stage.says(OPERATOR, "looks, finds nothing to do, does nothing")
        waits = [result.requeue_after for result in results if result.requeue_after is not None]
        return Result(min(waits)) if waits else Result()

    def _narrate(self, calls: int, rack_calls: int) -> bool:
        told = 0
        for call in self.world.hardware.calls[rack_calls:]:
            if call.error is not None:
                self.stage.bad(OPERATOR, f"{call}: {call.error}")
            elif call.acts:
                self.stage.says(OPERATOR, str(call))
            told += call.acts
        writes = self.world.writes(OPERATOR, since=calls)
        for write in writes:
            self.stage.says(OPERATOR, f"writes {write}")
        return bool(told or writes)

    def report(self) -> None:
        """Say what machine and object are like now."""
        machine = self.world.hardware.machine(NAME)
        seen = f"{machine.firmware}, {machine.power_state}" if machine else "not in the rack"
        self.stage.says("machine", seen)
        node = self.world.get(RackNode, NAME)
        if node is None:
            self.stage.says("object", "gone")
            return
        leaving = (
            f", under deletion, held by {', '.join(node.metadata.finalizers)}"
            if node.metadata.deleting
            else ""
        )
        status = f"{node.status.phase or 'no phase yet'}, firmware {node.status.firmware or 'unknown'}"
        self.stage.says("object", f"wants {node.spec.desired_firmware}; status: {status}{leaving}")


def play(stage: Stage, references: References) -> None:
    """Tell the story."""
    world = World()
    world.hardware.add(NAME, power_state="On", firmware="1.0.0")
    finalizer, drift = references["kata-08"].reconcile, references["kata-10"].reconcile
    backoff = references["kata-11"].reconcile
    operator = Operator(world, stage, finalizer, drift)

    stage.open(
        "The RackNode operator",
        "A machine in a rack, an object that says what it should be, and one function that is called again and "
        "again: observe, compare, act, report, come back.",
    )
    _provision(stage, world, operator)
    _second_look(stage, operator)
    _drift(stage, world, Operator(world, stage, drift))
    _failure(stage, world, Operator(world, stage, finalizer, backoff), operator)
    _deletion(stage, world, Operator(world, stage, finalizer))
    stage.close("Katas 08, 10 and 11 ask for these functions. Kata 13 puts the flashing into a Job.")


def _provision(stage: Stage, world: World, operator: Operator) -> None:
    stage.act(
        "Provision",
        "Firmware is written to a machine that is off, and the finalizer is stored before anything is touched.",
    )
    world.client("you").create(rack_node(NAME, firmware="2.1.0"))
    stage.says("you", f"kubectl apply: {NAME} wants firmware 2.1.0, power On")
    operator.report()
    while operator.look().requeue_after is not None:
        world.advance(10)
    operator.report()


def _second_look(stage: Stage, operator: Operator) -> None:
    stage.act(
        "A second look",
        "Idempotent: the function may be called at any time, and usually nothing is to be done.",
    )
    for _ in range(2):
        operator.look()


def _drift(stage: Stage, world: World, operator: Operator) -> None:
    stage.act("Drift", "There is no event for a button. Level-triggered code needs none: it looks.")
    world.hardware.add(NAME, power_state="Off", firmware="1.4.2")
    stage.bad("technician", "puts firmware 1.4.2 on the machine and leaves it switched off")
    operator.report()
    while operator.look().requeue_after is not None:
        world.advance(10)
    operator.report()


def _failure(stage: Stage, world: World, operator: Operator, reporter: Operator) -> None:
    stage.act(
        "Transient failure and backoff",
        "What fails now may work later: each failure doubles the wait, success forgets it.",
    )
    client = world.client("you")
    node = client.get(RackNode, NAME)
    node.spec.desired_firmware, node.spec.power = "2.2.0", "Off"
    client.update(node)
    stage.says("you", "kubectl patch: firmware 2.2.0, power Off (a maintenance window)")
    world.hardware.fail("flash", NAME, times=3)
    while (wait := operator.look().requeue_after) is not None:
        stage.says(OPERATOR, f"comes back in {wait:g} s")
        world.advance(wait)
    reporter.look()
    reporter.report()


def _deletion(stage: Stage, world: World, operator: Operator) -> None:
    stage.act(
        "Deletion", "The object stays until the machine has been cleaned up: that is what a finalizer is for."
    )
    world.client("you").delete(RackNode, NAME)
    stage.says("you", f"kubectl delete racknode {NAME}")
    operator.report()
    world.hardware.fail("decommission", NAME)
    while (wait := operator.look().requeue_after) is not None:
        stage.says(OPERATOR, f"keeps the object and comes back in {wait:g} s")
        world.advance(wait)
    operator.report()
