"""What happens during a mock interview: submit, pause, resume."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from kubekata.commands.finding import no_color_option
from kubekata.commands.mock.running import running_mock, shown_clock
from kubekata.commands.own import own_text, unreadable
from kubekata.commands.progress import progress_of
from kubekata.commands.record import Own, record
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import NOT_PASSED, PASSED, PROGRAM, CouldNotGradeError, WrongUsageError
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.practice.mocks import Mock


@click.command("submit")
@no_color_option()
def submit(no_color: bool) -> int:
    """Hand in what you have: says which rubric items hold, and no more. You may go on until the time is over."""
    mock, kata = running_mock()
    result = submit_now(mock, kata, Screen(color=not no_color))
    return PASSED if result.passed else NOT_PASSED


@click.command("pause")
def pause() -> None:
    """Stop the clock, once in a mock. The card says so."""
    mock, _ = running_mock()
    click.echo(pause_now(mock))


@click.command("resume")
def resume() -> None:
    """Let a paused clock go on."""
    mock, _ = running_mock()
    click.echo(resume_now(mock))


def submit_now(mock: Mock, kata: Kata, screen: Screen) -> KataResult:
    """Grade the file as it is and say how it stands. Raises WrongUsageError when the time is over."""
    from kubekata.practice import snapshots
    from kubekata.practice.home import home
    from kubekata.report.card import standing

    if mock.left(time.time()) < 0:
        raise WrongUsageError(
            f"the time is over; what was saved before counts: `{PROGRAM} mock finish` grades it."
        )
    own = Own(kata, own_text(kata))
    if own.text:
        snapshots.keep_now(home(kata.project.root), mock, kata.submission, own.text)
    result = graded(kata)
    screen.show(standing(result, screen.look))
    click.echo(f"\nHanded in; {shown_clock(mock, time.time())}. `{PROGRAM} mock finish` ends the interview.")
    record([(result, own)])
    return result


def graded(kata: Kata) -> KataResult:
    """Grade the kata's own file. Raises CouldNotGradeError, and WrongUsageError for a file that cannot be read."""
    from kubekata.commands.grade import with_short_path
    from kubekata.grading.run import CouldNotGrade, UnreadableSubmission, grade

    try:
        with ProgressLine(f"grading {kata.id}") as progress:
            return with_short_path(grade(kata, on_progress=progress))
    except UnreadableSubmission as error:
        raise unreadable(error) from error
    except CouldNotGrade as error:
        raise CouldNotGradeError(str(error)) from error


def pause_now(mock: Mock) -> str:
    """Stop the clock and say so in one line. Raises WrongUsageError for a second pause."""
    from kubekata.practice import mocks

    now = time.time()
    if mock.paused is not None:
        raise WrongUsageError(f"it is paused already: `{PROGRAM} mock resume` lets the clock go on.")
    if mock.left(now) < 0:
        raise WrongUsageError(f"the time is over: `{PROGRAM} mock finish` ends the interview.")
    if mock.pauses:
        raise WrongUsageError("a mock interview can be paused once, and this one was.")
    with progress_of(Project()) as store:
        mocks.pause(store, mock)
    return f"Paused ({shown_clock(mock, now)}). `{PROGRAM} mock resume` lets the clock go on; there is no second pause."


def resume_now(mock: Mock) -> str:
    """Let the clock go on and say so in one line. Raises WrongUsageError when it does."""
    from kubekata.practice import mocks

    if mock.paused is None:
        raise WrongUsageError(f"it is not paused ({shown_clock(mock, time.time())}).")
    with progress_of(Project()) as store:
        mocks.resume(store, mock)
        mock = mocks.get(store, mock.id)
    return f"The clock goes on ({shown_clock(mock, time.time())})."
