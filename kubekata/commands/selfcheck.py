"""`python grader.py selfcheck`: the gate for whoever writes katas."""

from __future__ import annotations

import click

from kubekata.commands.names import all_katas, complete_names, find_katas
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import NOT_PASSED, PASSED
from kubekata.grading.catalog import Project


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
    katas = find_katas(project, names) if names else all_katas(project)
    screen = Screen(color=not no_color)
    with ProgressLine("checking") as progress:
        report = run_selfcheck(project, katas, write=write, on_progress=progress)
    findings = [(finding.kata, finding.subject, finding.message) for finding in report.findings]
    screen.show(checked(len(report.katas), report.checks, findings, report.seconds, screen.look))
    return PASSED if report.passed else NOT_PASSED
