"""`python grader.py show kata-05`: the brief in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from kubekata.commands.finding import complete_one, find_kata, no_color_option
from kubekata.commands.progress import remember
from kubekata.commands.screen import Screen
from kubekata.commands.status import CouldNotGradeError

if TYPE_CHECKING:
    from pathlib import Path

BONUS = "kind"


def complete(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Shell completion for what has a brief: the katas, and the bonus round."""
    words = complete_one(context, parameter, incomplete)
    if BONUS.startswith(incomplete):
        words.append(CompletionItem(BONUS, help="the bonus round"))
    return words


@click.command("show")
@click.argument("name", metavar="KATA", shell_complete=complete)
@no_color_option()
def show(name: str, no_color: bool) -> None:
    """Show the brief of a kata; `kind` is the bonus round."""
    from kubekata.practice import attempts

    screen = Screen(color=not no_color)
    if name.lower() == BONUS:
        from kubekata.bonus.rubric import Bonus

        screen.show_markdown(read(Bonus().folder / "README.md"))
        return
    kata = find_kata(name)
    screen.show_markdown(read(kata.brief))
    remember(kata.project, lambda store: attempts.visit(store, kata.id))


def read(brief: Path) -> str:
    """The text of a brief. Raises CouldNotGradeError."""
    try:
        return brief.read_text("utf-8")
    except OSError as error:
        raise CouldNotGradeError(f"{brief}: {error.strerror}") from error
