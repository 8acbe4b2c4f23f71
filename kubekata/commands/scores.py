"""The scores that a learner has reached so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubekata.commands.progress import standings

if TYPE_CHECKING:
    from kubekata.grading.catalog import Project


def passed_katas(project: Project) -> frozenset[str]:
    """The ids of the katas that were ever passed: with the score, and with every must."""
    return frozenset(kata for kata, standing in standings(project).items() if standing.passed)
