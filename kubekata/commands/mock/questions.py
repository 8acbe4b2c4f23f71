"""The follow-up questions at the end of a mock interview."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.progress import progress_of

if TYPE_CHECKING:
    from kubekata.commands.screen import Screen
    from kubekata.grading.catalog import Kata
    from kubekata.practice.mocks import Mock


def ask(mock: Mock, kata: Kata, screen: Screen) -> None:
    """Ask each question, show the model answer beside the typed one, take a rating, and keep all that at once."""
    from kubekata.grading.debrief import follow_ups
    from kubekata.practice import mocks
    from kubekata.practice.mocks import Answer
    from kubekata.report.card import RATINGS

    questions = follow_ups(kata)
    if not questions:
        return
    click.echo(
        f"{len(questions)} follow-up questions. An empty line ends an answer, Ctrl-C ends the questions."
    )
    choices = ", ".join(f"{rating} {word}" for rating, word in RATINGS.items())
    for number, question in enumerate(questions, start=1):
        click.echo()
        screen.show_markdown(
            f"**{number}. {question.question}**" if screen.color else f"{number}. {question.question}"
        )
        typed = _answer()
        click.echo("\nA model answer:")
        screen.show_markdown(question.answer)
        rating = click.prompt(
            f"\nHow was yours? {choices}", type=click.IntRange(1, len(RATINGS)), show_choices=False
        )
        answer = Answer(number, question.question, typed, question.answer, rating)
        with progress_of(kata.project) as store:
            mocks.keep_answer(store, mock, answer)
    click.echo()


def _answer() -> str:
    """Lines until an empty one."""
    lines: list[str] = []
    while line := input("> "):
        lines.append(line)
    return "\n".join(lines)
