"""Which kata comes next, and which one a mock interview picks: what is weak or unseen comes first."""

import dataclasses
import random
from collections.abc import Sequence
from typing import Literal

from kubekata.grading.catalog import Kata
from kubekata.grading.result import KataResult
from kubekata.practice import attempts, hints, mocks, reveals
from kubekata.practice.attempts import Standing
from kubekata.practice.store import Store

State = Literal["new", "started", "passed", "given-up"]
STATES: tuple[State, ...] = ("new", "started", "passed", "given-up")

_LEVELS = ("easy", "medium", "hard")
_STUCK_AFTER = 3
_DAY = 86400
_MOMENT = 1e-3  # what is graded together is recorded one after the other


@dataclasses.dataclass(frozen=True)
class Choice:
    """A kata, and why it is the one: whole sentences."""

    kata: Kata
    kind: Literal["mock", "unfinished", "new", "all-passed"]
    reasons: tuple[str, ...]


def state_of(kata: str, known: dict[str, Standing], given_up: set[str]) -> State:
    """Where the learner stands with a kata."""
    standing = known.get(kata)
    if standing and standing.passed:
        return "passed"
    if kata in given_up:
        return "given-up"
    return "started" if standing else "new"


def next_choice(
    store: Store | None, katas: Sequence[Kata], now: float, graded: Sequence[KataResult] = ()
) -> Choice:
    """A running mock, then what was begun and not passed, then the easiest unseen kata, then the weakest.

    Without a store nothing is known about the learner. `graded` counts as if it were in the store already: a verdict
    says what comes next before it is recorded.
    """
    by_id = {kata.id: kata for kata in katas}
    mock = mocks.running(store) if store else None
    if mock and mock.kata in by_id:
        minutes = max(int(mock.left(now) // 60), 0)
        paused = " and is paused" if mock.paused else ""
        return Choice(
            by_id[mock.kata], "mock", (f"A mock interview is running{paused}: {minutes} minutes are left.",)
        )
    known = _with(attempts.standings(store) if store else {}, graded, now)
    given_up = reveals.given_up(store) if store else set()
    states = {kata.id: state_of(kata.id, known, given_up) for kata in katas}
    unfinished = [kata for kata in katas if states[kata.id] == "started"]
    if unfinished:
        kata = max(unfinished, key=lambda kata: known[kata.id].last)
        reasons = _what_is_missing(store, kata, known[kata.id]) if store else ()
        return Choice(kata, "unfinished", reasons)
    unseen = [kata for kata in katas if states[kata.id] == "new"]
    if unseen:
        kata = _easiest(unseen)
        if not known:
            return Choice(kata, "new", (f"A good one to begin with: {_lower(kata.file.summary)}.",))
        done = sum(state == "passed" for state in states.values())
        passed = f" You have passed {done} of {len(katas)}." if done else ""
        return Choice(
            kata, "new", (f"The easiest that you have not tried: {_lower(kata.file.summary)}.{passed}",)
        )
    return _again(katas, known, states, now)


def pick(store: Store, katas: Sequence[Kata], rng: random.Random) -> tuple[Kata, str]:
    """The kata of a mock interview and why, drawn from `katas`: weak ones are likely, mastered ones are not.

    Somebody who has passed nothing gets one of the easiest, or one that they have tried: others build on them.
    """
    known = attempts.standings(store)
    if not any(standing.passed for standing in known.values()):
        easiest = _easiest(katas).file.level
        katas = [kata for kata in katas if kata.file.level == easiest or kata.id in known]
    mocked = {mock.kata for mock in mocks.history(store)}
    weights, reasons = [], []
    for kata in katas:
        weight, reason = _weight(known.get(kata.id))
        weights.append(weight / 3 if kata.id in mocked else weight)
        reasons.append(f"{reason}, and it was in a mock before" if kata.id in mocked else reason)
    (number,) = rng.choices(range(len(katas)), weights)
    return katas[number], reasons[number]


def _with(known: dict[str, Standing], graded: Sequence[KataResult], now: float) -> dict[str, Standing]:
    """The standings as they are once `graded` is recorded, where the stubs among it are left out."""
    known = dict(known)
    for position, result in enumerate(graded):
        if result.started:
            old = known.get(result.kata, Standing(0, passed=False, attempts=0, last=now))
            known[result.kata] = Standing(
                max(old.best, result.score),
                old.passed or result.passed,
                old.attempts + 1,
                now + position * _MOMENT,
            )
    return known


def _weight(standing: Standing | None) -> tuple[float, str]:
    if standing is None:
        return 4.0, "not seen yet"
    if not standing.passed:
        return 6.0, f"not passed yet ({standing.best} of 100)"
    if standing.best < 100:
        return 2.0, f"passed with {standing.best} of 100"
    return 1.0, "passed with full marks"


def _again(katas: Sequence[Kata], known: dict[str, Standing], states: dict[str, State], now: float) -> Choice:
    given_up = [kata for kata in katas if states[kata.id] == "given-up"]
    if given_up:
        kata = given_up[0]
        return Choice(
            kata, "all-passed", ("You opened its reference before you passed it. Can you write it now?",)
        )
    kata = min(katas, key=lambda kata: (known[kata.id].best, known[kata.id].last))
    standing = known[kata.id]
    days = int((now - standing.last) // _DAY)
    when = f", {days} days ago" if days > 1 else ""
    return Choice(
        kata,
        "all-passed",
        (f"You have passed every kata. This is the weakest: {standing.best} of 100{when}.",),
    )


def _what_is_missing(store: Store, kata: Kata, standing: Standing) -> tuple[str, ...]:
    tries = "1 attempt" if standing.attempts == 1 else f"{standing.attempts} attempts"
    reasons = [f"Begun and not passed: {standing.best} of 100 at best, after {tries}."]
    made = attempts.history(store, kata.id)
    broken = first_broken(attempts.result(store, made[-1].id)) if made else ""
    if broken:
        reasons.append(broken)
    left = len(hints.COSTS) - hints.used(store, kata.id)
    if standing.attempts >= _STUCK_AFTER and left:
        reasons.append(f"After {standing.attempts} attempts a hint is no shame; {left} of 3 are left.")
    return tuple(reasons)


def first_broken(result: KataResult) -> str:
    """What keeps a result from passing, as one sentence; empty when nothing does."""
    fatal = next((problem for problem in result.problems if problem.fatal), None)
    if fatal:
        return f"The file does not work yet: {fatal.message}."
    broken = sorted(
        (item for item in result.rubric if item.earned < item.points), key=lambda item: not item.must
    )
    if not broken or result.passed:
        return ""
    must = "is a must and " if broken[0].must else ""
    return f'"{broken[0].title}" {must}does not hold yet.'


def _easiest(katas: Sequence[Kata]) -> Kata:
    return min(katas, key=lambda kata: (_LEVELS.index(kata.file.level), kata.file.number))


def _lower(sentence: str) -> str:
    """A summary as the end of a sentence; words that are written large stay so."""
    first, _, rest = sentence.rstrip(".").partition(" ")
    return f"{first.lower() if first.istitle() else first} {rest}"
