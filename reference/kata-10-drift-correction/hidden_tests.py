"""Hidden tests of kata 10."""

from typing import Any

from kubekata import Condition, RackNode, Request, ServerTimeout, TooManyRequests
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import rack_node

WORKS = ("test_upgrade",)
ASK_AGAIN = {"TransientError", "Conflict", "ServerTimeout", "TooManyRequests"}
ENOUGH_CALLS = 10
SWITCH = {"On": "power_on", "Off": "power_off"}


class Operator:
    """Calls the submission for one RackNode as a controller's loop would."""

    def __init__(
        self, submission: Any, scenario: Any, world: Any, name: str = "r7", namespace: str = "default"
    ) -> None:
        self.submission = submission
        self.scenario = scenario
        self.world = world
        self.name = name
        self.namespace = namespace
        self.asked = False

    @property
    def node(self) -> RackNode | None:
        found = [n for n in self.world.list(RackNode) if (n.namespace, n.name) == (self.namespace, self.name)]
        return found[0] if found else None

    @property
    def machine(self) -> str:
        found = self.world.hardware.machine(self.name)
        return f"{found.firmware or 'no firmware'}, {found.power_state}" if found else "not in the rack"

    @property
    def status(self) -> str:
        status = self.node.status
        text = f"{status.phase or 'no phase'}, {status.firmware or '-'}, {status.power_state or '-'}"
        return f"{text}, generation {status.observed_generation}"

    @property
    def state(self) -> str:
        return f"machine {self.machine}; status {self.status}; steps: {', '.join(self.steps()) or 'none'}"

    def call(self) -> bool:
        """Call once; say whether it asked for another call, and let that time pass."""
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
        if self.asked:
            self.world.advance(delay)
        return self.asked

    def run(self, *, restart: bool = False) -> None:
        """Call until it asks for no further call, or long enough."""
        for _ in range(ENOUGH_CALLS):
            if not self.call():
                return
            if restart:
                self.submission.restart()

    def steps(self) -> list[str]:
        """What was done to this machine."""
        calls = self.world.hardware.acts("submission")
        return [call.method for call in calls if call.name == self.name]

    def tried(self) -> list[str]:
        """What was done, or failed."""
        calls = self.world.hardware.calls
        return [c.method for c in calls if c.acts and c.user == "submission" and c.name == self.name]

    def edit(self, **spec: str) -> None:
        """The user changes the spec."""
        node = self.node
        for field, value in spec.items():
            setattr(node.spec, field, value)
        self.world.client("user").update(node)

    def agrees(self) -> None:
        """The machine is what the spec says."""
        spec = self.node.spec
        wanted = f"{spec.desired_firmware}, {spec.power}"
        self.scenario.check(self.machine == wanted, got=self.state)

    def took(self, *steps: str) -> None:
        """These steps and no others, in this order."""
        self.scenario.check(self.steps() == list(steps), got=f"steps: {', '.join(self.steps()) or 'none'}")

    def says(self, phase: str, firmware: str, power: str, generation: int | None = None) -> None:
        """The status says this."""
        status = self.node.status
        seen = (status.phase, status.firmware, status.power_state)
        self.scenario.check(seen == (phase, firmware, power), got=self.state)
        if generation is not None:
            self.scenario.check(status.observed_generation == generation, got=self.state)

    def claims_nothing_false(self) -> None:
        """A status that calls itself Ready for the spec of now is borne out by the machine."""
        node = self.node
        if node.status.phase == "Ready" and node.status.observed_generation == node.metadata.generation:
            wanted = f"{node.spec.desired_firmware}, {node.spec.power}"
            self.scenario.check(self.machine == wanted, got=self.state)


def setting(
    submission: Any,
    scenario: Any,
    world: Any,
    *,
    machine: tuple[str, str] | None,
    spec: tuple[str, str] = ("2.1.0", "On"),
    name: str = "r7",
) -> Operator:
    """A RackNode with this spec, and its machine: each a firmware and a power state."""
    world.add(rack_node(name, spec[0], power=spec[1]))
    if machine is not None:
        world.hardware.add(name, firmware=machine[0], power_state=machine[1])
    return Operator(submission, scenario, world, name)


def agreed(submission: Any, scenario: Any, world: Any, spec: tuple[str, str] = ("2.1.0", "On")) -> Operator:
    """Machine, spec and status agree."""
    operator = setting(submission, scenario, world, machine=spec, spec=spec)
    node = operator.node
    node.status.phase = "Ready"
    node.status.firmware, node.status.power_state = spec
    node.status.observed_generation = node.metadata.generation
    world.client("setup").update_status(node)
    return operator


def told(scenario: Any, given: str, expected: str, why: str) -> None:
    scenario.given(given)
    scenario.expected(expected)
    scenario.why(why)


# --- converge ------------------------------------------------------------------------------------------------


@rubric("converge")
def test_upgrade(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On",
        "machine 2.1.0, On",
        "Firmware that differs is flashed, and the power is what the spec says afterwards.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    operator.run()
    operator.agrees()


@rubric("converge")
def test_downgrade(submission, scenario, world):
    scenario.why("The spec decides, not the higher number: a downgrade is how one gets rid of a bad version.")
    for number, (old, new) in enumerate((("2.1.0", "2.0.3"), ("1.10.0", "1.9.0"), ("10.0.0", "9.0.0"))):
        scenario.given(f"spec {new}, On; machine {old}, On")
        scenario.expected(f"machine {new}, On")
        operator = setting(
            submission, scenario, world, machine=(old, "On"), spec=(new, "On"), name=f"r{number}"
        )
        operator.run()
        operator.agrees()


@rubric("converge")
def test_from_every_state(submission, scenario, world):
    scenario.why("Whatever the state, machine and spec agree in the end.")
    number = 0
    for firmware in ("2.1.0", "1.0.0", "3.0.0"):
        for power in ("On", "Off"):
            for wanted in ("On", "Off"):
                number += 1
                scenario.given(f"spec 2.1.0, {wanted}; machine {firmware}, {power}")
                scenario.expected(f"machine 2.1.0, {wanted}")
                operator = setting(
                    submission,
                    scenario,
                    world,
                    machine=(firmware, power),
                    spec=("2.1.0", wanted),
                    name=f"r{number}",
                )
                operator.run()
                operator.agrees()


@rubric("converge")
def test_factory_fresh_machine(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; a machine fresh from the factory: no firmware, Off",
        "machine 2.1.0, On",
        "No firmware is one more that differs: provisioning is drift correction from further away.",
    )
    operator = setting(submission, scenario, world, machine=("", "Off"))
    operator.run()
    operator.agrees()


@rubric("converge")
def test_spec_is_edited(submission, scenario, world):
    told(
        scenario,
        "a machine that agrees; the user wants 2.2.0, then power Off, then 2.1.0 and On again",
        "the machine follows each time",
        "The spec is the wish of now.",
    )
    operator = agreed(submission, scenario, world)
    for spec in (
        {"desired_firmware": "2.2.0"},
        {"power": "Off"},
        {"desired_firmware": "2.1.0", "power": "On"},
    ):
        operator.edit(**spec)
        operator.run()
        operator.agrees()


@rubric("converge")
def test_machine_arrives_later(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; no machine in the rack at first, then one with 1.0.0, Off",
        "asks to be called again, and the machine 2.1.0, On in the end",
        "Missing is a state like the others: look again.",
    )
    operator = setting(submission, scenario, world, machine=None)
    for _ in range(2):
        operator.call()
        scenario.check(operator.asked, got="does not ask to be called again")
    world.hardware.add("r7", firmware="1.0.0", power_state="Off")
    operator.run()
    operator.agrees()


@rubric("converge")
def test_only_the_one_that_was_asked_for(submission, scenario, world):
    told(
        scenario,
        "RackNodes r7 and r8 in two namespaces with different specs, and a call for lab/r8",
        "machine r8 as lab/r8 says; machine r7 and the other RackNodes left alone",
        "A request names one object: its name and its namespace.",
    )
    for name in ("r7", "r8"):
        world.hardware.add(name, firmware="1.0.0", power_state="Off")
        world.add(rack_node(name, "2.1.0", namespace="lab"))
        world.add(rack_node(name, "9.9.9", power="Off"))
    operator = Operator(submission, scenario, world, "r8", "lab")
    operator.run()
    operator.agrees()
    scenario.check(world.hardware.machine("r7").firmware == "1.0.0", got="machine r7 was flashed")
    others = [f"{n.namespace}/{n.name}" for n in world.list(RackNode) if n.status.phase]
    scenario.check(others == ["lab/r8"], got=f"status written for {others}")


# --- steps ---------------------------------------------------------------------------------------------------


@rubric("steps")
def test_steps_from_every_state(submission, scenario, world):
    scenario.why(
        "Only what differs is changed, each change once, and firmware is written while the machine is off."
    )
    number = 0
    for firmware in ("2.1.0", "1.0.0", "3.0.0"):
        for power in ("On", "Off"):
            for wanted in ("On", "Off"):
                if firmware == "2.1.0":
                    steps = [] if power == wanted else [SWITCH[wanted]]
                else:
                    steps = ["power_off"] * (power == "On") + ["flash"] + ["power_on"] * (wanted == "On")
                number += 1
                scenario.given(f"spec 2.1.0, {wanted}; machine {firmware}, {power}")
                scenario.expected(f"steps: {', '.join(steps) or 'none'}")
                operator = setting(
                    submission,
                    scenario,
                    world,
                    machine=(firmware, power),
                    spec=("2.1.0", wanted),
                    name=f"r{number}",
                )
                operator.run()
                operator.took(*steps)
                scenario.check(operator.tried() == steps, got=f"tried: {', '.join(operator.tried())}")


@rubric("steps")
def test_a_machine_that_stays_off_is_never_switched_on(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, Off; machine 1.0.0, On",
        "steps: power_off, flash",
        "It has to be off to be flashed, and it is to be off afterwards.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"), spec=("2.1.0", "Off"))
    operator.run()
    operator.took("power_off", "flash")
    operator.agrees()


@rubric("steps")
def test_only_power_differs(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 2.1.0, Off",
        "steps: power_on",
        "Firmware that agrees is not written again: each flash is a risk.",
    )
    operator = setting(submission, scenario, world, machine=("2.1.0", "Off"))
    operator.run()
    operator.took("power_on")


@rubric("steps")
def test_a_finished_step_is_not_repeated(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; power_on fails three times at the end, with a restart after each call",
        "steps: power_off, flash, power_on",
        "The next call looks: the firmware is there already, only the power is missing.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.hardware.fail("power_on", "r7", times=3)
    operator.run(restart=True)
    operator.took("power_off", "flash", "power_on")


@rubric("steps")
def test_a_lost_answer_is_not_a_reason_to_flash_again(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, Off; the flash is carried out, and its answer is lost",
        "one flash, then power_on",
        "A TransientError does not say that nothing happened. Look before you write firmware twice.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "Off"))
    world.hardware.interrupt("flash", "r7")
    operator.run()
    scenario.check(operator.tried() == ["flash", "power_on"], got=f"tried: {', '.join(operator.tried())}")
    operator.agrees()


# --- drift ---------------------------------------------------------------------------------------------------


def drifts(submission: Any, scenario: Any, world: Any, machine: tuple[str, str], *steps: str) -> None:
    """All agrees, the machine changes behind our back, and the next look repairs it."""
    operator = agreed(submission, scenario, world)
    operator.call()
    world.hardware.add("r7", firmware=machine[0], power_state=machine[1])
    world.advance(600)
    operator.run()
    operator.agrees()
    operator.took(*steps)


@rubric("drift")
def test_somebody_switched_it_off(submission, scenario, world):
    told(
        scenario,
        "all agrees; a technician switches the machine off; ten minutes later the usual call comes",
        "steps: power_on",
        "No event tells of a button. The status still says On, the machine does not.",
    )
    drifts(submission, scenario, world, ("2.1.0", "Off"), "power_on")


@rubric("drift")
def test_somebody_flashed_it(submission, scenario, world):
    told(
        scenario,
        "all agrees; a vendor's tool puts 1.0.0 on the machine; ten minutes later the usual call comes",
        "steps: power_off, flash, power_on",
        "The generation has not changed since it was Ready, and yet there is work: look at the machine.",
    )
    drifts(submission, scenario, world, ("1.0.0", "On"), "power_off", "flash", "power_on")


@rubric("drift")
def test_somebody_swapped_it(submission, scenario, world):
    told(
        scenario,
        "all agrees; the machine is swapped for a new one: no firmware, Off",
        "steps: flash, power_on",
        "The name is the same; everything else has to be looked at.",
    )
    drifts(submission, scenario, world, ("", "Off"), "flash", "power_on")


@rubric("drift")
def test_status_that_lies(submission, scenario, world):
    told(
        scenario,
        "the status says Ready, 2.1.0, On for the current generation; the machine is 1.0.0, Off",
        "machine 2.1.0, On",
        "The status is a report about the machine. The machine is not a report about the status.",
    )
    operator = agreed(submission, scenario, world)
    world.hardware.add("r7", firmware="1.0.0", power_state="Off")
    operator.run()
    operator.agrees()


@rubric("drift")
def test_drift_in_the_middle_of_an_upgrade(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; the flash fails once, and a technician switches the machine on again",
        "steps: power_off, power_off, flash, power_on",
        "Between two calls the world moves on: the next one starts with a look, not where the last one stopped.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.hardware.fail("flash", "r7")
    for _ in range(ENOUGH_CALLS):
        operator.call()
        if "flash" in operator.tried():
            break
    world.hardware.add("r7", firmware="1.0.0", power_state="On")
    operator.run()
    operator.took("power_off", "power_off", "flash", "power_on")
    operator.agrees()


@rubric("drift")
def test_again_and_again(submission, scenario, world):
    told(
        scenario,
        "all agrees; five times somebody switches the machine off, each time between two of the usual calls",
        "power_on each time",
        "A repair is never the last one.",
    )
    operator = agreed(submission, scenario, world)
    for count in range(1, 6):
        world.hardware.add("r7", firmware="2.1.0", power_state="Off")
        world.advance(600)
        operator.run()
        operator.took(*["power_on"] * count)


# --- quiet ---------------------------------------------------------------------------------------------------


def stays_quiet(operator: Operator, calls: int = 3) -> None:
    """Nothing written, nothing changed, nothing asked for."""
    mark = len(operator.world.log)
    done = len(operator.tried())
    for _ in range(calls):
        operator.call()
        operator.scenario.check(not operator.asked, got="asks to be called again")
    writes = [call for call in operator.world.log.calls(user="submission", since=mark) if call.writes]
    operator.scenario.check(not writes, got=f"wrote: {', '.join(map(str, writes))}")
    operator.scenario.check(len(operator.tried()) == done, got=f"steps: {', '.join(operator.tried()[done:])}")


@rubric("quiet", needs=WORKS)
def test_all_agrees(submission, scenario, world):
    scenario.why(
        "A controller is called over and over: what is as it should be costs a look and nothing else."
    )
    for power in ("On", "Off"):
        told_power = f"machine, spec and status agree: 2.1.0, {power}; three calls"
        scenario.given(told_power)
        scenario.expected("Result() each time; no step, no write")
        if power == "Off":
            world.client("admin").delete(RackNode, "r7")
        stays_quiet(agreed(submission, scenario, world, ("2.1.0", power)))


@rubric("quiet")
def test_quiet_after_the_work(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; after the upgrade three more calls, with a restart before them",
        "Result() each time; no step, no write",
        "Done is done, and the status says so already.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    operator.run()
    operator.agrees()
    submission.restart()
    stays_quiet(operator)


@rubric("quiet", needs=WORKS)
def test_no_such_racknode(submission, scenario, world):
    told(
        scenario,
        "a call for a RackNode that has been deleted meanwhile; a machine of its name is Off",
        "Result(); no step",
        "Nothing is asked of this machine any more.",
    )
    world.hardware.add("r7", firmware="1.0.0", power_state="Off")
    stays_quiet(Operator(submission, scenario, world), calls=1)


@rubric("quiet", needs=WORKS)
def test_under_deletion(submission, scenario, world):
    told(
        scenario,
        "a RackNode under deletion, held by a finalizer; spec 2.1.0, On; machine 1.0.0, Off",
        "Result(); no step, no write",
        "Whoever holds the finalizer is taking the machine out of service. Starting it now would get in the way.",
    )
    world.add(rack_node("r7", finalizers=["rack.example.com/decommission"]))
    world.hardware.add("r7", firmware="1.0.0", power_state="Off")
    world.client("admin").delete(RackNode, "r7")
    stays_quiet(Operator(submission, scenario, world))


@rubric("quiet", needs=WORKS)
def test_deleted_while_we_worked(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 2.1.0, Off; the RackNode is deleted just before the status is written",
        "nothing raised, and no further call asked for in the end",
        "NotFound on a write says that nobody wants the report any more.",
    )
    operator = setting(submission, scenario, world, machine=("2.1.0", "Off"))
    world.faults.before(lambda: world.client("admin").delete(RackNode, "r7"), "update", RackNode)
    operator.run()
    scenario.check(operator.node is None, got="the RackNode is there again")
    scenario.check(not operator.asked, got="still asks to be called again")


# --- truth ---------------------------------------------------------------------------------------------------


@rubric("truth")
def test_status_after_the_work(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On, generation 2; machine 1.0.0, On",
        "status Ready, 2.1.0, On, generation 2",
        "What the machine reports in the end, and which spec it was compared with.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"), spec=("2.0.0", "On"))
    operator.edit(desired_firmware="2.1.0")
    operator.run()
    operator.says("Ready", "2.1.0", "On", operator.node.metadata.generation)


@rubric("truth")
def test_status_of_a_machine_that_was_right_all_along(submission, scenario, world):
    told(
        scenario,
        "the status says Updating, 1.0.0, Off; machine and spec are 2.1.0, On",
        "no step; status Ready, 2.1.0, On",
        "A status that lies is corrected from the world, and the world is left alone.",
    )
    operator = agreed(submission, scenario, world)
    node = operator.node
    node.status.phase, node.status.firmware, node.status.power_state = "Updating", "1.0.0", "Off"
    world.client("setup").update_status(node)
    operator.run()
    operator.says("Ready", "2.1.0", "On", node.metadata.generation)
    operator.took()


@rubric("truth")
def test_each_field_of_the_status_is_looked_at(submission, scenario, world):
    operator = agreed(submission, scenario, world)
    right = {"phase": "Ready", "firmware": "2.1.0", "power_state": "On"}
    wrong = {"phase": "Missing", "firmware": "2.0.0", "power_state": "Off"}
    for field in right:
        told(
            scenario,
            f"everything agrees except status.{field}, which is {wrong[field]}",
            "status Ready, 2.1.0, On",
            "Each field is an observation of its own.",
        )
        node = operator.node
        setattr(node.status, field, wrong[field])
        world.client("setup").update_status(node)
        operator.run()
        operator.says("Ready", "2.1.0", "On")
    operator.took()


@rubric("truth")
def test_a_new_generation_is_observed_without_any_work(submission, scenario, world):
    told(
        scenario,
        "all agrees; the user edits slots, which concerns no machine: the generation rises",
        "status with the new generation; no step",
        "Whoever waits for observed_generation wants to know that the edit has been seen.",
    )
    operator = agreed(submission, scenario, world)
    operator.edit(slots=12)
    operator.run()
    operator.says("Ready", "2.1.0", "On", operator.node.metadata.generation)
    operator.took()


def first_call_that_tried(operator: Operator, method: str) -> None:
    """Call until that method has been tried, at least once."""
    for _ in range(ENOUGH_CALLS):
        operator.call()
        if method in operator.tried():
            return


@rubric("truth")
def test_flash_fails(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; the flash fails",
        "after this call: status Updating, 1.0.0, Off, and asks again",
        "The machine has been switched off, and nothing else has happened yet.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.hardware.fail("flash", "r7", times=9)
    first_call_that_tried(operator, "flash")
    operator.says("Updating", "1.0.0", "Off")
    scenario.check(operator.asked, got=f"does not ask to be called again: {operator.state}")


@rubric("truth")
def test_flash_of_an_older_version_fails(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 3.0.0, On; the flash fails",
        "after this call: status Updating, 3.0.0, Off, and asks again",
        "Firmware that is too new agrees with the spec as little as firmware that is too old.",
    )
    operator = setting(submission, scenario, world, machine=("3.0.0", "On"))
    world.hardware.fail("flash", "r7", times=9)
    first_call_that_tried(operator, "flash")
    operator.says("Updating", "3.0.0", "Off")
    scenario.check(operator.asked, got=f"does not ask to be called again: {operator.state}")


@rubric("truth")
def test_power_on_fails(submission, scenario, world):
    told(
        scenario,
        "the status says Ready, 2.1.0, On; the user wants 2.2.0; power_on fails at the end",
        "after this call: status Updating, 2.2.0, Off with the new generation, and asks again",
        "The firmware is new, the machine is off: not Ready, and not what it was before either.",
    )
    operator = agreed(submission, scenario, world)
    operator.edit(desired_firmware="2.2.0")
    world.hardware.fail("power_on", "r7", times=9)
    first_call_that_tried(operator, "power_on")
    operator.says("Updating", "2.2.0", "Off", operator.node.metadata.generation)
    scenario.check(operator.asked, got=f"does not ask to be called again: {operator.state}")


@rubric("truth")
def test_lost_answers(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, Off; machine 1.0.0, Off; the flash is carried out, and its answer is lost",
        "after this call: status Ready or Updating, and 2.1.0, Off as the machine reports",
        "After a TransientError only a look can tell what is true.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "Off"), spec=("2.1.0", "Off"))
    world.hardware.interrupt("flash", "r7")
    first_call_that_tried(operator, "flash")
    status = operator.node.status
    scenario.check((status.firmware, status.power_state) == ("2.1.0", "Off"), got=operator.state)
    operator.run()
    operator.says("Ready", "2.1.0", "Off")


@rubric("truth")
def test_machine_carried_away(submission, scenario, world):
    told(
        scenario,
        "the status says Ready, 2.1.0, On; the machine is not in the rack any more",
        "status Missing with empty firmware and power_state, and asks again",
        "Nothing is known of a machine that is not there.",
    )
    operator = agreed(submission, scenario, world)
    operator.edit(slots=12)
    world.hardware.remove("r7")
    operator.call()
    operator.says("Missing", "", "", operator.node.metadata.generation)
    scenario.check(operator.asked, got="does not ask to be called again")


@rubric("truth")
def test_carried_away_in_the_middle(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; between power_off and flash somebody carries the machine away",
        "status Missing with empty firmware and power_state, and asks again",
        "It was there at the first look. The status is about the last one.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.hardware.before(lambda: world.hardware.remove("r7"), "flash", "r7")
    first_call_that_tried(operator, "flash")
    operator.call()
    operator.says("Missing", "", "")
    scenario.check(operator.asked, got="does not ask to be called again")


@rubric("truth", needs=WORKS)
def test_spec_is_edited_during_the_flash(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0; while it is being flashed the user edits the spec to 2.2.0",
        "never Ready for the new generation before the machine has 2.2.0; in the end it has, and is",
        "observed_generation names the spec that the machine was compared with, not the newest one there is.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.hardware.before(lambda: operator.edit(desired_firmware="2.2.0"), "flash", "r7")
    for _ in range(ENOUGH_CALLS):
        operator.call()
        operator.claims_nothing_false()
        if (
            not operator.asked
            and operator.node.status.observed_generation == operator.node.metadata.generation
        ):
            break
    operator.run()
    operator.agrees()
    operator.says("Ready", "2.2.0", "On", operator.node.metadata.generation)


@rubric("truth", needs=WORKS)
def test_spec_is_edited_before_the_report(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 2.1.0, On; just before the status is written the user edits the spec to 2.2.0",
        "never Ready for the new generation before the machine has 2.2.0; in the end it has, and is",
        "A Conflict says that you looked at an old spec: compare again before you claim anything.",
    )
    operator = setting(submission, scenario, world, machine=("2.1.0", "On"))
    world.faults.before(lambda: operator.edit(desired_firmware="2.2.0"), "update", RackNode)
    operator.call()
    operator.claims_nothing_false()
    operator.run()
    operator.agrees()
    operator.says("Ready", "2.2.0", "On", operator.node.metadata.generation)


@rubric("truth")
def test_the_rest_of_the_object_stays(submission, scenario, world):
    told(
        scenario,
        "a RackNode with labels, slots, and a status in which others keep a condition, a message and a count",
        "after the upgrade all of that as it was",
        "A status has several authors: change your fields, keep theirs.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    node = operator.node
    node.metadata.labels = {"row": "4"}
    node.spec.slots = 12
    world.client("setup").update(node)
    node = operator.node
    node.status.conditions = [
        Condition(type="Cabled", status="True", reason="Seen", last_transition_time=world.now())
    ]
    node.status.message = "fan is loud"
    node.status.retries = 3
    world.client("setup").update_status(node)
    before = operator.node
    operator.run()
    after = operator.node
    operator.says("Ready", "2.1.0", "On")
    for field in ("conditions", "message", "retries"):
        kept = getattr(after.status, field) == getattr(before.status, field)
        scenario.check(kept, got=f"status.{field} is {getattr(after.status, field)!r}")
    scenario.check(after.spec == before.spec, got=f"spec {after.spec}")
    scenario.check(after.metadata.labels == {"row": "4"}, got=f"labels {after.metadata.labels}")


# --- failure -------------------------------------------------------------------------------------------------


@rubric("failure")
def test_every_step_fails_once(submission, scenario, world):
    scenario.why("Wherever it stops, the next call looks and goes on from there.")
    for number, method in enumerate(("power_off", "flash", "power_on")):
        scenario.given(
            f"spec 2.1.0, On; machine 1.0.0, On; {method} fails twice, with a restart after each call"
        )
        scenario.expected("machine 2.1.0, On; status Ready, 2.1.0, On")
        operator = setting(submission, scenario, world, machine=("1.0.0", "On"), name=f"r{number}")
        world.hardware.fail(method, operator.name, times=2)
        operator.run(restart=True)
        operator.agrees()
        operator.says("Ready", "2.1.0", "On")


@rubric("failure")
def test_every_answer_is_lost_once(submission, scenario, world):
    scenario.why("A TransientError leaves open whether the step was carried out; the next look tells.")
    for number, method in enumerate(("power_off", "flash", "power_on")):
        scenario.given(f"spec 2.1.0, On; machine 1.0.0, On; {method} is carried out, and its answer is lost")
        scenario.expected("machine 2.1.0, On; status Ready, 2.1.0, On")
        operator = setting(submission, scenario, world, machine=("1.0.0", "On"), name=f"r{number}")
        world.hardware.interrupt(method, operator.name)
        operator.run(restart=True)
        operator.agrees()
        operator.says("Ready", "2.1.0", "On")


@rubric("failure")
def test_unreachable_machine(submission, scenario, world):
    told(
        scenario,
        "the status says Ready, 2.1.0, On; the user wants 2.2.0; the machine does not answer four looks",
        "asks again, no step and no claim while it is silent; then machine and status 2.2.0, On",
        "What cannot be looked at is not changed, and nothing is said about it.",
    )
    operator = agreed(submission, scenario, world)
    operator.edit(desired_firmware="2.2.0")
    world.hardware.fail("machine", "r7", times=4)
    for _ in range(ENOUGH_CALLS):
        operator.call()
        looks = [call for call in world.hardware.calls if call.method == "machine"]
        scenario.check(looks, got="did not look at the machine")
        if any(look.error is None for look in looks):
            break
        scenario.check(operator.asked, got="does not ask to be called again")
        scenario.check(operator.tried() == [], got=f"steps: {', '.join(operator.tried())}")
        operator.says("Ready", "2.1.0", "On")
    operator.run()
    operator.agrees()
    operator.says("Ready", "2.2.0", "On")


@rubric("failure")
def test_busy_api_server(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; TooManyRequests for the first read, ServerTimeout for two writes",
        "machine 2.1.0, On; status Ready, 2.1.0, On",
        "Not now means: ask to be called again. Then the status gets written too.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))
    world.faults.fail(TooManyRequests("busy"), "get", RackNode)
    world.faults.fail(ServerTimeout("try again"), "update", RackNode, times=2)
    operator.run()
    operator.agrees()
    operator.says("Ready", "2.1.0", "On")


@rubric("failure")
def test_conflict_with_another_author(submission, scenario, world):
    told(
        scenario,
        "spec 2.1.0, On; machine 1.0.0, On; somebody writes a condition just before our status is written",
        "status Ready, 2.1.0, On, and the condition still there",
        "Conflict protects the other one's write: read again, or ask to be called again.",
    )
    operator = setting(submission, scenario, world, machine=("1.0.0", "On"))

    def other() -> None:
        node = operator.node
        node.status.conditions = [Condition(type="Cabled", status="True", last_transition_time=world.now())]
        world.client("cabling").update_status(node)

    world.faults.before(other, "update", RackNode)
    operator.run()
    operator.agrees()
    operator.says("Ready", "2.1.0", "On")
    found = [c.type for c in operator.node.status.conditions]
    scenario.check(found == ["Cabled"], got=f"conditions: {found}")
