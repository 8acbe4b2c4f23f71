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
    """Ask each question, show the model answer beside the typed one, take a rating.

    Each answer is kept as soon as it is typed, without a rating until there is one. Ctrl-D ends the questions.
    Raises KeyboardInterrupt.
    """
    from kubekata.grading.debrief import follow_ups
    from kubekata.practice import mocks
    from kubekata.practice.mocks import NOT_RATED, Answer
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
        lines: list[str] = []
        rating = NOT_RATED
        try:
            _answer(lines)
            click.echo("\nA model answer:")
            screen.show_markdown(question.answer)
            rating = _rating(f"\nHow was yours? {choices}", len(RATINGS))
        except EOFError:
            break
        finally:
            if lines or rating != NOT_RATED:
                answer = Answer(number, question.question, "\n".join(lines), question.answer, rating)
                with progress_of(kata.project) as store:
                    mocks.keep_answer(store, mock, answer)
    click.echo()


def _answer(lines: list[str]) -> None:
    """Read lines until an empty one, each into `lines` at once: what was typed before an interrupt is there."""
    while line := input("> "):
        lines.append(line)


def _rating(question: str, highest: int) -> int:
    """Ask until the answer is a number from 1 to `highest`.

    Raises KeyboardInterrupt and EOFError, where click.prompt tells nobody which of them it was.
    """
    while True:
        typed = input(f"{question}: ").strip()
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= highest:
            return int(typed)
        click.echo(f"A number from 1 to {highest}, please.")
