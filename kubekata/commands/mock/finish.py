"""`python grader.py mock finish`: what counts is graded, the follow-up questions are asked, and the card is made."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from kubekata.commands.advice import shown
from kubekata.commands.finding import katas, no_color_option
from kubekata.commands.mock.questions import ask
from kubekata.commands.mock.running import running_mock
from kubekata.commands.own import unreadable
from kubekata.commands.progress import progress_of
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import NOT_PASSED, PASSED, CouldNotGradeError, WrongUsageError

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.practice.counting import Counted
    from kubekata.practice.mocks import Mock
    from kubekata.report.card import Card


@click.command("finish")
@click.option("--no-questions", is_flag=True, help="Do not ask the follow-up questions.")
@no_color_option()
def finish(*, no_questions: bool, no_color: bool) -> int:
    """End the mock interview: grades what counts, asks the follow-up questions, and shows the scorecard."""
    mock, kata = running_mock()
    return finish_now(mock, kata, Screen(color=not no_color), questions=not no_questions)


def finish_now(mock: Mock, kata: Kata, screen: Screen, *, questions: bool) -> int:
    """End it, from whatever command, and return the card's exit status.

    The card is in the store before the first question, so Ctrl-C, which is how to end the questions, loses nothing.
    """
    from kubekata.grading.problems import UnreadableSubmission
    from kubekata.practice import attempts, hints, mocks
    from kubekata.practice.counting import counted
    from kubekata.report.card import scorecard
    from kubekata.report.terminal import graded

    now = time.time()
    with progress_of(kata.project) as store:
        if mock.paused is not None:
            mocks.resume(store, mock)
            mock = mocks.get(store, mock.id)
        try:
            choice = counted(store, mock, kata, now)
        except UnreadableSubmission as error:
            raise WrongUsageError(f"{unreadable(error).message} The mock goes on.") from error
        if choice.text is not None:
            mocks.keep_version(store, mock.id, choice.text, min(now, mock.deadline))
    result = None if choice.text is None else _grade(kata, choice.text)
    with progress_of(kata.project) as store:
        mocks.finish(store, mock)
        tries = sum(attempt.mock == mock.id for attempt in attempts.history(store, kata.id))
        if result is not None and result.started and choice.text is not None:
            attempts.record(store, result, choice.text, mock=mock.id)
        taken = hints.used(store, kata.id, mock=mock.id)
        card = make_card(mock, kata, result, choice, hints=taken, tries=tries, now=now)
        mocks.keep_card(store, mock, msgspec.json.encode(card).decode())
    if result is not None:
        screen.show(graded(result, screen.look))
        click.echo()
    if questions and sys.stdin.isatty():
        try:
            ask(mock, kata, screen)
        except KeyboardInterrupt:
            click.echo()
    elif questions:
        click.echo("The follow-up questions were not asked: this is no terminal.\n")
    with progress_of(kata.project) as store:
        ratings = [answer.rating for answer in mocks.answers(store, mock) if answer.rating]
    screen.show(scorecard(card, ratings, screen.look))
    return PASSED if card.passed else NOT_PASSED


def make_card(
    mock: Mock, kata: Kata, result: KataResult | None, choice: Counted, *, hints: int, tries: int, now: float
) -> Card:
    """The scorecard of a mock that ended at `now`."""
    from kubekata.practice.hints import cost
    from kubekata.report.card import Card, CardItem

    score = result.score if result else 0
    final = max(score - cost(hints), 0)
    return Card(
        mock=mock.id,
        kata=kata.id,
        title=kata.title,
        level=kata.file.level,
        minutes=mock.minutes,
        seed=mock.seed,
        reason=mock.reason,
        started=mock.started,
        spent=mock.spent(now),
        pauses=mock.pauses,
        pause_seconds=mock.pause_seconds,
        tries=tries,
        hints=hints,
        hint_cost=cost(hints),
        late=choice.late,
        counted=choice.how,
        score=score,
        final=final,
        passed=bool(result and result.passed and final >= kata.file.pass_mark),
        rubric=tuple(
            CardItem(item.title, item.points, item.earned, item.must)
            for item in (result.rubric if result else ())
        ),
        misconception=result.misconception if result else "",
        practise=tuple(_practise(kata, result)),
    )


def _practise(kata: Kata, result: KataResult | None) -> list[str]:
    """What to work on next: the items that broke, and another kata of the same topic."""
    broken = [item.title for item in (result.rubric if result else ()) if item.earned < item.points]
    words = []
    if broken:
        words.append(f"{', '.join(broken)}: {kata.id} again, without the clock")
    others = [other for other in katas() if other.id != kata.id]
    shared = {other.id: len(set(other.file.tags) & set(kata.file.tags)) for other in others}
    nearest = max(others, key=lambda other: shared[other.id], default=None)
    if nearest is not None and shared[nearest.id]:
        words.append(f"{nearest.id} {nearest.title}, which is about the same things")
    return words


def _grade(kata: Kata, text: str) -> KataResult:
    """Grade the version that counts, which need not be what is in the file now."""
    from kubekata.grading.run import CouldNotGrade, UnreadableSubmission, grade
    from kubekata.practice import files

    try:
        with tempfile.TemporaryDirectory(prefix="kubekata-") as folder:
            path = Path(folder) / kata.submission.name
            files.put(path, text)
            with ProgressLine(f"grading {kata.id}") as progress:
                result = grade(kata, path, on_progress=progress)
    except (CouldNotGrade, UnreadableSubmission) as error:
        raise CouldNotGradeError(f"{error}. The mock goes on") from error
    return msgspec.structs.replace(result, submission=shown(kata.submission))
