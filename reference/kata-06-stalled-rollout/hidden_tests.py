"""Hidden tests of kata 06."""

import re
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from kubekata import DeploymentCondition, Pod, PodCondition, PodCounts, RolloutReport
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, pod

LOOKS = ("test_tells_the_ends_apart",)
NO_CPU = "0/3 nodes are available: 3 Insufficient cpu."
NO_MEMORY = "0/3 nodes are available: 1 node(s) had untolerated taint, 2 Insufficient memory."

UPDATED = "ReplicaSetUpdated"
COMPLETE = "NewReplicaSetAvailable"
EXCEEDED = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"
RESUMED = "DeploymentResumed"
STATUS = {UPDATED: "True", COMPLETE: "True", EXCEEDED: "False", PAUSED: "Unknown", RESUMED: "Unknown"}

STANDING = PodCounts(total=5, updated=2, ready=3, available=3)
DONE = PodCounts(total=4, updated=4, ready=4, available=4)


def at(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def clock(moment: datetime | None) -> str:
    return "never" if moment is None else f"{(moment - EPOCH).total_seconds():g} s"


def report(after: PodCounts = STANDING, before: PodCounts | None = None, **settings: Any) -> RolloutReport:
    given = {"replicas": 4, "max_surge": 1, "max_unavailable": 1, "deadline_seconds": 60, **settings}
    return RolloutReport(before=before or after, after=after, **given)


def condition(reason: str, updated: float, since: float = 0, status: str = "") -> DeploymentCondition:
    return DeploymentCondition(
        type="Progressing",
        status=status or STATUS[reason],
        reason=reason,
        message=f"said at {updated:g} s",
        last_update_time=at(updated),
        last_transition_time=at(since),
    )


def verdict(found: DeploymentCondition) -> str:
    times = (
        f"last update {clock(found.last_update_time)}, last transition {clock(found.last_transition_time)}"
    )
    return f"{found.type} {found.status}, {found.reason}, {times}"


def counted(counts: PodCounts) -> str:
    return f"{counts.total} in total, {counts.updated} updated, {counts.ready} ready, {counts.available} available"


def situation(asked: RolloutReport, previous: DeploymentCondition | None, now: datetime) -> str:
    text = f"{asked.replicas} replicas wanted; pods: {counted(asked.after)}"
    text += " (as before)" if asked.before == asked.after else f"; at the last look: {counted(asked.before)}"
    text += f"; deadline {'none' if asked.deadline_seconds is None else f'{asked.deadline_seconds} s'}"
    text += "; paused" if asked.paused else ""
    text += f"; previously {verdict(previous)}" if previous else "; no previous condition"
    return f"{text}; now {clock(now)}"


def essence(found: DeploymentCondition) -> tuple[Any, ...]:
    return (found.type, found.status, found.reason, found.last_update_time, found.last_transition_time)


def judge(
    submission: Any,
    scenario: Any,
    asked: RolloutReport,
    previous: DeploymentCondition | None,
    now: float,
    wanted: DeploymentCondition,
    pods: list[Pod] | None = None,
) -> DeploymentCondition:
    """Look once, and check status, reason and times."""
    scenario.given(situation(asked, previous, at(now)))
    scenario.expected(verdict(wanted))
    found = submission.check_progress(asked, previous, pods or [], at(now))
    scenario.check(essence(found) == essence(wanted), got=verdict(found))
    return found


def unchanged(
    submission: Any, scenario: Any, asked: RolloutReport, previous: DeploymentCondition, now: float
) -> None:
    """Look once, and check that the previous condition came back as it was, message included."""
    found = judge(submission, scenario, asked, previous, now, previous)
    expected = f"the previous condition as it was, message {previous.message!r} included"
    scenario.equal(found.message, previous.message, got=f"message {found.message!r}", expected=expected)


# --- settings ------------------------------------------------------------------------------------------------


def refuses(
    submission: Any, scenario: Any, previous: DeploymentCondition | None = None, **settings: Any
) -> None:
    asked = report(**settings)
    surge, unavailable = asked.max_surge, asked.max_unavailable
    scenario.given(f"maxSurge {surge!r}, maxUnavailable {unavailable!r}; {situation(asked, previous, at(9))}")
    scenario.expected("RolloutStalledError with a message that contains maxSurge and maxUnavailable")
    raised = scenario.raises(
        lambda: submission.check_progress(asked, previous, [], at(9)), "RolloutStalledError"
    )
    for name in ("maxSurge", "maxUnavailable"):
        scenario.check(name in raised.message, got=f"the message is {raised.message!r}")


@rubric("settings", needs=LOOKS)
def test_two_zeros_can_never_move(submission, scenario):
    scenario.why("With no pod more and no pod less allowed, no old pod can ever be replaced by a new one.")
    refuses(submission, scenario, max_surge=0, max_unavailable=0)


@rubric("settings", needs=LOOKS)
def test_zero_percent_is_zero(submission, scenario):
    scenario.why('"0%" is zero as well, whatever it is a share of.')
    refuses(submission, scenario, max_surge="0%", max_unavailable="0%")
    refuses(submission, scenario, max_surge=0, max_unavailable="0%")
    refuses(submission, scenario, max_surge="0%", max_unavailable=0)


@rubric("settings", needs=("test_two_zeros_can_never_move", *LOOKS))
def test_one_zero_is_fine(submission, scenario):
    scenario.why("One of the two limits is enough for a rollout to move.")
    for surge, unavailable in ((0, 1), (1, 0), ("0%", "25%"), ("25%", "0%")):
        asked = report(max_surge=surge, max_unavailable=unavailable)
        found = judge(submission, scenario, asked, None, 5, condition(UPDATED, 5, 5))
        scenario.equal(found.status, "True")


@rubric("settings", needs=("test_two_zeros_can_never_move", *LOOKS))
def test_rounding_to_zero_is_fine(submission, scenario):
    scenario.why(
        "1 % of 4 pods rounds down to none, but Kubernetes then allows one pod less: this rollout moves."
    )
    asked = report(max_surge=0, max_unavailable="1%")
    judge(submission, scenario, asked, None, 5, condition(UPDATED, 5, 5))
    asked = report(max_surge="0%", max_unavailable="10%")
    judge(submission, scenario, asked, condition(UPDATED, 0), 30, condition(UPDATED, 0))


@rubric("settings", needs=LOOKS)
def test_settings_come_first(submission, scenario):
    scenario.why("Rule 1 comes before every other rule: such a Deployment is wrong whatever state it is in.")
    zeros = {"max_surge": 0, "max_unavailable": 0}
    refuses(submission, scenario, condition(UPDATED, 0), paused=True, **zeros)
    refuses(submission, scenario, condition(COMPLETE, 0), after=DONE, **zeros)
    refuses(submission, scenario, condition(EXCEEDED, 0), deadline_seconds=None, **zeros)


# --- progress ------------------------------------------------------------------------------------------------


@rubric("progress")
def test_tells_the_ends_apart(submission, scenario):
    scenario.why(
        "A rollout at its first look, one that is complete, and one that moves at last are different things."
    )
    moved = report(STANDING, PodCounts(5, 2, 2, 2))
    begun = report(PodCounts(4, 0, 4, 4), DONE)
    for reason, *looks in (
        (UPDATED, (report(), None, 7)),
        (COMPLETE, (report(DONE), condition(UPDATED, 0), 7)),
        # One of the two is enough here: what is wrong about the other has its own test.
        (UPDATED, (begun, condition(COMPLETE, 0), 70), (moved, condition(EXCEEDED, 61), 70)),
    ):
        for asked, previous, now in looks:
            scenario.given(situation(asked, previous, at(now)))
            scenario.expected(f"{STATUS[reason]}, {reason}")
            found = submission.check_progress(asked, previous, [], at(now))
            # Times and messages are left to the other tests.
            if right := (found.status, found.reason) == (STATUS[reason], reason):
                break
        scenario.check(right, got=verdict(found))


@rubric("progress")
def test_first_look(submission, scenario):
    scenario.why("The first look starts the clock: a rollout cannot have stood still before it was seen.")
    judge(submission, scenario, report(), None, 7, condition(UPDATED, 7, 7))


def moves(submission: Any, scenario: Any, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    asked = report(PodCounts(*after), PodCounts(*before), replicas=10)
    judge(submission, scenario, asked, condition(UPDATED, 20, 3), 50, condition(UPDATED, 50, 3))


@rubric("progress")
def test_more_available_pods(submission, scenario):
    scenario.why("One more available pod is progress: the clock starts anew, and the status is what it was.")
    moves(submission, scenario, (10, 10, 8, 7), (10, 10, 8, 8))


@rubric("progress")
def test_more_ready_pods(submission, scenario):
    scenario.why("A pod that became ready is progress, also before it has been ready for minReadySeconds.")
    moves(submission, scenario, (10, 10, 6, 5), (10, 10, 7, 5))


@rubric("progress")
def test_more_updated_pods(submission, scenario):
    scenario.why("A new pod is progress before it is ready.")
    moves(submission, scenario, (10, 4, 8, 8), (11, 5, 8, 8))
    scenario.why("A new pod is progress, also when ready pods are lost at the same time.")
    moves(submission, scenario, (10, 4, 8, 8), (10, 6, 6, 6))


@rubric("progress")
def test_fewer_old_pods(submission, scenario):
    scenario.why("An old pod that went is progress: 6 old pods before (10 - 4), 5 now.")
    moves(submission, scenario, (10, 4, 8, 8), (9, 4, 8, 8))
    scenario.why(
        "An old pod that went is progress (4 before, 3 now), also when a ready one was lost with it."
    )
    moves(submission, scenario, (11, 7, 9, 9), (10, 7, 8, 8))


@rubric("progress", needs=LOOKS)
def test_standing_still_is_no_progress(submission, scenario):
    scenario.why(
        "Nothing moved, and the deadline is not over: slow, so the clock goes on from the last progress."
    )
    unchanged(submission, scenario, report(), condition(UPDATED, 20, 3), 50)


@rubric("progress", needs=LOOKS)
def test_going_back_is_no_progress(submission, scenario):
    why = "{}: that is a change, but not progress."
    for said, before, after in (
        ("A new pod was lost, and an old one more is there", (10, 7, 8, 8), (10, 6, 8, 8)),
        ("A ready pod was lost", (10, 7, 8, 7), (10, 7, 7, 7)),
        ("An available pod was lost", (10, 7, 8, 8), (10, 7, 8, 7)),
        ("An old pod came back", (10, 7, 8, 8), (11, 7, 8, 8)),
        ("A new pod was lost: 3 old ones (10 - 7) are still 3 (9 - 6)", (10, 7, 8, 8), (9, 6, 8, 8)),
    ):
        scenario.why(why.format(said))
        asked = report(PodCounts(*after), PodCounts(*before), replicas=10)
        unchanged(submission, scenario, asked, condition(UPDATED, 20, 3), 50)


@rubric("progress")
def test_progress_counts_however_late(submission, scenario):
    scenario.why("It moved again: that it took longer than the deadline does not matter any more.")
    asked = report(PodCounts(5, 2, 4, 4), STANDING)
    judge(submission, scenario, asked, condition(UPDATED, 0), 5000, condition(UPDATED, 5000, 0))


@rubric("progress")
def test_progress_lifts_an_exceeded_deadline(submission, scenario):
    scenario.why(
        "A rollout that moves again is not stuck any more; the status changed, so the transition is now."
    )
    asked = report(PodCounts(5, 2, 4, 4), STANDING)
    judge(submission, scenario, asked, condition(EXCEEDED, 61, 61), 500, condition(UPDATED, 500, 500))


@rubric("progress", needs=LOOKS)
def test_a_rollout_whose_last_word_is_another_reason(submission, scenario):
    scenario.why(
        "Real Kubernetes starts with a reason of its own. No rule speaks of it, so it is simply slow."
    )
    created = condition("NewReplicaSetCreated", 20, 20, status="True")
    unchanged(submission, scenario, report(), created, 50)


@rubric("progress")
def test_a_new_rollout_starts_its_own_clock(submission, scenario):
    scenario.why(
        "The last rollout was over long ago. This one has begun now, and has the whole deadline before it."
    )
    asked = report(PodCounts(4, 0, 4, 4), DONE)
    judge(submission, scenario, asked, condition(COMPLETE, 10, 2), 9000, condition(UPDATED, 9000, 2))
    asked = report(PodCounts(5, 1, 4, 4))
    judge(submission, scenario, asked, condition(COMPLETE, 10, 2), 9000, condition(UPDATED, 9000, 2))


@rubric("progress")
def test_slow_but_steady(submission, scenario):
    scenario.why("Every pod takes 50 of the 60 seconds that a standstill may last. Slow, but never stuck.")
    found, ready = None, 0
    for look in range(1, 7):
        before, ready = PodCounts(6, 6, ready, ready), look - 1
        asked = report(PodCounts(6, 6, ready, ready), before, replicas=6)
        scenario.step(f"{(look - 1) * 50} s", ready=ready, total=6, old=0, new=6)
        wanted = condition(UPDATED, (look - 1) * 50, 0)
        found = judge(submission, scenario, asked, found, (look - 1) * 50, wanted)
    submission.restart()
    asked = report(PodCounts(6, 6, 6, 6), PodCounts(6, 6, 5, 5), replicas=6)
    judge(submission, scenario, asked, found, 300, condition(COMPLETE, 300, 0))


@rubric("progress", needs=LOOKS)
def test_agrees_on_any_look(submission, scenario, reference):
    scenario.why(
        "Progress is more updated, more ready or more available pods, or fewer old ones (total - updated)."
    )
    scenario.agree(
        submission.check_progress,
        reference.check_progress,
        LOOKED,
        show=lambda asked, previous, _pods, now: situation(asked, previous, now),
        equal=lambda found, wanted: essence(found) == essence(wanted),
        max_examples=60,
    )


# --- deadline ------------------------------------------------------------------------------------------------


@rubric("deadline")
def test_no_progress_for_too_long(submission, scenario):
    scenario.why("80 seconds without progress, 60 are allowed: stuck.")
    judge(submission, scenario, report(), condition(UPDATED, 20, 3), 100, condition(EXCEEDED, 100, 100))


@rubric("deadline", needs=("test_no_progress_for_too_long", *LOOKS))
def test_exactly_at_the_deadline(submission, scenario):
    scenario.why("60 seconds are allowed and 60 have gone by: only more than that is too long.")
    unchanged(submission, scenario, report(), condition(UPDATED, 20, 3), 80)


@rubric("deadline")
def test_just_after_the_deadline(submission, scenario):
    scenario.why("60 seconds are allowed and 61 have gone by.")
    judge(submission, scenario, report(), condition(UPDATED, 20, 3), 81, condition(EXCEEDED, 81, 81))
    scenario.why("60 seconds are allowed and 60.5 have gone by: parts of a second count.")
    judge(submission, scenario, report(), condition(UPDATED, 20, 3), 80.5, condition(EXCEEDED, 80.5, 80.5))


@rubric("deadline", needs=("test_no_progress_for_too_long", *LOOKS))
def test_measured_from_the_last_progress(submission, scenario):
    scenario.why(
        "The last progress was 40 s ago. That the status has been True for 1000 s says nothing about it."
    )
    unchanged(submission, scenario, report(), condition(UPDATED, 960, 0), 1000)


@rubric("deadline")
def test_deadline_is_the_deployments_own(submission, scenario):
    scenario.why("This Deployment allows 6 seconds.")
    asked = report(PodCounts(4, 4, 3, 3), deadline_seconds=6)
    judge(submission, scenario, asked, condition(UPDATED, 0), 7, condition(EXCEEDED, 7, 7))
    scenario.why("This Deployment allows 86,400 seconds, which is a day, and 90,000 have gone by.")
    asked = report(deadline_seconds=86_400)
    judge(submission, scenario, asked, condition(UPDATED, 0), 90_000, condition(EXCEEDED, 90_000, 90_000))
    scenario.why("This Deployment allows 86,400 seconds, which is a day, and 4,000 have gone by.")
    judge(submission, scenario, asked, condition(UPDATED, 0), 4_000, condition(UPDATED, 0))


@rubric("deadline", needs=("test_no_progress_for_too_long", *LOOKS))
def test_no_deadline(submission, scenario):
    scenario.why("Without a deadline a rollout may stand still for ever.")
    asked = report(deadline_seconds=None)
    unchanged(submission, scenario, asked, condition(UPDATED, 0), 10_000_000)


@rubric("deadline", needs=("test_no_progress_for_too_long", *LOOKS))
def test_exceeded_stays_exceeded(submission, scenario):
    scenario.why("Nothing moved since: still stuck, since the same moment.")
    exceeded = condition(EXCEEDED, 81, 81)
    judge(submission, scenario, report(), exceeded, 90, exceeded)
    judge(submission, scenario, report(), exceeded, 9000, exceeded)


@rubric("deadline", needs=("test_no_progress_for_too_long", *LOOKS))
def test_going_back_does_not_lift_it(submission, scenario):
    scenario.why(
        "A ready pod was lost: that is no progress, so the rollout stays stuck, since the same moment."
    )
    asked = report(PodCounts(5, 2, 2, 2), STANDING)
    judge(submission, scenario, asked, condition(EXCEEDED, 81, 70), 90, condition(EXCEEDED, 81, 70))


@rubric("deadline")
def test_stuck_under_another_reason(submission, scenario):
    scenario.why(
        "Real Kubernetes starts with a reason of its own. Rule 7 asks for the time only, not for the reason."
    )
    created = condition("NewReplicaSetCreated", 20, 20, status="True")
    judge(submission, scenario, report(), created, 81, condition(EXCEEDED, 81, 81))


@rubric("deadline")
def test_the_two_of_four_from_the_lab(submission, scenario):
    scenario.why("Two pods fit on the nodes and became ready; the other two have been Pending ever since.")
    waiting = [unschedulable("web-c"), unschedulable("web-d")]
    seen = PodCounts(4, 4, 0, 0)
    found = None
    for now, ready, reason, updated, since in (
        (0, 0, UPDATED, 0, 0),
        (10, 1, UPDATED, 10, 0),
        (20, 2, UPDATED, 20, 0),
        (45, 2, UPDATED, 20, 0),
        (80, 2, UPDATED, 20, 0),
        (81, 2, EXCEEDED, 81, 81),
        (900, 2, EXCEEDED, 81, 81),
        (950, 3, UPDATED, 950, 950),
        (960, 4, COMPLETE, 960, 950),
    ):
        before, seen = seen, PodCounts(4, 4, ready, ready)
        pods = [running(f"web-{letter}") for letter in "abcd"[:ready]] + waiting[max(0, ready - 2) :]
        if ready > 2:
            scenario.why("A node was added, and the pods that were Pending became ready one after the other.")
        scenario.step(f"{now} s", ready=ready, total=4, old=0, new=4)
        found = judge(
            submission, scenario, report(seen, before), found, now, condition(reason, updated, since), pods
        )


# --- complete ------------------------------------------------------------------------------------------------


@rubric("complete")
def test_all_pods_updated_and_available(submission, scenario):
    scenario.why("Every pod is a new one and available, and there are as many as wanted: done.")
    asked = report(DONE, PodCounts(4, 4, 4, 3))
    judge(submission, scenario, asked, condition(UPDATED, 20, 3), 50, condition(COMPLETE, 50, 3))


@rubric("complete")
def test_complete_without_a_further_change(submission, scenario):
    scenario.why(
        "Nothing moved since the last look, but everything is in place: done, also after the deadline."
    )
    judge(submission, scenario, report(DONE), condition(UPDATED, 20, 3), 500, condition(COMPLETE, 500, 3))
    scenario.why("Everything is in place at the very first look.")
    judge(submission, scenario, report(DONE), None, 5, condition(COMPLETE, 5, 5))


@rubric("complete")
def test_complete_after_the_deadline(submission, scenario):
    scenario.why(
        "It took too long, but now all is in place: done. The status changed, and with it the transition."
    )
    asked = report(DONE, PodCounts(4, 4, 4, 3))
    judge(submission, scenario, asked, condition(EXCEEDED, 81, 81), 500, condition(COMPLETE, 500, 500))


@rubric("complete")
def test_scaled_to_zero_is_complete(submission, scenario):
    scenario.why("No pods are wanted and none are there.")
    nothing = PodCounts(0, 0, 0, 0)
    asked = report(nothing, PodCounts(1, 0, 0, 0), replicas=0)
    judge(submission, scenario, asked, condition(UPDATED, 20, 3), 50, condition(COMPLETE, 50, 3))


@rubric("complete", needs=("test_all_pods_updated_and_available", *LOOKS))
def test_not_complete_yet(submission, scenario):
    slow = condition(UPDATED, 20, 3)
    for why, after in (
        ("An old pod is still there.", PodCounts(5, 4, 5, 5)),
        ("An old pod is still there, and one is not available.", PodCounts(5, 4, 4, 4)),
        ("One pod is still an old one.", PodCounts(4, 3, 4, 4)),
        ("One pod is ready, but not for minReadySeconds yet.", PodCounts(4, 4, 4, 3)),
        ("A pod is missing.", PodCounts(3, 3, 3, 3)),
        ("Nothing is there yet, but four pods are wanted.", PodCounts(0, 0, 0, 0)),
        ("A pod too many is there.", PodCounts(5, 5, 5, 5)),
        ("As many as wanted are available, but a pod too many is there.", PodCounts(5, 5, 4, 4)),
    ):
        scenario.why(why)
        unchanged(submission, scenario, report(after), slow, 50)


@rubric("complete", needs=("test_all_pods_updated_and_available", *LOOKS))
def test_a_settled_rollout_is_not_judged_again(submission, scenario):
    settled = condition(COMPLETE, 20, 3)
    for why, after, before in (
        ("Nothing happened: the condition was written when the rollout was over, and stays.", DONE, DONE),
        (
            "The rollout is over. A pod that falls ill now is no rollout that is stuck.",
            PodCounts(4, 4, 3, 3),
            DONE,
        ),
        ("The rollout is over. A pod that recovers is no progress of it.", DONE, PodCounts(4, 4, 3, 3)),
        ("The rollout is over. Scaling it up is none: all pods are updated.", PodCounts(6, 6, 4, 4), DONE),
    ):
        scenario.why(why)
        unchanged(submission, scenario, report(after, before), settled, 9000)


# --- paused --------------------------------------------------------------------------------------------------


@rubric("paused")
def test_paused(submission, scenario):
    scenario.why("Somebody paused the rollout: nobody can say how it goes, and no deadline is running.")
    asked = report(paused=True)
    judge(submission, scenario, asked, condition(UPDATED, 20, 3), 50, condition(PAUSED, 50, 50))
    judge(submission, scenario, asked, condition(UPDATED, 20, 3), 5000, condition(PAUSED, 5000, 5000))
    judge(submission, scenario, asked, None, 50, condition(PAUSED, 50, 50))
    judge(submission, scenario, asked, condition(COMPLETE, 20, 3), 50, condition(PAUSED, 50, 50))


@rubric("paused")
def test_paused_comes_before_progress_and_completion(submission, scenario):
    scenario.why("Rule 2 comes before the counts: while it is paused nothing else is said.")
    moved = report(PodCounts(5, 2, 4, 4), STANDING, paused=True)
    judge(submission, scenario, moved, condition(UPDATED, 20, 3), 50, condition(PAUSED, 50, 50))
    done = report(DONE, PodCounts(4, 4, 4, 3), paused=True)
    judge(submission, scenario, done, condition(UPDATED, 20, 3), 50, condition(PAUSED, 50, 50))
    judge(submission, scenario, done, condition(RESUMED, 20, 3), 50, condition(PAUSED, 50, 3))
    judge(
        submission,
        scenario,
        report(DONE, paused=True),
        condition(COMPLETE, 20, 3),
        50,
        condition(PAUSED, 50, 50),
    )


@rubric("paused", needs=("test_paused", *LOOKS))
def test_paused_once(submission, scenario):
    scenario.why("It was paused then, not now: the condition stays.")
    unchanged(submission, scenario, report(paused=True), condition(PAUSED, 20, 20), 5000)


@rubric("paused", needs=("test_paused", *LOOKS))
def test_pausing_does_not_hide_an_exceeded_deadline(submission, scenario):
    scenario.why("It was stuck before somebody paused it. Whoever looks next has to know.")
    unchanged(submission, scenario, report(paused=True), condition(EXCEEDED, 81, 81), 5000)


@rubric("paused", needs=("test_paused", *LOOKS))
def test_resumed_with_a_clock_of_its_own(submission, scenario):
    scenario.why("The time in the pause does not count: the clock starts when it is resumed.")
    resumed = condition(RESUMED, 5000, 20)
    judge(submission, scenario, report(), condition(PAUSED, 20, 20), 5000, resumed)
    scenario.why("It was resumed 60 s ago, which is just within the deadline.")
    judge(submission, scenario, report(), resumed, 5060, resumed)
    scenario.why("It was resumed 61 s ago and has not moved since.")
    judge(submission, scenario, report(), resumed, 5061, condition(EXCEEDED, 5061, 5061))


@rubric("paused")
def test_resumed_and_moving(submission, scenario):
    scenario.why("It has moved since it was resumed: that is progress.")
    moved = report(PodCounts(5, 2, 4, 4), STANDING)
    judge(submission, scenario, moved, condition(PAUSED, 20, 20), 50, condition(UPDATED, 50, 50))
    judge(submission, scenario, moved, condition(RESUMED, 20, 20), 50, condition(UPDATED, 50, 50))
    scenario.why("Everything is in place when it is resumed.")
    judge(submission, scenario, report(DONE), condition(PAUSED, 20, 20), 50, condition(COMPLETE, 50, 50))


# --- cause ---------------------------------------------------------------------------------------------------


def running(name: str, *, ready: bool = True) -> Pod:
    return with_scheduled(pod(name, phase="Running", node="node-1", ready=ready), "True", "", "")


def unschedulable(name: str, message: str = NO_CPU) -> Pod:
    return with_scheduled(pod(name), "False", "Unschedulable", message)


def with_scheduled(subject: Pod, status: Any, reason: str, message: str) -> Pod:
    scheduled = PodCondition(type="PodScheduled", status=status, reason=reason, message=message)
    subject.status.conditions.append(scheduled)
    return subject


def finished(subject: Pod) -> Pod:
    subject.status.phase = "Failed"
    return subject


def deleting(subject: Pod) -> Pod:
    subject.metadata.deletion_timestamp = at(40)
    return subject


def explains(
    submission: Any,
    scenario: Any,
    about: str,
    pods: list[Pod],
    cause: str,
    contains: tuple[str, ...] = (),
    lacks: tuple[str, ...] = (),
    previous: DeploymentCondition | None = None,
) -> None:
    """Look at a rollout that is stuck, and check what its message says."""
    scenario.given(f"a rollout past its deadline; new pods: {about}")
    wanted = f'a message that starts with "{cause}:"'
    if contains:
        wanted += " and contains " + ", ".join(map(repr, contains))
    if lacks:
        wanted += " and does not name " + ", ".join(lacks)
    scenario.expected(wanted)
    found = submission.check_progress(report(), previous or condition(UPDATED, 0), pods, at(100))
    scenario.equal(found.reason, EXCEEDED, expected=f"reason {EXCEEDED}", got=f"reason {found.reason}")
    got = f"message {found.message!r}"
    scenario.check(found.message.startswith(f"{cause}:"), got=got)
    for text in contains:
        scenario.check(text in found.message, got=got)
    for name in lacks:
        # Names end in a letter, so that none is part of another.
        scenario.check(re.search(rf"\b{name}\b", found.message) is None, got=got)


@rubric("cause")
def test_surge_pod_fits_nowhere(submission, scenario):
    scenario.why("The scheduler has said why no node takes the new pod: that is the cause, in its own words.")
    explains(
        submission,
        scenario,
        "web-n1 Pending, no node takes it",
        [unschedulable("web-n1")],
        "Unschedulable",
        ("web-n1", NO_CPU),
    )


@rubric("cause")
def test_every_pod_that_fits_nowhere(submission, scenario):
    scenario.why("Two pods fit nowhere, for two reasons; the ready one has nothing to do with it.")
    explains(
        submission,
        scenario,
        "web-na ready, web-nb and web-nc Pending for different reasons",
        [unschedulable("web-nb"), running("web-na"), unschedulable("web-nc", NO_MEMORY)],
        "Unschedulable",
        ("web-nb", "web-nc", NO_CPU, NO_MEMORY),
        ("web-na",),
    )


@rubric("cause")
def test_pods_that_never_become_ready(submission, scenario):
    scenario.why("The new pods have their nodes and are not ready: the fault is in the app (or its probe).")
    explains(
        submission,
        scenario,
        "web-na and web-nb Running but not ready, web-nc ready",
        [running("web-na", ready=False), running("web-nb", ready=False), running("web-nc")],
        "NotReady",
        ("web-na", "web-nb"),
        ("web-nc",),
    )


@rubric("cause")
def test_no_ready_condition_is_not_ready(submission, scenario):
    scenario.why("A pod that has a node but no Ready condition yet (pulling its image, say) is not ready.")
    pulling = with_scheduled(pod("web-na", node="node-1"), "True", "", "")
    explains(
        submission,
        scenario,
        "web-na on a node, without a Ready condition",
        [pulling],
        "NotReady",
        ("web-na",),
    )
    scenario.why("The scheduler has not said anything about this pod, so nothing says that it fits nowhere.")
    explains(
        submission,
        scenario,
        "web-na Pending, without any condition",
        [pod("web-na")],
        "NotReady",
        ("web-na",),
    )


@rubric("cause")
def test_unschedulable_comes_first(submission, scenario):
    scenario.why("A pod that fits nowhere is the first thing to look at, wherever it stands in the list.")
    about = "web-na Running but not ready, web-nb Pending, no node takes it"
    pods = [running("web-na", ready=False), unschedulable("web-nb")]
    explains(submission, scenario, about, pods, "Unschedulable", ("web-nb", NO_CPU))
    explains(submission, scenario, about, pods[::-1], "Unschedulable", ("web-nb", NO_CPU))


@rubric("cause")
def test_what_the_scheduler_said_earlier(submission, scenario):
    scenario.why("PodScheduled is True: the pod has found a node since. It is not ready, and that is all.")
    settled = with_scheduled(pod("web-na", node="node-1", ready=False), "True", "Unschedulable", NO_CPU)
    explains(submission, scenario, "web-na on a node at last, not ready", [settled], "NotReady", ("web-na",))
    scenario.why(
        "PodScheduled is False because a gate holds the pod back (SchedulingGated): no node is to blame."
    )
    gated = with_scheduled(pod("web-na"), "False", "SchedulingGated", "Scheduling is blocked")
    explains(submission, scenario, "web-na held by a scheduling gate", [gated], "NotReady", ("web-na",))
    scenario.why("Only the condition PodScheduled is the scheduler's word.")
    other = pod("web-na", ready=False)
    other.status.conditions.append(PodCondition(type="Placed", status="False", reason="Unschedulable"))
    explains(submission, scenario, "web-na not ready, with a condition of somebody else", [other], "NotReady")


@rubric("cause")
def test_pods_that_are_out_of_account(submission, scenario):
    scenario.why("A pod that is finished or being deleted holds nothing up: the one that is not ready does.")
    pods = [
        finished(running("web-nx", ready=False)),
        running("web-na", ready=False),
        deleting(running("web-ny", ready=False)),
    ]
    about = "web-nx Failed, web-na not ready, web-ny being deleted"
    explains(submission, scenario, about, pods, "NotReady", ("web-na",), ("web-nx", "web-ny"))
    pods = [
        deleting(unschedulable("web-nx")),
        running("web-na", ready=False),
        finished(unschedulable("web-ny")),
    ]
    about = "web-nx Pending and being deleted, web-na not ready, web-ny Failed"
    explains(submission, scenario, about, pods, "NotReady", ("web-na",), ("web-nx", "web-ny"))


@rubric("cause")
def test_no_pod_to_blame(submission, scenario):
    scenario.why("All new pods that are there are ready: the cause is elsewhere.")
    explains(submission, scenario, "web-na ready", [running("web-na")], "Other", (), ("web-na",))
    explains(submission, scenario, "none", [], "Other")
    gone = [finished(running("web-na", ready=False)), deleting(unschedulable("web-nb"))]
    explains(
        submission, scenario, "web-na Failed, web-nb being deleted", gone, "Other", (), ("web-na", "web-nb")
    )


@rubric("cause")
def test_the_message_is_about_now(submission, scenario):
    scenario.why(
        "It was stuck for want of a node. Now it has one and is not ready: the message says what is true now."
    )
    previous = condition(EXCEEDED, 61, 61)
    previous.message = f"Unschedulable: web-na: {NO_CPU}"
    about = "web-na Running but not ready (Unschedulable at the last look)"
    pods = [running("web-na", ready=False)]
    explains(submission, scenario, about, pods, "NotReady", ("web-na",), previous=previous)


# --- generated looks -----------------------------------------------------------------------------------------

COUNTS = st.builds(
    lambda old, updated, ready, waiting: PodCounts(old + updated, updated, ready, max(0, ready - waiting)),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 1),
)
LOOKED = st.tuples(
    st.builds(lambda before, after: report(after, before, replicas=9), COUNTS, COUNTS),
    st.builds(
        lambda updated, since: condition(UPDATED, updated, since), st.integers(60, 100), st.integers(0, 60)
    ),
    st.just([]),
    st.integers(100, 110).map(at),
)
