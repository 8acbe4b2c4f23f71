"""Everything that is checked about a kata, on every core."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from kubekata.grading import stubs
from kubekata.grading.catalog import BrokenKata, Kata, Project
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.many import Job, Outcome, grade_jobs
from kubekata.grading.misconceptions import fingerprints, is_current
from kubekata.grading.result import KataResult, RubricResult
from kubekata.grading.run import Progress
from kubekata.grading.selfcheck import examples, lazy, texts
from kubekata.grading.selfcheck.report import Finding, SelfcheckReport

Verdict = Callable[[KataResult], str]
"""What is wrong with a result, in one line; empty when it is as it should be."""


_UNMEASURED = Effort(measure=False)
_CONSTANT = Effort(isolate=False, shrink=False, measure=False)
"""What returns constants answers every test in the same way, so that one process may answer them all."""

_RAISES_HINT = "; a hidden test asks for an exception with `scenario.raises(…)` (CONTRIBUTING.md, step 5)"


class _Check(msgspec.Struct, frozen=True):
    """One file to grade with `effort`, and what its result has to look like."""

    kata: Kata
    path: Path
    subject: str
    verdict: Verdict
    effort: Effort = FULL


def run_selfcheck(
    project: Project,
    katas: Sequence[Kata],
    broken: Sequence[BrokenKata] = (),
    *,
    write: bool = False,
    on_progress: Progress | None = None,
) -> SelfcheckReport:
    """Check the given katas; of those that are `broken`, say so. With `write`, fingerprints of mistakes are renewed."""
    start = time.monotonic()
    findings = [finding for kata in katas for finding in texts.check(kata)]
    with tempfile.TemporaryDirectory(prefix="kubekata-") as folder:
        complete = [kata for kata in katas if _is_complete(kata)]
        kata_stubs = {kata: _stub(kata, Path(folder)) for kata in complete}
        checks = [
            check
            for kata, stub in kata_stubs.items()
            for check in _checks(kata, stub, Path(folder), in_full=write)
        ]
        total = len(checks) + 2 * len(complete)

        def progress(done: int, _total: int, label: str) -> None:
            if on_progress:
                on_progress(done, total, label)

        outcomes = _grade(project, checks, progress)
        if write:
            _write_fingerprints(complete, checks, outcomes)
        findings += [_stale(kata) for kata in complete if not is_current(kata)]
        for check, outcome in zip(checks, outcomes, strict=True):
            message = _message(check, outcome)
            if message:
                findings.append(Finding(check.kata.id, check.subject, message))
        findings += examples.check(kata_stubs, lambda done, label: progress(len(checks) + done, total, label))
    order = {kata.id: number for number, kata in enumerate(katas)}
    findings.sort(key=lambda finding: order[finding.kata])
    findings += [Finding(kata.id, f"{kata.folder}/kata.toml", kata.fault) for kata in broken]
    return SelfcheckReport(
        katas=(*order, *(kata.id for kata in broken)),
        checks=total,
        findings=tuple(findings),
        seconds=round(time.monotonic() - start, 3),
    )


def _grade(project: Project, checks: Sequence[_Check], progress: Progress) -> list[Outcome]:
    """Grade for every check: each file once, and in full where less did not show what it has to show."""
    jobs = [_job(project, check, check.effort) for check in checks]
    once = list(dict.fromkeys(jobs))
    spared = len(jobs) - len(once)
    told = grade_jobs(once, on_progress=lambda done, total, label: progress(done + spared, total, label))
    known = dict(zip(once, told, strict=True))
    doubtful = {
        number: _job(project, check, FULL)
        for number, (check, job) in enumerate(zip(checks, jobs, strict=True))
        if check.effort != FULL and _message(check, known[job])
    }
    again = dict(zip(doubtful, grade_jobs(list(doubtful.values())), strict=True))
    return [again.get(number, known[job]) for number, job in enumerate(jobs)]


def _job(project: Project, check: _Check, effort: Effort) -> Job:
    return Job(str(project.root), check.kata.id, str(check.path), effort=effort)


def _message(check: _Check, outcome: Outcome) -> str:
    """What is wrong with a check's outcome, in one line; empty when nothing is."""
    return outcome if isinstance(outcome, str) else check.verdict(outcome)


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


def _checks(kata: Kata, stub: Path, folder: Path, *, in_full: bool) -> list[_Check]:
    """Everything to grade for one kata. `in_full` runs every test on the mistakes, as their fingerprints need it."""
    checks = [
        _Check(kata, stub, "kata.py", _not_started),
        _Check(kata, kata.solution, "solution.py", _full_marks),
        _Check(kata, kata.solution, "hidden_tests.py", _every_item_is_tested),
    ]
    checks += [
        _Check(kata, path, f"correct/{path.name}", _full_marks, _UNMEASURED) for path in kata.correct()
    ]
    for path in kata.mistakes():
        item = texts.failing_item(path)
        if item in {item.id for item in kata.file.rubric}:
            effort = FULL if in_full else Effort(item=item, shrink=False)
            checks.append(_Check(kata, path, f"mistakes/{path.name}", _fails_at(item), effort))
    for number, submission in enumerate(lazy.submissions(kata.file.entry_points)):
        path = folder / f"{kata.id}-lazy-{number}.py"
        path.write_text(submission.source)
        checks.append(_Check(kata, path, submission.name, _scores_nothing, _CONSTANT))
    return checks


def _stub(kata: Kata, folder: Path) -> Path:
    """The kata's stub, which is the one that git has when the file on disk is a learner's work by now."""
    if stubs.is_stub(kata, kata.submission.read_text("utf-8", "replace")):
        return kata.submission
    text = stubs.committed(kata)
    if not text:
        return kata.submission
    path = folder / f"{kata.id}-stub.py"
    path.write_text(text, encoding="utf-8")
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
    hint = _RAISES_HINT if test.outcome == "error" and test.got.startswith("raised ") else ""
    return f"scores {result.score}, expected 100: {test.name} ({test.outcome}): {test.got}{hint}"


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
    return any(test.is_red for test in item.tests)
