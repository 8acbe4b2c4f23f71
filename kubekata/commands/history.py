"""`python grader.py history kata-05`: every attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import never_graded
from kubekata.commands.finding import find_kata, kata_argument, no_color_option
from kubekata.commands.progress import recall
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from kubekata.practice.attempts import Attempt
    from kubekata.practice.store import Store
    from kubekata.report.history import Row

_SHOWN = 20


@click.command("history")
@kata_argument(required=False)
@click.option("--all", "everything", is_flag=True, help=f"Every attempt, not only the last {_SHOWN}.")
@no_color_option()
def history(*, name: str | None, everything: bool, no_color: bool) -> None:
    """Show the attempts at a kata, or the last ones at any."""
    from kubekata.practice import attempts
    from kubekata.report.history import attempts as table

    kata = find_kata(name) if name else None

    def read(store: Store) -> tuple[list[Attempt], list[Row]]:
        made = attempts.history(store, kata.id if kata else None)
        return made, [_row(store, attempt) for attempt in made[0 if everything else -_SHOWN :]]

    made, rows = recall(Project(), read) or ([], [])
    if not made:
        click.echo(never_graded(kata) if kata else f"Nothing was graded yet: `{PROGRAM} next`.")
        return
    screen = Screen(color=not no_color)
    summary = f"{kata.id} {kata.title}: {_summary(made)}" if kata else _summary(made)
    if len(rows) < len(made):
        summary += f" (the last {len(rows)}; --all shows every one)"
    screen.show(table(rows, screen.look, summary, with_kata=kata is None))


def _row(store: Store, attempt: Attempt) -> Row:
    from kubekata.practice import attempts
    from kubekata.report.history import Row, remark

    return Row(
        number=attempt.id,
        kata=attempt.kata,
        at=attempt.at,
        score=attempt.score,
        passed=attempt.passed,
        worked=attempt.worked,
        hints=attempt.hints,
        remark=remark(attempts.result(store, attempt.id), in_mock=attempt.mock is not None),
    )


def _summary(made: list[Attempt]) -> str:
    from kubekata.report.when import duration

    count = "1 attempt" if len(made) == 1 else f"{len(made)} attempts"
    text = f"{count}, best {max(attempt.score for attempt in made)}"
    if len({attempt.kata for attempt in made}) > 1:
        return text
    first = next((number for number, attempt in enumerate(made) if attempt.passed), None)
    if first is None:
        return f"{text}, not passed yet"
    worked = sum(attempt.worked for attempt in made[: first + 1])
    return f"{text}, passed after {duration(worked)}" if worked else f"{text}, passed"
