"""`python grader.py show kata-05`: the brief in the terminal."""

from __future__ import annotations

import click

from kubekata.commands.finding import find_kata, kata_argument, no_color_option
from kubekata.commands.progress import remember
from kubekata.commands.screen import Screen
from kubekata.commands.status import CouldNotGradeError


@click.command("show")
@kata_argument()
@no_color_option()
def show(name: str, no_color: bool) -> None:
    """Show the brief of a kata."""
    from kubekata.practice import attempts

    kata = find_kata(name)
    try:
        text = kata.brief.read_text("utf-8")
    except OSError as error:
        raise CouldNotGradeError(f"{kata.brief}: {error.strerror}") from error
    Screen(color=not no_color).show_markdown(text)
    remember(kata.project, lambda store: attempts.visit(store, kata.id))
