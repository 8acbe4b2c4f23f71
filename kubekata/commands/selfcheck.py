"""`python grader.py selfcheck`: the gate for whoever writes katas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.names import ALL, complete_names, look_up
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import NOT_PASSED, PASSED
from kubekata.grading.catalog import BrokenKata, Kata, Project

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command("selfcheck")
@click.argument("names", metavar="[KATA]...", nargs=-1, shell_complete=complete_names)
@click.option("--write", is_flag=True, help="Write down anew which hidden tests each mistake fails.")
@click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")
def selfcheck(*, names: tuple[str, ...], write: bool, no_color: bool) -> int:
    """Check katas themselves, by default all: does each tell right from wrong, and say so?

    Stubs score 0, references 100, every mistake fails at the rubric item that it names, there are three
    hints, and so on: see CONTRIBUTING.md.
    """
    from kubekata.grading.selfcheck import run_selfcheck
    from kubekata.report.selfcheck import checked

    project = Project()
    katas, broken = chosen(project, names)
    screen = Screen(color=not no_color)
    with ProgressLine("checking") as progress:
        report = run_selfcheck(project, katas, broken, write=write, on_progress=progress)
    findings = [(finding.kata, finding.subject, finding.message) for finding in report.findings]
    screen.show(checked(len(report.katas), report.checks, findings, report.seconds, screen.look))
    return PASSED if report.passed else NOT_PASSED


def chosen(project: Project, names: tuple[str, ...]) -> tuple[Sequence[Kata], Sequence[BrokenKata]]:
    """The katas that `names` mean, by default all, and those among them that cannot be used.

    Raises WrongUsageError for a name that is unknown.
    """
    if not names or ALL in [name.lower() for name in names]:
        return project.katas, project.broken
    found = dict.fromkeys(look_up(project, name) for name in names)
    katas = [kata for kata in found if isinstance(kata, Kata)]
    return katas, [kata for kata in found if isinstance(kata, BrokenKata)]
