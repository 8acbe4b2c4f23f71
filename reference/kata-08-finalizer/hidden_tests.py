"""Hidden tests of kata 08."""

from collections.abc import Callable
from typing import Any

from kubekata import PermanentError, RackNode, Request, ServerTimeout, TooManyRequests
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import rack_node

FINALIZER = "rack.example.com/decommission"
FOREIGN = "backup.example.com/snapshot"
BRINGS_UP = ("test_finalizer_is_stored_before_the_power_goes_on",)
CLEANS_UP = ("test_machine_goes_before_the_object",)
ASK_AGAIN = {"RackError", "Conflict", "ServerTimeout", "TooManyRequests"}
ENOUGH_CALLS = 10


class Operator:
    """Calls the submission for one RackNode as a controller's loop would, and keeps an eye on the order of things."""

    def __init__(
        self, submission: Any, scenario: Any, world: Any, name: str = "r7", namespace: str = "default"
    ) -> None:
        self.submission = submission
        self.scenario = scenario
        self.world = world
        self.name = name
        self.namespace = namespace
        self.unprotected: list[str] = []
        """Acts on the machine at a moment when the stored RackNode did not carry the finalizer."""
        for method in ("power_on", "power_off", "flash", "decommission"):
            world.hardware.before(self._witness(method), method, name, times=float("inf"))

    def _witness(self, method: str) -> Callable[[], None]:
        def look() -> None:
            if FINALIZER not in self.finalizers:
                self.unprotected.append(f"{method} while the finalizers were {self.finalizers}")

        return look

    @property
    def node(self) -> RackNode | None:
        key = ("", self.namespace, self.name)
        found = [n for n in self.world.list(RackNode) if (n.namespace, n.name) == key[1:]]
        return found[0] if found else None

    @property
    def finalizers(self) -> list[str]:
        return list(self.node.metadata.finalizers) if self.node else []

    @property
    def state(self) -> str:
        """Object and machine in words."""
        machine = self.world.hardware.machine(self.name)
        rack = f"machine {machine.power_state}" if machine else "no machine in the rack"
        if self.node is None:
            return f"RackNode gone, {rack}"
        held = ", ".join(self.finalizers) or "no finalizers"
        life = "under deletion" if self.node.metadata.deleting else "alive"
        return f"RackNode {life} with {held}, {rack}"

    def call(self) -> bool:
        """Call once; say whether another call is due, because it asked or because the object changed."""
        mark = len(self.world.log)
        delay = 0.0
        try:
            result = self.submission.reconcile(
                self.world.client(), self.world.rack(), Request(self.name, self.namespace)
            )
            delay = result.requeue_after or 0.0
        except SubmissionRaised as raised:
            if not ASK_AGAIN & set(raised.bases):
                raise
            delay = 5.0
        self.asked = delay > 0
        wrote = any(call.changed for call in self.world.writes(since=mark))
        if self.asked:
            self.world.advance(delay)
        return self.asked or wrote

    def run(self, calls: int = ENOUGH_CALLS) -> None:
        """Call until nothing is due any more."""
        for _ in range(calls):
            if not self.call():
                return

    def delete(self) -> None:
        self.world.client("admin").delete(RackNode, self.name, self.namespace)

    def acts(self) -> list[str]:
        return [call.method for call in self.world.hardware.acts("submission")]

    def tried(self) -> list[str]:
        return [call.method for call in self.world.hardware.calls if call.acts and call.user == "submission"]

    def stays_protected(self) -> None:
        self.scenario.check(not self.unprotected, got=self.unprotected[0] if self.unprotected else "")


def machine(world: Any, power: str = "Off", name: str = "r7") -> None:
    world.hardware.add(name, power_state=power)


def up(world: Any, *others: str, power: str = "On", before: bool = False) -> None:
    """A RackNode and its machine in service: finalizer on, power as wanted."""
    machine(world, power)
    finalizers = [*others, FINALIZER] if before else [FINALIZER, *others]
    world.add(rack_node("r7", power=power, finalizers=finalizers))


def gone(operator: Operator) -> None:
    operator.scenario.check(
        operator.node is None and operator.world.hardware.machine("r7") is None, got=operator.state
    )


# --- order ---------------------------------------------------------------------------------------------------


@rubric("order")
def test_finalizer_is_stored_before_the_power_goes_on(submission, scenario, world):
    scenario.given("a new RackNode with power On, its machine Off")
    scenario.expected("the finalizer stored, and only then the machine switched on")
    scenario.why(
        "Between the two a delete may come: without the finalizer the machine would run for ever, ownerless."
    )
    machine(world)
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    operator.run()
    operator.stays_protected()
    scenario.check(operator.finalizers == [FINALIZER], got=operator.state)
    scenario.check(operator.acts() == ["power_on"], got=f"{operator.state}; called: {operator.acts()}")


@rubric("order")
def test_finalizer_is_stored_before_the_power_goes_off(submission, scenario, world):
    scenario.given("a new RackNode with power Off, its machine On")
    scenario.expected("the finalizer stored, and only then the machine switched off")
    scenario.why("Switching off is a change of the machine too.")
    machine(world, "On")
    world.add(rack_node("r7", power="Off"))
    operator = Operator(submission, scenario, world)
    operator.run()
    operator.stays_protected()
    scenario.check(operator.finalizers == [FINALIZER], got=operator.state)
    scenario.check(operator.acts() == ["power_off"], got=f"{operator.state}; called: {operator.acts()}")


@rubric("order")
def test_finalizer_also_without_anything_to_switch(submission, scenario, world):
    scenario.given("a new RackNode with power On, its machine On already")
    scenario.expected("the finalizer stored, the machine left alone")
    scenario.why("The machine will have to be cleaned up one day, no matter who switched it on.")
    machine(world, "On")
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    operator.run()
    scenario.check(
        operator.finalizers == [FINALIZER] and operator.acts() == [],
        got=f"{operator.state}; called: {operator.acts()}",
    )


@rubric("order")
def test_refused_finalizer_keeps_the_hands_off_the_machine(submission, scenario, world):
    scenario.given("a new RackNode with power On, and the API server times out on the first write")
    scenario.expected("no change of the machine before the finalizer is stored, and a machine On in the end")
    scenario.why("A write that failed has stored nothing.")
    machine(world)
    world.add(rack_node("r7"))
    world.faults.fail(ServerTimeout("try again"), "update", RackNode)
    operator = Operator(submission, scenario, world)
    operator.run()
    operator.stays_protected()
    scenario.check(operator.finalizers == [FINALIZER] and operator.acts() == ["power_on"], got=operator.state)


@rubric("order")
def test_second_pass_does_nothing(submission, scenario, world):
    scenario.given("a RackNode with power On that has been brought up, and three more calls after a restart")
    scenario.expected("no write and no change of the machine in these calls, and nothing asked for")
    scenario.why("What is as it should be is left alone: a reconcile is called over and over.")
    machine(world)
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    operator.run()
    scenario.check(operator.finalizers == [FINALIZER] and operator.acts() == ["power_on"], got=operator.state)
    submission.restart()
    mark = len(world.log)
    for _ in range(3):
        operator.call()
    writes = [str(call) for call in world.writes(since=mark)]
    scenario.check(not writes, got=f"wrote: {', '.join(writes)}")
    scenario.check(operator.acts() == ["power_on"], got=f"called: {operator.acts()[1:]}")


@rubric("order")
def test_power_is_corrected_either_way(submission, scenario, world):
    for wanted, found, act in (("On", "Off", "power_on"), ("Off", "On", "power_off")):
        scenario.given(
            f"a RackNode with finalizer and power {wanted}, and somebody has switched the machine {found}"
        )
        scenario.expected(f"{act}, once")
        scenario.why("A live RackNode's machine is brought to spec.power.")
        world.hardware.calls.clear()
        if world.get(RackNode, "r7") is None:
            up(world, power=wanted)
        else:
            node = world.get(RackNode, "r7")
            node.spec.power = wanted
            world.client("admin").update(node)
        world.hardware.add("r7", power_state=found)
        operator = Operator(submission, scenario, world)
        operator.run()
        scenario.check(operator.acts() == [act], got=f"called: {operator.acts()}")


@rubric("order")
def test_power_failure_is_tried_again(submission, scenario, world):
    scenario.given(
        "a new RackNode; switching its machine on fails twice, and the controller restarts after each failure"
    )
    scenario.expected("asks to be called again after each failure, and a machine On in the end")
    scenario.why(
        "'Not now' from the hardware is no reason to give up, and a restart forgets nothing that matters."
    )
    machine(world)
    world.add(rack_node("r7"))
    world.hardware.fail("power_on", "r7", times=2)
    operator = Operator(submission, scenario, world)
    for _ in range(ENOUGH_CALLS):
        if not operator.call():
            break
        submission.restart()
    operator.stays_protected()
    scenario.check(world.hardware.machine("r7").power_state == "On", got=operator.state)
    scenario.check(operator.finalizers == [FINALIZER], got=operator.state)


@rubric("order")
def test_machine_that_is_not_there_yet(submission, scenario, world):
    scenario.given("a new RackNode with power On, whose machine is put into the rack later")
    scenario.expected("asks to be called again, and switches the machine on once it is there")
    scenario.why("The order in which people do things is theirs: not there yet means not now.")
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    for _ in range(3):
        operator.call()
    scenario.check(operator.asked, got="does not ask to be called again")
    machine(world)
    operator.run()
    operator.stays_protected()
    scenario.check(operator.acts() == ["power_on"] and operator.finalizers == [FINALIZER], got=operator.state)


@rubric("order")
def test_only_the_one_that_was_asked_for(submission, scenario, world):
    scenario.given(
        "RackNodes r7 and r8, both new, and a call for r8 in the namespace lab, where there is another r7"
    )
    scenario.expected("lab/r8 is brought up, everything else is left alone")
    scenario.why("A request names one object: its name and its namespace.")
    for name in ("r7", "r8"):
        machine(world, name=name)
        world.add(rack_node(name, namespace="lab"))
    world.add(rack_node("r8", power="Off"))
    operator = Operator(submission, scenario, world, "r8", "lab")
    operator.run()
    touched = [(n.namespace, n.name) for n in world.list(RackNode) if n.metadata.finalizers]
    scenario.check(touched == [("lab", "r8")], got=f"finalizers on {touched}")
    acts = [str(call) for call in world.hardware.acts()]
    scenario.check(acts == ["power_on(r8)"], got=f"called: {acts}")


# --- cleanup -------------------------------------------------------------------------------------------------


@rubric("cleanup")
def test_machine_goes_before_the_object(submission, scenario, world):
    scenario.given("a RackNode in service is deleted")
    scenario.expected(
        "the machine decommissioned while the finalizer still holds the RackNode, and then the RackNode gone"
    )
    scenario.why("Once the finalizer is off, nobody remembers the machine any more.")
    up(world)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")


@rubric("cleanup")
def test_machine_that_is_off(submission, scenario, world):
    scenario.given("a RackNode with power Off is deleted")
    scenario.expected("its machine decommissioned, and then the RackNode gone")
    scenario.why("A machine that is off still has a customer's disks in it.")
    up(world, power="Off")
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)


@rubric("cleanup")
def test_whole_life(submission, scenario, world):
    scenario.given("a RackNode is created, brought up, and deleted, with a restart before each call")
    scenario.expected("power_on, then decommission, and the RackNode gone")
    scenario.why("Everything that a call needs to know is in the API server and in the rack.")
    machine(world)
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    for _ in range(4):
        operator.call()
        submission.restart()
    submission.restart()
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)
    scenario.check(operator.acts() == ["power_on", "decommission"], got=f"called: {operator.acts()}")


@rubric("cleanup")
def test_machine_gone_already(submission, scenario, world):
    scenario.given("a RackNode under deletion whose machine is not in the rack any more")
    scenario.expected("the RackNode gone")
    scenario.why(
        "The clean-up wants the machine to be gone, and it is. Waiting for it would hold the object for ever."
    )
    up(world)
    world.hardware.remove("r7")
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    gone(operator)


@rubric("cleanup", needs=CLEANS_UP)
def test_after_the_end_nothing_happens(submission, scenario, world):
    scenario.given("a RackNode that is gone, a new machine of its name in the rack, and one more call")
    scenario.expected("returns Result(), and leaves the new machine alone")
    scenario.why("The last event of an object is its own deletion: there is nothing left to look at.")
    up(world)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    gone(operator)
    machine(world, "On")
    operator.call()
    scenario.check(not operator.asked, got="asks to be called again")
    scenario.check(world.hardware.machine("r7") is not None, got="the new machine was decommissioned")
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()[1:]}")


@rubric("cleanup", needs=(*CLEANS_UP, *BRINGS_UP))
def test_alive_means_no_cleanup(submission, scenario, world):
    scenario.given("a live RackNode whose only peculiarity is that the finalizer is on")
    scenario.expected("no decommission")
    scenario.why(
        "The finalizer says that there will be something to clean up. The deletion_timestamp says when."
    )
    up(world)
    operator = Operator(submission, scenario, world)
    operator.run()
    scenario.check("decommission" not in operator.tried(), got=operator.state)
    scenario.check(operator.finalizers == [FINALIZER], got=operator.state)


@rubric("cleanup")
def test_cleanup_in_another_namespace(submission, scenario, world):
    scenario.given("lab/r7 is deleted; default/r7 lives, and has its finalizer on")
    scenario.expected("lab/r7 gone, default/r7 as it was")
    scenario.why("A request names one object: its name and its namespace.")
    up(world)
    world.add(rack_node("r7", namespace="lab", finalizers=[FINALIZER]))
    operator = Operator(submission, scenario, world, namespace="lab")
    operator.delete()
    operator.run()
    left = [(n.namespace, n.metadata.finalizers) for n in world.list(RackNode)]
    scenario.check(left == [("default", [FINALIZER])], got=f"RackNodes left: {left}")


# --- failure -------------------------------------------------------------------------------------------------


def fails_then_succeeds(submission: Any, scenario: Any, world: Any, failures: int) -> None:
    """While decommission fails the object stays, each call asks for another; then all ends well."""
    operator = Operator(submission, scenario, world)
    operator.delete()
    failed = 0
    for _ in range(ENOUGH_CALLS):
        due = operator.call()
        tries = sum(1 for call in world.hardware.calls if call.method == "decommission" and call.error)
        if tries > failed:
            failed = tries
            scenario.check(
                operator.finalizers == [FINALIZER], got=f"after failure {failed}: {operator.state}"
            )
            scenario.check(operator.asked, got=f"after failure {failed} it does not ask to be called again")
        if not due:
            break
        submission.restart()
    operator.stays_protected()
    scenario.check(failed == failures, got=f"after {failed} failures: {operator.state}")
    gone(operator)


@rubric("failure")
def test_busy_hardware_keeps_the_object(submission, scenario, world):
    scenario.given(
        "a RackNode is deleted; decommission fails three times, then works; a restart after each call"
    )
    scenario.expected(
        "the finalizer stays and another call is asked for after each failure; then both are gone"
    )
    scenario.why("The finalizer is a promise: it goes when the machine is clean, not when we have tried.")
    up(world)
    world.hardware.fail("decommission", "r7", times=3)
    fails_then_succeeds(submission, scenario, world, 3)


@rubric("failure")
def test_permanent_failure_keeps_the_object_too(submission, scenario, world):
    scenario.given(
        "a RackNode is deleted; decommission says PermanentError twice, until somebody has fixed the machine"
    )
    scenario.expected(
        "the finalizer stays and another call is asked for after each failure; then both are gone"
    )
    scenario.why("A machine that cannot be wiped is the last one that may be forgotten.")
    up(world)
    world.hardware.fail("decommission", "r7", times=2, error=PermanentError("r7: disk 2 cannot be wiped"))
    fails_then_succeeds(submission, scenario, world, 2)


@rubric("failure")
def test_lost_answer(submission, scenario, world):
    scenario.given(
        "a RackNode is deleted; decommission works, but the connection breaks before the answer arrives"
    )
    scenario.expected("asks to be called again, finds no machine, and lets the RackNode go")
    scenario.why("TransientError says 'I do not know'. The next look does.")
    up(world)
    world.hardware.interrupt("decommission", "r7")
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)


@rubric("failure", needs=CLEANS_UP)
def test_removed_by_hand_while_it_failed(submission, scenario, world):
    scenario.given(
        "a RackNode is deleted; decommission fails, and somebody carries the machine out of the rack"
    )
    scenario.expected("the RackNode kept while the machine is there, and gone afterwards")
    scenario.why("Clean is clean, no matter who did it.")
    up(world)
    world.hardware.fail("decommission", "r7", times=99)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run(4)
    scenario.check(operator.finalizers == [FINALIZER], got=f"after failures: {operator.state}")
    world.hardware.heal()
    world.hardware.remove("r7")
    operator.run()
    gone(operator)


@rubric("failure")
def test_unreachable_rack(submission, scenario, world):
    scenario.given("a RackNode is deleted; for a while the rack answers nothing, not even a look")
    scenario.expected("the finalizer stays while the rack is silent; then both are gone")
    scenario.why("No answer is not the answer MachineNotFound.")
    up(world)
    for method in ("machine", "decommission", "power_off"):
        world.hardware.fail(method, "r7", times=3)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run(2)
    scenario.check(operator.finalizers == [FINALIZER], got=f"after failures: {operator.state}")
    operator.run()
    operator.stays_protected()
    gone(operator)


# --- deleting ------------------------------------------------------------------------------------------------


@rubric("deleting", needs=(*CLEANS_UP, *BRINGS_UP))
def test_no_power_under_deletion(submission, scenario, world):
    scenario.given(
        "a RackNode with power On is deleted while its machine is Off; decommission fails at first"
    )
    scenario.expected("the machine is never switched on, and is decommissioned")
    scenario.why("spec.power is a wish of the living. What is being wiped should not be started.")
    up(world)
    world.hardware.add("r7", power_state="Off")
    world.hardware.fail("decommission", "r7", times=2)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    scenario.check(set(operator.tried()) == {"decommission"}, got=f"called: {operator.tried()}")
    gone(operator)


@rubric("deleting", needs=(*CLEANS_UP, *BRINGS_UP))
def test_no_finalizer_under_deletion(submission, scenario, world):
    scenario.given("a RackNode that was deleted before we saw it; only somebody else's finalizer holds it")
    scenario.expected("no write, no change of the machine, nothing raised")
    scenario.why(
        "The API server refuses new finalizers under deletion, and a machine that we never touched is not ours to wipe."
    )
    machine(world)
    world.add(rack_node("r7", finalizers=[FOREIGN]))
    operator = Operator(submission, scenario, world)
    operator.delete()
    mark = len(world.log)
    operator.run(4)
    asked_for = [str(call) for call in world.log.calls(user="submission", since=mark) if call.writes]
    scenario.check(not asked_for, got=f"wrote: {', '.join(asked_for)}")
    scenario.check(operator.tried() == [], got=f"called: {operator.tried()}")


@rubric("deleting", needs=(*CLEANS_UP, *BRINGS_UP))
def test_cleaned_once_is_cleaned(submission, scenario, world):
    scenario.given(
        "a deleted RackNode is cleaned up and held by another finalizer; a new machine of its name is racked"
    )
    scenario.expected("one decommission, and the new machine left alone by the calls that follow")
    scenario.why(
        "Without our finalizer the RackNode is no business of ours any more. The new machine is somebody's."
    )
    up(world, FOREIGN)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    scenario.check(operator.finalizers == [FOREIGN], got=operator.state)
    machine(world, "Off")
    submission.restart()
    operator.run(4)
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")
    scenario.check(operator.finalizers == [FOREIGN], got=operator.state)


@rubric("deleting", needs=BRINGS_UP)
def test_delete_overtakes_the_finalizer(submission, scenario, world):
    scenario.given("a new RackNode with another finalizer; it is deleted between our read and our write")
    scenario.expected("our finalizer not added, the machine left alone")
    scenario.why("The copy in our hands was alive; the object is not. The Conflict says so.")
    machine(world)
    world.add(rack_node("r7", finalizers=[FOREIGN]))
    operator = Operator(submission, scenario, world)
    world.faults.before(operator.delete, "update", RackNode)
    operator.run()
    scenario.check(operator.finalizers == [FOREIGN], got=operator.state)
    scenario.check(operator.tried() == [], got=f"called: {operator.tried()}")


@rubric("deleting", needs=BRINGS_UP)
def test_gone_before_the_finalizer(submission, scenario, world):
    scenario.given(
        "a new RackNode without finalizers; it is deleted, and gone, between our read and our write"
    )
    scenario.expected("nothing raised, the machine left alone, no RackNode made anew")
    scenario.why("NotFound on a write says that the object is gone: nothing is left to do.")
    machine(world)
    world.add(rack_node("r7"))
    operator = Operator(submission, scenario, world)
    world.faults.before(operator.delete, "update", RackNode)
    operator.run()
    scenario.check(operator.node is None, got=operator.state)
    scenario.check(operator.tried() == [], got=f"called: {operator.tried()}")


# --- foreign -------------------------------------------------------------------------------------------------


@rubric("foreign")
def test_other_finalizers_stay_when_ours_comes(submission, scenario, world):
    scenario.given(f"a new RackNode that carries {FOREIGN} already")
    scenario.expected("both finalizers, each once")
    scenario.why("The list is shared: add to it, do not replace it.")
    machine(world)
    world.add(rack_node("r7", finalizers=[FOREIGN]))
    operator = Operator(submission, scenario, world)
    operator.run()
    scenario.check(sorted(operator.finalizers) == [FOREIGN, FINALIZER], got=operator.state)


@rubric("foreign")
def test_other_finalizers_stay_when_ours_goes(submission, scenario, world):
    scenario.given("a deleted RackNode with our finalizer between two others")
    scenario.expected("the machine decommissioned; the two others still hold the RackNode, in their order")
    scenario.why("Each finalizer is somebody's promise. Ours is kept; theirs are theirs to keep.")
    machine(world)
    others = ["a.example.com/dns", "z.example.com/backup"]
    world.add(rack_node("r7", finalizers=[others[0], FINALIZER, others[1]]))
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    scenario.check(operator.finalizers == others and operator.acts() == ["decommission"], got=operator.state)


@rubric("foreign")
def test_a_finalizer_that_looks_like_ours(submission, scenario, world):
    alike = f"{FINALIZER}-audit"
    scenario.given(f"a new RackNode that carries {alike}; later it is deleted")
    scenario.expected(f"our own finalizer added; after the clean-up {alike} is still on")
    scenario.why("A finalizer is compared as a whole.")
    machine(world)
    world.add(rack_node("r7", finalizers=[alike]))
    operator = Operator(submission, scenario, world)
    operator.run()
    scenario.check(sorted(operator.finalizers) == [FINALIZER, alike], got=operator.state)
    operator.delete()
    operator.run()
    scenario.check(operator.finalizers == [alike] and "decommission" in operator.acts(), got=operator.state)


def labelled(operator: Operator, key: str) -> Callable[[], None]:
    """Another writer, who puts a label on."""

    def write() -> None:
        node = operator.node
        node.metadata.labels[key] = "yes"
        operator.world.client("inventory").update(node)

    return write


@rubric("foreign")
def test_the_rest_of_the_object_stays(submission, scenario, world):
    scenario.given("a RackNode with labels, annotations, slots and a status, brought up and deleted")
    scenario.expected("finalizers and deletion aside, everything as it was")
    scenario.why("An update replaces the object: what is not in it is gone.")
    machine(world)
    node = rack_node("r7", finalizers=[FOREIGN])
    node.metadata.labels = {"row": "4"}
    node.metadata.annotations = {"note": "fan is loud"}
    node.spec.slots = 12
    node.status.phase = "Ready"
    node.status.message = "written by another controller"
    world.add(node)
    before = world.get(RackNode, "r7")
    operator = Operator(submission, scenario, world)

    def check(when: str) -> None:
        now = operator.node
        scenario.check(
            now.metadata.labels == before.metadata.labels, got=f"{when}: labels {now.metadata.labels}"
        )
        scenario.check(
            now.metadata.annotations == before.metadata.annotations,
            got=f"{when}: annotations {now.metadata.annotations}",
        )
        scenario.check(now.spec == before.spec, got=f"{when}: spec {now.spec}")
        scenario.check(now.status == before.status, got=f"{when}: status {now.status}")

    operator.run()
    scenario.check(FINALIZER in operator.finalizers, got=operator.state)
    check("after it was brought up")
    operator.delete()
    operator.run()
    scenario.check(operator.finalizers == [FOREIGN], got=operator.state)
    check("after the clean-up")


@rubric("foreign")
def test_writes_of_others_are_not_undone(submission, scenario, world):
    scenario.given(
        "somebody puts a label on between our read and our write, once while we add and once while we remove"
    )
    scenario.expected("both labels are there in the end, ours is done")
    scenario.why(
        "Conflict protects their write. Read again and redo ours; do not force the old copy through."
    )
    machine(world)
    world.add(rack_node("r7", finalizers=[FOREIGN]))
    operator = Operator(submission, scenario, world)
    world.faults.before(labelled(operator, "audited"), "update", RackNode)
    operator.run()
    operator.stays_protected()
    scenario.check(FINALIZER in operator.finalizers and operator.acts() == ["power_on"], got=operator.state)
    operator.delete()
    world.faults.clear()
    world.faults.before(labelled(operator, "billed"), "update", RackNode)
    operator.run()
    scenario.check(operator.finalizers == [FOREIGN], got=operator.state)
    labels = operator.node.metadata.labels
    scenario.check(labels == {"audited": "yes", "billed": "yes"}, got=f"labels {labels}")


# --- endings -------------------------------------------------------------------------------------------------


@rubric("endings")
def test_crash_between_cleanup_and_removal(submission, scenario, world):
    scenario.given(
        "the machine is decommissioned, taking the finalizer off times out, and the controller restarts"
    )
    scenario.expected("the RackNode gone, with one decommission that worked")
    scenario.why("The second attempt finds no machine: that is success, not a failure.")
    up(world)
    world.faults.fail(ServerTimeout("try again"), "update", RackNode)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.call()
    submission.restart()
    operator.run()
    gone(operator)
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")


@rubric("endings")
def test_conflict_while_removing(submission, scenario, world):
    scenario.given(
        "three writers in a row get in between our read and the write that takes the finalizer off"
    )
    scenario.expected("the RackNode gone")
    scenario.why("A Conflict costs another look, not the clean-up.")
    up(world)
    operator = Operator(submission, scenario, world)
    operator.delete()
    for nth, key in enumerate(("one", "two", "three"), start=1):
        world.faults.before(labelled(operator, key), "update", RackNode, nth=nth)
    operator.run()
    operator.stays_protected()
    gone(operator)
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")


@rubric("endings")
def test_deleted_twice(submission, scenario, world):
    scenario.given("a RackNode is deleted, decommission fails, and somebody impatient deletes it again")
    scenario.expected("one decommission that worked, and the RackNode gone")
    scenario.why("A second delete changes nothing: the first is still being carried out.")
    up(world)
    world.hardware.fail("decommission", "r7")
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.call()
    scenario.check(operator.finalizers == [FINALIZER], got=f"after the failure: {operator.state}")
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")


@rubric("endings")
def test_lost_answer_to_the_removal(submission, scenario, world):
    scenario.given("the update that takes the finalizer off is carried out, and its answer is lost")
    scenario.expected("the RackNode gone, and nothing raised by the calls that follow")
    scenario.why("ServerTimeout does not say that nothing happened. The next look finds nothing to do.")
    up(world)
    world.faults.fail_after(ServerTimeout("try again"), "update", RackNode)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    gone(operator)
    operator.call()
    scenario.check(operator.acts() == ["decommission"], got=f"called: {operator.acts()}")


@rubric("endings")
def test_object_vanishes_during_the_cleanup(submission, scenario, world):
    scenario.given("while the machine is being decommissioned, an admin empties the finalizers by hand")
    scenario.expected("the machine gone, and nothing raised: NotFound on the write is no error")
    scenario.why("The goal was that the RackNode goes, and it has gone.")
    up(world)
    operator = Operator(submission, scenario, world)
    operator.delete()

    def force() -> None:
        node = operator.node
        node.metadata.finalizers = []
        world.client("admin").update(node)

    world.faults.before(force, "update", RackNode)
    operator.run()
    gone(operator)


@rubric("endings")
def test_busy_api_server(submission, scenario, world):
    scenario.given(
        "a RackNode is deleted; the first read and the first write are answered with TooManyRequests"
    )
    scenario.expected("the RackNode and the machine gone")
    scenario.why("Too many requests means: not now.")
    up(world)
    busy = TooManyRequests("the server is busy")
    world.faults.fail(busy, "get", RackNode)
    world.faults.fail(busy, "list", RackNode)
    world.faults.fail(busy, "update", RackNode)
    operator = Operator(submission, scenario, world)
    operator.delete()
    operator.run()
    operator.stays_protected()
    gone(operator)


@rubric("endings", needs=(*CLEANS_UP, *BRINGS_UP))
def test_object_that_never_was(submission, scenario, world):
    scenario.given("a call for a RackNode that is not there, and a machine of that name in the rack")
    scenario.expected("returns Result(), no change of the machine, no write")
    scenario.why("A request is only a name. Its object may have gone since.")
    machine(world, "On")
    operator = Operator(submission, scenario, world)
    operator.call()
    scenario.check(not operator.asked, got="asks to be called again")
    scenario.check(operator.tried() == [] and not world.writes(), got=operator.state)
