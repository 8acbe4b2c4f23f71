"""What a good operator does, check by check. Each has RackNodes and machines of its own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubekata.bonus.stage import CheckFailed, NotApplicable, Stage, condition, describe
from kubekata.cluster.clock import parse_timestamp

Manifest = dict[str, Any]

_FLAKY_CALLS = 3
_LOOKS = 3


@dataclass(frozen=True)
class Check:
    """One check: the rubric item that it counts for, and whether it needs the operator for itself."""

    name: str
    item: str
    run: Callable[[Stage], None]
    alone: bool = False


CHECKS: list[Check] = []


def check(item: str, *, alone: bool = False) -> Callable[[Callable[[Stage], None]], Callable[[Stage], None]]:
    """Make a function a check of a rubric item."""

    def register(function: Callable[[Stage], None]) -> Callable[[Stage], None]:
        CHECKS.append(Check(function.__name__, item, function, alone))
        return function

    return register


@check("ready")
def provisions(stage: Stage) -> None:
    """A new RackNode's machine is flashed, switched on, and reported."""
    given = "a RackNode that wants firmware 2.1.0, power On; its machine is off with firmware 1.0.0"
    stage.create("provisions")
    stage.wait_ready("provisions", given)
    _machine_is(stage, "provisions", given, firmware="2.1.0", power="On")


@check("ready")
def follows_the_spec(stage: Stage) -> None:
    """A changed spec is carried out on the machine too."""
    stage.create("follows")
    stage.wait_ready("follows", "a new RackNode")
    given = "a Ready RackNode whose desiredFirmware is changed to 2.2.0 and its power to Off"
    stage.api.merge(stage.path("follows"), {"spec": {"desiredFirmware": "2.2.0", "power": "Off"}})
    stage.wait_ready("follows", given, "2.2.0")
    _machine_is(stage, "follows", given, firmware="2.2.0", power="Off")


@check("quiet")
def second_look_changes_nothing(stage: Stage) -> None:
    """While nothing is wrong nothing is written."""
    stage.create("quiet")
    stage.wait_ready("quiet", "a new RackNode")
    # The last of the work on a creation may still be on its way.
    stage.sleep(stage.pace.drift)
    before, acts = stage.find("quiet") or {}, len([c for c in stage.calls("quiet") if c.acts])
    jobs = _versions(stage.jobs_of(before["metadata"]["uid"]))
    seconds = _LOOKS * stage.pace.drift
    stage.sleep(seconds)
    after = stage.find("quiet") or {}
    given = f"a Ready RackNode and {seconds:.0f} s in which nothing changes"
    if after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]:
        raise CheckFailed(
            given=given,
            expected="its resourceVersion stays what it was",
            got=f"it was written: {_difference(before, after)}",
            why="a status that is written on every look wakes every watcher for nothing",
        )
    if _versions(stage.jobs_of(before["metadata"]["uid"])) != jobs:
        raise CheckFailed(
            given=given, expected="its Jobs stay as they were", got="a Job was written or created"
        )
    if len([c for c in stage.calls("quiet") if c.acts]) != acts:
        raise CheckFailed(
            given=given, expected="the machine is only looked at", got="the machine was acted on again"
        )


@check("drift")
def firmware_drift(stage: Stage) -> None:
    """Firmware that was changed behind the operator's back is put right."""
    stage.create("drifts")
    stage.wait_ready("drifts", "a new RackNode")
    stage.rack.add("drifts", power_state="On", firmware="1.9.9")
    given = "a Ready RackNode whose machine gets firmware 1.9.9 out of band; nothing in the cluster changes"
    if not stage.wait(lambda: _actual(stage, "drifts") == ("2.1.0", "On")):
        raise CheckFailed(
            given=given,
            expected=f"firmware 2.1.0 and power On again within {stage.pace.enough:.0f} s",
            got=_shown(stage, "drifts"),
            why="no event tells of drift: only a timer that looks at the machine finds it",
        )
    stage.wait_ready("drifts", given)


@check("drift")
def power_drift(stage: Stage) -> None:
    """A machine that was switched off by hand is switched on again."""
    stage.create("unplugged")
    stage.wait_ready("unplugged", "a new RackNode")
    stage.rack.add("unplugged", power_state="Off", firmware="2.1.0")
    if not stage.wait(lambda: _actual(stage, "unplugged") == ("2.1.0", "On")):
        raise CheckFailed(
            given="a Ready RackNode whose machine is switched off out of band",
            expected=f"it is on again within {stage.pace.enough:.0f} s",
            got=_shown(stage, "unplugged"),
        )


@check("flaky")
def retries_with_backoff(stage: Stage) -> None:
    """503s are retried, ever more slowly, and it ends Ready."""
    stage.rack.fail("machine", "flaky", times=_FLAKY_CALLS)
    given = f"a rack that answers the first {_FLAKY_CALLS} calls about the machine with 503"
    before = time.monotonic()
    stage.create("flaky")
    stage.wait_ready("flaky", given, why="503 means: not now. Come back.")
    calls = stage.calls("flaky", "machine")[: _FLAKY_CALLS + 1]
    gaps = [(b.at - a.at).total_seconds() for a, b in itertools.pairwise(calls)]
    shown = ", ".join(f"{gap:.1f} s" for gap in gaps)
    if min(gaps) < 0.7 * stage.pace.retry:
        raise CheckFailed(
            given=given,
            expected=f"at least RETRY_SECONDS ({stage.pace.retry:g} s) before the next try",
            got=f"tries {shown} apart",
            why="hammering a busy controller keeps it busy",
        )
    if gaps[-1] < 1.3 * gaps[0]:
        raise CheckFailed(
            given=given,
            expected="a longer wait each time",
            got=f"tries {shown} apart, over {time.monotonic() - before:.0f} s",
        )


@check("flaky")
def flaky_flash(stage: Stage) -> None:
    """A flash that fails halfway is taken up again."""
    stage.rack.fail("flash", "halfway", times=1)
    stage.rack.interrupt("flash", "halfway", times=1)
    stage.create("halfway")
    given = "a flash that is answered with 503, and then one whose answer is lost although it was done"
    stage.wait_ready("halfway", given)
    _machine_is(stage, "halfway", given, firmware="2.1.0", power="On")


@check("cleanup")
def decommissions_first(stage: Stage) -> None:
    """The machine is handed back while the object is still there."""
    stage.create("leaves")
    stage.wait_ready("leaves", "a new RackNode")
    seen: list[bool] = []
    stage.rack.before(lambda: seen.append(stage.find("leaves") is not None), "decommission", "leaves")
    stage.api.delete(stage.path("leaves"))
    given = "a Ready RackNode that is deleted"
    if not stage.wait(lambda: stage.find("leaves") is None):
        raise CheckFailed(
            given=given,
            expected=f"the object goes within {stage.pace.enough:.0f} s",
            got="it is still there, held by " + _finalizers(stage.find("leaves")),
        )
    if stage.rack.machine("leaves") is not None:
        raise CheckFailed(
            given=given,
            expected="the machine is decommissioned (DELETE on its System)",
            got="the object is gone, and the machine is still in the rack",
            why="an object that goes before its machine leaves a machine that nobody knows of",
        )
    if seen and not seen[0]:
        raise CheckFailed(
            given=given,
            expected="the object is there until the machine is decommissioned",
            got="the object was gone when the machine was decommissioned",
            why="if that clean-up had failed, nothing would have been left to try again",
        )


@check("cleanup")
def machine_gone_already(stage: Stage) -> None:
    """A machine that is not there needs no clean-up."""
    stage.create("vanished")
    stage.wait_ready("vanished", "a new RackNode")
    stage.rack.remove("vanished")
    stage.api.delete(stage.path("vanished"))
    if not stage.wait(lambda: stage.find("vanished") is None):
        raise CheckFailed(
            given="a RackNode that is deleted; its machine has been taken out of the rack (404)",
            expected=f"the object goes within {stage.pace.enough:.0f} s",
            got="it is still there, held by " + _finalizers(stage.find("vanished")),
            why="what is not there is cleaned up",
        )


@check("held")
def failing_cleanup_keeps_it(stage: Stage) -> None:
    """While the clean-up fails the object stays; once it works, it goes."""
    stage.create("held")
    stage.wait_ready("held", "a new RackNode")
    stage.rack.fail("decommission", "held", times=2)
    stage.api.delete(stage.path("held"))
    given = "a RackNode that is deleted while the rack answers the first two decommissions with 503"

    def failed_once() -> bool:
        return any(c.error for c in stage.calls("held", "decommission"))

    if not stage.wait(failed_once):
        raise CheckFailed(given=given, expected="a decommission is tried", got="none was")
    found = stage.find("held")
    if found is None:
        raise CheckFailed(
            given=given,
            expected="the object stays while its clean-up has not succeeded",
            got="the object is gone, and the machine is still in the rack",
        )
    if not stage.wait(lambda: stage.find("held") is None):
        raise CheckFailed(
            given=given,
            expected=f"a try that works, and then the object goes, within {stage.pace.enough:.0f} s",
            got=f"{len(stage.calls('held', 'decommission'))} tries, and the object is still there",
        )
    if stage.rack.machine("held") is not None:
        raise CheckFailed(
            given=given,
            expected="the machine is decommissioned before the object goes",
            got="the object is gone, and the machine is still in the rack",
        )


@check("conditions")
def transition_times(stage: Stage) -> None:
    """A Ready condition whose transition time moves when its status does, and only then."""
    given = "a RackNode that becomes Ready"
    stage.create("honest")
    found = stage.wait_ready("honest", given)
    first = _transition(found, given, "True")
    stage.sleep(max(1.1, stage.pace.drift))
    stage.rack.fail("machine", "honest", times=2)
    given = "a Ready RackNode whose machine answers two looks with 503"
    states: list[tuple[str, str]] = []

    def recovered() -> bool:
        now = condition(stage.find("honest"))
        state = (str(now.get("status")), str(now.get("lastTransitionTime")))
        if not states or states[-1] != state:
            states.append(state)
        return len([s for s in states if s[0] != "True"]) > 0 and state[0] == "True"

    if not stage.wait(recovered):
        raise CheckFailed(
            given=given,
            expected="Ready goes to False while the machine cannot be looked at, and back to True",
            got="Ready was " + ", then ".join(dict.fromkeys(status for status, _ in states)),
        )
    if any(before[0] == after[0] for before, after in itertools.pairwise(states)):
        raise CheckFailed(
            given=given,
            expected="lastTransitionTime moves only when status changes",
            got="; ".join(f"{status} since {since}" for status, since in states),
        )
    times = [_moment(since) for _, since in states]
    if any(
        later is None or earlier is None or later < earlier for earlier, later in itertools.pairwise(times)
    ):
        raise CheckFailed(
            given=given,
            expected="a lastTransitionTime for each change, none before the one before",
            got="; ".join(f"{status} since {since}" for status, since in states),
        )
    if times[1] is not None and times[1] <= first:
        raise CheckFailed(
            given=given,
            expected="the change to False has a later lastTransitionTime",
            got=f"{first.isoformat()} before and {times[1].isoformat()} after",
        )


@check("job")
def owned_job(stage: Stage) -> None:
    """A flash leaves a Job that belongs to the RackNode and goes with it."""
    stage.create("owner")
    found = stage.wait_ready("owner", "a new RackNode")
    uid = found["metadata"]["uid"]
    given = "a RackNode whose machine was flashed"
    jobs = stage.jobs_of(uid)
    if not jobs:
        raise CheckFailed(
            given=given, expected="a Job whose ownerReferences name the RackNode's uid", got="no such Job"
        )
    references = [ref for job in jobs for ref in job["metadata"]["ownerReferences"] if ref["uid"] == uid]
    if not any(ref.get("controller") for ref in references):
        raise CheckFailed(
            given=given, expected="the owner reference says controller: true", got="it does not"
        )
    if not stage.collects_garbage:
        raise NotApplicable("no garbage collector runs on this backend, so nothing goes with its owner")
    stage.api.delete(stage.path("owner"))
    if not stage.wait(lambda: not stage.jobs_of(uid)):
        raise CheckFailed(
            given="that RackNode is deleted",
            expected=f"its Job goes too within {stage.pace.enough:.0f} s",
            got=f"the RackNode is {'gone' if stage.find('owner') is None else 'still there'}, and so is the Job",
        )


@check("resume", alone=True)
def change_while_down(stage: Stage) -> None:
    """What changed while the operator was away is carried out when it is back."""
    stage.create("resumes")
    stage.wait_ready("resumes", "a new RackNode")
    stage.operator.kill()
    stage.api.merge(stage.path("resumes"), {"spec": {"desiredFirmware": "2.3.0"}})
    stage.operator.start()
    given = "a RackNode whose desiredFirmware changes while the operator is not running"
    stage.wait_ready("resumes", given, "2.3.0")
    _machine_is(stage, "resumes", given, firmware="2.3.0", power="On")


@check("resume", alone=True)
def killed_midway(stage: Stage) -> None:
    """A kill between two steps leaves nothing undone."""
    stage.rack.fail("power_on", "midway", times=1)
    stage.create("midway")
    given = "an operator that is killed between the flash and the power-on"
    if not stage.wait(lambda: any(c.error for c in stage.calls("midway", "power_on"))):
        raise CheckFailed(
            given=given, expected="the machine is flashed and switched on", got=_shown(stage, "midway")
        )
    stage.operator.kill()
    flashes = len(stage.calls("midway", "flash"))
    stage.operator.start()
    stage.wait_ready("midway", given)
    _machine_is(stage, "midway", given, firmware="2.1.0", power="On")
    if len(stage.calls("midway", "flash")) > flashes:
        raise CheckFailed(
            given=given,
            expected="the new process looks first, and does only what is missing",
            got="the firmware was flashed again",
        )


# The last one: an operator that waits in its handlers never comes out of this.
@check("apart", alone=True)
def neighbours(stage: Stage) -> None:
    """One machine's trouble is not another one's."""
    stage.rack.fail("machine", "troubled", times=1_000)
    stage.create("troubled")
    stage.wait(lambda: bool(stage.calls("troubled")), stage.pace.enough / 2)
    stage.create("neighbour")
    given = "two RackNodes; every call about the first one's machine is answered with 503"
    stage.wait_ready("neighbour", given, why="a handler that waits in place makes everybody wait")
    if not stage.calls("troubled"):
        raise CheckFailed(given=given, expected="the first one is tried too", got="it never was")
    if any(c.acts for c in stage.calls("troubled")):
        raise CheckFailed(given=given, expected="the first machine is not touched", got="it was acted on")


def _machine_is(stage: Stage, name: str, given: str, *, firmware: str, power: str) -> None:
    """The status said so; the machine has to agree."""
    if _actual(stage, name) != (firmware, power):
        raise CheckFailed(
            given=given,
            expected=f"the machine has firmware {firmware} and is {power}",
            got=_shown(stage, name) + ", although the status says Ready",
        )


def _actual(stage: Stage, name: str) -> tuple[str, str]:
    machine = stage.rack.machine(name)
    return (machine.firmware, machine.power_state) if machine is not None else ("", "")


def _shown(stage: Stage, name: str) -> str:
    firmware, power = _actual(stage, name)
    if not firmware:
        return "the machine is gone"
    return f"the machine has firmware {firmware} and is {power}; {describe(stage.find(name))}"


def _finalizers(manifest: Manifest | None) -> str:
    return ", ".join((manifest or {}).get("metadata", {}).get("finalizers") or ["nothing"])


def _versions(items: list[Manifest]) -> dict[str, int]:
    """What was made and asked for; a Job's status is its own business."""
    return {item["metadata"]["uid"]: item["metadata"].get("generation", 0) for item in items}


def _difference(before: Manifest, after: Manifest) -> str:
    changed = [key for key in ("spec", "status") if before.get(key) != after.get(key)]
    changed += [
        f"metadata.{key}"
        for key in ("annotations", "labels", "finalizers")
        if before["metadata"].get(key) != after["metadata"].get(key)
    ]
    return f"{', '.join(changed)} changed" if changed else "with the same content"


def _transition(manifest: Manifest, given: str, status: str) -> datetime:
    found = condition(manifest)
    moment = _moment(found.get("lastTransitionTime"))
    if found.get("status") != status or moment is None:
        raise CheckFailed(
            given=given,
            expected=f"a condition of type Ready with status {status} and a lastTransitionTime",
            got=f"status {found.get('status')}, lastTransitionTime {found.get('lastTransitionTime')}"
            if found
            else "no condition of type Ready",
        )
    return moment


def _moment(text: Any) -> datetime | None:
    try:
        return parse_timestamp(str(text))
    except ValueError:
        return None
