"""`python grader.py reveal kata-05`: the reference beside the learner's own file, then the debrief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import confirmed, find_kata, kata_argument, no_color_option, yes_option
from kubekata.commands.own import own_text
from kubekata.commands.progress import recall, remember
from kubekata.commands.screen import Screen
from kubekata.commands.status import NOT_PASSED, PASSED, PROGRAM, CouldNotGradeError

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.practice.store import Store


@click.command("reveal")
@kata_argument()
@click.option("--give-up", is_flag=True, help="Open it without having passed. That is remembered.")
@yes_option()
@no_color_option()
def reveal(*, name: str, give_up: bool, yes: bool, no_color: bool) -> int:
    """Open the reference of a kata that you have passed: beside your own file, then the debrief."""
    from kubekata.practice import reveals

    kata = find_kata(name)
    if recall(kata.project, lambda store: _is_in_mock(store, kata)):
        click.echo(
            f"A mock interview about {kata.id} is running, and the reference stays closed until it ends: "
            f"`{PROGRAM} mock finish` first.",
            err=True,
        )
        return NOT_PASSED
    missing = recall(kata.project, lambda store: _missing(store, kata))
    if missing is None:
        missing = _never_graded(kata)
    if missing and not give_up:
        click.echo(f"{missing} `{PROGRAM} reveal {kata.file.number} --give-up` opens it anyway.", err=True)
        return NOT_PASSED
    if missing and not confirmed(
        f"Open the reference of {kata.id} without having passed? It is remembered.", yes=yes
    ):
        return NOT_PASSED
    show_reference(kata, Screen(color=not no_color))
    remember(kata.project, lambda store: reveals.remember(store, kata.id, gave_up=bool(missing)))
    return PASSED


def show_reference(kata: Kata, screen: Screen) -> None:
    """Print the learner's file beside the reference, then the debrief."""
    from kubekata.practice.texts import readable
    from kubekata.report.beside import side_by_side

    mine = readable(own_text(kata))
    try:
        solution, debrief = kata.solution.read_text("utf-8"), kata.debrief.read_text("utf-8")
    except OSError as error:
        raise CouldNotGradeError(f"{shown(kata.reference)}: {error.strerror}") from error
    yours = (f"yours: {shown(kata.submission)}", mine)
    screen.show(side_by_side(yours, ("the reference", solution), screen.look))
    click.echo()
    screen.show_markdown(debrief)


def _is_in_mock(store: Store, kata: Kata) -> bool:
    """Whether a mock of this kata is not finished, be its clock paused or run out: its card would not be its own."""
    from kubekata.practice import mocks

    mock = mocks.running(store)
    return mock is not None and mock.kata == kata.id


def _missing(store: Store, kata: Kata) -> str:
    """Why the reference stays closed, as a sentence; empty when it opens."""
    from kubekata.practice import attempts
    from kubekata.practice.choosing import first_broken

    made = attempts.history(store, kata.id)
    if not made:
        return _never_graded(kata)
    if any(attempt.passed for attempt in made):
        return ""
    best = max(made, key=lambda attempt: (attempt.score, attempt.id))
    why = first_broken(attempts.result(store, best.id))
    takes = f"it takes {kata.file.pass_mark} and every must"
    return f"{kata.id} is not passed yet: {best.score} of 100, {takes}. {why}".strip()


def _never_graded(kata: Kata) -> str:
    return f"{kata.id} is not passed yet: it was never graded."
