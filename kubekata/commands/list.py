"""`python grader.py list`: the katas by level, topic and state."""

from __future__ import annotations

import dataclasses
import sys

import click

from kubekata.commands.finding import no_color_option
from kubekata.commands.names import all_katas, say_broken
from kubekata.commands.progress import recall, standings
from kubekata.commands.screen import Screen
from kubekata.commands.status import WrongUsageError
from kubekata.grading.catalog import Project

_PIPE_WIDTH = 200  # programs that read a list want all of it


@click.command("list")
@click.option("--level", type=click.Choice(["easy", "medium", "hard"]), help="Only katas of this level.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only katas with this tag; may be repeated."
)
@click.option(
    "--state", type=click.Choice(["new", "started", "passed", "given-up"]), help="Only katas in this state."
)
@no_color_option()
def list_katas(*, level: str | None, tags: tuple[str, ...], state: str | None, no_color: bool) -> None:
    """List the katas with their state, best score, attempts and tags."""
    from kubekata.practice import reveals
    from kubekata.practice.choosing import state_of
    from kubekata.report.listing import Listed, listing

    project = Project()
    every = all_katas(project)
    known_tags = sorted({tag for kata in every for tag in kata.file.tags})
    for tag in tags:
        if tag not in known_tags:
            raise WrongUsageError(f"no kata has the tag {tag!r}: there are {', '.join(known_tags)}.")
    say_broken(project)
    known = standings(project)
    given_up = recall(project, reveals.given_up) or set()
    rows = [
        Listed(
            number=kata.file.number,
            title=kata.title,
            level=kata.file.level,
            minutes=kata.file.minutes,
            state=state_of(kata.id, known, given_up),
            best=known[kata.id].best if kata.id in known else None,
            attempts=known[kata.id].attempts if kata.id in known else 0,
            tags=kata.file.tags,
        )
        for kata in every
        if level in (None, kata.file.level) and set(tags) <= set(kata.file.tags)
    ]
    rows = [row for row in rows if state in (None, row.state)]
    screen = Screen(color=not no_color)
    if not rows:
        click.echo("No kata is like that.")
        return
    look = screen.look if sys.stdout.isatty() else dataclasses.replace(screen.look, width=_PIPE_WIDTH)
    screen.show(listing(rows, look))
