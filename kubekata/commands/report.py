"""`python grader.py report`: progress as one HTML file."""

from __future__ import annotations

import importlib.util
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import katas
from kubekata.commands.progress import NoProgressError, look_up
from kubekata.commands.screen import ProgressLine
from kubekata.commands.status import WrongUsageError
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import HiddenTestResult, KataResult
    from kubekata.practice.attempts import Attempt
    from kubekata.practice.store import Store
    from kubekata.report.html import KataLine, Progress, Stepwise


@click.command("report")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Where to; .kubekata/report.html when left out."
)
@click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")
def report(output: Path | None, *, open_it: bool) -> None:
    """Write your progress as one HTML file that loads nothing from elsewhere.

    A report of nothing replaces no other: then the progress was lost, or it is kept elsewhere.
    """
    from kubekata.practice.home import home
    from kubekata.report.html import Progress, page

    if importlib.util.find_spec("pygal") is None:
        raise NoProgressError("the report needs pygal: run `python -m pip install -r requirements.txt`.")
    project, every = Project(), katas()
    path = output or home(project.root) / "report.html"
    progress = look_up(project, lambda store: gather(store, every))
    if progress is None:
        progress = Progress(time.time(), [_line(kata, [], "new", 0) for kata in every], [], [], [])
    if not progress.points and path.is_file():
        raise WrongUsageError(
            f"nothing was graded yet, so {shown(path.absolute())} stays as it is: "
            "choose another place with --output."
        )
    try:
        if output is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(progress), encoding="utf-8")
    except OSError as error:
        raise WrongUsageError(
            f"{shown(path)} cannot be written: {error.strerror}; choose a place with --output."
        ) from error
    click.echo(f"{shown(path.absolute())} is written.")
    if open_it and not webbrowser.open(path.absolute().as_uri()):
        click.echo("There is no browser to open it with.", err=True)


def gather(store: Store, every: tuple[Kata, ...]) -> Progress:
    """Everything that the report shows."""
    from kubekata.commands.mock.history import cards
    from kubekata.practice import attempts, hints, reveals
    from kubekata.practice.choosing import state_of
    from kubekata.report.html import Point, Progress

    known, given_up = attempts.standings(store), reveals.given_up(store)
    made = attempts.history(store)
    lines = []
    last: dict[str, Attempt] = {attempt.kata: attempt for attempt in made}
    stepwise = []
    with ProgressLine("drawing") as progress:
        for number, kata in enumerate(every, start=1):
            progress(number, len(every), kata.id)
            mine = [attempt for attempt in made if attempt.kata == kata.id]
            lines.append(
                _line(kata, mine, state_of(kata.id, known, given_up), len(hints.ever(store, kata.id)))
            )
            if kata.id in last:
                found = compare_steps(kata, attempts.result(store, last[kata.id].id))
                stepwise += [found] if found else []
    points = [Point(attempt.at, attempt.kata, attempt.score, attempt.passed) for attempt in made]
    return Progress(time.time(), lines, points, cards(store), stepwise)


def compare_steps(kata: Kata, result: KataResult) -> Stepwise | None:
    """The most telling scenario of an attempt: a failed one with steps, else the longest; None when there is none."""
    from kubekata.report.html import Stepwise

    traced = [test for item in result.rubric for test in item.tests if test.trace and test.trace.steps]
    if not traced:
        return None
    test = max(traced, key=lambda test: (test.outcome != "passed", _variety(test)))
    assert test.trace is not None
    scenario = test.given or test.name.removeprefix("test_").replace("_", " ")
    reference = _reference_test(kata, test.name)
    return Stepwise(
        kata.id,
        kata.title,
        scenario,
        test.outcome == "passed",
        test.trace,
        reference.trace if reference else None,
    )


def _variety(test: HiddenTestResult) -> int:
    """How much happens in a scenario: different pairs of ready and total."""
    return len({(step.ready, step.total) for step in test.trace.steps}) if test.trace else 0


def _reference_test(kata: Kata, name: str) -> HiddenTestResult | None:
    """How the reference fares in the same scenario."""
    from kubekata.grading.run import CouldNotGrade, UnreadableSubmission, grade

    try:
        result = grade(kata, kata.solution)
    except (CouldNotGrade, UnreadableSubmission):
        return None  # the chart then shows the learner's steps alone
    tests = (test for item in result.rubric for test in item.tests)
    return next((test for test in tests if test.name == name), None)


def _line(kata: Kata, made: list[Attempt], state: str, hints: int) -> KataLine:
    from kubekata.report.html import KataLine

    first = next((number for number, attempt in enumerate(made) if attempt.passed), None)
    return KataLine(
        id=kata.id,
        title=kata.title,
        level=kata.file.level,
        minutes=kata.file.minutes,
        tags=kata.file.tags,
        state=state,
        best=max((attempt.score for attempt in made), default=None),
        attempts=len(made),
        hints=hints,
        to_pass=None if first is None else sum(attempt.worked for attempt in made[: first + 1]),
    )
