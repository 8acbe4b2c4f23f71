"""Grading: from a kata and a file to a verdict. This is the face that the command line and `practice` use."""

import contextlib
import importlib.util
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from kubekata.grading.catalog import CatalogError, Kata
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.host.errors import HostFault
from kubekata.grading.host.isolation import Isolation, IsolationUnavailable, choose
from kubekata.grading.host.launcher import is_supported
from kubekata.grading.host.pool import Lane
from kubekata.grading.host.source import Source
from kubekata.grading.host.zygote import ZygoteDied
from kubekata.grading.limits import DEFAULT_TIMEOUT, TIME_LIMIT
from kubekata.grading.problems import UnreadableSubmission, is_started, load_problems, read, text_problems
from kubekata.grading.result import Coverage, KataResult, Problem, RubricResult, Ungraded
from kubekata.grading.score import mark, passed
from kubekata.grading.wire.messages import Refusal

__all__ = ["CouldNotGrade", "Grader", "Progress", "UnreadableSubmission", "grade", "grade_many"]

Progress = Callable[[int, int, str], None]
"""Called as (done, total, label) whenever a part of the work is done."""

HASH_SEEDS = (1, 2)


class CouldNotGrade(Exception):
    """Our fault: a hidden test, the world or the grader broke, so there is no score. The message is one line."""


class Grader:
    """Grades again and again with warm processes; close it, or use it as a context manager.

    Its processes start at once and get warm while the caller goes on. Without `side_by_side` the two hash seeds take
    turns, for who grades on every processor anyway. Raises CouldNotGrade when the isolation that is asked for does not
    work here.
    """

    def __init__(self, isolation: Isolation = "process", *, side_by_side: bool = True) -> None:
        self._side_by_side = side_by_side
        try:
            self._launcher, self._remark = choose(isolation)
        except IsolationUnavailable as error:
            raise CouldNotGrade(str(error)) from error
        self._lanes: dict[tuple[int, bool], Lane] = {}
        self._references: dict[Path, tuple[int, types.ModuleType]] = {}
        if is_supported():
            self._lane(HASH_SEEDS[0], measure=False)
            # Coverage of a pass comes from the second run of each test, so that it costs no run of its own.
            self._lane(HASH_SEEDS[1], measure=True)

    def grade(
        self,
        kata: Kata,
        path: Path | None = None,
        *,
        seed: int = 0,
        timeout: float | None = None,
        coverage: bool = False,
        time_limit: float = TIME_LIMIT,
        effort: Effort = FULL,
        on_progress: Progress | None = None,
    ) -> KataResult:
        """Grade the file at `path`, by default the kata's own `kata.py`.

        `timeout` is in seconds for each call into the submission and `time_limit` for all of them together, as
        measured on an ordinary machine: a slower one gets more.
        Raises CouldNotGrade (no score) and UnreadableSubmission (wrong usage).
        """
        start = time.monotonic()
        path = path or kata.submission
        text = read(path, kata if path == kata.submission else None)
        blank = KataResult(
            kata=kata.id,
            title=kata.title,
            submission=str(path),
            score=0,
            passed=False,
            pass_mark=kata.file.pass_mark,
            rubric=mark(kata.file.rubric, {})[0],
            seed=seed,
            isolation=self._launcher.level,
        )
        if isinstance(text, Problem):
            return _finished(blank, start, problems=(text,), started=text.kind != "empty")
        source = Source(text, kata.file.helpers)
        problems = text_problems(source)
        if problems:
            return _finished(blank, start, problems=tuple(problems))
        if not is_started(source, kata.file.entry_points):
            return _finished(blank, start, started=False)
        if not is_supported():
            raise CouldNotGrade("grading needs a system that can fork: on Windows, use WSL")
        try:
            lanes = self._lanes_for(effort, coverage=coverage)
            for lane in lanes:
                lane.use(source, timeout or DEFAULT_TIMEOUT, time_limit=time_limit, isolate=effort.isolate)
            finished = self._run(
                kata, source, blank, lanes, time_limit=time_limit, effort=effort, on_progress=on_progress
            )
            return _finished(
                finished, start, coverage=finished.coverage if coverage or finished.passed else None
            )
        except CouldNotGrade:
            raise
        except (HostFault, CatalogError) as error:
            raise CouldNotGrade(str(error)) from error
        except Exception as error:
            raise CouldNotGrade(f"the grader broke: {type(error).__name__}: {error}") from error
        finally:
            for lane in self._lanes.values():
                lane.rest()

    def close(self) -> None:
        """End every process that this grader started."""
        for lane in self._lanes.values():
            lane.hang_up()
        for lane in self._lanes.values():
            lane.close()
        self._lanes.clear()

    def __enter__(self) -> "Grader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(
        self,
        kata: Kata,
        source: Source,
        blank: KataResult,
        lanes: tuple[Lane, ...],
        *,
        time_limit: float,
        effort: Effort,
        on_progress: Progress | None,
    ) -> KataResult:
        missing = next((path for path in (kata.hidden_tests, kata.solution) if not path.is_file()), None)
        if missing:
            raise CouldNotGrade(f"{kata.name}: {missing.name} is missing from {missing.parent}")
        try:
            problems, refusals = _inspected(lanes[0], kata, source)
        except ZygoteDied:
            problems, refusals = _inspected(lanes[0], kata, source)  # with another in the place of that
        if problems:
            return _changed(blank, problems=tuple(problems))
        from kubekata.grading import hidden_run  # noqa: PLC0415

        ran = hidden_run.run(
            kata,
            lanes,
            lambda: self._reference(kata),
            seed=blank.seed,
            time_limit=time_limit * lanes[0].slowness,
            effort=effort,
            side_by_side=self._side_by_side,
            on_test=on_progress,
        )
        if ran.faults:
            raise CouldNotGrade(ran.faults[0])
        rubric, score = mark(kata.file.rubric, ran.tests)
        return _changed(
            blank,
            rubric=rubric,
            score=score,
            passed=passed(rubric, score, kata.file.pass_mark),
            misconception=_misconception(kata, rubric) if score < 100 else "",
            problems=(*self._weaker_isolation(), *_remarks([*refusals, *ran.refusals])),
            coverage=_coverage(ran.statements, ran.lines),
        )

    def _weaker_isolation(self) -> tuple[Problem, ...]:
        return (Problem("isolation", self._remark, fatal=False),) if self._remark else ()

    def _lanes_for(self, effort: Effort, *, coverage: bool) -> tuple[Lane, ...]:
        first = self._lane(HASH_SEEDS[0], measure=coverage)
        if effort.item or effort.until_red or effort.one_seed:
            return (first,)
        return (first, self._lane(HASH_SEEDS[1], measure=effort.measure))

    def _lane(self, hash_seed: int, *, measure: bool) -> Lane:
        key = (hash_seed, measure)
        if key not in self._lanes:
            try:
                self._lanes[key] = Lane(self._launcher, hash_seed, measure=measure)
            except OSError as error:
                raise CouldNotGrade(f"the process for submissions does not start: {error}") from error
        return self._lanes[key]

    def _reference(self, kata: Kata) -> types.ModuleType:
        """The reference solution as a module; read again only when its file has changed."""
        changed = kata.solution.stat().st_mtime_ns
        known = self._references.get(kata.solution)
        if known is None or known[0] != changed:
            spec = importlib.util.spec_from_file_location(f"reference_{kata.file.number:02d}", kata.solution)
            if spec is None or spec.loader is None:
                raise HostFault(f"{kata.name}: the reference solution cannot be imported")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            known = self._references[kata.solution] = (changed, module)
        return known[1]


def grade(
    kata: Kata,
    path: Path | None = None,
    *,
    seed: int = 0,
    timeout: float | None = None,
    coverage: bool = False,
    isolation: Isolation = "auto",
    on_progress: Progress | None = None,
) -> KataResult:
    """Grade one file with processes of its own; see Grader.grade."""
    with Grader(isolation) as grader:
        return grader.grade(
            kata, path, seed=seed, timeout=timeout, coverage=coverage, on_progress=on_progress
        )


def grade_many(
    katas: Sequence[Kata],
    files: Sequence[Path] | None = None,
    *,
    seed: int = 0,
    timeout: float | None = None,
    coverage: bool = False,
    isolation: Isolation = "auto",
    on_progress: Progress | None = None,
) -> tuple[KataResult | Ungraded, ...]:
    """Grade several katas on every core, their own `kata.py` or one of `files` each; results in the order of `katas`.

    One that cannot be graded does not keep the others from their results.
    """
    from kubekata.grading.many import Job, grade_jobs  # noqa: PLC0415 - a single grade needs none of it

    jobs = [
        Job(
            str(kata.project.root),
            kata.id,
            str(file),
            seed=seed,
            timeout=timeout,
            coverage=coverage,
        )
        for kata, file in zip(katas, files or [kata.submission for kata in katas], strict=True)
    ]
    outcomes = grade_jobs(jobs, isolation=isolation, on_progress=on_progress)
    return tuple(
        Ungraded(job.kata, outcome) if isinstance(outcome, str) else outcome
        for job, outcome in zip(jobs, outcomes, strict=True)
    )


def _inspected(lane: Lane, kata: Kata, source: Source) -> tuple[list[Problem], list[Refusal]]:
    """What loading the submission shows, and what was refused to it on the way. Raises ZygoteDied."""
    with contextlib.closing(lane.inspect(kata.file.entry_points)) as session:
        # pytest is imported here, while the other processor loads the submission.
        import kubekata.grading.hidden_run  # noqa: F401, PLC0415

        return load_problems(session, source, kata.file.entry_points), session.refusals


def _misconception(kata: Kata, rubric: tuple[RubricResult, ...]) -> str:
    from kubekata.grading.misconceptions import recognise  # noqa: PLC0415 - not for what has nothing wrong

    return recognise(kata, rubric)


def _finished(blank: KataResult, start: float, **changes: Any) -> KataResult:
    return _changed(blank, seconds=round(time.monotonic() - start, 3), **changes)


def _changed(blank: KataResult, **changes: Any) -> KataResult:
    return msgspec.structs.replace(blank, **changes)


def _remarks(refusals: Sequence[Refusal]) -> tuple[Problem, ...]:
    """What was refused, once each; the submission is judged by its answers all the same."""
    return tuple(
        Problem(
            "refused",
            f"your code tried to {refusal.what} and was stopped",
            "a submission works with its arguments alone",
            refusal.line or None,
            fatal=False,
        )
        for refusal in dict.fromkeys(refusals)
    )


def _coverage(statements: frozenset[int], lines: frozenset[int]) -> Coverage | None:
    if not statements:
        return None
    missing = tuple(sorted(statements - lines))
    percent = 100 * (len(statements) - len(missing)) / len(statements)
    return Coverage(round(percent, 1), missing)
