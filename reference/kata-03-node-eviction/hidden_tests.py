"""Hidden tests of kata 03."""

from datetime import datetime, timedelta
from typing import Any

from kubekata import (
    Conflict,
    DaemonSet,
    Node,
    NodeCondition,
    ObjectMeta,
    Pod,
    Request,
    Result,
    Taint,
    Toleration,
)
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import EPOCH, World, deployment, node, pod

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
SHORT = {NOT_READY: "not-ready", UNREACHABLE: "unreachable"}
BOTH = ("NoSchedule", "NoExecute")
NODE_A = Request("node-a")

SEES = ("test_silent_for_too_long",)
TAINTS = ("test_unknown_is_unreachable",)
EVICTS = ("test_when_the_time_has_come",)


# --- the scene -----------------------------------------------------------------------------------------------


def at(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def no_execute(key: str, since: float, value: str = "") -> Taint:
    return Taint(key=key, value=value, effect="NoExecute", time_added=at(since))


def down_since(seconds: float, key: str = UNREACHABLE) -> list[Taint]:
    """The taints of a node that has been down for a while."""
    return [Taint(key=key, effect="NoSchedule"), no_execute(key, seconds)]


def machine(
    world: World,
    name: str = "node-a",
    *,
    heard: float,
    ready: str = "True",
    since: float = 0,
    taints: list[Taint] | None = None,
    zone: str | None = "east",
    region: str | None = "eu",
) -> Node:
    """Put a node in place; ``heard`` is its last heartbeat, in seconds on the world's clock."""
    labels = {"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": region}
    wanted = node(name, labels={key: text for key, text in labels.items() if text is not None})
    condition = wanted.status.conditions[0]
    condition.status, condition.last_heartbeat_time = ready, at(heard)
    condition.last_transition_time = at(since)
    condition.reason = {"True": "KubeletReady", "False": "KubeletNotReady"}.get(ready, "NodeStatusUnknown")
    wanted.spec.taints = list(taints or [])
    return world.add(wanted)


def peers(world: World, count: int = 3, *, heard: float, prefix: str = "peer", **settings: Any) -> None:
    """Other nodes, all in one state."""
    for number in range(count):
        machine(world, f"{prefix}-{number:02}", heard=heard, **settings)


def time(world: World, seconds: float) -> None:
    world.clock.set(at(seconds))


def stay(key: str = "", seconds: int | None = None, **settings: Any) -> Toleration:
    settings = {"operator": "Exists", "effect": "NoExecute", **settings}
    return Toleration(key=key, toleration_seconds=seconds, **settings)


def default_tolerations(seconds: int | None = 300) -> list[Toleration]:
    return [stay(NOT_READY, seconds), stay(UNREACHABLE, seconds)]


def resident(world: World, name: str, *tolerations: Toleration, on: str = "node-a", **settings: Any) -> Pod:
    """A pod that runs on a node, with exactly these tolerations."""
    return world.add(pod(name, node=on, phase="Running", ready=True, tolerations=tolerations, **settings))


def going(world: World) -> list[str]:
    """The pods that were deleted: gone, or on their way."""
    deleted = {write.name for write in world.writes() if write.kind == "Pod" and write.verb == "delete"}
    return sorted(deleted)


def present(world: World, name: str = "node-a") -> Node:
    found = world.get(Node, name)
    assert found is not None
    return found


def ready_of(found: Node) -> NodeCondition:
    return next(c for c in found.status.conditions if c.type == "Ready")


def clock(moment: datetime | None) -> str:
    return "no time" if moment is None else f"{(moment - EPOCH).total_seconds():g} s"


def tainted(found: Node) -> set[str]:
    """A node's taints in words, those of the controller with the time of NoExecute."""
    words = set()
    for taint in found.spec.taints:
        text = f"{SHORT.get(taint.key, taint.key)}:{taint.effect}"
        words.add(text + (f" since {clock(taint.time_added)}" if taint.effect == "NoExecute" else ""))
    return words


def listed(words: set[str] | list[str]) -> str:
    return ", ".join(sorted(words)) or "none"


def calls(writes: list[Any]) -> str:
    return ", ".join(map(str, writes)) or "no writes"


def wrote_nothing(scenario: Any, world: World, since: int = 0, what: str = "the call") -> None:
    writes = world.writes(since=since)
    scenario.check(not writes, got=f"{what} wrote: {calls(writes)}", expected="nothing is written")


def look(submission: Any, world: World, name: str = "node-a") -> Result:
    return submission.reconcile(world.client(), Request(name))


def check_taints(scenario: Any, world: World, wanted: set[str], name: str = "node-a") -> None:
    found = present(world, name)
    got = tainted(found)
    scenario.check(
        got == wanted and len(found.spec.taints) == len(wanted),
        got=f"taints of {name}: {listed([*got])}",
        expected=f"taints of {name}: {listed(wanted)}",
    )


def check_going(scenario: Any, world: World, *wanted: str) -> None:
    found = going(world)
    scenario.check(
        found == sorted(wanted),
        got=f"deleted: {listed(found)}",
        expected=f"deleted: {listed(list(wanted))}",
    )


# --- heartbeat -----------------------------------------------------------------------------------------------


@rubric("heartbeat")
def test_silent_for_too_long(submission, scenario, world):
    scenario.given("node-a said Ready True and was last heard of 51 s ago; 3 other nodes are well")
    scenario.expected("Ready Unknown, reason NodeStatusUnknown, last transition now")
    scenario.why("After 50 seconds of silence nobody knows how the node is.")
    machine(world, heard=100)
    peers(world, heard=150)
    time(world, 151)
    look(submission, world)
    found = ready_of(present(world))
    got = f"Ready {found.status}, reason {found.reason}, last transition {clock(found.last_transition_time)}"
    right = (found.status, found.reason, found.last_transition_time) == (
        "Unknown",
        "NodeStatusUnknown",
        at(151),
    )
    scenario.check(right, got=f"{got} (now is 151 s)")
    scenario.check(
        found.last_heartbeat_time == at(100),
        got=f"last heartbeat {clock(found.last_heartbeat_time)}",
        expected="the last heartbeat stays at 100 s: nothing was heard",
    )


@rubric("heartbeat", needs=SEES)
def test_exactly_the_grace_period(submission, scenario, world):
    scenario.given("node-a was last heard of exactly 50 s ago")
    scenario.why("Silent means more than 50 seconds.")
    machine(world, heard=100)
    peers(world, heard=150)
    time(world, 150)
    look(submission, world)
    wrote_nothing(scenario, world)


@rubric("heartbeat")
def test_just_over_the_grace_period(submission, scenario, world):
    scenario.given("node-a was last heard of 50.25 s ago")
    scenario.expected("Ready Unknown")
    scenario.why("More than 50 seconds is silent; parts of a second count.")
    machine(world, heard=100)
    peers(world, heard=150)
    time(world, 150.25)
    look(submission, world)
    found = ready_of(present(world)).status
    scenario.equal(found, "Unknown", got=f"Ready {found}")


@rubric("heartbeat")
def test_silent_for_days(submission, scenario, world):
    scenario.given("node-a was last heard of 2 days and 10 seconds ago")
    scenario.expected("Ready Unknown")
    scenario.why("172,810 seconds are more than 50. (timedelta.seconds would say 10.)")
    machine(world, heard=0)
    peers(world, heard=172_800)
    time(world, 172_810)
    look(submission, world)
    found = ready_of(present(world)).status
    scenario.equal(found, "Unknown", got=f"Ready {found}")


@rubric("heartbeat")
def test_not_ready_and_then_silent(submission, scenario, world):
    scenario.given("node-a said Ready False and was last heard of 60 s ago")
    scenario.expected("Ready Unknown, reason NodeStatusUnknown, last transition now")
    scenario.why("What it said 60 seconds ago is not known any more, whatever it was.")
    machine(world, heard=100, ready="False", taints=down_since(90, NOT_READY))
    peers(world, heard=150)
    time(world, 160)
    look(submission, world)
    found = ready_of(present(world))
    got = f"Ready {found.status}, reason {found.reason}, last transition {clock(found.last_transition_time)}"
    right = (found.status, found.reason, found.last_transition_time) == (
        "Unknown",
        "NodeStatusUnknown",
        at(160),
    )
    scenario.check(right, got=f"{got} (now is 160 s)")


@rubric("heartbeat", needs=SEES)
def test_unknown_already(submission, scenario, world):
    scenario.given("node-a has been Unknown and tainted since 151 s; now it is 300 s")
    scenario.why("The status said so at 151 s: a second time would only move the transition.")
    machine(world, heard=100, ready="Unknown", since=151, taints=down_since(151))
    peers(world, heard=299)
    time(world, 300)
    look(submission, world)
    wrote_nothing(scenario, world)


@rubric("heartbeat", needs=SEES)
def test_not_ready_but_alive(submission, scenario, world):
    scenario.given("node-a says Ready False, with a heartbeat 5 s ago")
    scenario.expected("Ready stays False")
    scenario.why(
        "The kubelet is there and says that it is not ready. Unknown is for a node that says nothing."
    )
    machine(world, heard=145, ready="False")
    peers(world, heard=150)
    time(world, 150)
    look(submission, world)
    found = ready_of(present(world))
    scenario.check(
        (found.status, found.reason) == ("False", "KubeletNotReady"),
        got=f"Ready {found.status}, reason {found.reason}",
    )


@rubric("heartbeat", needs=SEES)
def test_only_the_ready_condition(submission, scenario, world):
    scenario.given(
        "node-a is silent; MemoryPressure comes first in its list of conditions, with an older heartbeat"
    )
    scenario.expected("MemoryPressure and the rest of the status as before")
    scenario.why("The heartbeat is that of the Ready condition, wherever it stands, and only Ready changes.")
    found = machine(world, heard=100)
    pressure = NodeCondition(
        type="MemoryPressure", status="False", last_heartbeat_time=at(40), last_transition_time=at(1)
    )
    found.status.conditions.insert(0, pressure)
    before = world.add(found)
    peers(world, heard=150)
    time(world, 145)
    look(submission, world)
    scenario.check(not world.writes(), got=f"at 145 s, with a heartbeat at 100 s: {calls(world.writes())}")
    time(world, 152)
    look(submission, world)
    after = present(world)
    scenario.check(after.status.conditions[0] == pressure, got=f"{after.status.conditions[0]}")
    scenario.check(after.status.allocatable == before.status.allocatable, got=f"{after.status}")
    status = ready_of(after).status
    scenario.equal(status, "Unknown", got=f"Ready {status}", expected="Ready Unknown")


@rubric("heartbeat", needs=SEES)
def test_one_node_a_call(submission, scenario, world):
    scenario.given("node-a is well, node-b is silent; reconcile is called for node-a")
    scenario.why("The request names one node; node-b gets a call of its own.")
    machine(world, heard=149)
    machine(world, "node-b", heard=10)
    resident(world, "web", on="node-b")
    peers(world, heard=150)
    time(world, 150)
    look(submission, world)
    wrote_nothing(scenario, world)


# --- taints --------------------------------------------------------------------------------------------------


@rubric("taints")
def test_unknown_is_unreachable(submission, scenario, world):
    scenario.given("node-a falls silent at 151 s; the zone is well otherwise")
    scenario.why(
        "Unknown means unreachable: nothing new may come (NoSchedule), and what is there has to go "
        "(NoExecute)."
    )
    machine(world, heard=100)
    peers(world, heard=150)
    time(world, 151)
    look(submission, world)
    check_taints(scenario, world, {"unreachable:NoSchedule", "unreachable:NoExecute since 151 s"})


@rubric("taints")
def test_false_is_not_ready(submission, scenario, world):
    scenario.given("node-a says Ready False, with a heartbeat 2 s ago")
    scenario.why("A node that says it is not ready gets the taint of that name.")
    machine(world, heard=98, ready="False")
    peers(world, heard=100)
    time(world, 100)
    look(submission, world)
    check_taints(scenario, world, {"not-ready:NoSchedule", "not-ready:NoExecute since 100 s"})


@rubric("taints")
def test_ready_again(submission, scenario):
    scenario.why("A node that is ready has none of the two taints; those of others are not ours.")
    for key in (NOT_READY, UNREACHABLE):
        world = World()
        scenario.given(
            f"node-a is Ready True again; it still has both {SHORT[key]} taints, and dedicated=gpu:NoSchedule"
        )
        dedicated = Taint(key="dedicated", value="gpu", effect="NoSchedule")
        machine(world, heard=199, taints=[*down_since(50, key), dedicated])
        peers(world, heard=200)
        time(world, 200)
        look(submission, world)
        check_taints(scenario, world, {"dedicated:NoSchedule"})
        value = present(world).spec.taints[0].value
        scenario.equal(value, "gpu", got=f"dedicated={value}", expected="dedicated=gpu as it was")


@rubric("taints")
def test_taints_of_others_stay(submission, scenario, world):
    scenario.given(
        "node-a falls silent at 151 s; it has the taints dedicated:NoSchedule, maintenance:NoExecute "
        "(since 20 s), "
        "disk-pressure:NoSchedule and is cordoned"
    )
    scenario.why(
        "Only the two taints are this controller's; whatever else stands there was put there by others."
    )
    others = [
        Taint(key="dedicated", effect="NoSchedule"),
        no_execute("maintenance", 20),
        Taint(key="node.kubernetes.io/disk-pressure", effect="NoSchedule"),
    ]
    found = machine(world, heard=100, taints=others)
    found.spec.unschedulable = True
    world.add(found)
    peers(world, heard=150)
    time(world, 151)
    look(submission, world)
    wanted = {"unreachable:NoSchedule", "unreachable:NoExecute since 151 s", "dedicated:NoSchedule"}
    wanted |= {"maintenance:NoExecute since 20 s", "node.kubernetes.io/disk-pressure:NoSchedule"}
    check_taints(scenario, world, wanted)
    scenario.check(
        present(world).spec.unschedulable, got="the cordon was lifted", expected="the cordon stays"
    )


@rubric("taints")
def test_from_unknown_to_false(submission, scenario, world):
    scenario.given(
        "node-a was unreachable since 60 s; at 100 s its kubelet is back and says Ready False. "
        "Another node of the zone was tainted 2 s ago"
    )
    scenario.why("The kind of taint is changed at once, and the time goes on from when the node went down.")
    machine(world, heard=99, ready="False", taints=down_since(60))
    machine(world, "node-b", heard=20, ready="Unknown", taints=down_since(98))
    peers(world, 4, heard=100)
    time(world, 100)
    look(submission, world)
    check_taints(scenario, world, {"not-ready:NoSchedule", "not-ready:NoExecute since 60 s"})


@rubric("taints")
def test_from_false_to_silent(submission, scenario, world):
    scenario.given("node-a was not ready since 60 s and falls silent; 3 of the 5 nodes of its zone are down")
    scenario.why("The kind of taint is changed at once, also where no new NoExecute taints are allowed.")
    machine(world, heard=100, ready="False", taints=down_since(60, NOT_READY))
    peers(world, 2, heard=10, ready="Unknown", taints=down_since(61), prefix="dead")
    peers(world, 2, heard=155)
    time(world, 155)
    look(submission, world)
    check_taints(scenario, world, {"unreachable:NoSchedule", "unreachable:NoExecute since 60 s"})


@rubric("taints", needs=TAINTS)
def test_tainted_already(submission, scenario, world):
    scenario.given("node-a is unreachable since 151 s, with both taints, in another order among others")
    scenario.why("All is as it should be, in whatever order it stands: nothing to write.")
    others = [no_execute("maintenance", 20), Taint(key="dedicated", effect="NoSchedule")]
    taints = [others[0], no_execute(UNREACHABLE, 151), others[1], Taint(key=UNREACHABLE, effect="NoSchedule")]
    machine(world, heard=100, ready="Unknown", since=151, taints=taints)
    peers(world, heard=200)
    time(world, 200)
    look(submission, world)
    wrote_nothing(scenario, world)
    submission.restart()
    look(submission, world)
    wrote_nothing(scenario, world)


@rubric("taints")
def test_only_half_of_it_is_there(submission, scenario):
    scenario.why("What is missing is added, what is there stays as it is, what does not belong goes.")
    for given, taints, wanted in (
        ("unreachable:NoExecute since 151 s", [no_execute(UNREACHABLE, 151)], 151),
        ("unreachable:NoSchedule", [Taint(key=UNREACHABLE, effect="NoSchedule")], 200),
        (
            "both, since 151 s, and not-ready:NoSchedule",
            [*down_since(151), Taint(key=NOT_READY, effect="NoSchedule")],
            151,
        ),
    ):
        world = World()
        scenario.given(f"node-a is Unknown; of the two taints it has {given}")
        machine(world, heard=100, ready="Unknown", since=151, taints=taints)
        peers(world, heard=200)
        time(world, 200)
        look(submission, world)
        check_taints(scenario, world, {"unreachable:NoSchedule", f"unreachable:NoExecute since {wanted} s"})


@rubric("taints", needs=TAINTS)
def test_a_second_call_writes_nothing(submission, scenario, world):
    scenario.given("node-a falls silent; reconcile is called, and called again by a fresh process")
    scenario.expected("the second call writes nothing")
    scenario.why("What is as it should be is left alone.")
    machine(world, heard=100)
    resident(world, "web", *default_tolerations())
    peers(world, heard=150)
    time(world, 151)
    look(submission, world)
    submission.restart()
    before = len(world.log)
    look(submission, world)
    wrote_nothing(scenario, world, before, "the second call")


@rubric("taints", needs=TAINTS)
def test_a_node_that_is_gone(submission, scenario, world):
    scenario.given("no node of that name")
    scenario.expected("Result(), nothing written")
    scenario.why("A node that was removed needs nothing any more; that is no error.")
    peers(world, heard=100)
    time(world, 100)
    found = look(submission, world, "node-z")
    scenario.equal(found, Result())
    wrote_nothing(scenario, world)


@rubric("taints", needs=TAINTS)
def test_somebody_taints_meanwhile(submission, scenario, world):
    scenario.given("node-a is silent; while it is tainted, a person adds maintenance:NoSchedule")
    scenario.why("The write of a node that was read before somebody else's change must not undo that change.")
    machine(world, heard=100, ready="Unknown", since=140)
    peers(world, heard=150)
    time(world, 151)

    def person() -> None:
        client = world.client("person")
        found = client.get(Node, "node-a")
        found.spec.taints.append(Taint(key="maintenance", effect="NoSchedule"))
        client.update(found)

    world.faults.before(person, "update", Node)
    until_done(submission, world)
    wanted = {"unreachable:NoSchedule", "unreachable:NoExecute since 151 s", "maintenance:NoSchedule"}
    check_taints(scenario, world, wanted)


@rubric("taints", needs=TAINTS)
def test_conflicts(submission, scenario):
    scenario.why("A Conflict changes nothing: read again and retry, or let it through and be called again.")
    for nth in (1, 2):
        world = World()
        scenario.given(f"node-a falls silent; write {nth} of the node is refused with a Conflict")
        machine(world, heard=100)
        peers(world, heard=150)
        time(world, 151)
        world.faults.fail(Conflict("the object has been modified"), "update", Node, nth=nth)
        until_done(submission, world)
        check_taints(scenario, world, {"unreachable:NoSchedule", "unreachable:NoExecute since 151 s"})
        found = ready_of(present(world)).status
        scenario.equal(found, "Unknown", got=f"Ready {found}", expected="Ready Unknown")


def until_done(submission: Any, world: World) -> Result:
    """Call again after a Conflict, as a work queue would, and after a short requeue."""
    for _ in range(4):
        try:
            result = look(submission, world)
        except SubmissionRaised as raised:
            if raised.type_name != "Conflict":
                raise
    return result


# --- evict ---------------------------------------------------------------------------------------------------


def dead_node(world: World, *, now: float, since: float = 100, taints: list[Taint] | None = None) -> None:
    """node-a, unreachable since 100 s, in a cluster that is well otherwise."""
    machine(world, heard=40, ready="Unknown", since=since, taints=[*down_since(since), *(taints or [])])
    peers(world, heard=now)
    time(world, now)


@rubric("evict")
def test_when_the_time_has_come(submission, scenario, world):
    scenario.given("node-a is unreachable since 100 s; pod web may stay 300 s (the default); now it is 400 s")
    scenario.why("100 + 300 is 400: the time has come at that moment.")
    dead_node(world, now=400)
    resident(world, "web", *default_tolerations())
    look(submission, world)
    check_going(scenario, world, "web")


@rubric("evict", needs=EVICTS)
def test_not_before(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s, silent since 40 s; pod web may stay 300 s; now it is 399.5 s"
    )
    scenario.why("toleration_seconds count from time_added of the taint, not from the last heartbeat.")
    dead_node(world, now=399.5)
    resident(world, "web", *default_tolerations())
    look(submission, world)
    check_going(scenario, world)


@rubric("evict")
def test_each_in_its_own_time(submission, scenario, world):
    scenario.given("node-a is unreachable since 100 s; pods may stay 10, 60, 61 and 300 s; now it is 160 s")
    scenario.why("Every pod has its own toleration_seconds, counted from time_added.")
    dead_node(world, now=160)
    for seconds in (300, 10, 61, 60):
        resident(world, f"web-{seconds}", *default_tolerations(seconds))
    look(submission, world)
    check_going(scenario, world, "web-10", "web-60")


@rubric("evict")
def test_without_a_toleration(submission, scenario, world):
    scenario.given("node-a falls silent; pod web tolerates nothing, pod patient may stay 300 s")
    scenario.why("A pod that does not tolerate a NoExecute taint has to go as soon as the taint is there.")
    machine(world, heard=100)
    peers(world, heard=150)
    resident(world, "web")
    resident(world, "patient", *default_tolerations())
    time(world, 151)
    until_done(submission, world)
    check_going(scenario, world, "web")


@rubric("evict")
def test_zero_and_negative_seconds(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; pod zero may stay 0 s, minus -5 s, one 1 s; now it is 100 s"
    )
    scenario.why("0 seconds, or less, is at once. It is not for ever.")
    dead_node(world, now=100)
    for name, seconds in (("zero", 0), ("minus", -5), ("one", 1)):
        resident(world, name, *default_tolerations(seconds))
    look(submission, world)
    check_going(scenario, world, "minus", "zero")


@rubric("evict")
def test_pods_that_stay_for_ever(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; a DaemonSet pod tolerates it without a limit, another pod "
        "tolerates everything, "
        "web may stay 300 s; a day has passed"
    )
    scenario.why("A toleration without toleration_seconds is for ever.")
    dead_node(world, now=86_500)
    owner = world.add(DaemonSet(metadata=ObjectMeta(name="log", namespace="default")))
    resident(world, "log-x", *default_tolerations(None), owner=owner)
    resident(world, "everywhere", stay(effect=""))
    resident(world, "web", *default_tolerations())
    look(submission, world)
    check_going(scenario, world, "web")


@rubric("evict")
def test_the_smallest_of_several_taints(submission, scenario, world):
    scenario.given(
        "node-a: unreachable since 100 s, and maintenance:NoExecute since 130 s; now it is 150 s. Pod a "
        "may stay 300 s and 20 s, "
        "pod b 300 s and 21 s, pod c for ever and 20 s, pod d 50 s and for ever, pod e 51 s and for ever"
    )
    scenario.why(
        "Each NoExecute taint has its own clock; the first that runs out decides, and 'for ever' lifts "
        "no other."
    )
    dead_node(world, now=150, taints=[no_execute("maintenance", 130)])
    for name, ours, theirs in (
        ("a", 300, 20),
        ("b", 300, 21),
        ("c", None, 20),
        ("d", 50, None),
        ("e", 51, None),
    ):
        resident(world, name, stay(UNREACHABLE, ours), stay("maintenance", theirs))
    look(submission, world)
    check_going(scenario, world, "a", "c", "d")


@rubric("evict")
def test_one_taint_that_is_not_tolerated(submission, scenario, world):
    scenario.given(
        "node-a: unreachable since 100 s and maintenance:NoExecute since 130 s; now it is 131 s; web "
        "tolerates only the first, for ever"
    )
    scenario.why(
        "Every NoExecute taint has to be tolerated; one that is not is enough. That goes for DaemonSet "
        "pods, too."
    )
    dead_node(world, now=131, taints=[no_execute("maintenance", 130)])
    owner = world.add(DaemonSet(metadata=ObjectMeta(name="log", namespace="default")))
    resident(world, "web", *default_tolerations(None))
    resident(world, "log-x", *default_tolerations(None), owner=owner)
    resident(world, "calm", *default_tolerations(None), stay("maintenance"))
    look(submission, world)
    check_going(scenario, world, "log-x", "web")


@rubric("evict")
def test_the_first_match_counts(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; now it is 120 s. Tolerations in order: pod a for ever, then "
        "10 s; pod b 10 s, "
        "then for ever; pod c 40 s, then 5 s"
    )
    scenario.why("Of several tolerations that match a taint, the first in the pod's list counts.")
    dead_node(world, now=120)
    resident(world, "a", stay(), stay(UNREACHABLE, 10))
    resident(world, "b", stay(UNREACHABLE, 10), stay())
    resident(world, "c", stay(UNREACHABLE, 40), stay(UNREACHABLE, 5))
    look(submission, world)
    check_going(scenario, world, "b")


@rubric("evict")
def test_tolerations_that_do_not_match(submission, scenario, world):
    scenario.given(
        "node-a: unreachable since 100 s, and team=red:NoExecute since 100 s, which all pods tolerate "
        "unless said otherwise; "
        "now it is 101 s. Pod a tolerates not-ready only; b tolerates unreachable with NoSchedule; c "
        "tolerates team=blue, h team=yellow; "
        "d tolerates team=red; e any effect; f team Exists; g team= (Equal without a value)"
    )
    scenario.why(
        "Key, effect and (unless the operator is Exists) value have to fit; an empty key or effect fits all."
    )
    dead_node(world, now=101, taints=[no_execute("team", 100, "red")])
    red = stay("team", operator="Equal", value="red")
    here = stay(UNREACHABLE)
    resident(world, "a", stay(NOT_READY), red)
    resident(world, "b", stay(UNREACHABLE, effect="NoSchedule"), red)
    resident(world, "c", here, stay("team", operator="Equal", value="blue"))
    resident(world, "d", here, red)
    resident(world, "e", stay(UNREACHABLE, effect=""), stay("team", operator="", value="red", effect=""))
    resident(world, "f", here, stay("team"))
    resident(world, "g", here, stay("team", operator="Equal"))
    resident(world, "h", here, stay("team", operator="Equal", value="yellow"))
    look(submission, world)
    check_going(scenario, world, "a", "b", "c", "g", "h")


@rubric("evict", needs=EVICTS)
def test_only_no_execute_evicts(submission, scenario, world):
    scenario.given(
        "node-a is well, with dedicated:NoSchedule and old:PreferNoSchedule; pod web tolerates nothing"
    )
    scenario.why("NoSchedule keeps pods from coming. Only NoExecute makes them go.")
    taints = [Taint(key="dedicated", effect="NoSchedule"), Taint(key="old", effect="PreferNoSchedule")]
    machine(world, heard=99, taints=taints)
    peers(world, heard=100)
    resident(world, "web")
    time(world, 100)
    look(submission, world)
    check_going(scenario, world)


@rubric("evict")
def test_a_ready_node_with_no_execute(submission, scenario, world):
    scenario.given(
        "node-a is well, with maintenance:NoExecute since 90 s; now it is 100 s; pods may stay 0, 10 and 11 s"
    )
    scenario.why("A NoExecute taint evicts whoever put it there, and however the node is.")
    machine(world, heard=99, taints=[no_execute("maintenance", 90)])
    peers(world, heard=100)
    resident(world, "web-0")
    resident(world, "web-10", stay("maintenance", 10))
    resident(world, "web-11", stay("maintenance", 11))
    time(world, 100)
    look(submission, world)
    check_going(scenario, world, "web-0", "web-10")


@rubric("evict")
def test_which_pods(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; now it is 500 s. On it: default/web, shop/web, and gone, "
        "which is being deleted already; "
        "elsewhere: safe on peer-00, and waiting, which has no node"
    )
    scenario.why("All pods on the node, in all namespaces, but none twice, and no others.")
    dead_node(world, now=500)
    world.ensure_namespace("shop")
    resident(world, "web", *default_tolerations())
    resident(world, "web", *default_tolerations(), namespace="shop")
    gone = resident(world, "gone", *default_tolerations())
    gone.metadata.deletion_timestamp, gone.metadata.deletion_grace_period_seconds = at(450), 30
    world.add(gone)
    resident(world, "safe", on="peer-00")
    world.add(pod("waiting"))
    look(submission, world)
    deleted = sorted(f"{w.namespace}/{w.name}" for w in world.writes() if w.verb == "delete")
    wanted = ["default/web", "shop/web"]
    scenario.equal(deleted, wanted, got=f"deleted: {listed(deleted)}", expected=f"deleted: {listed(wanted)}")
    before = len(world.log)
    look(submission, world)
    wrote_nothing(scenario, world, before, "the second call")


@rubric("evict")
def test_a_pod_that_is_gone_meanwhile(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; now it is 500 s; pods a, b and c have to go; somebody "
        "removes a at the same moment"
    )
    scenario.expected("b and c are deleted")
    scenario.why("Gone is what it should be: go on with the others.")
    dead_node(world, now=500)
    for name in "abc":
        resident(world, name, *default_tolerations())
    person = world.client("person")
    world.faults.before(lambda: person.delete(Pod, "a", grace_period_seconds=0), "delete", Pod, name="a")
    look(submission, world)
    check_going(scenario, world, "b", "c")


# --- requeue -------------------------------------------------------------------------------------------------


def check_requeue(scenario: Any, found: Result, wanted: float | None, slack: float = 0) -> None:
    """``slack``: how much more than ``wanted`` is fine; with any, ``wanted`` itself is too early."""
    after = found.requeue_after
    if wanted is None:
        right, expected = after is None, "no requeue_after"
    elif slack:
        right = after is not None and wanted < after <= wanted + slack
        expected = f"requeue_after more than {wanted:g}, at most {wanted + slack:g}"
    else:
        right = after is not None and abs(after - wanted) < 1e-6
        expected = f"requeue_after {wanted:g}"
    scenario.check(right, got=f"requeue_after {after}", expected=expected)


@rubric("requeue")
def test_the_end_of_the_grace_period(submission, scenario, world):
    scenario.given("node-a is well, its last heartbeat was 30 s ago")
    scenario.why(
        "Unless it is heard of, it is silent in a little more than 20 seconds. Nobody else will call then."
    )
    machine(world, heard=100)
    peers(world, heard=130)
    time(world, 130)
    check_requeue(scenario, look(submission, world), 20, slack=1)
    scenario.given("node-a is well, its last heartbeat was exactly 50 s ago")
    scenario.why("Silent is more than 50 seconds: not now, but within a moment. Nobody else will call then.")
    time(world, 150)
    check_requeue(scenario, look(submission, world), 0, slack=1)


@rubric("requeue")
def test_the_next_pod(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; now it is 160 s; pods may stay 10, 300, 90 and 120.5 s"
    )
    scenario.why("The pod of 10 s goes now; the next is the one of 90 s, 30 s from now.")
    dead_node(world, now=160)
    for seconds in (300, 10, 90, 120):
        resident(world, f"web-{seconds}", *default_tolerations(seconds))
    scenario.given("node-a is unreachable since 100 s; now it is 160 s; pods may stay 10, 90, 120 and 300 s")
    check_requeue(scenario, look(submission, world), 30)
    scenario.given("the same, at 177.5 s")
    time(world, 177.5)
    check_requeue(scenario, look(submission, world), 12.5)


@rubric("requeue", needs=("test_the_next_pod",))
def test_just_tainted(submission, scenario, world):
    scenario.given("node-a falls silent at 151 s; pods may stay 300 s and 45 s")
    scenario.why("The taint is there from now on, so the first pod has to go 45 s from now.")
    machine(world, heard=100)
    peers(world, heard=150)
    for seconds in (300, 45):
        resident(world, f"web-{seconds}", *default_tolerations(seconds))
    time(world, 151)
    check_requeue(scenario, look(submission, world), 45)


@rubric("requeue", needs=("test_the_next_pod",))
def test_the_turn_of_the_zone(submission, scenario, world):
    scenario.given(
        "node-a falls silent at 151 s; another node of its zone got its NoExecute taint at 145 s; pods "
        "may stay 3 s"
    )
    scenario.why(
        "The zone allows a taint every 10 seconds, so it is node-a's turn 4 s from now. Its pods have no "
        "clock yet."
    )
    machine(world, heard=100)
    machine(world, "node-b", heard=90, ready="Unknown", taints=down_since(145))
    peers(world, 4, heard=150)
    resident(world, "web", *default_tolerations(3))
    time(world, 151)
    check_requeue(scenario, look(submission, world), 4)


@rubric("requeue")
def test_the_earliest_of_all(submission, scenario):
    scenario.why(
        "Not ready, but not silent: the grace period runs as well as the pods' time. The earliest counts."
    )
    for heard, seconds, wanted, slack in ((190, 60, 10, 0), (155, 60, 5, 1), (190, 300, 40, 1)):
        world = World()
        scenario.given(
            f"now it is 200 s; node-a is not ready since 150 s, last heard of at {heard} s; its pod may "
            f"stay {seconds} s"
        )
        machine(world, heard=heard, ready="False", taints=down_since(150, NOT_READY))
        peers(world, heard=200)
        resident(world, "web", *default_tolerations(seconds))
        time(world, 200)
        check_requeue(scenario, look(submission, world), wanted, slack)


@rubric("requeue")
def test_turn_grace_and_pods(submission, scenario):
    scenario.why(
        "Waiting for the zone, for the grace period to end, and for a pod to go: the earliest counts."
    )
    for heard, tainted_at, seconds, wanted, slack in (
        (198, 197, 30, 7, 0),
        (153, 198, 30, 3, 1),
        (198, 199, 16, 6, 0),
    ):
        world = World()
        scenario.given(
            f"now it is 200 s; node-a is not ready, last heard of at {heard} s; node-b of its zone was "
            f"tainted at {tainted_at} s; "
            f"node-a also has maintenance:NoExecute since 190 s, which its pod tolerates for {seconds} s"
        )
        machine(world, heard=heard, ready="False", taints=[no_execute("maintenance", 190)])
        machine(world, "node-b", heard=90, ready="Unknown", taints=down_since(tainted_at))
        peers(world, 4, heard=200)
        resident(world, "web", *default_tolerations(), stay("maintenance", seconds))
        time(world, 200)
        check_requeue(scenario, look(submission, world), wanted, slack)


@rubric("requeue", needs=("test_the_next_pod",))
def test_nothing_to_wait_for(submission, scenario, world):
    scenario.given(
        "node-a is unreachable since 100 s; the only pods on it stay for ever or are being deleted"
    )
    scenario.why("Time alone changes nothing here: the next change will call.")
    dead_node(world, now=160)
    resident(world, "log", *default_tolerations(None))
    gone = resident(world, "gone", *default_tolerations())
    gone.metadata.deletion_timestamp, gone.metadata.deletion_grace_period_seconds = at(190), 30
    world.add(gone)
    check_requeue(scenario, look(submission, world), None)


@rubric("requeue", needs=("test_the_turn_of_the_zone",))
def test_a_stopped_zone_has_no_moment(submission, scenario, world):
    scenario.given(
        "node-a falls silent; 3 of the 5 nodes of its zone are down; another zone is well; its pod may "
        "stay 300 s"
    )
    scenario.why("No new NoExecute taint until the zone is better, and that is a change which will call.")
    machine(world, heard=100)
    peers(world, 2, heard=90, ready="Unknown", prefix="dead")
    peers(world, 2, heard=150)
    peers(world, 2, heard=150, prefix="west", zone="west")
    resident(world, "web", *default_tolerations())
    time(world, 151)
    check_requeue(scenario, look(submission, world), None)


# --- zones ---------------------------------------------------------------------------------------------------


def zone(
    world: World, size: int, down: int, *, now: float, last: float | None = None, **settings: Any
) -> None:
    """node-a has just fallen silent; ``down`` nodes of its zone of ``size`` are down, node-a among them."""
    machine(world, heard=now - 51, **settings)
    for number in range(1, size):
        name = f"east-{number:02}"
        if number >= down:
            machine(world, name, heard=now - 1, **settings)
            continue
        # Some say that they are not ready, some are silent and say so, some have not been looked at yet.
        ready, heard = (("False", now - 2), ("Unknown", now - 300), ("True", now - 60))[number % 3]
        taints = down_since(last) if last is not None and number == 1 else []
        machine(world, name, heard=heard, ready=ready, taints=taints, **settings)
    time(world, now)


def becomes(submission: Any, scenario: Any, world: World, *, tainted_now: bool) -> None:
    """Look, and check whether node-a got its NoExecute taint; NoSchedule it gets in any case."""
    now = f"{(world.now() - EPOCH).total_seconds():g}"
    look(submission, world)
    wanted = {"unreachable:NoSchedule"} | ({f"unreachable:NoExecute since {now} s"} if tainted_now else set())
    check_taints(scenario, world, wanted)


@rubric("zones", needs=TAINTS)
def test_most_of_a_small_zone(submission, scenario):
    why = "{} of {} nodes of the zone are down: {}"
    for size, down, allowed, because in (
        (
            5,
            3,
            False,
            "more than 2, and 60 %: the zone is in trouble, and no new NoExecute taint is allowed.",
        ),
        (20, 11, False, "exactly 55 %, which is enough to stop."),
        (20, 10, True, "50 % is less than 55 %: the normal pace."),
        (11, 6, True, "54.5 % is less than 55 %: the normal pace."),
        (3, 2, True, "2 nodes are not more than 2, though they are 67 %: the normal pace."),
        (4, 3, False, "3 are more than 2, and 75 %: no new NoExecute taint is allowed."),
        (50, 30, False, "50 nodes are not more than 50: a small zone, no new NoExecute taint is allowed."),
    ):
        world = World()
        scenario.given(
            f"node-a falls silent; {down} of the {size} nodes of its zone are down; the zone west is well"
        )
        scenario.why(why.format(down, size, because))
        peers(world, 2, heard=999, prefix="west", zone="west")
        zone(world, size, down, now=1000)
        becomes(submission, scenario, world, tainted_now=allowed)


@rubric("zones")
def test_most_of_a_large_zone(submission, scenario):
    for size, down, last, allowed, because in (
        (51, 30, None, True, "none was tainted yet, so node-a may be."),
        (51, 30, 901, False, "one every 100 s, and the last was 99 s ago."),
        (51, 30, 900, True, "one every 100 s, and the last was exactly 100 s ago."),
        (60, 32, 989, True, "53 % is less than 55 %, so one every 10 s, and the last was 11 s ago."),
    ):
        world = World()
        last_text = "none has NoExecute yet" if last is None else f"the last NoExecute taint is from {last} s"
        scenario.given(
            f"node-a falls silent at 1000 s; {down} of the {size} nodes of its zone are down; {last_text}"
        )
        scenario.why(f"A zone of more than 50 nodes slows down instead of stopping: {because}")
        zone(world, size, down, now=1000, last=last)
        becomes(submission, scenario, world, tainted_now=allowed)


@rubric("zones")
def test_one_every_ten_seconds(submission, scenario):
    for last, allowed in ((990.5, False), (990, True), (950, True), (1000, False)):
        world = World()
        scenario.given(
            f"node-a falls silent at 1000 s; another node of its zone got its NoExecute taint at {last:g} s"
        )
        scenario.why("In a zone that is well, one node every 10 seconds: exactly 10 are enough.")
        zone(world, 6, 2, now=1000, last=last)
        becomes(submission, scenario, world, tainted_now=allowed)
        if allowed:
            continue
        time(world, last + 10)
        for number in range(2, 6):
            machine(world, f"east-{number:02}", heard=last + 9)
        scenario.given(f"the same, at {last + 10:g} s")
        becomes(submission, scenario, world, tainted_now=True)


@rubric("zones")
def test_whose_taints_count_for_the_pace(submission, scenario, world):
    scenario.given(
        "node-a falls silent at 1000 s. At 998 s a node of another zone, one of the same zone name in "
        "another region, and one without zone labels "
        "were tainted; in its own zone somebody put maintenance:NoExecute on a node then"
    )
    scenario.why(
        "Each zone (region and zone) has its own pace, and only the two taints of this controller count."
    )
    machine(world, heard=949)
    peers(world, 4, heard=999)
    machine(world, "node-b", heard=999, taints=[no_execute("maintenance", 998)])
    for name, place in (
        ("node-c", {"zone": "west"}),
        ("node-d", {"region": "us"}),
        ("node-e", {"zone": None, "region": None}),
    ):
        machine(world, name, heard=900, ready="Unknown", taints=down_since(998), **place)
    time(world, 1000)
    becomes(submission, scenario, world, tainted_now=True)


@rubric("zones")
def test_the_latest_of_several(submission, scenario, world):
    scenario.given(
        "node-a falls silent at 1000 s; nodes of its zone were tainted at 940 s (unreachable), 995 s "
        "(not-ready) and 970 s"
    )
    scenario.why("The last one was 5 s ago, of whichever of the two kinds it is.")
    machine(world, heard=949)
    machine(world, "node-b", heard=900, ready="Unknown", taints=down_since(940))
    machine(world, "node-c", heard=999, ready="False", taints=down_since(995, NOT_READY))
    machine(world, "node-d", heard=900, ready="Unknown", taints=down_since(970))
    peers(world, 6, heard=999)
    time(world, 1000)
    becomes(submission, scenario, world, tainted_now=False)
    time(world, 1005)
    scenario.given("the same, at 1005 s")
    becomes(submission, scenario, world, tainted_now=True)


@rubric("zones")
def test_a_zone_that_is_down_altogether(submission, scenario):
    for size in (1, 2, 3, 5):
        world = World()
        scenario.given(f"all {size} nodes of zone east are down; zone west is well; node-a is one of them")
        scenario.why(
            "A zone that is down altogether is evicted at the normal pace, since there is another one to "
            "go to."
        )
        peers(world, 1, heard=999, prefix="west", zone="west")
        zone(world, size, size, now=1000)
        becomes(submission, scenario, world, tainted_now=True)


@rubric("zones")
def test_all_nodes_are_down(submission, scenario, world):
    scenario.given(
        "all nodes of both zones are down; node-a has its taints since 900 s, and maintenance:NoExecute; "
        "pod web had to go at 1000 s"
    )
    scenario.why(
        "If nobody is heard of, the control plane is cut off: nothing is evicted, and the NoExecute "
        "taint goes."
    )
    machine(world, heard=800, ready="Unknown", taints=[*down_since(900), no_execute("maintenance", 890)])
    machine(world, "node-b", heard=949)
    machine(world, "node-c", heard=999, ready="False", zone="west")
    resident(world, "web", *default_tolerations(100), stay("maintenance"))
    time(world, 1000)
    look(submission, world)
    check_taints(scenario, world, {"unreachable:NoSchedule", "maintenance:NoExecute since 890 s"})
    check_going(scenario, world)
    before = len(world.log)
    look(submission, world)
    wrote_nothing(scenario, world, before, "the second call")


@rubric("zones")
def test_all_nodes_but_one(submission, scenario, world):
    scenario.given("all nodes of zone east are down, 3 of 4 of zone west; node-a in east falls silent")
    scenario.why(
        "One node that is well is enough: it is not the control plane that is cut off, and zone east is "
        "down altogether."
    )
    peers(world, 3, heard=900, ready="Unknown", prefix="west", zone="west")
    machine(world, "west-09", heard=999, zone="west")
    zone(world, 4, 4, now=1000)
    becomes(submission, scenario, world, tainted_now=True)


@rubric("zones")
def test_evictions_that_run_go_on(submission, scenario, world):
    scenario.given(
        "3 of the 5 nodes of node-a's zone are down; node-a has its NoExecute taint since 900 s; web may "
        "stay 100 s; now it is 1000 s"
    )
    scenario.why(
        "Where no new NoExecute taints are allowed, those that are there stay, and pods go when their "
        "time comes."
    )
    machine(world, heard=800, ready="Unknown", taints=down_since(900))
    peers(world, 2, heard=800, ready="Unknown", prefix="dead")
    peers(world, 2, heard=999)
    peers(world, 2, heard=999, prefix="west", zone="west")
    resident(world, "web", *default_tolerations(100))
    time(world, 1000)
    look(submission, world)
    check_taints(scenario, world, {"unreachable:NoSchedule", "unreachable:NoExecute since 900 s"})
    check_going(scenario, world, "web")


@rubric("zones")
def test_nodes_without_zone_labels(submission, scenario, world):
    scenario.given("a cluster without zone labels: node-a falls silent, 3 of 5 nodes are down")
    scenario.why("Nodes without the labels are in one zone together.")
    zone(world, 5, 3, now=1000, zone=None, region=None)
    becomes(submission, scenario, world, tainted_now=False)


@rubric("zones")
def test_pods_stay_while_a_node_waits(submission, scenario, world):
    scenario.given(
        "node-a fell silent, but its zone allows no NoExecute taint yet; pod web tolerates nothing"
    )
    scenario.why("Without the NoExecute taint nothing has to go.")
    zone(world, 6, 2, now=1000, last=995)
    resident(world, "web")
    becomes(submission, scenario, world, tainted_now=False)
    check_going(scenario, world)


# --- recover -------------------------------------------------------------------------------------------------


class Cluster:
    """Three nodes at work, a Deployment of three pods, and a loop that calls when it is asked to."""

    def __init__(self, submission: Any, scenario: Any, world: World, *, cpu: str, seconds: int) -> None:
        self.submission, self.scenario, self.world = submission, scenario, world
        for name in ("node-a", "node-b", "node-c"):
            world.add(node(name, cpu="2"))
        self.actors = world.start_control_plane(stop_after=5)
        wanted = deployment("web", 3, cpu=cpu)
        wanted.spec.template.spec.tolerations = default_tolerations(seconds)
        world.client("person").create(wanted)
        world.advance(20)
        self.queue: dict[str, datetime] = dict.fromkeys(("node-a", "node-b", "node-c"), world.now())

    def run(self, seconds: float, limit: int = 60) -> None:
        """Let time pass; whoever is due is looked at, and after a write everybody."""
        end = self.world.now() + timedelta(seconds=seconds)
        calls_left = limit
        while min(self.queue.values()) <= end:
            name, due = min(self.queue.items(), key=lambda item: (item[1], item[0]))
            self.world.advance(max(0.0, (due - self.world.now()).total_seconds()))
            before = len(self.world.log)
            after = look(self.submission, self.world, name).requeue_after
            calls_left -= 1
            if calls_left <= 0:
                self.scenario.why(
                    "A look at which time has changed nothing yet asks for itself again, and again."
                )
            self.scenario.check(
                calls_left > 0,
                got=f"{limit} calls within {seconds:g} s, and it asks for more",
                expected="requeue_after says when there is something to do next",
            )
            self.queue[name] = at(10**9) if after is None else self.world.now() + timedelta(seconds=after)
            if self.world.writes(since=before):
                self.wake()
            self.record()
        self.world.advance((end - self.world.now()).total_seconds())
        self.record()

    def wake(self) -> None:
        """Something changed: everybody is looked at."""
        self.queue = dict.fromkeys(self.queue, self.world.now())

    def record(self) -> None:
        pods = [p for p in self.world.list(Pod) if p.active]
        moment = (self.world.now() - EPOCH).total_seconds()
        self.scenario.step(
            f"{moment:g} s", ready=sum(p.ready for p in pods if p.spec.node_name != "node-a"), total=len(pods)
        )

    def places(self) -> list[str]:
        """Where the pods that are wanted are."""
        return sorted(p.spec.node_name or "Pending" for p in self.world.list(Pod) if p.active)

    def expect(self, *places: str, when: str) -> None:
        got = self.places()
        self.scenario.check(
            got == sorted(places),
            got=f"{when}: pods on {', '.join(got)}",
            expected=f"{when}: pods on {', '.join(sorted(places))}",
        )


@rubric("recover")
def test_pods_end_up_on_the_survivors(submission, scenario, world):
    scenario.given(
        "3 nodes of 2 CPUs, Deployment web: 3 pods of 900m, all on node-a and node-b; tolerated for 100 "
        "s; node-a dies"
    )
    scenario.why(
        "Evicted pods are made anew by their ReplicaSet, and the scheduler finds nodes without the taint."
    )
    cluster = Cluster(submission, scenario, world, cpu="900m", seconds=100)
    cluster.expect("node-a", "node-a", "node-b", when="before")
    cluster.actors.heartbeats.stop("node-a")
    cluster.run(140)
    cluster.expect(
        "node-a", "node-a", "node-b", when="140 s after node-a died (50 s of grace, 100 s of toleration)"
    )
    cluster.run(40)
    cluster.expect("node-b", "node-b", "node-c", when="180 s after node-a died")


@rubric("recover")
def test_nothing_lands_on_the_dead_node(submission, scenario, world):
    scenario.given("the same cluster, but the pods need 1500m each: one per node; node-a dies")
    scenario.why(
        "The survivors are full, so the new pod is Pending. NoSchedule keeps it off node-a, though "
        "node-a has room."
    )
    cluster = Cluster(submission, scenario, world, cpu="1500m", seconds=30)
    cluster.expect("node-a", "node-b", "node-c", when="before")
    cluster.actors.heartbeats.stop("node-a")
    cluster.run(150)
    cluster.expect("Pending", "node-b", "node-c", when="150 s after node-a died")


@rubric("recover")
def test_back_in_time(submission, scenario, world):
    scenario.given(
        "3 nodes, Deployment web: 3 pods, tolerated for 100 s; node-a dies and is back 100 s later"
    )
    scenario.why(
        "Evictions that have not happened yet are called off: the taints are gone, and so is the pods' clock."
    )
    cluster = Cluster(submission, scenario, world, cpu="900m", seconds=100)
    cluster.actors.heartbeats.stop("node-a")
    cluster.run(100)
    taints = tainted(present(world))
    scenario.check(
        {text.split(" since")[0] for text in taints} == {"unreachable:NoSchedule", "unreachable:NoExecute"},
        got=f"taints of node-a: {listed(taints)}",
        expected="node-a is tainted as unreachable, 100 s after it died",
    )
    cluster.actors.heartbeats.resume("node-a")
    world.advance(11)
    cluster.wake()
    cluster.run(300)
    cluster.expect("node-a", "node-a", "node-b", when="300 s after node-a came back")
    check_taints(scenario, world, set())


@rubric("recover")
def test_back_after_the_eviction(submission, scenario, world):
    scenario.given(
        "3 nodes, Deployment web: 3 pods of 1500m, tolerated for 30 s; node-a dies, and is back 150 s later"
    )
    scenario.why("Without the taints node-a takes pods again: the one that was Pending.")
    cluster = Cluster(submission, scenario, world, cpu="1500m", seconds=30)
    cluster.actors.heartbeats.stop("node-a")
    cluster.run(150)
    cluster.expect("Pending", "node-b", "node-c", when="150 s after node-a died")
    cluster.actors.heartbeats.resume("node-a")
    world.advance(11)
    cluster.wake()
    cluster.run(60)
    cluster.expect("node-a", "node-b", "node-c", when="60 s after node-a came back")
    check_taints(scenario, world, set())


@rubric("recover")
def test_down_again(submission, scenario, world):
    scenario.given(
        "node-a was unreachable since 100 s and came back at 200 s; at 300 s it is silent again; web may "
        "stay 300 s"
    )
    scenario.why("The second time is a new time: the clock starts again when the taint is put on again.")
    machine(world, heard=199, taints=down_since(100))
    peers(world, heard=200)
    resident(world, "web", *default_tolerations())
    time(world, 200)
    look(submission, world)
    check_taints(scenario, world, set())
    submission.restart()
    time(world, 300)
    peers(world, heard=300)
    found = look(submission, world)
    check_taints(scenario, world, {"unreachable:NoSchedule", "unreachable:NoExecute since 300 s"})
    check_requeue(scenario, found, 300)
    time(world, 450)
    peers(world, heard=450)
    look(submission, world)
    check_going(scenario, world)
