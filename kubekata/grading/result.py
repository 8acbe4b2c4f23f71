"""What a grade is, once it is done: plain frozen data, and exactly the document that `--json` prints.

`report` and `practice` depend on this module and on nothing else of grading.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

Outcome = Literal["passed", "failed", "error", "timeout", "not-run"]
"""failed: a check did not hold. error: no usable answer (an exception, a dead process, a wrong type).
timeout: no answer in time. not-run: never asked, and therefore worth nothing."""


class TraceStep(msgspec.Struct, frozen=True):
    """One step of a scenario that happens in steps; counts are pods, None where the scenario has no such count."""

    label: str
    ready: int | None = None
    total: int | None = None
    old: int | None = None
    new: int | None = None


class Trace(msgspec.Struct, frozen=True):
    """The steps of one hidden test, with the bounds that `ready` and `total` had to respect."""

    steps: tuple[TraceStep, ...] = ()
    floor: int | None = None
    ceiling: int | None = None


class HiddenTestResult(msgspec.Struct, frozen=True):
    """One hidden test and, unless it passed, why it did not, in the words of the problem.

    `stdout` is what the submission printed during this test (both streams, shortened). `seconds` is wall time.
    """

    name: str
    outcome: Outcome
    given: str = ""
    expected: str = ""
    got: str = ""
    why: str = ""
    seconds: float = 0.0
    trace: Trace | None = None
    stdout: str = ""

    @property
    def is_red(self) -> bool:
        """Whether it ran and did not pass."""
        return self.outcome in ("failed", "error", "timeout")


class RubricResult(msgspec.Struct, frozen=True):
    """One rubric item: `earned` of its `points`, and the hidden tests that decided it."""

    id: str
    title: str
    points: int
    earned: float
    must: bool
    tests: tuple[HiddenTestResult, ...] = ()


class Problem(msgspec.Struct, frozen=True):
    """Something about the submission's file itself: one friendly block instead of one failure per test.

    `kind` is a stable word for programs ("syntax-error", "missing-entry-point", ...). `line` is 1-based and
    `source` is that line. A problem that is `fatal` makes the score 0; one that is not is a remark beside it.
    """

    kind: str
    message: str
    cure: str = ""
    line: int | None = None
    source: str = ""
    fatal: bool = True


class Coverage(msgspec.Struct, frozen=True):
    """How much of the submission ran under the hidden tests: `percent` of its statements, and the lines left out."""

    percent: float
    missing: tuple[int, ...] = ()


class KataResult(msgspec.Struct, frozen=True):
    """The verdict on one submission. `score` is 0-100; `started` is False for a stub nobody has touched.

    `isolation` names what kept the submission apart from the grader: "process" or "bubblewrap". `hints` is how many
    hints the learner had taken. `misconception` is a known one that the submission behaves like, as a sentence.
    """

    kata: str
    title: str
    submission: str
    score: int
    passed: bool
    pass_mark: int
    rubric: tuple[RubricResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    coverage: Coverage | None = None
    seed: int = 0
    seconds: float = 0.0
    started: bool = True
    isolation: str = "process"
    hints: int = 0
    misconception: str = ""


class Ungraded(msgspec.Struct, frozen=True):
    """A kata for which there is no score, through no fault of the learner's: `reason` is one line."""

    kata: str
    reason: str


class Results(msgspec.Struct, frozen=True):
    """Several katas graded in one go: `score` is the mean of `results`, rounded down.

    `passed` means every one of them, and nothing in `not_graded`.
    """

    results: tuple[KataResult, ...]
    score: int
    passed: bool
    not_graded: tuple[Ungraded, ...] = ()


def combine(outcomes: Sequence[KataResult | Ungraded]) -> Results:
    """Put single results together; no results at all is not a pass."""
    results = tuple(outcome for outcome in outcomes if isinstance(outcome, KataResult))
    not_graded = tuple(outcome for outcome in outcomes if isinstance(outcome, Ungraded))
    return Results(
        results,
        score=sum(result.score for result in results) // max(1, len(results)),
        passed=bool(results) and not not_graded and all(result.passed for result in results),
        not_graded=not_graded,
    )


def to_json(result: KataResult | Results) -> str:
    """The document of `--json`, indented, without a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2).decode()
