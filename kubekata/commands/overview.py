"""`python grader.py` alone: the katas and what to do next."""

from __future__ import annotations

from kubekata.commands.advice import after_overview
from kubekata.commands.names import all_katas
from kubekata.commands.scores import best_scores
from kubekata.commands.screen import Screen
from kubekata.grading.catalog import Project
from kubekata.report.overview import KataRow, table


def overview() -> None:
    """Print the table of katas."""
    katas, best = all_katas(Project()), best_scores()
    rows = [
        KataRow(
            number=kata.file.number,
            slug=kata.file.slug,
            title=kata.title,
            level=kata.file.level,
            minutes=kata.file.minutes,
            best=best.get(kata.id),
            passed=best.get(kata.id, 0) >= kata.file.pass_mark,
        )
        for kata in katas
    ]
    screen = Screen()
    screen.show(table(rows, screen.look, after_overview(katas, best)))
