"""Hidden tests of kata 05."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

from kubekata import ReplicaCount, Rollout, Step
from kubekata.grading.hidden import rubric

NUMBERS = ("test_plain_numbers_stay",)
MOVING = ("test_a_rollout_moves",)
FOR_EVER = 300
"""Steps after which a rollout of these sizes is no longer slow but stuck."""


# --- a rollout in words --------------------------------------------------------------------------------------


def rollout(
    replicas: int, limits: tuple[int | str, int | str], new: tuple[int, int], *old: tuple[int, int]
) -> Rollout:
    """limits: maxSurge, maxUnavailable. new and old: spec, available."""
    return Rollout(replicas, *limits, ReplicaCount(*new), [ReplicaCount(*counts) for counts in old])


def replicas(number: int) -> str:
    return "1 replica" if number == 1 else f"{number} replicas"


def describe(case: Rollout) -> str:
    def pods(count: ReplicaCount) -> str:
        return f"{count.spec} ({count.available} available)"

    old = ", ".join(pods(count) for count in case.old) or "none"
    limits = f"maxSurge {case.max_surge}, maxUnavailable {case.max_unavailable}"
    return f"{replicas(case.replicas)}, {limits}; new ReplicaSet {pods(case.new)}; old, oldest first: {old}"


class Words(str):
    """Text that a comparison shows without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def move(step: Step) -> str:
    return f"{step.action}: new {step.new}, old {', '.join(map(str, step.old)) or 'none'}"


def specs(case: Rollout) -> list[int]:
    return [count.spec for count in case.old]


def serving(case: Rollout) -> int:
    return case.new.available + sum(count.available for count in case.old)


def total(case: Rollout) -> int:
    return case.new.spec + sum(specs(case))


def complete(case: Rollout) -> bool:
    return case.new.spec == case.replicas and not any(specs(case))


# --- a rollout in motion -------------------------------------------------------------------------------------


class Moment(NamedTuple):
    """A rollout after so many steps; `action` is that of the last one."""

    number: int
    action: str
    case: Rollout

    def __str__(self) -> str:
        old = " + ".join(map(str, specs(self.case))) or "0"
        pods = f"{serving(self.case)} ready, {total(self.case)} pods"
        return f"step {self.number}: {pods} (old {old}, new {self.case.new.spec})"


def fits(step: Step, case: Rollout) -> bool:
    """Whether a step speaks about the ReplicaSets that there are."""
    return len(step.old) == len(case.old) and min(step.new, *step.old, 0) == 0


def ask(submission: Any, scenario: Any, case: Rollout) -> Step:
    step = submission.next_step(case)
    scenario.check(
        fits(step, case),
        got=move(step),
        expected=f"spec.replicas, 0 or more, of the new ReplicaSet and of each of the {len(case.old)} old ones",
        why="A step says the spec.replicas of every ReplicaSet, also of those it leaves alone.",
    )
    return step


def applied(case: Rollout, step: Step) -> Rollout:
    """ReplicaSets followed: pods that are not available went first, new pods are not available yet."""

    def scaled(count: ReplicaCount, spec: int) -> tuple[int, int]:
        return spec, min(count.available, spec)

    old = [scaled(count, spec) for count, spec in zip(case.old, step.old, strict=True)]
    return rollout(case.replicas, (case.max_surge, case.max_unavailable), scaled(case.new, step.new), *old)


def kubelet(case: Rollout, ready: int, healthy: int) -> Rollout:
    """Up to `ready` more pods of the new ReplicaSet became available; of all its pods only `healthy` ever do."""
    new = case.new
    available = max(new.available, min(new.spec, healthy, new.available + ready))
    old = [(count.spec, count.available) for count in case.old]
    return rollout(case.replicas, (case.max_surge, case.max_unavailable), (new.spec, available), *old)


def unrolled(
    next_step: Callable[[Rollout], Step], case: Rollout, *, ready: int = 100, healthy: int = 100
) -> Iterator[Moment]:
    """Every moment of a rollout until nothing moves any more, or for ever."""
    for number in range(1, FOR_EVER + 1):
        step = next_step(case)
        after = applied(case, step)
        yield Moment(number, step.action, after)
        after = kubelet(after, ready, healthy)
        if after == case:
            return
        case = after


def play(
    submission: Any, scenario: Any, case: Rollout, bounds: tuple[int, int], **pace: int
) -> Iterator[Moment]:
    """A whole rollout with the submission as its controller, drawn step by step. bounds: floor, ceiling."""

    def draw(label: str, case: Rollout) -> None:
        scenario.step(label, ready=serving(case), total=total(case), old=sum(specs(case)), new=case.new.spec)

    scenario.bounds(floor=bounds[0], ceiling=bounds[1])
    draw("start", case)
    for moment in unrolled(lambda now: ask(submission, scenario, now), case, **pace):
        draw(moment.action, moment.case)
        yield moment


# --- fenceposts ----------------------------------------------------------------------------------------------


def in_words(answer: tuple[int, int]) -> str:
    return f"surge {answer[0]}, unavailable {answer[1]}"


def fenceposts(
    submission: Any, scenario: Any, case: tuple[int | str, int | str, int], wanted: tuple[int, int]
) -> None:
    scenario.given(f"maxSurge {case[0]}, maxUnavailable {case[1]}, {case[2]} replicas")
    scenario.expected(in_words(wanted))
    answer = submission.resolve_fenceposts(*case)
    scenario.equal(answer, wanted, got=in_words(answer))


@rubric("fenceposts")
def test_plain_numbers_stay(submission, scenario):
    scenario.why("A number is a number of pods, whatever the replicas.")
    fenceposts(submission, scenario, (3, 2, 10), (3, 2))
    fenceposts(submission, scenario, (1, 0, 4), (1, 0))
    fenceposts(submission, scenario, (0, 5, 8), (0, 5))


@rubric("fenceposts", needs=NUMBERS)
def test_the_defaults(submission, scenario):
    scenario.why("25% of 10 is 2.5: surge rounds up to 3, unavailable down to 2.")
    fenceposts(submission, scenario, ("25%", "25%", 10), (3, 2))


@rubric("fenceposts", needs=NUMBERS)
def test_surge_rounds_up(submission, scenario):
    scenario.why("A part of a pod above the replicas is a pod.")
    fenceposts(submission, scenario, ("1%", 0, 10), (1, 0))
    fenceposts(submission, scenario, ("34%", 1, 9), (4, 1))


@rubric("fenceposts", needs=NUMBERS)
def test_unavailable_rounds_down(submission, scenario):
    scenario.why("A part of a pod below the replicas does not count.")
    fenceposts(submission, scenario, (1, "99%", 10), (1, 9))
    fenceposts(submission, scenario, (2, "9%", 10), (2, 0))


@rubric("fenceposts", needs=NUMBERS)
def test_whole_percentages_are_exact(submission, scenario):
    scenario.why(
        "7% of 100 is exactly 7 and 29% of 100 exactly 29. In floats, 0.07 * 100 is more and 0.29 * 100 less."
    )
    fenceposts(submission, scenario, ("7%", "29%", 100), (7, 29))
    scenario.why("Half of 8 is exactly 4, a whole is the whole.")
    fenceposts(submission, scenario, ("50%", "100%", 8), (4, 8))


@rubric("fenceposts", needs=NUMBERS)
def test_nothing_is_capped(submission, scenario):
    scenario.why("Limits beyond the replicas are legal and stay as they are.")
    fenceposts(submission, scenario, ("150%", 0, 4), (6, 0))
    fenceposts(submission, scenario, (9, 7, 4), (9, 7))


@rubric("fenceposts", needs=NUMBERS)
def test_two_zeros_are_rescued(submission, scenario):
    scenario.why(
        "With no pod more and no pod less the rollout could never move, so one pod may be unavailable."
    )
    fenceposts(submission, scenario, (0, 0, 10), (0, 1))
    fenceposts(submission, scenario, ("0%", "0%", 10), (0, 1))


@rubric("fenceposts", needs=NUMBERS)
def test_what_rounds_to_two_zeros_is_rescued(submission, scenario):
    scenario.why(
        "9% of 10 rounds down to 0 and surge is 0: the rescue looks at the result, not at what was written."
    )
    fenceposts(submission, scenario, (0, "9%", 10), (0, 1))
    scenario.why("25% of no replicas is 0 on both sides: the rescue has no exception.")
    fenceposts(submission, scenario, ("25%", "25%", 0), (0, 1))


@rubric("fenceposts", needs=NUMBERS)
def test_one_zero_needs_no_rescue(submission, scenario):
    scenario.why("One side that is not 0 is enough to move.")
    fenceposts(submission, scenario, ("1%", "1%", 10), (1, 0))
    fenceposts(submission, scenario, ("0%", "20%", 10), (0, 2))


def refuses(submission: Any, scenario: Any, case: tuple[int | str, int | str, int]) -> None:
    scenario.given(f"maxSurge {case[0]!r}, maxUnavailable {case[1]!r}, {case[2]} replicas")
    scenario.expected("ValueError")
    scenario.raises(lambda: submission.resolve_fenceposts(*case), "ValueError")


@rubric("fenceposts", needs=NUMBERS)
def test_text_without_a_percent_sign_is_refused(submission, scenario):
    scenario.why("Text is digits followed by %. Without the sign it might mean 25 pods or a quarter.")
    refuses(submission, scenario, ("25", 1, 10))
    refuses(submission, scenario, (1, "25", 10))


@rubric("fenceposts", needs=NUMBERS)
def test_text_that_is_no_percentage_is_refused(submission, scenario):
    scenario.why("Text is digits followed by %, and nothing else.")
    for text in ("many", "%", "", "abc%", "2.5%", "-5%", "30%0"):
        refuses(submission, scenario, (text, 1, 10))
    refuses(submission, scenario, (1, "abc%", 10))


@rubric("fenceposts", needs=NUMBERS)
def test_any_fenceposts(submission, scenario, reference):
    scenario.why("Surge rounds up, unavailable rounds down, and two zeros become one unavailable.")
    limits = st.integers(0, 12) | st.integers(0, 120).map(lambda percent: f"{percent}%")
    scenario.agree(
        lambda *case: Words(in_words(submission.resolve_fenceposts(*case))),
        lambda *case: Words(in_words(reference.resolve_fenceposts(*case))),
        st.tuples(limits, limits, st.integers(0, 200)),
        show=lambda surge, unavailable, replicas: (
            f"maxSurge {surge}, maxUnavailable {unavailable}, {replicas} replicas"
        ),
        max_examples=40,
    )


# --- one step ------------------------------------------------------------------------------------------------


def wants(submission: Any, scenario: Any, case: Rollout, wanted: Step) -> None:
    """The whole step."""
    scenario.given(describe(case))
    scenario.expected(move(wanted))
    step = ask(submission, scenario, case)
    scenario.check(step == wanted, got=move(step))


def wants_new(submission: Any, scenario: Any, case: Rollout, wanted: int) -> None:
    """The new ReplicaSet only."""
    scenario.given(describe(case))
    scenario.expected(f"new ReplicaSet at {wanted}")
    step = ask(submission, scenario, case)
    scenario.equal(step.new, wanted, got=f"new ReplicaSet at {step.new}")


def wants_old(submission: Any, scenario: Any, case: Rollout, wanted: list[int]) -> None:
    """The old ReplicaSets only."""
    scenario.given(describe(case))
    scenario.expected(f"old ReplicaSets at {', '.join(map(str, wanted))}")
    step = ask(submission, scenario, case)
    scenario.equal(step.old, wanted, got=old_side(step))


def old_side(step: Step) -> str:
    return f"old ReplicaSets at {', '.join(map(str, step.old))}"


# --- new -----------------------------------------------------------------------------------------------------


@rubric("new", needs=MOVING)
def test_first_pods_fill_the_surge(submission, scenario):
    scenario.why("10 replicas and a surge of 3 make a ceiling of 13; 10 pods are there.")
    wants_new(submission, scenario, rollout(10, (3, 0), (0, 0), (10, 10)), 3)


@rubric("new", needs=MOVING)
def test_a_fresh_deployment_starts_at_once(submission, scenario):
    scenario.why("With no old pods there is nothing to wait for: all replicas at once, but not the surge.")
    wants_new(submission, scenario, rollout(6, (2, 1), (0, 0)), 6)
    wants_new(submission, scenario, rollout(6, (2, 1), (0, 0), (0, 0)), 6)


@rubric("new", needs=MOVING)
def test_room_that_old_pods_left_is_used(submission, scenario):
    scenario.why("The ceiling is 12 and 7 pods are there: 5 more fit.")
    wants_new(submission, scenario, rollout(10, (2, 0), (2, 2), (5, 5)), 7)


@rubric("new", needs=MOVING)
def test_never_more_than_the_replicas(submission, scenario):
    scenario.why(
        "The ceiling of 15 leaves room for 7, but the Deployment wants 10 pods of the new version, not 13."
    )
    wants_new(submission, scenario, rollout(10, (5, 0), (6, 6), (2, 2)), 10)


@rubric("new", needs=MOVING)
def test_no_room_no_growth(submission, scenario):
    scenario.why("11 pods are there and the ceiling is 11, so the new ReplicaSet has to wait.")
    wants_new(submission, scenario, rollout(10, (1, 1), (2, 2), (9, 9)), 2)
    wants_new(submission, scenario, rollout(10, (0, 1), (0, 0), (10, 10)), 0)


@rubric("new", needs=MOVING)
def test_above_the_ceiling_the_new_one_waits(submission, scenario):
    scenario.why(
        "12 pods are there and the ceiling is 5: the new ReplicaSet neither grows nor shrinks, old ones go first."
    )
    wants_new(submission, scenario, rollout(4, (1, 1), (2, 2), (10, 10)), 2)


@rubric("new", needs=MOVING)
def test_pods_count_whether_available_or_not(submission, scenario):
    scenario.why("8 pods are there, though only 3 are available; the ceiling of 9 counts pods.")
    wants_new(submission, scenario, rollout(8, (1, 0), (2, 0), (6, 3)), 3)


@rubric("new", needs=MOVING)
def test_every_old_replica_set_counts(submission, scenario):
    scenario.why("3 + 2 + 2 old pods are there; the ceiling of 9 leaves room for 2.")
    wants_new(submission, scenario, rollout(8, (1, 0), (0, 0), (3, 3), (2, 0), (2, 2)), 2)


@rubric("new", needs=MOVING)
def test_an_oversized_new_replica_set_shrinks_at_once(submission, scenario):
    scenario.why("Somebody scaled the Deployment down: the new ReplicaSet goes to the replicas, in one step.")
    wants_new(submission, scenario, rollout(3, (1, 0), (8, 8), (1, 1)), 3)
    wants_new(submission, scenario, rollout(0, (1, 0), (4, 2), (2, 2)), 0)


@rubric("new", needs=MOVING)
def test_any_new_replica_set(submission, scenario, reference):
    scenario.why("Up to the replicas as far as the ceiling has room, down to the replicas at once.")
    scenario.agree(
        lambda case: Words(f"new ReplicaSet at {submission.next_step(case).new}"),
        lambda case: Words(f"new ReplicaSet at {reference.next_step(case).new}"),
        st.tuples(rollouts()),
        show=describe,
        max_examples=40,
    )


# --- old -----------------------------------------------------------------------------------------------------


@rubric("old", needs=MOVING)
def test_available_new_pods_set_old_ones_free(submission, scenario):
    scenario.why("10 + 3 pods are available and 8 have to be: 5 may go, all in this step.")
    wants_old(submission, scenario, rollout(10, (3, 2), (3, 3), (10, 10)), [5])


@rubric("old", needs=MOVING)
def test_new_pods_that_are_not_available_set_nobody_free(submission, scenario):
    scenario.why("8 old pods are available and 8 have to be; the 5 new ones do not serve yet.")
    wants_old(submission, scenario, rollout(10, (3, 2), (5, 0), (8, 8)), [8])
    scenario.why("8 old and 2 new pods are available and 8 have to be: 2 may go.")
    wants_old(submission, scenario, rollout(10, (3, 2), (5, 2), (8, 8)), [6])


@rubric("old", needs=MOVING)
def test_oldest_replica_set_first(submission, scenario):
    scenario.why("4 available pods may go: the oldest ReplicaSet gives its 3, the next one the fourth.")
    wants_old(submission, scenario, rollout(10, (3, 2), (5, 4), (3, 3), (2, 2), (3, 3)), [0, 1, 3])


@rubric("old", needs=MOVING)
def test_pods_that_serve_nobody_go_first(submission, scenario):
    scenario.why("5 may go, and the newer old ReplicaSet has 5 that serve nobody: the 8 that serve stay.")
    wants_old(submission, scenario, rollout(10, (3, 2), (0, 0), (8, 8), (5, 0)), [8, 0])


@rubric("old", needs=MOVING)
def test_idle_pods_go_oldest_first_too(submission, scenario):
    scenario.why(
        "3 may go, and 4 pods serve nobody: the oldest ReplicaSet gives its 2, the next one 1 of its 2."
    )
    wants_old(submission, scenario, rollout(10, (1, 1), (1, 1), (6, 4), (5, 3)), [4, 4])


@rubric("old", needs=MOVING)
def test_idle_pods_go_only_while_enough_are_left(submission, scenario):
    scenario.why(
        "The floor is 8. Old pods that are not available yet may still come up, so only 2 of the 5 may go."
    )
    wants_old(submission, scenario, rollout(10, (0, 2), (0, 0), (10, 5)), [8])


@rubric("old", needs=MOVING)
def test_idle_first_then_the_oldest(submission, scenario):
    scenario.why(
        "5 may go: first the 2 that serve nobody, wherever they are, then 3 of the oldest ReplicaSet."
    )
    wants_old(submission, scenario, rollout(10, (3, 2), (4, 4), (5, 5), (4, 2)), [2, 2])


@rubric("old", needs=MOVING)
def test_undo_of_a_broken_version(submission, scenario):
    scenario.why("7 new pods are available, 8 have to be, and 5 broken old ones are left: 4 of them may go.")
    wants_old(submission, scenario, rollout(10, (3, 2), (8, 7), (5, 0)), [1])


@rubric("old", needs=MOVING)
def test_below_the_floor_nobody_goes(submission, scenario):
    scenario.why("The floor is 9 and only 8 pods are left that serve or could: not even a broken one goes.")
    wants_old(submission, scenario, rollout(10, (0, 1), (2, 0), (8, 3)), [8])


@rubric("old", needs=MOVING)
def test_the_last_old_pods_go_together(submission, scenario):
    scenario.why("All new pods are available: every old ReplicaSet goes to 0 in one step.")
    wants_old(submission, scenario, rollout(6, (3, 1), (6, 6), (2, 2), (0, 0), (1, 0)), [0, 0, 0])
    scenario.why("No replicas are wanted: every old ReplicaSet goes to 0 in one step.")
    wants_old(submission, scenario, rollout(0, (1, 0), (0, 0), (3, 3), (1, 0)), [0, 0])


@rubric("old", needs=MOVING)
def test_more_unavailable_than_replicas(submission, scenario):
    scenario.why("With maxUnavailable 5 of 3 replicas no pod has to be available, so all old ones may go.")
    wants_old(submission, scenario, rollout(3, (0, 5), (0, 0), (2, 2), (1, 1)), [0, 0])


@rubric("old", needs=MOVING)
def test_any_old_replica_sets(submission, scenario, reference):
    scenario.why(
        "As many as the floor allows: those that serve nobody first, and the oldest ReplicaSet first."
    )
    scenario.agree(
        lambda case: Words(old_side(submission.next_step(case))),
        lambda case: Words(old_side(reference.next_step(case))),
        st.tuples(rollouts().map(waiting)),
        show=describe,
        max_examples=40,
    )


# --- moves ---------------------------------------------------------------------------------------------------


@rubric("moves")
def test_a_rollout_moves(submission, scenario):
    scenario.why("There is room for new pods, and later old pods can go: a rollout has to move.")
    for case, most in (
        (rollout(4, (1, 0), (0, 0), (4, 4)), 4),
        (rollout(40, (10, 0), (20, 20), (20, 20)), 40),
    ):
        scenario.given(describe(case))
        scenario.expected(f"new pods, but not more than {most} in all")
        step = ask(submission, scenario, case)
        scenario.check(case.new.spec < step.new <= most, got=move(step))
    case = rollout(4, (1, 1), (1, 1), (4, 4))
    scenario.given(describe(case))
    scenario.expected("fewer old pods")
    step = ask(submission, scenario, case)
    scenario.check(sum(step.old) < 4, got=move(step))


@rubric("moves", needs=MOVING)
def test_new_before_old(submission, scenario):
    scenario.why(
        "The new ReplicaSet has room, so it moves, and the old one waits for the next step, though 1 could go."
    )
    wants(submission, scenario, rollout(4, (1, 1), (0, 0), (4, 4)), Step("scale-new", 1, [4]))


@rubric("moves", needs=MOVING)
def test_then_the_old_ones(submission, scenario):
    scenario.why("There is no room for new pods, so it is the old ReplicaSet's turn.")
    wants(submission, scenario, rollout(4, (1, 1), (1, 1), (4, 4)), Step("scale-old", 1, [2]))


@rubric("moves", needs=MOVING)
def test_shrinking_the_new_one_is_a_move_too(submission, scenario):
    scenario.why("The new ReplicaSet is above the replicas: that is this step, and the old one waits.")
    wants(submission, scenario, rollout(3, (1, 0), (5, 5), (1, 1)), Step("scale-new", 3, [1]))


@rubric("moves", needs=MOVING)
def test_nothing_left_to_do(submission, scenario):
    scenario.why("The rollout is complete.")
    wants(submission, scenario, rollout(4, (1, 1), (4, 4), (0, 0), (0, 0)), Step("none", 4, [0, 0]))
    wants(submission, scenario, rollout(4, (1, 1), (4, 4)), Step("none", 4, []))
    wants(submission, scenario, rollout(0, (1, 1), (0, 0), (0, 0)), Step("none", 0, [0]))


@rubric("moves", needs=MOVING)
def test_waiting_is_no_move(submission, scenario):
    scenario.why(
        "The ceiling leaves no room, and the floor needs every old pod until new ones are available."
    )
    wants(submission, scenario, rollout(10, (3, 2), (5, 0), (8, 8)), Step("none", 5, [8]))


@rubric("moves", needs=MOVING)
def test_the_rollout_is_not_changed(submission, scenario):
    case = rollout(10, (3, 2), (4, 4), (5, 5), (4, 2))
    scenario.given(describe(case))
    scenario.expected("the rollout as it was, also after the call")
    scenario.why("The rollout is what the controller has read; a step is what it answers.")
    ask(submission, scenario, case)
    after = submission.arguments_after[0]
    scenario.check(after == case, got=f"changed to: {describe(after)}")


@rubric("moves", needs=MOVING)
def test_the_documented_sequence(submission, scenario):
    scenario.given("4 replicas, maxSurge 1, maxUnavailable 1, every new pod available before the next step")
    scenario.why("A step moves one side only, and as far as it may.")
    wanted = [(4, 1), (2, 1), (2, 3), (0, 3), (0, 4)]
    scenario.expected("old/new " + ", ".join(f"{old}/{new}" for old, new in wanted))
    seen = []
    for at in play(submission, scenario, rollout(4, (1, 1), (0, 0), (4, 4)), (3, 5)):
        seen.append((sum(specs(at.case)), at.case.new.spec))
        if len(seen) == len(wanted):
            break
    scenario.check(seen == wanted, got="old/new " + ", ".join(f"{old}/{new}" for old, new in seen))


# --- floor ---------------------------------------------------------------------------------------------------


def keeps_floor(submission: Any, scenario: Any, case: Rollout, bounds: tuple[int, int], **pace: int) -> None:
    scenario.expected(f"at least {bounds[0]} pods ready after every step")
    for at in play(submission, scenario, case, bounds, **pace):
        scenario.check(serving(at.case) >= bounds[0], got=str(at))


@rubric("floor", needs=MOVING)
def test_floor_with_slow_pods(submission, scenario):
    scenario.given("10 replicas, maxSurge 3, maxUnavailable 2, one new pod becomes ready a step")
    scenario.why("New pods count when they are available, not when they are created.")
    keeps_floor(submission, scenario, rollout(10, (3, 2), (0, 0), (10, 10)), (8, 13), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_with_percentages(submission, scenario):
    scenario.given("10 replicas, maxSurge 25%, maxUnavailable 25%, new pods slow to become ready")
    scenario.why("maxUnavailable rounds down: 25% of 10 is 2, not 3.")
    keeps_floor(submission, scenario, rollout(10, ("25%", "25%"), (0, 0), (10, 10)), (8, 13), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_of_everything(submission, scenario):
    scenario.given("5 replicas, maxSurge 2, maxUnavailable 0, one new pod becomes ready a step")
    scenario.why("maxUnavailable 0: an old pod goes only after a new one serves in its place.")
    keeps_floor(submission, scenario, rollout(5, (2, 0), (0, 0), (5, 5)), (5, 7), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_of_one(submission, scenario):
    scenario.given("1 replica, maxSurge 1, maxUnavailable 0, the new pod needs a step to become ready")
    scenario.why("The only pod goes after its successor serves.")
    keeps_floor(submission, scenario, rollout(1, (1, 0), (0, 0), (1, 1)), (1, 2), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_with_a_broken_version(submission, scenario):
    scenario.given("10 replicas, maxSurge 3, maxUnavailable 2, no pod of the new version ever becomes ready")
    scenario.why(
        "A broken new version must never cost more than maxUnavailable, however long it is left alone."
    )
    keeps_floor(submission, scenario, rollout(10, (3, 2), (0, 0), (10, 10)), (8, 13), healthy=0)


@rubric("floor", needs=MOVING)
def test_floor_when_new_pods_stop_becoming_ready(submission, scenario):
    scenario.given(
        "8 replicas, maxSurge 2, maxUnavailable 1, only 3 pods of the new version ever become ready"
    )
    scenario.why("What was replaced was replaced; the rest of the old pods stay until more new ones serve.")
    keeps_floor(submission, scenario, rollout(8, (2, 1), (0, 0), (8, 8)), (7, 10), ready=2, healthy=3)


@rubric("floor", needs=MOVING)
def test_floor_with_a_broken_version_in_between(submission, scenario):
    scenario.given(
        "10 replicas, maxSurge 3, maxUnavailable 2; 8 healthy old pods, 5 broken ones of a second version, "
        "and a third version, slow to become ready"
    )
    scenario.why(
        "Broken pods serve nobody: removing them is free, removing healthy ones in their place is not."
    )
    keeps_floor(submission, scenario, rollout(10, (3, 2), (0, 0), (8, 8), (5, 0)), (8, 13), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_with_idle_pods_in_the_oldest(submission, scenario):
    scenario.given(
        "10 replicas, maxSurge 1, maxUnavailable 1; 6 and 5 old pods, of which 5 and 4 are available, "
        "and slow new ones"
    )
    scenario.why("The floor counts available pods of every ReplicaSet.")
    keeps_floor(submission, scenario, rollout(10, (1, 1), (0, 0), (6, 5), (5, 4)), (9, 11), ready=1)


@rubric("floor", needs=MOVING)
def test_floor_of_any_rollout(submission, scenario, reference):
    scenario.why("Available pods never fall below replicas - unavailable because of a step.")
    scenario.agree(
        watched(submission, lowest),
        watched(reference, lowest),
        journeys(),
        show=describe_journey,
        max_examples=6,
    )


# --- ceiling -------------------------------------------------------------------------------------------------


def keeps_ceiling(
    submission: Any, scenario: Any, case: Rollout, bounds: tuple[int, int], **pace: int
) -> None:
    scenario.expected(f"at most {bounds[1]} pods after every step")
    for at in play(submission, scenario, case, bounds, **pace):
        scenario.check(total(at.case) <= bounds[1], got=str(at))


@rubric("ceiling", needs=MOVING)
def test_ceiling_with_slow_pods(submission, scenario):
    scenario.given("10 replicas, maxSurge 3, maxUnavailable 2, one new pod becomes ready a step")
    scenario.why("Pods that are not ready yet take up room too.")
    keeps_ceiling(submission, scenario, rollout(10, (3, 2), (0, 0), (10, 10)), (8, 13), ready=1)


@rubric("ceiling", needs=MOVING)
def test_ceiling_without_surge(submission, scenario):
    scenario.given("6 replicas, maxSurge 0, maxUnavailable 2, one new pod becomes ready a step")
    scenario.why("maxSurge 0: a new pod starts only in the room of an old one that went.")
    keeps_ceiling(submission, scenario, rollout(6, (0, 2), (0, 0), (6, 6)), (4, 6), ready=1)


@rubric("ceiling", needs=MOVING)
def test_ceiling_with_a_broken_version(submission, scenario):
    scenario.given("10 replicas, maxSurge 3, maxUnavailable 2, no pod of the new version ever becomes ready")
    scenario.why("Pods that never become ready are no reason to start more of them.")
    keeps_ceiling(submission, scenario, rollout(10, (3, 2), (0, 0), (10, 10)), (8, 13), healthy=0)


@rubric("ceiling", needs=MOVING)
def test_ceiling_with_idle_old_pods(submission, scenario):
    scenario.given(
        "10 replicas, maxSurge 1, maxUnavailable 2; 7 and 4 old pods, of which only 2 and 1 are available"
    )
    scenario.why("The ceiling counts the pods of every ReplicaSet, available or not.")
    keeps_ceiling(submission, scenario, rollout(10, (1, 2), (0, 0), (7, 2), (4, 1)), (3, 11), ready=2)


@rubric("ceiling", needs=MOVING)
def test_ceiling_of_any_rollout(submission, scenario, reference):
    scenario.why("All ReplicaSets together never have more than replicas + surge pods.")
    scenario.agree(
        watched(submission, highest),
        watched(reference, highest),
        journeys(),
        show=describe_journey,
        max_examples=6,
    )


# --- ends ----------------------------------------------------------------------------------------------------


def ends(submission: Any, scenario: Any, case: Rollout, bounds: tuple[int, int], **pace: int) -> None:
    scenario.expected(f"all {case.replicas} pods of the new version, none of an old one")
    *_, last = play(submission, scenario, case, bounds, **pace)
    scenario.check(complete(last.case) and last.number < FOR_EVER, got=f"no further than {last}")


@rubric("ends", needs=MOVING)
def test_an_ordinary_rollout_ends(submission, scenario):
    scenario.given("10 replicas, maxSurge 3, maxUnavailable 2, two new pods become ready a step")
    scenario.why("Every new pod that becomes available makes room for the next.")
    ends(submission, scenario, rollout(10, (3, 2), (0, 0), (10, 10)), (8, 13), ready=2)


@rubric("ends", needs=MOVING)
def test_a_rollout_without_surge_ends(submission, scenario):
    scenario.given("5 replicas, maxSurge 0, maxUnavailable 1")
    scenario.why("An old pod goes, a new one takes its place, five times over.")
    ends(submission, scenario, rollout(5, (0, 1), (0, 0), (5, 5)), (4, 5), ready=1)


@rubric("ends", needs=MOVING)
def test_a_rollout_without_unavailable_pods_ends(submission, scenario):
    scenario.given("5 replicas, maxSurge 1, maxUnavailable 0")
    scenario.why("A new pod comes up, an old one goes, five times over.")
    ends(submission, scenario, rollout(5, (1, 0), (0, 0), (5, 5)), (5, 6), ready=1)


@rubric("ends", needs=MOVING)
def test_a_rollout_with_limits_that_round_to_zero_ends(submission, scenario):
    scenario.given("10 replicas, maxSurge 0, maxUnavailable 1%")
    scenario.why("1% of 10 rounds down to 0, and with both at 0 one pod may be unavailable.")
    ends(submission, scenario, rollout(10, (0, "1%"), (0, 0), (10, 10)), (9, 10), ready=1)


@rubric("ends", needs=MOVING)
def test_leaving_a_broken_version_ends(submission, scenario):
    scenario.given(
        "10 replicas, maxSurge 3, maxUnavailable 2; 8 healthy old pods, 5 broken ones of a second version "
        "that take up all the room, and a third version that works"
    )
    scenario.why(
        "Unless the broken pods are removed first, there is no room for a new pod and no old one that may go."
    )
    ends(submission, scenario, rollout(10, (3, 2), (0, 0), (8, 8), (5, 0)), (8, 13), ready=2)


@rubric("ends", needs=MOVING)
def test_leaving_nothing_but_broken_pods_ends(submission, scenario):
    scenario.given("4 replicas, maxSurge 0, maxUnavailable 1, and no old pod has ever been available")
    scenario.why("The first version never worked; its pods have to make room for one that does.")
    ends(submission, scenario, rollout(4, (0, 1), (0, 0), (4, 0)), (0, 4), ready=1)


@rubric("ends", needs=MOVING)
def test_scaling_to_zero_ends(submission, scenario):
    scenario.given("scaled to 0 replicas in the middle of a rollout, 3 new and 4 old pods left")
    scenario.why("Without replicas there is no floor: everything goes.")
    ends(submission, scenario, rollout(0, (1, 0), (3, 1), (4, 4)), (0, 7))


@rubric("ends", needs=MOVING)
def test_scaling_down_in_the_middle_ends(submission, scenario):
    scenario.given(
        "scaled to 3 replicas in the middle of a rollout, 5 new and 4 + 2 old pods left, maxSurge 1, maxUnavailable 0"
    )
    scenario.why("However many pods there are, each step brings the rollout nearer to its end.")
    ends(submission, scenario, rollout(3, (1, 0), (5, 4), (4, 4), (2, 2)), (3, 11), ready=1)


@rubric("ends", needs=MOVING)
def test_any_rollout_ends(submission, scenario, reference):
    scenario.why("As long as new pods become available, every rollout comes to its end.")
    scenario.agree(
        watched(submission, outcome),
        watched(reference, outcome),
        journeys(),
        show=describe_journey,
        max_examples=6,
    )


# --- generated rollouts --------------------------------------------------------------------------------------


def rollouts() -> Any:
    """Rollouts at any moment, with limits as numbers: percentages are the fenceposts' business.

    One flat tuple of small numbers, since hypothesis makes and shrinks that much faster than nested objects.
    """
    specs_and_idle = [st.integers(0, 10), st.integers(0, 6)] * 4
    return st.tuples(st.integers(0, 12), st.integers(0, 4), st.integers(0, 4), *specs_and_idle).map(assembled)


def assembled(numbers: tuple[int, ...]) -> Rollout:
    wanted, surge, unavailable, *rest = numbers
    counts = [(spec, max(0, spec - idle)) for spec, idle in zip(rest[::2], rest[1::2], strict=True)]
    return rollout(wanted, (surge, unavailable if surge else max(1, unavailable)), *counts)


def waiting(case: Rollout) -> Rollout:
    """The same rollout in a state in which the new ReplicaSet stays: it is the old ones' turn."""
    old = sum(specs(case))
    spec = min(case.new.spec, case.replicas)
    if spec + old < case.replicas + int(case.max_surge):
        spec = case.replicas
    new = ReplicaCount(spec, min(case.new.available, spec))
    return Rollout(case.replicas, case.max_surge, case.max_unavailable, new, case.old)


def journeys() -> Any:
    """Replicas, surge, unavailable, and how many new pods become ready a step."""
    return st.tuples(st.integers(1, 12), st.integers(0, 4), st.integers(0, 4), st.integers(1, 4)).map(
        lambda journey: journey if journey[1] else (journey[0], 0, max(1, journey[2]), journey[3])
    )


def describe_journey(number: int, surge: int, unavailable: int, ready: int) -> str:
    limits = f"maxSurge {surge}, maxUnavailable {unavailable}"
    pace = "one new pod becomes ready a step" if ready == 1 else f"up to {ready} new pods become ready a step"
    return f"{replicas(number)}, all old and available; {limits}; {pace}"


def watched(solution: Any, look: Callable[[list[Rollout], int, int], str]) -> Callable[..., str]:
    """A function from a journey to what `look` sees in all its moments; look takes floor and ceiling too."""

    def journey(number: int, surge: int, unavailable: int, ready: int) -> str:
        start = rollout(number, (surge, unavailable), (0, 0), (number, number))
        nonsense = []

        def next_step(case: Rollout) -> Step:
            step = solution.next_step(case)
            if fits(step, case):
                return step
            nonsense.append(f"{move(step)}, for {describe(case)}")
            return Step("none", case.new.spec, specs(case))

        seen = [moment.case for moment in unrolled(next_step, start, ready=ready)]
        return Words(nonsense[0] if nonsense else look(seen, max(0, number - unavailable), number + surge))

    return journey


def lowest(seen: list[Rollout], floor: int, _: int) -> str:
    fewest = min(map(serving, seen))
    return f"never fewer than {floor} ready" if fewest >= floor else f"only {fewest} ready at one point"


def highest(seen: list[Rollout], _: int, ceiling: int) -> str:
    most = max(map(total, seen))
    return f"never more than {ceiling} pods" if most <= ceiling else f"{most} pods at one point"


def outcome(seen: list[Rollout], _floor: int, _ceiling: int) -> str:
    last = seen[-1]
    if complete(last) and len(seen) < FOR_EVER:
        return "complete"
    return f"no further than new {last.new.spec}, old {sum(specs(last))}"
