"""`python grader.py` alone: the katas and what to do next."""

from __future__ import annotations

from kubekata.commands.advice import after_overview
from kubekata.commands.names import all_katas, say_broken
from kubekata.commands.next import choose
from kubekata.commands.progress import standings
from kubekata.commands.screen import Screen
from kubekata.grading.catalog import Project
from kubekata.report.overview import KataRow, table


def overview() -> None:
    """Print the table of katas."""
    project = Project()
    katas, known = all_katas(project), standings(project)
    passed = {kata for kata, standing in known.items() if standing.passed}
    rows = [
        KataRow(
            number=kata.file.number,
            slug=kata.file.slug,
            title=kata.title,
            level=kata.file.level,
            minutes=kata.file.minutes,
            best=known[kata.id].best if kata.id in known else None,
            passed=kata.id in passed,
        )
        for kata in katas
    ]
    screen = Screen()
    screen.show(table(rows, screen.look, after_overview(choose(project, katas)) if katas else ""))
    say_broken(project)
