"""`python grader.py mock status`: what the running mock interview stands at, without watching it."""

from __future__ import annotations

import time

import click

from kubekata.commands.advice import shown
from kubekata.commands.mock.running import find_running, shown_clock
from kubekata.commands.progress import progress_of
from kubekata.commands.status import PROGRAM


@click.command("status")
def status() -> None:
    """Show the clock of the running mock, once, and what was used up so far."""
    from kubekata.practice import attempts, hints

    found = find_running()
    if found is None:
        click.echo(
            f"No mock interview is running: `{PROGRAM} mock` begins one, `{PROGRAM} mock history` has the cards."
        )
        return
    mock, kata = found
    with progress_of(kata.project) as store:
        tries = sum(attempt.mock == mock.id for attempt in attempts.history(store, kata.id))
        taken = hints.used(store, kata.id, mock=mock.id)
    cost = f" (-{hints.cost(taken)} points)" if taken else ""
    click.echo(f"Mock {mock.id}: {kata.id} {kata.title}, {shown_clock(mock, time.time())}.")
    click.echo(f"Your file is {shown(kata.submission)}. Graded: {tries}. Hints: {taken}{cost}.")
    click.echo(f"`{PROGRAM} mock watch` shows the clock live, `{PROGRAM} mock finish` ends the interview.")
