"""The pytest plugin behind hidden tests: fixtures, outcomes, and `needs`."""

import time
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kubekata.grading.catalog import Kata
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.hidden import Rubric, rubric_of
from kubekata.grading.host.errors import NoAnswer, SubmissionRaised
from kubekata.grading.host.pool import Lane
from kubekata.grading.result import HiddenTestResult, Outcome
from kubekata.grading.scenario import CheckFailed, Scenario, raised_text
from kubekata.grading.submission import Submission
from kubekata.grading.wire.messages import Refusal

if TYPE_CHECKING:
    from kubekata.cluster.world import World

MOST_TIMEOUTS = 3

_SUBMISSION = "submission"

_WHY_RAISED = {
    "BdbQuit": "a breakpoint is still in your file",
    "MemoryError": "your code needs more memory than the limit of 512 MB",
    "NotImplementedError": "this part is not written yet",
    "RecursionError": "a function calls itself without end",
    "Refused": "your code gets its data from its arguments, and nothing else",
    "SystemExit": "your code ends the program: return instead",
}

_LIMITS = {
    "[Errno 24]": "your code keeps more open files than the limit of 128",
    "[Errno 27]": "your code writes a file of more than the limit of 2 MB",
    "can't start new thread": "your code starts more threads than fit into the limit of 512 MB",
    "[Errno 13]": "your code opens no file outside of its scratch folder and shares nothing",
    "[Errno 1]": "your code starts no process, opens no network and loads no native code",
}
"""What the messages of exceptions say about limits (EMFILE, EFBIG, EACCES, EPERM)."""


class HiddenTests:
    """Collects one result for each hidden test of a kata, on one lane.

    `end` is the moment (monotonic) after which no test starts any more. A run that `repeats` another under a second
    hash seed compares fewer generated examples, once all lines that are to be measured have run, and passes
    over the tests that are `decided`.
    """

    def __init__(
        self,
        kata: Kata,
        lane: Lane,
        reference: Callable[[], types.ModuleType],
        *,
        seed: int,
        end: float,
        effort: Effort = FULL,
        repeats: bool = False,
        decided: frozenset[str] = frozenset(),
        on_test: Callable[[int, int, str], None] | None = None,
    ) -> None:
        self.faults: list[str] = []
        self.lines: frozenset[int] = frozenset()
        self.refusals: list[Refusal] = []
        self._kata = kata
        self.lane = lane
        self._reference = reference
        self._seed = seed
        self._end = end
        self._effort = effort
        self._repeats = repeats
        self._decided = decided
        self._on_test = on_test
        self._order: dict[str, Rubric] = {}
        self._results: dict[str, HiddenTestResult] = {}
        self._timeouts = 0
        self._done = 0
        self._total = 0

    def results(self) -> dict[str, list[HiddenTestResult]]:
        """Results by rubric item, in the order of the file."""
        by_item: dict[str, list[HiddenTestResult]] = {item.id: [] for item in self._kata.file.rubric}
        for name, rubric in self._order.items():
            if name in self._results:
                by_item[rubric.id].append(self._results[name])
        return by_item

    # Fixtures of hidden tests.

    @pytest.fixture
    def submission(self) -> Iterator[Submission]:
        """The learner's entry points, in a process that has run nothing else."""
        submission = Submission(self.lane, self._kata.file.entry_points)
        yield submission
        lines, refusals = submission.end()
        self.lane.prepare()
        self.lines |= lines
        self.refusals += refusals

    @pytest.fixture
    def scenario(self) -> Scenario:
        """The words and checks of this test."""
        return Scenario(
            seed=self._seed,
            shrink=self._effort.shrink,
            repeats=self._repeats and not self._is_line_missing(),
        )

    @pytest.fixture
    def world(self) -> "World":
        """A fresh, empty world."""
        from kubekata.cluster.world import World  # noqa: PLC0415 - with its actors, and not every kata has one

        return World(seed=self._seed)

    @pytest.fixture
    def reference(self) -> types.ModuleType:
        """The module of the reference solution."""
        return self._reference()

    # Collection: the tests that others need come first.

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Check every test's rubric item, and bring the tests into an order in which `needs` make sense."""
        known = {item.id for item in self._kata.file.rubric}
        functions = {_function_name(item) for item in items}
        for item in items:
            rubric = rubric_of(_function(item))
            if rubric is None or rubric.id not in known:
                what = f"the unknown rubric item {rubric.id!r}" if rubric else "no rubric item"
                self.faults.append(f"{self._kata.name}: {item.name} has {what}")
                continue
            missing = [name for name in rubric.needs if name not in functions]
            if missing:
                self.faults.append(f"{self._kata.name}: {item.name} needs {missing[0]}, which does not exist")
            if _SUBMISSION not in getattr(item, "fixturenames", ()):
                self.faults.append(f"{self._kata.name}: {item.name} never uses the submission")
            self._order[item.name] = rubric
        if self.faults:
            items.clear()
        items[:] = self._wanted(_in_order_of_needs(items))
        self._total = len(self._order)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A hidden test file that cannot be imported is our fault."""
        if report.failed:
            last = str(report.longrepr).strip().splitlines()[-1]
            self.faults.append(f"{self._kata.name}: hidden tests cannot be collected: {last}")

    # Running.

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Pass over what need not or must not run."""
        if self._is_decided() or item.name in self._decided:
            return True
        self._done += 1
        if self._on_test:
            self._on_test(self._done, self._total, item.name)
        reason = self._reason_not_to_run(item)
        if reason:
            self._results[item.name] = HiddenTestResult(item.name, "not-run", got="not run", why=reason)
            return True
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Turn what a phase ended in into a result; pytest's own report, with its sources, is never made."""
        before = self._results.get(item.name)
        seconds = (before.seconds if before else 0.0) + call.duration
        if call.excinfo is not None:
            self._failed(item, call.excinfo.value, seconds)
        elif before is None or before.outcome == "passed":
            scenario: Scenario | None = getattr(item, "funcargs", {}).get("scenario")
            self._results[item.name] = HiddenTestResult(
                item.name, "passed", seconds=round(seconds, 4), trace=scenario.trace if scenario else None
            )
        outcome: Any = "failed" if call.excinfo else "passed"
        phase: Any = call.when
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, phase, duration=call.duration)

    def _wanted(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Of tests in the order of needs, those of the wanted rubric item and those that they need."""
        if not self._effort.item:
            return items
        kept: list[pytest.Item] = []
        names: set[str] = set()
        for item in reversed(items):
            rubric = rubric_of(_function(item))
            if rubric and (rubric.id == self._effort.item or _function_name(item) in names):
                names.update(rubric.needs)
                kept.append(item)
        return kept[::-1]

    def _is_line_missing(self) -> bool:
        return self.lane.measure and not (self.lane.statements and self.lane.statements <= self.lines)

    def _is_decided(self) -> bool:
        """Whether what was asked for is known to be red."""
        return any(
            result.is_red and (self._effort.until_red or self._order[name].id == self._effort.item)
            for name, result in self._results.items()
        )

    def _reason_not_to_run(self, item: pytest.Item) -> str:
        if self._timeouts >= MOST_TIMEOUTS:
            return f"not run, because {MOST_TIMEOUTS} tests before it got no answer in time"
        if time.monotonic() > self._end:
            return "not run, because the time for the whole grade is over"
        rubric = rubric_of(_function(item))
        for needed in rubric.needs if rubric else ():
            for name, result in self._results.items():
                if name.partition("[")[0] == needed and result.outcome != "passed":
                    return f"not run, because it only means something once “{_in_words(needed)}” passes"
        return ""

    def _failed(self, item: pytest.Item, error: BaseException, seconds: float) -> None:
        name = item.name
        arguments: dict[str, Any] = getattr(item, "funcargs", {})
        scenario: Scenario = arguments.get("scenario") or Scenario()
        submission: Submission | None = arguments.get(_SUBMISSION)
        outcome: Outcome
        given, expected, why = "", "", ""
        match error:
            case CheckFailed():
                outcome, got = "failed", error.got
                given, expected, why = error.given, error.expected, error.why
            case SubmissionRaised():
                outcome, got = "error", raised_text(error)
                why = _why_raised(error)
            case NoAnswer():
                outcome, got = error.outcome, str(error)
                given, expected, why = error.given, error.expected, error.why
            case pytest.fail.Exception() if submission is not None and submission.is_busy:
                outcome, got = "timeout", "no answer in time"
            case _:
                self.faults.append(f"{self._kata.name}: {name} broke: {type(error).__name__}: {error}")
                return
        self._timeouts += outcome == "timeout"
        self._results[name] = HiddenTestResult(
            name,
            outcome,
            given=given or scenario.given_text or _in_words(name),
            expected=expected or scenario.expected_text,
            got=got,
            why=why or scenario.why_text,
            seconds=round(seconds, 4),
            trace=scenario.trace,
            stdout=submission.printed() if submission else "",
        )


def _why_raised(error: SubmissionRaised) -> str:
    """The limit or the rule behind an exception; empty when it is the learner's own."""
    for sign, why in _LIMITS.items():
        if sign in error.message and {"OSError", "RuntimeError"} & set(error.bases):
            return why
    return _WHY_RAISED.get(error.type_name, "")


def _function(item: pytest.Item) -> Callable[..., Any]:
    function: Callable[..., Any] = item.function  # type: ignore[attr-defined]
    return function


def _function_name(item: pytest.Item) -> str:
    return _function(item).__name__


def _in_words(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


def _in_order_of_needs(items: list[pytest.Item]) -> list[pytest.Item]:
    """The same order, except that a test comes after those that it needs."""
    by_function: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_function.setdefault(_function_name(item), []).append(item)
    ordered: dict[str, None] = {}

    def place(name: str, below: tuple[str, ...]) -> None:
        if name in ordered or name in below:
            return
        rubric = rubric_of(_function(by_function[name][0]))
        for needed in rubric.needs if rubric else ():
            place(needed, (*below, name))
        ordered[name] = None

    for name in by_function:
        place(name, ())
    return [item for name in ordered for item in by_function[name]]
