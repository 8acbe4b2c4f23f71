"""`python grader.py hint kata-05`: the next of three hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.finding import confirmed, find_kata, kata_argument, no_color_option, yes_option
from kubekata.commands.progress import recall, remember
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM, CouldNotGradeError

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.practice.store import Store


@click.command("hint")
@kata_argument()
@click.option("--again", is_flag=True, help="Show the hints that you have taken, and no new one.")
@yes_option()
@no_color_option()
def hint(*, name: str, again: bool, yes: bool, no_color: bool) -> int:
    """Show the next hint of three. Each is remembered; in a mock interview it costs points."""
    kata = find_kata(name)
    show_hint(kata, Screen(color=not no_color), again=again, yes=yes)
    return 0


def show_hint(kata: Kata, screen: Screen, *, again: bool = False, yes: bool = False) -> None:
    """Show and remember the next hint; the old ones when there is no other.

    In practice `again` has those of every time through the kata, in a mock only those that it was charged for.
    """
    from kubekata.grading.hints import hints as read_hints
    from kubekata.practice import hints, mocks

    every = read_hints(kata)
    if not every:
        raise CouldNotGradeError(f"hints/{kata.hints.name} has no hints")

    def taken_so_far(store: Store) -> tuple[list[int], int | None]:
        mock = mocks.running_on(store, kata.id)
        if again and mock is None:
            return hints.ever(store, kata.id), mock
        return hints.taken(store, kata.id, mock=mock), mock

    taken, mock = recall(kata.project, taken_so_far) or ([], None)
    following = next((number for number in range(1, len(every) + 1) if number not in taken), None)
    if again or following is None:
        _show_taken(kata, screen, every, taken, where="" if mock is None else " in this mock")
        return
    if mock is not None:
        question = f"Hint {following} costs {hints.COSTS[following - 1]} points of this mock. Show it?"
        if not confirmed(question, yes=yes):
            return
    _show(kata, screen, every, following)
    left = len(every) - following
    if left:
        more = "1 more" if left == 1 else f"{left} more"
        click.echo(f"\n{more}: `{PROGRAM} hint {kata.file.number}` gives the next.")
    else:
        click.echo(f"\nThat was the last one. `{PROGRAM} hint {kata.file.number} --again` shows all three.")
    remember(kata.project, lambda store: hints.take(store, kata.id, following, mock=mock))


def _show_taken(
    kata: Kata, screen: Screen, every: list[tuple[str, str]], taken: list[int], *, where: str
) -> None:
    for number in taken:
        _show(kata, screen, every, number)
        click.echo()
    if not taken:
        click.echo(f"No hint was taken yet{where}: `{PROGRAM} hint {kata.file.number}` gives the first.")
    elif len(taken) == len(every):
        click.echo("Those are all the hints that there are.")


def _show(kata: Kata, screen: Screen, every: list[tuple[str, str]], number: int) -> None:
    title, body = every[number - 1]
    heading = f"{kata.id} {kata.title}, hint {number} of {len(every)}: {title}"
    screen.show_markdown(f"**{heading}**\n\n{body}" if screen.color else f"{heading}\n\n{body}")
