"""Everything that is checked about a kata, on every core."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from kubekata.grading.catalog import Kata, Project
from kubekata.grading.many import Job, Outcome, grade_jobs
from kubekata.grading.misconceptions import fingerprints, is_current
from kubekata.grading.result import KataResult, RubricResult
from kubekata.grading.run import Progress
from kubekata.grading.selfcheck import examples, lazy, texts
from kubekata.grading.selfcheck.report import Finding, SelfcheckReport

Verdict = Callable[[KataResult], str]
"""What is wrong with a result, in one line; empty when it is as it should be."""


class _Check(msgspec.Struct, frozen=True):
    """One file to grade, and what its result has to look like."""

    kata: Kata
    path: Path
    subject: str
    verdict: Verdict


def run_selfcheck(
    project: Project,
    katas: Sequence[Kata] | None = None,
    *,
    write: bool = False,
    on_progress: Progress | None = None,
) -> SelfcheckReport:
    """Check the given katas, by default all of the project's. With `write`, fingerprints of mistakes are renewed."""
    start = time.monotonic()
    katas = project.katas if katas is None else katas
    findings = [finding for kata in katas for finding in texts.check(kata)]
    with tempfile.TemporaryDirectory(prefix="kubekata-") as folder:
        checks = [check for kata in katas if _is_complete(kata) for check in _checks(kata, Path(folder))]
        complete = [kata for kata in katas if _is_complete(kata)]
        total = len(checks) + 2 * len(complete)

        def progress(done: int, _total: int, label: str) -> None:
            if on_progress:
                on_progress(done, total, label)

        jobs = [Job(str(project.root), check.kata.id, str(check.path)) for check in checks]
        outcomes = grade_jobs(jobs, on_progress=progress)
        if write:
            _write_fingerprints(complete, checks, outcomes)
        findings += [_stale(kata) for kata in complete if not is_current(kata)]
        for check, outcome in zip(checks, outcomes, strict=True):
            message = outcome if isinstance(outcome, str) else check.verdict(outcome)
            if message:
                findings.append(Finding(check.kata.id, check.subject, message))
        findings += examples.check(complete, lambda done, label: progress(len(checks) + done, total, label))
    order = {kata.id: number for number, kata in enumerate(katas)}
    findings.sort(key=lambda finding: order[finding.kata])
    return SelfcheckReport(
        katas=tuple(kata.id for kata in katas),
        checks=total,
        findings=tuple(findings),
        seconds=round(time.monotonic() - start, 3),
    )


def _write_fingerprints(katas: Sequence[Kata], checks: Sequence[_Check], outcomes: Sequence[Outcome]) -> None:
    for kata in katas:
        rubrics = {
            check.path.name: outcome.rubric
            for check, outcome in zip(checks, outcomes, strict=True)
            if check.kata is kata and isinstance(outcome, KataResult) and check.path in kata.mistakes()
        }
        kata.fingerprints.write_text(fingerprints(kata, rubrics), encoding="utf-8")


def _stale(kata: Kata) -> Finding:
    return Finding(
        kata.id,
        kata.fingerprints.name,
        f"is not of the mistakes and hidden tests as they are now: run `selfcheck {kata.file.number} --write`",
    )


def _is_complete(kata: Kata) -> bool:
    """Whether there is enough of the kata to grade anything; what is missing is a finding of `texts`."""
    return kata.solution.is_file() and kata.hidden_tests.is_file() and kata.submission.is_file()


def _checks(kata: Kata, folder: Path) -> list[_Check]:
    checks = [
        _Check(kata, _stub(kata, folder), "kata.py", _not_started),
        _Check(kata, kata.solution, "solution.py", _full_marks),
        _Check(kata, kata.solution, "hidden_tests.py", _every_item_is_tested),
    ]
    checks += [_Check(kata, path, f"correct/{path.name}", _full_marks) for path in kata.correct()]
    for path in kata.mistakes():
        item = texts.failing_item(path)
        if item in {item.id for item in kata.file.rubric}:
            checks.append(_Check(kata, path, f"mistakes/{path.name}", _fails_at(item)))
    for number, submission in enumerate(lazy.submissions(kata.file.entry_points)):
        path = folder / f"{kata.id}-lazy-{number}.py"
        path.write_text(submission.source)
        checks.append(_Check(kata, path, submission.name, _scores_nothing))
    return checks


def _stub(kata: Kata, folder: Path) -> Path:
    """The kata's stub as it is committed, when the one on disk has a solution in it."""
    committed = texts.committed_stub(kata)
    if committed is None:
        return kata.submission
    path = folder / f"{kata.id}-stub.py"
    path.write_text(committed)
    return path


def _not_started(result: KataResult) -> str:
    if result.problems:
        return f"the stub has a problem: {result.problems[0].message}"
    if result.started:
        return "the stub does not show as not started: leave `raise NotImplementedError` in every entry point"
    return "" if result.score == 0 else f"the stub scores {result.score}, expected 0"


def _full_marks(result: KataResult) -> str:
    if result.score == 100 and result.passed:
        return ""
    if result.problems:
        return f"scores {result.score}, expected 100: {result.problems[0].message}"
    test = next(test for item in result.rubric for test in item.tests if test.outcome != "passed")
    return f"scores {result.score}, expected 100: {test.name} ({test.outcome}): {test.got}"


def _every_item_is_tested(result: KataResult) -> str:
    untested = [item.id for item in result.rubric if not item.tests]
    return f"no hidden test for {', '.join(untested)}" if untested else ""


def _fails_at(wanted: str) -> Verdict:
    def verdict(result: KataResult) -> str:
        if result.problems and result.problems[0].fatal:
            return f"is not even graded: {result.problems[0].message}"
        item = next(item for item in result.rubric if item.id == wanted)
        if _is_red(item):
            return ""
        red = [item.id for item in result.rubric if _is_red(item)]
        return f"does not fail at {wanted}; it fails at {', '.join(red) or 'nothing'}"

    return verdict


def _scores_nothing(result: KataResult) -> str:
    if result.score == 0 and all(item.earned == 0 for item in result.rubric):
        return ""
    free = [
        test.name for item in result.rubric if item.earned for test in item.tests if test.outcome == "passed"
    ]
    return f"scores {result.score}, expected 0: combine or give `needs` to {', '.join(free)}"


def _is_red(item: RubricResult) -> bool:
    return any(test.outcome in ("failed", "error", "timeout") for test in item.tests)
