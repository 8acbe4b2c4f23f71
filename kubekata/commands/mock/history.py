"""`python grader.py mock history`: the mocks so far, and the card of one of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
import msgspec

from kubekata.commands.finding import no_color_option
from kubekata.commands.mock.running import shown_clock
from kubekata.commands.numbers import WholeNumber
from kubekata.commands.progress import progress_of
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM, WrongUsageError
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from kubekata.practice.store import Store
    from kubekata.report.card import Card


@click.command("history")
@click.argument("number", metavar="[MOCK]", type=WholeNumber(1), required=False)
@no_color_option()
def history(number: int | None, no_color: bool) -> None:
    """List the mock interviews; with its number, the card of one, your answers beside the model answers."""
    screen = Screen(color=not no_color)
    with progress_of(Project()) as store:
        if number is None:
            _list(store, screen)
        else:
            _show(store, number, screen)


def cards(store: Store) -> list[Card]:
    """The card of every finished mock, oldest first."""
    from kubekata.practice import mocks
    from kubekata.report.card import Card

    return [msgspec.json.decode(mock.card, type=Card) for mock in mocks.history(store) if mock.card]


def _list(store: Store, screen: Screen) -> None:
    from kubekata.practice import mocks
    from kubekata.report.card import mocks as table

    made = cards(store)
    mock = mocks.running(store)
    running = (
        f"Mock {mock.id} about {mock.kata} is running ({shown_clock(mock, time.time())})." if mock else ""
    )
    if not made and not running:
        click.echo(f"There was no mock interview yet: `{PROGRAM} mock` begins one.")
        return
    screen.show(table(made, screen.look, running))


def _show(store: Store, number: int, screen: Screen) -> None:
    from kubekata.practice import mocks
    from kubekata.report.card import RATINGS, Card, scorecard

    try:
        mock = mocks.get(store, number)
    except LookupError as error:
        raise WrongUsageError(f"there is no mock {number}: `{PROGRAM} mock history` lists them.") from error
    if mock.card is None:
        raise WrongUsageError(f"mock {number} has no card yet: `{PROGRAM} mock finish` makes it.")
    answers = mocks.answers(store, mock)
    card = msgspec.json.decode(mock.card, type=Card)
    screen.show(scorecard(card, [answer.rating for answer in answers if answer.rating], screen.look))
    for answer in answers:
        typed = answer.answer or "(nothing)"
        click.echo()
        screen.show_markdown(
            f"**{answer.number}. {answer.question}** ({RATINGS.get(answer.rating, 'not rated')})\n\n"
            f"Yours: {typed}\n\nModel answer: {answer.model}"
        )
