"""Hidden tests of kata 11."""

import random
from typing import Any

from kubekata import (
    Condition,
    PermanentError,
    RackNode,
    Request,
    ServerTimeout,
    TooManyRequests,
    TransientError,
)
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import rack_node

DOUBLES = ("test_each_failure_waits_twice_as_long",)
FLASHES = ("test_success_at_once",)
RETRIES = ("test_first_failure", *FLASHES)
BACKOFFS = [10, 20, 40, 60, 60]
SLOW = 300
FOREVER = 10_000
ASK_AGAIN = {"Conflict", "ServerTimeout", "TooManyRequests"}


class Operator:
    """Calls the submission for one RackNode, and lets the time pass that it asks for."""

    def __init__(self, submission: Any, scenario: Any, world: Any, name: str = "r7") -> None:
        self.submission = submission
        self.scenario = scenario
        self.world = world
        self.name = name
        self.made = 0

    @property
    def node(self) -> RackNode | None:
        return self.world.get(RackNode, self.name)

    @property
    def firmware(self) -> str:
        return self.world.hardware.machine(self.name).firmware

    @property
    def degraded(self) -> Condition | None:
        found = [c for c in self.node.status.conditions if c.type == "Degraded"]
        self.scenario.check(len(found) <= 1, got=f"{len(found)} conditions of type Degraded")
        return found[0] if found else None

    @property
    def state(self) -> str:
        condition = self.degraded
        text = "no Degraded"
        if condition is not None:
            text = f"Degraded={condition.status} {condition.reason} since {self.clock(condition.last_transition_time)}"
        return f"retries {self.node.status.retries}, {text}, machine {self.firmware}"

    def clock(self, moment: Any) -> str:
        return f"{moment:%H:%M:%S}" if moment else "no time"

    def call(self) -> float | None:
        """Call once; the seconds that it asked for, or None."""
        self.made += 1
        try:
            result = self.submission.reconcile(self.world.client(), self.world.rack(), Request(self.name))
        except SubmissionRaised as raised:
            if not ASK_AGAIN & set(raised.bases):
                raise
            return 1.0
        return result.requeue_after or None

    def calls(self, *answers: float | None, restart: bool = False) -> None:
        """Call once for each answer, and check it."""
        for wanted in answers:
            answer = self.call()
            told = "no further call" if answer is None else f"{answer:g} s"
            self.scenario.check(
                answer == wanted, got=f"call {self.made} for {self.name} asks for {told}; {self.state}"
            )
            self.world.advance(answer or 0)
            if restart:
                self.submission.restart()

    def fails(self, times: int, *, restart: bool = False) -> None:
        """Fail so often, with the delays that belong to it."""
        self.calls(*(BACKOFFS + [SLOW] * times)[:times], restart=restart)

    def tried(self) -> int:
        """How often it tried to flash this machine."""
        calls = self.world.hardware.calls
        return sum(1 for call in calls if call.method == "flash" and call.name == self.name)

    def counts(self, retries: int) -> None:
        self.scenario.check(self.node.status.retries == retries, got=self.state)

    def is_degraded(self, reason: str, since: Any = None) -> None:
        condition = self.degraded
        right = condition is not None and (condition.status, condition.reason) == ("True", reason)
        self.scenario.check(right, got=self.state)
        if since is not None:
            self.scenario.check(condition.last_transition_time == since, got=self.state)

    def is_fine(self) -> None:
        condition = self.degraded
        self.scenario.check(condition is None or condition.status == "False", got=self.state)

    def recovered(self, since: Any) -> None:
        """Degraded was True, and is False since then."""
        condition = self.degraded
        right = condition is not None and condition.status == "False"
        self.scenario.check(right and condition.last_transition_time == since, got=self.state)

    def edit(self, **spec: Any) -> None:
        node = self.node
        for field, value in spec.items():
            setattr(node.spec, field, value)
        self.world.client("user").update(node)

    def breaks(self, method: str = "flash", times: int = FOREVER, error: Exception | None = None) -> None:
        self.world.hardware.fail(method, self.name, times=times, error=error)

    def heals(self) -> None:
        self.world.hardware.heal()


def rig(submission: Any, scenario: Any, world: Any, name: str = "r7", *, firmware: str = "1.0.0") -> Operator:
    """A RackNode that wants 2.1.0, and its machine, which is off."""
    world.add(rack_node(name, "2.1.0", power="Off"))
    world.hardware.add(name, firmware=firmware)
    return Operator(submission, scenario, world, name)


def told(scenario: Any, given: str, expected: str, why: str) -> None:
    scenario.given(given)
    scenario.expected(expected)
    scenario.why(why)


# --- backoff -------------------------------------------------------------------------------------------------


def waits(scenario: Any, backoff: Any, item: Any, wanted: list[float]) -> None:
    answers = [backoff.when(item) for _ in wanted]
    scenario.check(answers == wanted, got=f"{item}: {', '.join(f'{answer:g}' for answer in answers)}")


@rubric("backoff")
def test_each_failure_waits_twice_as_long(submission, scenario):
    told(
        scenario,
        "Backoff(1, 1000000), six failures of one item",
        "1, 2, 4, 8, 16, 32",
        "The wait doubles with each failure.",
    )
    waits(scenario, submission.Backoff(1, 1_000_000), "one", [1, 2, 4, 8, 16, 32])


@rubric("backoff")
def test_never_more_than_the_cap(submission, scenario):
    told(
        scenario,
        "Backoff(5, 1000), ten failures",
        "5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000",
        "640 doubled would be 1280; the cap is 1000.",
    )
    waits(scenario, submission.Backoff(5, 1000), "one", [5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000])


@rubric("backoff")
def test_cap_that_is_hit_exactly(submission, scenario):
    told(scenario, "Backoff(10, 80), six failures", "10, 20, 40, 80, 80, 80", "80 is not more than 80.")
    waits(scenario, submission.Backoff(10, 80), "one", [10, 20, 40, 80, 80, 80])


@rubric("backoff", needs=DOUBLES)
def test_base_above_the_cap(submission, scenario):
    told(scenario, "Backoff(90, 60), two failures", "60, 60", "The cap binds the first wait too.")
    waits(scenario, submission.Backoff(90, 60), "one", [60, 60])
    told(scenario, "Backoff(60, 60), two failures", "60, 60", "The cap binds every wait.")
    waits(scenario, submission.Backoff(60, 60), "one", [60, 60])


@rubric("backoff")
def test_parts_of_a_second(submission, scenario):
    told(
        scenario,
        "Backoff(0.005, 1000), twenty failures: the defaults of a Kubernetes controller",
        "0.005, 0.01, 0.02 … 655.36, 1000, 1000",
        "The cap is reached on the 19th failure.",
    )
    wanted = [0.005 * 2**n for n in range(18)] + [1000, 1000]
    waits(scenario, submission.Backoff(0.005, 1000), "one", wanted)


@rubric("backoff")
def test_items_do_not_know_each_other(submission, scenario):
    told(
        scenario,
        "Backoff(1, 100); three failures of a, then one of b, then one of a",
        "a: 1, 2, 4; b: 1; a: 8",
        "One broken machine does not slow the others down.",
    )
    backoff = submission.Backoff(1, 100)
    waits(scenario, backoff, "a", [1, 2, 4])
    waits(scenario, backoff, "b", [1])
    waits(scenario, backoff, "a", [8])


@rubric("backoff")
def test_two_objects_do_not_know_each_other(submission, scenario):
    told(
        scenario,
        "two Backoff objects, (1, 100) and (3, 100); the same item fails three times in the one, then in the other",
        "1, 2, 4 and 3, 6, 12",
        "Two controllers may have an item of the same name.",
    )
    one, other = submission.Backoff(1, 100), submission.Backoff(3, 100)
    waits(scenario, one, "a", [1, 2, 4])
    waits(scenario, other, "a", [3, 6, 12])
    waits(scenario, one, "a", [8])


@rubric("backoff", needs=DOUBLES)
def test_forget(submission, scenario):
    told(
        scenario,
        "Backoff(1, 100); a and b fail three times; a is forgotten; both fail again",
        "a: 1, 2; b: 8",
        "Success starts an item over, and no other.",
    )
    backoff = submission.Backoff(1, 100)
    waits(scenario, backoff, "a", [1, 2, 4])
    waits(scenario, backoff, "b", [1, 2, 4])
    backoff.forget("a")
    waits(scenario, backoff, "a", [1, 2])
    waits(scenario, backoff, "b", [8])


@rubric("backoff", needs=DOUBLES)
def test_forget_what_is_not_known(submission, scenario):
    told(
        scenario,
        "Backoff(1, 100); an item that never failed is forgotten, twice; then it fails",
        "nothing raised, then 1",
        "Every success forgets, and most items never failed.",
    )
    backoff = submission.Backoff(1, 100)
    backoff.forget("a")
    backoff.forget("a")
    waits(scenario, backoff, "a", [1])


@rubric("backoff")
def test_retries(submission, scenario):
    backoff = submission.Backoff(1, 2)
    scenario.why("The count goes on beyond the cap; asking is not a failure; forgetting ends in 0.")
    for step, wanted in enumerate((0, 1, 2, 3, 4, 5)):
        scenario.given(f"Backoff(1, 2); {step} failures of a, one of b")
        scenario.expected(f"retries of a: {wanted}")
        for _ in range(2):
            answer = backoff.retries("a")
            scenario.equal(answer, wanted, got=f"retries of a: {answer}")
        backoff.when("a")
    backoff.when("b")
    backoff.forget("a")
    scenario.given("Backoff(1, 2); six failures of a, one of b; a is forgotten")
    scenario.expected("retries of a: 0, of b: 1")
    answers = (backoff.retries("a"), backoff.retries("b"))
    scenario.equal(answers, (0, 1), got=f"retries of a: {answers[0]}, of b: {answers[1]}")


@rubric("backoff")
def test_any_hashable_item(submission, scenario):
    told(
        scenario,
        'Backoff(1, 100); the items 7, ("lab", "r7") and Request("r7", "lab") fail three times each',
        "1, 2, 4 for each",
        "A queue's items are requests as a rule, not text.",
    )
    backoff = submission.Backoff(1, 100)
    for item in (7, ("lab", "r7"), Request("r7", "lab")):
        waits(scenario, backoff, item, [1, 2, 4])


@rubric("backoff", needs=DOUBLES)
def test_after_a_thousand_failures(submission, scenario):
    told(
        scenario,
        "Backoff(0.005, 1000), 1,030 failures",
        "1000 in the end",
        "2 to the power of 1,029 is too large for a float. A machine may be broken for weeks.",
    )
    backoff = submission.Backoff(0.005, 1000)
    for _ in range(1_029):
        backoff.when("one")
    waits(scenario, backoff, "one", [1000])


@rubric("backoff")
def test_any_order_of_calls(submission, scenario, reference):
    scenario.why("Each item's wait follows from its own failures since it was last forgotten.")
    for seed in range(3):
        moves = random.Random(seed)
        base, cap = moves.choice([1, 3, 0.5]), moves.choice([7, 100])
        mine, right = submission.Backoff(base, cap), reference.Backoff(base, cap)
        played = [f"Backoff({base}, {cap})"]
        for _ in range(30):
            item, method = moves.choice("abc"), moves.choice(["when", "when", "when", "retries", "forget"])
            played.append(f"{method}({item})")
            wanted, answer = getattr(right, method)(item), getattr(mine, method)(item)
            scenario.given(", ".join(played))
            scenario.expected(f"the last one: {wanted}")
            scenario.check(answer == wanted, got=f"the last one: {answer}")


# --- retry ---------------------------------------------------------------------------------------------------


@rubric("retry")
def test_success_at_once(submission, scenario, world):
    told(
        scenario,
        "a machine with 1.0.0 whose RackNode wants 2.1.0; the flash works",
        "one flash, the machine has 2.1.0, no further call asked for",
        "A look, a flash, done.",
    )
    operator = rig(submission, scenario, world)
    operator.calls(None)
    scenario.check(operator.firmware == "2.1.0" and operator.tried() == 1, got=operator.state)
    operator.counts(0)
    operator.is_fine()


@rubric("retry", needs=("test_success_at_once",))
def test_newer_firmware_than_wanted_is_wrong_too(submission, scenario, world):
    told(
        scenario,
        "a machine with 3.0.0 whose RackNode wants 2.1.0; the flash works",
        "one flash, the machine has 2.1.0, no further call asked for",
        "What is wanted is this firmware, not one that is at least as new.",
    )
    operator = rig(submission, scenario, world, firmware="3.0.0")
    operator.calls(None)
    scenario.check(operator.firmware == "2.1.0" and operator.tried() == 1, got=operator.state)


@rubric("retry")
def test_first_failure(submission, scenario, world):
    told(
        scenario,
        "the first flash fails with a TransientError",
        "retries 1, not Degraded, and asks for a call in 10 s",
        "It may pass: try again, but not at once.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.calls(10)
    operator.counts(1)
    operator.is_fine()


@rubric("retry")
def test_delays_grow_up_to_the_cap(submission, scenario, world):
    told(
        scenario,
        "five flashes in a row fail",
        "asks for 10, 20, 40, 60, 60 s; one flash in each call",
        "Each failure waits twice as long, up to the cap of 60 s.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    for number, wanted in enumerate(BACKOFFS, start=1):
        operator.calls(wanted)
        operator.counts(number)
        scenario.check(operator.tried() == number, got=f"{operator.tried()} flashes after {number} calls")


@rubric("retry")
def test_the_count_survives_restarts(submission, scenario, world):
    told(
        scenario,
        "five flashes in a row fail, and the controller restarts after each",
        "asks for 10, 20, 40, 60, 60 s",
        "A count in memory starts over with every restart: this one is in the status.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.calls(*BACKOFFS, restart=True)
    operator.counts(5)


@rubric("retry", needs=FLASHES)
def test_goes_on_from_the_stored_count(submission, scenario, world):
    told(
        scenario,
        "the status of a RackNode says retries 2 for its generation; a flash fails",
        "retries 3, and asks for 40 s",
        "It was somebody else who failed twice, perhaps on another machine. The count is the object's.",
    )
    operator = rig(submission, scenario, world)
    node = operator.node
    node.status.retries = 2
    node.status.observed_generation = node.metadata.generation
    world.client("setup").update_status(node)
    operator.breaks()
    operator.calls(40)
    operator.counts(3)


@rubric("retry", needs=FLASHES)
def test_an_unreachable_machine_is_a_failure_too(submission, scenario, world):
    told(
        scenario,
        "the machine does not even answer a look, three times",
        "asks for 10, 20, 40 s, without a flash; retries 3",
        "A look that fails is a failure like any other.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks("machine")
    operator.fails(3, restart=True)
    operator.counts(3)
    scenario.check(operator.tried() == 0, got=f"{operator.tried()} flashes")


@rubric("retry")
def test_machines_do_not_know_each_other(submission, scenario, world):
    told(
        scenario,
        "r7 fails three times, then r8 once, then r7 again",
        "r7: 10, 20, 40 s; r8: 10 s; r7: 60 s",
        "The backoff belongs to the item.",
    )
    one, other = rig(submission, scenario, world), rig(submission, scenario, world, "r8")
    one.breaks()
    other.breaks()
    one.calls(10, 20, 40)
    other.calls(10)
    one.calls(60)
    other.counts(1)


@rubric("retry")
def test_same_name_new_object(submission, scenario, world):
    told(
        scenario,
        "r7 fails three times, is deleted, and made anew; the flash fails again",
        "asks for 10 s, retries 1",
        "It is another object: nothing has failed yet. Whoever counts by name remembers the dead.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(3)
    world.client("user").delete(RackNode, "r7")
    world.client("user").create(rack_node("r7", "2.1.0", power="Off"))
    operator.calls(10)
    operator.counts(1)


@rubric("retry")
def test_lost_answer(submission, scenario, world):
    told(
        scenario,
        "the flash is carried out, and its answer is lost (TransientError)",
        "10 s; then success without a second flash, retries 0",
        "The error did not say that nothing happened. The next call looks first.",
    )
    operator = rig(submission, scenario, world)
    world.hardware.interrupt("flash", "r7")
    operator.calls(10)
    operator.counts(1)
    operator.calls(None)
    operator.counts(0)
    scenario.check(operator.tried() == 1, got=f"{operator.tried()} flashes")


@rubric("retry", needs=FLASHES)
def test_right_firmware_is_left_alone(submission, scenario, world):
    told(
        scenario,
        "a machine that has 2.1.0 already, as its RackNode wants; four calls, with a restart",
        "no flash, no further call asked for; observed_generation is the current one, written once",
        "A success is about this generation too, and says so once. What would change nothing is not written.",
    )
    operator = rig(submission, scenario, world, firmware="2.1.0")
    operator.calls(None)
    submission.restart()
    mark = len(world.log)
    operator.calls(None, None, None)
    scenario.check(operator.tried() == 0, got=f"{operator.tried()} flashes")
    writes = [str(call) for call in world.writes(since=mark)]
    scenario.check(not writes, got=f"wrote: {', '.join(writes)}")
    scenario.check(
        operator.node.status.observed_generation == operator.node.metadata.generation,
        got=f"observed_generation is {operator.node.status.observed_generation}, and the generation is "
        f"{operator.node.metadata.generation}",
    )


@rubric("retry", needs=RETRIES)
def test_nothing_to_do(submission, scenario, world):
    told(
        scenario,
        "a RackNode that is not there, and one under deletion; their machines have 1.0.0",
        "no look, no flash, no further call asked for",
        "Nobody wants anything of these machines any more.",
    )
    world.hardware.add("r8", firmware="1.0.0")
    operator = rig(submission, scenario, world)
    node = operator.node
    node.metadata.finalizers = ["rack.example.com/decommission"]
    world.client("user").update(node)
    world.client("user").delete(RackNode, "r7")
    Operator(submission, scenario, world, "r8").scenario.check(
        Operator(submission, scenario, world, "r8").call() is None,
        got="asks again for the one that is not there",
    )
    operator.calls(None)
    scenario.check(not world.hardware.calls, got=f"called: {', '.join(map(str, world.hardware.calls))}")


@rubric("retry", needs=RETRIES)
def test_busy_api_server(submission, scenario, world):
    told(
        scenario,
        "the first read is refused with TooManyRequests, then two writes of the status with ServerTimeout",
        "asks to be called again each time; in the end machine 2.1.0, and observed_generation the current one",
        "Not now is not never: also a success that could not be written has to be written later.",
    )
    operator = rig(submission, scenario, world)
    world.faults.fail(TooManyRequests("busy"), "get", RackNode)
    world.faults.fail(ServerTimeout("try again"), "update", RackNode, times=2)
    for _ in range(8):
        delay = operator.call()
        if delay is None:
            break
        world.advance(delay)
    scenario.check(operator.firmware == "2.1.0" and operator.tried() == 1, got=operator.state)
    scenario.check(
        operator.node.status.observed_generation == operator.node.metadata.generation,
        got=f"observed_generation is {operator.node.status.observed_generation}, and the generation is "
        f"{operator.node.metadata.generation}",
    )


@rubric("retry", needs=RETRIES)
def test_gone_before_the_report(submission, scenario, world):
    told(
        scenario,
        "the flash fails, and just before the status is written the RackNode is deleted",
        "nothing raised, and no further call asked for in the end",
        "NotFound on a write says that nobody waits for the report.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    world.faults.before(lambda: world.client("user").delete(RackNode, "r7"), "update", RackNode)
    operator.call()
    scenario.check(operator.node is None, got="the RackNode is there again")
    scenario.check(operator.call() is None, got="still asks to be called again")


# --- giveup --------------------------------------------------------------------------------------------------


@rubric("giveup")
def test_sixth_failure(submission, scenario, world):
    told(
        scenario,
        "six flashes in a row fail",
        "after the fifth not Degraded; after the sixth Degraded=True RetriesExhausted since then, and 300 s",
        "Five retries with backoff, then somebody has to be told.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(5)
    operator.is_fine()
    moment = world.now()
    operator.calls(SLOW)
    operator.counts(6)
    operator.is_degraded("RetriesExhausted", moment)


@rubric("giveup")
def test_sixth_failure_after_restarts(submission, scenario, world):
    told(
        scenario,
        "eight failures in a row, with a restart after each",
        "10, 20, 40, 60, 60, 300, 300, 300 s; Degraded=True RetriesExhausted",
        "Without a memory outside the process it would never get to giving up.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(8, restart=True)
    operator.counts(8)
    operator.is_degraded("RetriesExhausted")


@rubric("giveup")
def test_since_when_it_is_degraded(submission, scenario, world):
    told(
        scenario,
        "ten failures in a row",
        "Degraded=True since the sixth; retries 10; still one flash in each call, every 300 s",
        "last_transition_time moves when the status does. Degraded has been True all the time.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(5)
    moment = world.now()
    operator.calls(SLOW, SLOW, SLOW, SLOW, SLOW)
    operator.counts(10)
    operator.is_degraded("RetriesExhausted", moment)
    scenario.check(operator.tried() == 10, got=f"{operator.tried()} flashes")


@rubric("giveup", needs=RETRIES)
def test_broken_for_weeks(submission, scenario, world):
    told(
        scenario,
        "the status says retries 5000 for this generation; the flash fails once more",
        "retries 5001, Degraded=True RetriesExhausted, 300 s",
        "10 × 2 to the power of 5000 is more than a float can hold; nobody needs it.",
    )
    operator = rig(submission, scenario, world)
    node = operator.node
    node.status.retries = 5000
    node.status.observed_generation = node.metadata.generation
    world.client("setup").update_status(node)
    operator.breaks()
    operator.calls(SLOW)
    operator.counts(5001)
    operator.is_degraded("RetriesExhausted")


@rubric("giveup")
def test_unreachable_until_given_up(submission, scenario, world):
    told(
        scenario,
        "the machine answers no look, six times",
        "10, 20, 40, 60, 60, 300 s; Degraded=True RetriesExhausted",
        "It does not matter which of the calls fails.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks("machine")
    operator.fails(6)
    operator.is_degraded("RetriesExhausted")


@rubric("giveup")
def test_what_belongs_to_others(submission, scenario, world):
    told(
        scenario,
        "others keep two conditions, a phase and a message in the status, and labels; six flashes fail, then one works",
        "all of that as it was, in its order; Degraded once",
        "A status has several authors.",
    )
    operator = rig(submission, scenario, world)
    node = operator.node
    node.metadata.labels = {"row": "4"}
    world.client("setup").update(node)
    node = operator.node
    node.status.conditions = [
        Condition(type="Cabled", status="True", reason="Seen", last_transition_time=world.now()),
        Condition(type="Ready", status="False", reason="Flashing", last_transition_time=world.now()),
    ]
    node.status.phase, node.status.message = "Updating", "fan is loud"
    world.client("setup").update_status(node)
    operator.breaks()

    def check(when: str) -> None:
        now = operator.node
        others = [c for c in now.status.conditions if c.type != "Degraded"]
        scenario.check(
            others == node.status.conditions,
            got=f"{when}: conditions {[c.type for c in now.status.conditions]}",
        )
        kept = (now.status.phase, now.status.message) == ("Updating", "fan is loud")
        scenario.check(kept, got=f"{when}: phase {now.status.phase!r}, message {now.status.message!r}")
        scenario.check(now.metadata.labels == {"row": "4"}, got=f"{when}: labels {now.metadata.labels}")

    operator.fails(6)
    operator.is_degraded("RetriesExhausted")
    check("after the sixth failure")
    operator.heals()
    operator.calls(None)
    operator.is_fine()
    check("after the success")


# --- permanent -----------------------------------------------------------------------------------------------


def no_such_image() -> PermanentError:
    return PermanentError("r7: 2.1.0: no such firmware image")


@rubric("permanent")
def test_permanent_error(submission, scenario, world):
    told(
        scenario,
        "the first flash fails with a PermanentError",
        "Degraded=True PermanentError since now, retries 0, no further call asked for",
        "It will never work as asked: a retry would be noise, silence would be a lie.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image())
    moment = world.now()
    operator.calls(None)
    operator.is_degraded("PermanentError", moment)
    operator.counts(0)


@rubric("permanent")
def test_permanent_error_is_not_tried_again(submission, scenario, world):
    told(
        scenario,
        "a flash fails with a PermanentError; then the controller restarts three times, and each start brings a call",
        "no second flash, no write, no further call asked for; Degraded as it was",
        "The spec has not changed, so neither will the answer.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image(), times=1)
    moment = world.now()
    operator.calls(None)
    operator.is_degraded("PermanentError", moment)
    mark = len(world.log)
    for _ in range(3):
        submission.restart()
        world.advance(600)
        operator.calls(None)
    scenario.check(operator.tried() == 1, got=f"{operator.tried()} flashes")
    scenario.check(not world.writes(since=mark), got="wrote the status again")
    operator.is_degraded("PermanentError", moment)


@rubric("permanent")
def test_permanent_after_transient_errors(submission, scenario, world):
    told(
        scenario,
        "two flashes fail with a TransientError, the third with a PermanentError; then the controller restarts",
        "10, 20 s, then no further call; Degraded=True PermanentError, retries 0, no fourth flash",
        "Each error is judged as it comes.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=2)
    operator.breaks(error=no_such_image(), times=1)
    operator.calls(10, 20, None)
    operator.is_degraded("PermanentError")
    operator.counts(0)
    submission.restart()
    operator.calls(None)
    scenario.check(operator.tried() == 3, got=f"{operator.tried()} flashes")


@rubric("permanent")
def test_permanent_after_giving_up(submission, scenario, world):
    told(
        scenario,
        "six flashes fail with a TransientError, the seventh with a PermanentError",
        "Degraded=True PermanentError, since the sixth; retries 0; no further call",
        "It has been Degraded since it gave up; only the reason is another one now.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=6)
    operator.breaks(error=no_such_image())
    operator.fails(5)
    moment = world.now()
    operator.calls(SLOW, None)
    operator.is_degraded("PermanentError", moment)
    operator.counts(0)


@rubric("permanent")
def test_a_new_spec_is_a_new_chance(submission, scenario, world):
    told(
        scenario,
        "2.1.0 fails with a PermanentError; the user corrects the spec to 2.1.1, which exists",
        "flashed at the next call; Degraded=False since then",
        "The error was about the old generation.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image(), times=1)
    operator.calls(None)
    operator.is_degraded("PermanentError")
    world.advance(3600)
    operator.edit(desired_firmware="2.1.1")
    submission.restart()
    moment = world.now()
    operator.calls(None)
    scenario.check(operator.firmware == "2.1.1", got=operator.state)
    operator.recovered(moment)


@rubric("permanent")
def test_a_new_spec_that_is_as_bad(submission, scenario, world):
    told(
        scenario,
        "2.1.0 fails with a PermanentError; the user writes 2.1.1, which does not exist either; then a restart",
        "one flash of each; Degraded=True PermanentError since the first; nothing more after the restart",
        "It was Degraded all the time, now because of the new generation.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image())
    moment = world.now()
    operator.calls(None)
    world.advance(60)
    operator.edit(desired_firmware="2.1.1")
    operator.calls(None)
    scenario.check(operator.tried() == 2, got=f"{operator.tried()} flashes")
    operator.is_degraded("PermanentError", moment)
    scenario.check(
        operator.node.status.observed_generation == operator.node.metadata.generation,
        got="observed_generation is that of the old spec",
    )
    submission.restart()
    operator.calls(None)
    scenario.check(operator.tried() == 2, got=f"{operator.tried()} flashes after the restart")


# --- recovery ------------------------------------------------------------------------------------------------


@rubric("recovery")
def test_success_after_failures(submission, scenario, world):
    told(
        scenario,
        "three flashes fail, the fourth works",
        "10, 20, 40 s, then no further call; machine 2.1.0, retries 0, not Degraded",
        "Success ends the row of failures.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=3)
    operator.calls(10, 20, 40, None, restart=True)
    scenario.check(operator.firmware == "2.1.0", got=operator.state)
    operator.counts(0)
    operator.is_fine()


@rubric("recovery")
def test_the_next_row_starts_over(submission, scenario, world):
    told(
        scenario,
        "three flashes fail, one works; later somebody puts 1.0.0 back, and flashing fails again",
        "10, 20, 40 s, none; then 10, 20 s",
        "Forgotten is forgotten: the new row has its own first failure.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=3)
    operator.calls(10, 20, 40, None)
    world.hardware.add("r7", firmware="1.0.0")
    operator.breaks()
    operator.calls(10, 20)
    operator.counts(2)


@rubric("recovery")
def test_success_after_giving_up(submission, scenario, world):
    told(
        scenario,
        "seven flashes fail, the eighth works, ten minutes after it gave up",
        "machine 2.1.0, retries 0, Degraded=False since the eighth; no further call",
        "The slow retry is there to find this out. The condition says since when all is well.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=7)
    operator.fails(7, restart=True)
    operator.is_degraded("RetriesExhausted")
    moment = world.now()
    operator.calls(None)
    scenario.check(operator.firmware == "2.1.0", got=operator.state)
    operator.counts(0)
    operator.recovered(moment)


@rubric("recovery")
def test_after_the_recovery_it_is_quiet(submission, scenario, world):
    told(
        scenario,
        "seven flashes fail, the eighth works; an hour later three more calls, after a restart",
        "no flash, no write, no further call; Degraded=False since the eighth",
        "What would change nothing is not written.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=7)
    operator.fails(7)
    moment = world.now()
    operator.calls(None)
    operator.recovered(moment)
    world.advance(3600)
    submission.restart()
    mark = len(world.log)
    operator.calls(None, None, None)
    scenario.check(not world.writes(since=mark), got="wrote the status again")
    operator.recovered(moment)
    scenario.check(operator.tried() == 8, got=f"{operator.tried()} flashes")


@rubric("recovery")
def test_breaks_again_after_giving_up_and_recovering(submission, scenario, world):
    told(
        scenario,
        "six flashes fail, the seventh works; later somebody puts 1.0.0 back, and six flashes fail again",
        "10 s … 300 s, none; 10 s … 300 s again, Degraded=True since the second sixth failure",
        "A machine may break twice, and each time it gets the whole row.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=6)
    operator.fails(6)
    operator.calls(None)
    world.hardware.add("r7", firmware="1.0.0")
    operator.breaks()
    operator.fails(5)
    operator.is_fine()
    moment = world.now()
    operator.calls(SLOW)
    operator.is_degraded("RetriesExhausted", moment)


@rubric("recovery")
def test_a_new_generation_starts_over(submission, scenario, world):
    told(
        scenario,
        "three flashes fail; the user asks for 2.2.0, and flashing fails again",
        "10, 20, 40 s; then 10, 20 s with retries 1, 2",
        "The failures of the old spec say nothing about the new one.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(3)
    operator.edit(desired_firmware="2.2.0")
    operator.calls(10)
    operator.counts(1)
    operator.calls(20, restart=True)
    operator.counts(2)


@rubric("recovery")
def test_a_new_generation_after_giving_up(submission, scenario, world):
    told(
        scenario,
        "six flashes fail; the user asks for 2.2.0, and flashing fails once more",
        "10 s, retries 1, Degraded=False since now",
        "We have not given up on this generation: it has failed once.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(6)
    operator.is_degraded("RetriesExhausted")
    operator.edit(desired_firmware="2.2.0")
    moment = world.now()
    operator.calls(10)
    operator.counts(1)
    operator.recovered(moment)


@rubric("recovery")
def test_a_new_generation_after_a_permanent_error(submission, scenario, world):
    told(
        scenario,
        "2.1.0 fails with a PermanentError; the user asks for 2.2.0, and flashing fails with a TransientError",
        "10, 20 s, Degraded=False since the first of them",
        "The permanent error was about another generation; this one may still pass.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image(), times=1)
    operator.breaks(error=TransientError("busy"))
    operator.calls(None)
    operator.is_degraded("PermanentError")
    world.advance(100)
    operator.edit(desired_firmware="2.2.0")
    moment = world.now()
    operator.calls(10, 20, restart=True)
    operator.counts(2)
    operator.recovered(moment)


@rubric("recovery")
def test_repaired_by_hand(submission, scenario, world):
    told(
        scenario,
        "six flashes fail; a technician flashes 2.1.0 by hand",
        "no further flash; retries 0, Degraded=False since the next call, and no further call asked for",
        "The goal is the firmware, not the flash.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks()
    operator.fails(6)
    world.hardware.add("r7", firmware="2.1.0")
    moment = world.now()
    operator.calls(None)
    operator.counts(0)
    operator.recovered(moment)
    scenario.check(operator.tried() == 6, got=f"{operator.tried()} flashes")


@rubric("recovery")
def test_conflict_while_telling_the_good_news(submission, scenario, world):
    told(
        scenario,
        "six flashes fail, the seventh works; just before the status is written somebody else writes a condition",
        "in the end retries 0, Degraded not True, and the other's condition still there; seven flashes",
        "A Conflict costs another look, and nobody's words.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(times=6)
    operator.fails(6)

    def other() -> None:
        node = operator.node
        node.status.conditions = [
            *node.status.conditions,
            Condition(type="Cabled", status="True", last_transition_time=world.now()),
        ]
        world.client("cabling").update_status(node)

    world.faults.before(other, "update", RackNode)
    for _ in range(5):
        delay = operator.call()
        if delay is None:
            break
        world.advance(delay)
    operator.counts(0)
    operator.is_fine()
    types = [c.type for c in operator.node.status.conditions]
    scenario.check("Cabled" in types, got=f"conditions: {types}")
    scenario.check(
        operator.firmware == "2.1.0" and operator.tried() == 7,
        got=f"{operator.tried()} flashes; {operator.state}",
    )


@rubric("recovery")
def test_an_edit_that_arrives_during_the_try(submission, scenario, world):
    told(
        scenario,
        "while 2.1.0 is being flashed, and fails for good, the user corrects the spec to 2.1.1",
        "2.1.1 is flashed in the end; Degraded not True",
        "The permanent error was about the generation that was read, not about the newest one.",
    )
    operator = rig(submission, scenario, world)
    operator.breaks(error=no_such_image(), times=1)
    world.hardware.before(lambda: operator.edit(desired_firmware="2.1.1"), "flash", "r7")
    for _ in range(5):
        delay = operator.call()
        world.advance(delay or 0)
    scenario.check(operator.firmware == "2.1.1", got=operator.state)
    operator.is_fine()
    operator.counts(0)
