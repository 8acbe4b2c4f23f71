"""`python grader.py next`: what to do now, and why."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from kubekata.commands.finding import katas, no_color_option
from kubekata.commands.progress import recall
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.practice.choosing import Choice


@click.command("next")
@no_color_option()
def next_kata(no_color: bool) -> None:
    """Say what to do now, and why."""
    from kubekata.report.listing import suggestion

    known, project = katas(), Project()
    if not known:
        click.echo("There are no katas in this folder: katas/ is empty.")
        return
    choice = choose(project, known)
    screen = Screen(color=not no_color)
    kata = choice.kata
    about = f"{kata.file.level}, {kata.file.minutes} minutes"
    commands = _commands(kata, choice)
    screen.show(suggestion(f"{kata.id} {kata.title}", about, choice.reasons, commands, screen.look))


def choose(project: Project, known: Sequence[Kata], graded: Sequence[KataResult] = ()) -> Choice:
    """What comes next, for every command that names it; `graded` is about to be recorded.

    `known` has at least one kata.
    """
    from kubekata.practice.choosing import next_choice

    now = time.time()
    found = recall(project, lambda store: next_choice(store, known, now, graded))
    return found or next_choice(None, known, now, graded)


def _commands(kata: Kata, choice: Choice) -> list[tuple[str, str]]:
    number = kata.file.number
    if choice.kind == "mock":
        return [
            (f"{PROGRAM} mock watch", "the clock, live"),
            (f"{PROGRAM} mock finish", "end it, and see the card"),
        ]
    if choice.kind == "all-passed":
        return [
            (f"{PROGRAM} mock", "a timed mock interview"),
            (f"{PROGRAM} reset {number}", "start this one over; the old file is kept"),
        ]
    watch = (f"{PROGRAM} watch {number}", "grade on every save")
    if choice.kind == "new":
        return [
            (f"{PROGRAM} show {number}", "read the brief"),
            (f"{PROGRAM} open {number}", "edit the file"),
            watch,
        ]
    return [
        watch,
        (f"{PROGRAM} hint {number}", "the next of three hints"),
        (f"{PROGRAM} history {number}", "what you tried"),
    ]
