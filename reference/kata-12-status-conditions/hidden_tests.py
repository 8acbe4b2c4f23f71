"""Hidden tests of kata 12."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from kubekata import Condition
from kubekata.grading.hidden import rubric

WORKS = ("test_status_changes",)
REMOVES = ("test_remove_takes_it_out",)
NINE = datetime(2026, 1, 1, 9, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """Minutes after nine."""
    return NINE + timedelta(minutes=minutes)


def cond(
    type: str,  # noqa: A002 - the field's name
    status: str,
    since: datetime | None = None,
    *,
    reason: str = "",
    message: str = "",
    generation: int | None = None,
) -> Condition:
    return Condition(
        type=type,
        status=status,  # type: ignore[arg-type]
        reason=reason,
        message=message,
        observed_generation=generation,
        last_transition_time=since,
    )


def clock(moment: datetime | None) -> str:
    return "no time" if moment is None else f"{moment:%H:%M}" if not moment.second else f"{moment:%H:%M:%S}"


def text(condition: Condition | None) -> str:
    if condition is None:
        return "None"
    parts = [f"{condition.type}={condition.status}"]
    parts += [f"since {clock(condition.last_transition_time)}"] if condition.last_transition_time else []
    parts += [condition.reason] if condition.reason else []
    parts += [f'"{condition.message}"'] if condition.message else []
    if condition.observed_generation is not None:
        parts += [f"generation {condition.observed_generation}"]
    return " ".join(parts)


def listing(conditions: list[Condition]) -> str:
    return f"[{', '.join(map(text, conditions))}]"


def situation(conditions: list[Condition], new: Condition, now: datetime) -> str:
    return f"{listing(conditions)}, new {text(new)}, now {clock(now)}"


def expect(
    submission: Any, scenario: Any, conditions: list, new: Condition, now: datetime, wanted: list
) -> list:
    """Set one condition and check the whole answer."""
    scenario.given(situation(conditions, new, now))
    scenario.expected(listing(wanted))
    answer = submission.set_condition(conditions, new, now)
    scenario.equal(answer, wanted, got=listing(answer))
    return answer


def moved(
    submission: Any, scenario: Any, old: Condition, new: Condition, now: datetime, since: datetime
) -> None:
    """Set one condition and check its status and time alone."""
    scenario.given(situation([old], new, now))
    scenario.expected(f"{new.type}={new.status} since {clock(since)}")
    answer = submission.set_condition([old], new, now)
    entries = [c for c in answer if c.type == new.type]
    scenario.check(entries, got=f"no condition {new.type} in {listing(answer)}")
    got = entries[-1]
    scenario.check(
        got.status == new.status and got.last_transition_time == since,
        got=f"{got.type}={got.status} since {clock(got.last_transition_time)}",
    )


# --- new-type ------------------------------------------------------------------------------------------------


@rubric("new-type")
def test_first_condition_of_all(submission, scenario):
    scenario.why("A type not seen before is added, with now as its time.")
    new = cond("Ready", "False", reason="Booting", message="waiting for the BMC", generation=1)
    wanted = cond("Ready", "False", at(5), reason="Booting", message="waiting for the BMC", generation=1)
    expect(submission, scenario, [], new, at(5), [wanted])


@rubric("new-type")
def test_new_type_goes_to_the_end(submission, scenario):
    scenario.why("A type not seen before goes to the end; those before it stay as they are.")
    held = [cond("Ready", "True", at(1), reason="Flashed"), cond("Powered", "False", at(2))]
    expect(
        submission,
        scenario,
        held,
        cond("Available", "True"),
        at(7),
        [*held, cond("Available", "True", at(7))],
    )


@rubric("new-type")
def test_new_type_keeps_the_time_it_carries(submission, scenario):
    scenario.why("The one who observed it knows since when; now is only for those who do not say.")
    held = [cond("Available", "True", at(0))]
    expect(
        submission, scenario, held, cond("Ready", "True", at(3)), at(8), [*held, cond("Ready", "True", at(3))]
    )


@rubric("new-type")
def test_new_type_may_be_unknown(submission, scenario):
    scenario.why("Unknown is a status like the others, and its time starts now.")
    expect(submission, scenario, [], cond("Ready", "Unknown"), at(9), [cond("Ready", "Unknown", at(9))])


@rubric("new-type")
def test_same_word_in_other_letters_is_another_type(submission, scenario):
    scenario.why("Types are compared exactly: ready is not Ready.")
    held = [cond("Ready", "True", at(1))]
    expect(submission, scenario, held, cond("ready", "True"), at(9), [*held, cond("ready", "True", at(9))])


@rubric("new-type")
def test_part_of_a_word_is_another_type(submission, scenario):
    scenario.why("Types are compared as whole words.")
    held = [cond("ContainersReady", "False", at(1))]
    expect(submission, scenario, held, cond("Ready", "True"), at(9), [*held, cond("Ready", "True", at(9))])


# --- transition ----------------------------------------------------------------------------------------------


@rubric("transition")
def test_status_changes(submission, scenario):
    scenario.why("The status changed, and this is the moment.")
    moved(submission, scenario, cond("Ready", "True", at(1)), cond("Ready", "False"), at(10), at(10))


@rubric("transition")
def test_every_change_of_status_counts(submission, scenario):
    scenario.why("From and to each of True, False and Unknown: a change is a change.")
    statuses = ("True", "False", "Unknown")
    for before in statuses:
        for after in statuses:
            since = at(1) if before == after else at(10)
            moved(submission, scenario, cond("Ready", before, at(1)), cond("Ready", after), at(10), since)


@rubric("transition", needs=WORKS)
def test_same_status_keeps_its_time(submission, scenario):
    scenario.why("Nothing happened to the status, so 'since when' has the same answer as before.")
    moved(submission, scenario, cond("Ready", "False", at(1)), cond("Ready", "False"), at(10), at(1))


@rubric("transition", needs=WORKS)
def test_another_reason_does_not_move_the_time(submission, scenario):
    scenario.why("The machine is still not ready; only the explanation is another one.")
    moved(
        submission,
        scenario,
        cond("Ready", "False", at(1), reason="Booting"),
        cond("Ready", "False", reason="Flashing"),
        at(10),
        at(1),
    )


@rubric("transition", needs=WORKS)
def test_another_message_does_not_move_the_time(submission, scenario):
    scenario.why("A progress report in the message is no transition.")
    moved(
        submission,
        scenario,
        cond("Ready", "False", at(1), reason="Flashing", message="10 %"),
        cond("Ready", "False", reason="Flashing", message="60 %"),
        at(10),
        at(1),
    )


@rubric("transition", needs=WORKS)
def test_another_generation_does_not_move_the_time(submission, scenario):
    scenario.why("The spec was edited and the status held: since when has not changed.")
    moved(
        submission,
        scenario,
        cond("Ready", "True", at(1), generation=1),
        cond("Ready", "True", generation=2),
        at(10),
        at(1),
    )


@rubric("transition", needs=WORKS)
def test_change_takes_the_time_it_carries(submission, scenario):
    scenario.why("When new says since when, that is the time, and not now.")
    moved(submission, scenario, cond("Ready", "True", at(1)), cond("Ready", "False", at(6)), at(10), at(6))


@rubric("transition", needs=WORKS)
def test_change_takes_also_an_earlier_time(submission, scenario):
    scenario.why("The time that new carries is taken as it is, even one before the old.")
    moved(submission, scenario, cond("Ready", "True", at(6)), cond("Ready", "False", at(2)), at(10), at(2))


@rubric("transition", needs=WORKS)
def test_same_status_ignores_the_time_it_carries(submission, scenario):
    scenario.why("The status did not change, so the old time stays, whatever time new carries.")
    moved(submission, scenario, cond("Ready", "True", at(1)), cond("Ready", "True", at(6)), at(10), at(1))
    moved(submission, scenario, cond("Ready", "True", at(6)), cond("Ready", "True", at(1)), at(10), at(6))


@rubric("transition", needs=WORKS)
def test_time_comes_from_now_not_from_the_clock_on_the_wall(submission, scenario):
    scenario.why("The cluster's time is passed in; a test, or a replay, may run in any year.")
    long_ago = datetime(2019, 7, 1, 12, tzinfo=UTC)
    moved(
        submission,
        scenario,
        cond("Ready", "True", long_ago - timedelta(days=1)),
        cond("Ready", "False"),
        long_ago,
        long_ago,
    )


@rubric("transition", needs=WORKS)
def test_only_its_own_type_decides(submission, scenario):
    scenario.why("Powered has that status already; Ready had not.")
    held = [cond("Powered", "False", at(1)), cond("Ready", "True", at(2)), cond("Available", "False", at(3))]
    scenario.given(situation(held, cond("Ready", "False"), at(10)))
    scenario.expected("Ready=False since 09:10, Powered since 09:01, Available since 09:03")
    answer = submission.set_condition(held, cond("Ready", "False"), at(10))
    times = {c.type: c.last_transition_time for c in answer}
    scenario.check(times == {"Powered": at(1), "Ready": at(10), "Available": at(3)}, got=listing(answer))


@rubric("transition")
def test_there_and_back_again(submission, scenario):
    scenario.why("Each change of status moves the time once; what happens in between does not.")
    held = expect(submission, scenario, [], cond("Ready", "False"), at(0), [cond("Ready", "False", at(0))])
    held = expect(submission, scenario, held, cond("Ready", "True"), at(5), [cond("Ready", "True", at(5))])
    held = expect(submission, scenario, held, cond("Ready", "True"), at(6), [cond("Ready", "True", at(5))])
    expect(submission, scenario, held, cond("Ready", "False"), at(9), [cond("Ready", "False", at(9))])


# --- content -------------------------------------------------------------------------------------------------


@rubric("content")
def test_reason_and_message_follow_without_a_transition(submission, scenario):
    scenario.why("The status stays; reason, message and generation are those of now all the same.")
    expect(
        submission,
        scenario,
        [cond("Ready", "False", at(1), reason="Booting", message="POST", generation=1)],
        cond("Ready", "False", reason="Flashing", message="60 %", generation=2),
        at(10),
        [cond("Ready", "False", at(1), reason="Flashing", message="60 %", generation=2)],
    )


@rubric("content")
def test_reason_and_message_follow_a_transition(submission, scenario):
    scenario.why("A new status comes with its own reason, message and generation.")
    expect(
        submission,
        scenario,
        [cond("Ready", "False", at(1), reason="Flashing", message="60 %", generation=2)],
        cond("Ready", "True", reason="Flashed", message="took 9 min", generation=3),
        at(10),
        [cond("Ready", "True", at(10), reason="Flashed", message="took 9 min", generation=3)],
    )


@rubric("content")
def test_message_alone(submission, scenario):
    scenario.why("A new message is worth telling, also with the same status and reason.")
    expect(
        submission,
        scenario,
        [cond("Ready", "False", at(1), reason="Flashing", message="10 %")],
        cond("Ready", "False", reason="Flashing", message="60 %"),
        at(10),
        [cond("Ready", "False", at(1), reason="Flashing", message="60 %")],
    )


@rubric("content")
def test_generation_alone(submission, scenario):
    scenario.why(
        "observed_generation says which spec was looked at: it follows, with the same status and reason."
    )
    expect(
        submission,
        scenario,
        [cond("Ready", "True", at(1), reason="Flashed", generation=4)],
        cond("Ready", "True", reason="Flashed", generation=5),
        at(10),
        [cond("Ready", "True", at(1), reason="Flashed", generation=5)],
    )


@rubric("content")
def test_empty_fields_replace_without_a_transition(submission, scenario):
    scenario.why(
        "An empty reason is the reason of now. Keeping the old one would explain the present with the past."
    )
    expect(
        submission,
        scenario,
        [cond("Ready", "False", at(1), reason="Flashing", message="60 %", generation=2)],
        cond("Ready", "False"),
        at(10),
        [cond("Ready", "False", at(1))],
    )


@rubric("content")
def test_empty_fields_replace_in_a_transition(submission, scenario):
    scenario.why("Ready=True with the message of the last failure would mislead everybody.")
    expect(
        submission,
        scenario,
        [cond("Ready", "False", at(1), reason="Flashing", message="failed twice", generation=2)],
        cond("Ready", "True"),
        at(10),
        [cond("Ready", "True", at(10))],
    )


@rubric("content", needs=WORKS)
def test_nothing_changed_is_seen_as_nothing_changed(submission, scenario):
    scenario.why("The caller writes only if the answer differs from what is stored.")
    held = [
        cond("Available", "True", at(0)),
        cond("Ready", "True", at(1), reason="Flashed", message="took 9 min", generation=3),
    ]
    again = cond("Ready", "True", at(9), reason="Flashed", message="took 9 min", generation=3)
    expect(submission, scenario, held, again, at(10), held)


@rubric("content")
def test_agrees_on_any_conditions(submission, scenario, reference):
    scenario.why(
        "What the condition says is what new says, apart from the time; the others say what they said."
    )
    scenario.agree(
        submission.set_condition,
        reference.set_condition,
        CASES,
        show=situation,
        equal=lambda mine, theirs: said(mine) == said(theirs),
        max_examples=150,
    )


def said(answer: Any) -> Any:
    """What the conditions say; their times and their order have items of their own."""
    if not isinstance(answer, list) or not all(isinstance(entry, Condition) for entry in answer):
        return answer
    words = [(c.type, c.status, c.reason, c.message, c.observed_generation) for c in answer]
    return sorted(words, key=repr)


# --- place ---------------------------------------------------------------------------------------------------


@rubric("place")
def test_known_type_stays_where_it_is(submission, scenario):
    scenario.why("A known type keeps its place, so that a diff shows one changed line and nothing else.")
    held = [cond("Ready", "False", at(1)), cond("Powered", "True", at(2)), cond("Available", "True", at(3))]
    wanted = [cond("Ready", "True", at(10)), held[1], held[2]]
    expect(submission, scenario, held, cond("Ready", "True"), at(10), wanted)
    wanted = [held[0], cond("Powered", "Unknown", at(10)), held[2]]
    expect(submission, scenario, held, cond("Powered", "Unknown"), at(10), wanted)


@rubric("place")
def test_known_type_stays_where_it_is_without_a_transition(submission, scenario):
    scenario.why("Also when only the reason changes, nothing moves in the list.")
    held = [cond("Ready", "False", at(1)), cond("Powered", "True", at(2))]
    wanted = [cond("Ready", "False", at(1), reason="Fan"), held[1]]
    expect(submission, scenario, held, cond("Ready", "False", reason="Fan"), at(10), wanted)


@rubric("place")
def test_one_entry_per_type(submission, scenario):
    scenario.why("Whoever reads the list looks for one Ready, and there must be only one.")
    held: list[Condition] = [cond("Powered", "True", at(0))]
    for minute, status in enumerate(("False", "True", "Unknown", "True"), start=1):
        new = cond("Ready", status)
        scenario.given(situation(held, new, at(minute)))
        scenario.expected(f"one condition Ready, and it is {status}")
        held = submission.set_condition(held, new, at(minute))
        found = [c.status for c in held if c.type == "Ready"]
        scenario.check(found == [status] and len(held) == 2, got=listing(held))


@rubric("place")
def test_order_is_not_sorted(submission, scenario):
    scenario.why("The list is in the order in which the types appeared, not in the alphabet's.")
    held: list[Condition] = []
    wanted: list[Condition] = []
    for minute, name in enumerate(("Ready", "Available", "Zoned", "Powered"), start=1):
        wanted = [*wanted, cond(name, "True", at(minute))]
        held = expect(submission, scenario, held, cond(name, "True"), at(minute), wanted)


# --- input ---------------------------------------------------------------------------------------------------


def leaves_alone(
    submission: Any, scenario: Any, held: list, new: Condition, now: datetime, since: datetime
) -> None:
    """The answer has the new status and time, and the arguments are as they were."""
    scenario.given(situation(held, new, now))
    scenario.expected(
        f"an answer with {new.type}={new.status} since {clock(since)}, and the arguments as they were"
    )
    answer = submission.set_condition(held, new, now)
    got = [c for c in answer if c.type == new.type]
    scenario.check(
        got and got[0].status == new.status and got[0].last_transition_time == since, got=listing(answer)
    )
    held_after, new_after, _ = submission.arguments_after
    scenario.equal(held_after, held, got=f"the list that was passed in is now {listing(held_after)}")
    scenario.equal(new_after, new, got=f"new is now {text(new_after)}")


@rubric("input")
def test_appending_leaves_the_input_alone(submission, scenario):
    scenario.why("The list belongs to the caller, who compares before and after.")
    leaves_alone(submission, scenario, [cond("Powered", "True", at(1))], cond("Ready", "True"), at(9), at(9))


@rubric("input")
def test_changing_leaves_the_input_alone(submission, scenario):
    scenario.why("The conditions in the list belong to the caller too: replace, do not edit.")
    held = [cond("Powered", "True", at(1)), cond("Ready", "False", at(2), reason="Booting")]
    leaves_alone(submission, scenario, held, cond("Ready", "True", reason="Flashed"), at(9), at(9))


@rubric("input", needs=WORKS)
def test_same_status_leaves_the_input_alone(submission, scenario):
    scenario.why("new is the caller's as well: the old time goes into a copy of it.")
    held = [cond("Ready", "False", at(2), reason="Booting")]
    leaves_alone(submission, scenario, held, cond("Ready", "False", at(4), reason="Flashing"), at(9), at(2))


@rubric("input")
def test_removing_leaves_the_input_alone(submission, scenario):
    scenario.why("The list belongs to the caller, who compares before and after.")
    held = [cond("Powered", "True", at(1)), cond("Ready", "False", at(2))]
    scenario.given(f"{listing(held)}, remove Powered")
    scenario.expected("an answer without Powered, and the list as it was")
    answer = submission.remove_condition(held, "Powered")
    scenario.equal(answer, held[1:], got=listing(answer))
    after = submission.arguments_after[0]
    scenario.equal(after, held, got=f"the list that was passed in is now {listing(after)}")


# --- lookup --------------------------------------------------------------------------------------------------


def removes(submission: Any, scenario: Any, held: list, name: str, wanted: list) -> None:
    scenario.given(f"{listing(held)}, remove {name}")
    scenario.expected(listing(wanted))
    answer = submission.remove_condition(held, name)
    scenario.equal(answer, wanted, got=listing(answer))


@rubric("lookup")
def test_remove_takes_it_out(submission, scenario):
    scenario.why("The one condition of that type goes, the others stay in their order.")
    held = [cond("Ready", "True", at(1)), cond("Powered", "True", at(2)), cond("Available", "False", at(3))]
    removes(submission, scenario, held, "Powered", [held[0], held[2]])
    removes(submission, scenario, held, "Ready", held[1:])
    removes(submission, scenario, held[:1], "Ready", [])


@rubric("lookup", needs=REMOVES)
def test_remove_what_is_not_there(submission, scenario):
    scenario.why("What should be gone is gone: that is success.")
    held = [cond("Ready", "True", at(1)), cond("Powered", "True", at(2))]
    removes(submission, scenario, held, "Available", held)
    removes(submission, scenario, held, "ready", held)
    removes(submission, scenario, [], "Ready", [])


@rubric("lookup", needs=("test_find", *REMOVES))
def test_find_what_is_not_there(submission, scenario):
    scenario.why("No condition of that type: None, for the caller to ask about.")
    for held, name in (
        ([], "Ready"),
        ([cond("Ready", "True", at(1))], "Read"),
        ([cond("Ready", "True", at(1))], "ready"),
    ):
        scenario.given(f"{listing(held)}, find {name}")
        scenario.expected("None")
        scenario.equal(submission.find_condition(held, name), None)


@rubric("lookup")
def test_find(submission, scenario):
    scenario.why("The condition of that type, all of it.")
    held = [
        cond("Powered", "True", at(2)),
        cond("Ready", "False", at(1), reason="Fan", message="3 of 4", generation=2),
    ]
    for wanted in held:
        scenario.given(f"{listing(held)}, find {wanted.type}")
        scenario.expected(text(wanted))
        answer = submission.find_condition(held, wanted.type)
        scenario.equal(answer, wanted, got=text(answer))


def answers(submission: Any, scenario: Any, held: list, name: str, status: str, wanted: bool) -> None:
    scenario.given(f"{listing(held)}, is {name} {status}?")
    scenario.expected(str(wanted))
    scenario.equal(submission.is_condition(held, name, status), wanted)


@rubric("lookup")
def test_is_condition_compares_the_status(submission, scenario):
    scenario.why("True exactly for the status that it has.")
    for status in ("True", "False", "Unknown"):
        held = [
            cond("Powered", "Unknown" if status == "False" else "False", at(2)),
            cond("Ready", status, at(1)),
        ]
        for asked in ("True", "False", "Unknown"):
            answers(submission, scenario, held, "Ready", asked, asked == status)


@rubric("lookup")
def test_absent_has_no_status(submission, scenario):
    scenario.why("Nobody has looked yet: that is not False, and not Unknown either.")
    held = [cond("Powered", "True", at(2))]
    answers(submission, scenario, held, "Powered", "True", True)
    for status in ("False", "True", "Unknown"):
        answers(submission, scenario, held, "Ready", status, False)
        answers(submission, scenario, [], "Ready", status, False)


# --- generated cases -----------------------------------------------------------------------------------------

STATUSES = st.sampled_from(["True", "False", "Unknown"])
TYPES = ["Ready", "Powered", "Available"]


def conditions_of(name: Any, since: Any) -> Any:
    return st.builds(
        cond,
        name,
        STATUSES,
        since,
        reason=st.sampled_from(["", "Booting", "Flashed"]),
        message=st.sampled_from(["", "took 9 min"]),
        generation=st.sampled_from([None, 1, 2]),
    )


HELD = st.lists(
    conditions_of(st.sampled_from(TYPES), st.integers(0, 9).map(at)), max_size=3, unique_by=lambda c: c.type
)
NEW = conditions_of(st.sampled_from(TYPES), st.none() | st.integers(0, 20).map(at))
CASES = st.tuples(HELD, NEW, st.integers(10, 20).map(at))
