"""Grading the bonus round: from an operator's file to a verdict of the same kind as a kata's."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kubekata.bonus.api import Api
from kubekata.bonus.backends import Backend
from kubekata.bonus.background import Background
from kubekata.bonus.checks import CHECKS, Check
from kubekata.bonus.errors import BackendError
from kubekata.bonus.process import OperatorProcess
from kubekata.bonus.rubric import NAME, Bonus
from kubekata.bonus.setup import prepared
from kubekata.bonus.stage import CheckFailed, NotApplicable, Pace, Stage
from kubekata.cluster.errors import ApiError
from kubekata.grading.result import HiddenTestResult, KataResult, Problem
from kubekata.grading.score import mark, passed
from kubekata.serve.redfish import RackService, serve_rack

Progress = Callable[[int, int, str], None]

_SECONDS_TO_START = 20.0
_AT_ONCE = 6
_SHOWN_LINES = 6


class Unreadable(Exception):
    """The submission is no file that can be read; one line."""


@dataclass
class _Grade:
    """A grade under way."""

    stage: Stage
    on_progress: Progress | None
    total: int
    results: dict[str, list[HiddenTestResult]] = field(default_factory=dict)
    done: int = 0

    def run(self, checks: list[Check], at_once: int = 1) -> None:
        """Run checks and note what came of them, in their order."""
        with ThreadPoolExecutor(at_once) as pool:
            try:
                for check, result in zip(checks, pool.map(self._run_one, checks), strict=True):
                    self._note(check, result)
            except BaseException:
                # Ctrl-C, or a cluster that went away: the other checks need not wait for anything any more.
                self.stage.stopped.set()
                raise

    def leave_out(self, checks: list[Check], why: str) -> None:
        """Note that checks were not made."""
        for check in checks:
            self._note(check, HiddenTestResult(check.name, "not-run", why=why))

    @property
    def all_passed(self) -> bool:
        """Whether everything so far holds."""
        return all(test.outcome == "passed" for tests in self.results.values() for test in tests)

    def _run_one(self, check: Check) -> HiddenTestResult:
        start, printed = time.monotonic(), self.stage.operator.position()
        try:
            check.run(self.stage)
        except CheckFailed as failure:
            return HiddenTestResult(
                check.name,
                "failed",
                given=failure.given,
                expected=failure.expected,
                got=failure.got,
                why=failure.why,
                seconds=round(time.monotonic() - start, 3),
                stdout=self.stage.operator.output(printed),
            )
        except NotApplicable as reason:
            return HiddenTestResult(check.name, "not-run", why=str(reason))
        except ApiError as error:
            return HiddenTestResult(
                check.name, "error", got=f"the API server answered {error.reason}: {error.message}"
            )
        return HiddenTestResult(check.name, "passed", seconds=round(time.monotonic() - start, 3))

    def _note(self, check: Check, result: HiddenTestResult) -> None:
        self.results.setdefault(check.item, []).append(result)
        self.done += 1
        if self.on_progress is not None:
            self.on_progress(self.done, self.total, check.name.replace("_", " "))


def grade(
    bonus: Bonus,
    backend: Backend,
    path: Path | None = None,
    *,
    pace: Pace | None = None,
    items: Collection[str] | None = None,
    on_progress: Progress | None = None,
) -> KataResult:
    """Run an operator against a cluster and a rack, and mark what it does.

    Args:
        items: the rubric items to check besides the first; None for all. The others earn nothing.

    Raises:
        BackendError: the cluster cannot be used, or went away; there is no score then.
        Unreadable: the file cannot be read.
    """
    start = time.monotonic()
    path = path or bonus.submission
    source = _read(path)
    problem = _text_problem(source)
    results: Mapping[str, list[HiddenTestResult]] = {}
    if problem is None:
        with tempfile.TemporaryDirectory(prefix="kubekata-") as name:
            results, problem = _run(
                bonus, backend, path, Path(name), pace=pace, items=items, on_progress=on_progress
            )
    rubric, score = mark(bonus.file.rubric, results)
    return KataResult(
        kata=NAME,
        title=bonus.file.title,
        submission=str(path),
        score=score,
        passed=problem is None and passed(rubric, score, bonus.file.pass_mark),
        pass_mark=bonus.file.pass_mark,
        rubric=rubric,
        problems=(problem,) if problem is not None else (),
        seconds=round(time.monotonic() - start, 3),
        started=not _is_stub(source, bonus),
    )


def _run(
    bonus: Bonus,
    backend: Backend,
    path: Path,
    folder: Path,
    *,
    pace: Pace | None,
    items: Collection[str] | None,
    on_progress: Progress | None,
) -> tuple[dict[str, list[HiddenTestResult]], Problem | None]:
    service = RackService()
    with backend.session(folder) as session, Background(serve_rack(service)) as rack_server:
        api = Api.from_kubeconfig(session.kubeconfig)
        pace = pace or Pace(patience=session.patience)
        with prepared(api, session, bonus.definition) as namespace:
            work = folder / "operator"
            work.mkdir()
            settings = {
                "RACK_URL": rack_server.value,
                "DRIFT_SECONDS": f"{pace.drift:g}",
                "RETRY_SECONDS": f"{pace.retry:g}",
            }
            operator = OperatorProcess(path, session.kubeconfig, namespace, work, settings)
            stage = Stage(api, namespace, service.rack, operator, pace, session.collects_garbage)
            try:
                operator.start()
                if not operator.wait_until_up(_SECONDS_TO_START * pace.patience):
                    return {}, _start_problem(operator, path)
                wanted = [
                    check for check in CHECKS if items is None or check.item in (CHECKS[0].item, *items)
                ]
                return _all_checks(stage, wanted, on_progress), None
            finally:
                operator.stop()


def _all_checks(
    stage: Stage, checks: list[Check], on_progress: Progress | None
) -> dict[str, list[HiddenTestResult]]:
    work = _Grade(stage, on_progress, len(checks))
    first = checks[:1]
    beside = [check for check in checks[1:] if not check.alone]
    alone = [check for check in checks if check.alone]
    work.run(first)
    if not work.all_passed:
        # Everything else begins with a RackNode that is Ready; waiting for each in turn would teach nothing.
        why = "a RackNode has to become Ready first"
        work.leave_out(beside + alone, why)
        return work.results
    work.run(beside, at_once=_AT_ONCE)
    work.run(alone)
    return work.results


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return "\0"
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from None


def _text_problem(source: str) -> Problem | None:
    if not source.strip() or "\0" in source:
        return Problem("not-python", "the file is empty or no text", cure="write an operator into it")
    try:
        compile(source, "operator.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        text = (getattr(error, "text", None) or "").strip()
        return Problem("syntax-error", str(getattr(error, "msg", error)), line=line, source=text)
    return None


def _start_problem(operator: OperatorProcess, path: Path) -> Problem:
    lines = [line for line in operator.output().splitlines() if line.strip()]
    if operator.running:
        message = "kopf started, and did not come up: does a startup handler wait for something?"
        return Problem("does-not-start", message)
    shown = "\n".join(lines[-_SHOWN_LINES:]).replace(str(path.absolute()), path.name)
    last = lines[-1] if lines else "it printed nothing"
    return Problem("does-not-start", f"kopf run ended at once: {last}", cure="run it by hand", source=shown)


def _is_stub(source: str, bonus: Bonus) -> bool:
    return bonus.stub.is_file() and bonus.stub.read_text(encoding="utf-8") == source


__all__ = ["BackendError", "Progress", "Unreadable", "grade"]
