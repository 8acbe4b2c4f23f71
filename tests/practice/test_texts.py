"""Hints and debriefs as they are read."""

from pathlib import Path

import pytest

from kubekata.grading.catalog import Kata, Project
from kubekata.grading.debrief import FollowUp, follow_ups
from kubekata.grading.hints import hints
from tests.cli.conftest import ROOT
from tests.practice.conftest import SMALL_PROJECT

KATAS = [kata for kata in Project(ROOT).katas if kata.debrief.is_file()]


@pytest.mark.parametrize("kata", KATAS, ids=str)
def test_every_debrief_has_questions_with_answers(kata: Kata) -> None:
    found = follow_ups(kata)
    assert len(found) >= 5
    assert all(question.question.strip("*") and question.answer for question in found)
    assert not any("**" in question.question for question in found)


@pytest.mark.parametrize("kata", [kata for kata in KATAS if kata.hints.is_file()], ids=str)
def test_every_kata_has_three_hints(kata: Kata) -> None:
    assert len(hints(kata)) == 3
    assert all(title and body for title, body in hints(kata))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("**1. Why?**\nBecause.\n\nAnd so.", [FollowUp("Why?", "Because.\n\nAnd so.")]),
        ("1. **Why?** Because\n   it is.", [FollowUp("Why?", "Because\nit is.")]),
        ("**1. Why\nnot?** Since.", [FollowUp("Why not?", "Since.")]),
        ("**2. Why?**\nNot the first.", []),
        ("No questions.", []),
    ],
)
def test_shapes_of_questions(tmp_path: Path, text: str, found: list[FollowUp]) -> None:
    kata = Project(SMALL_PROJECT).find("1")
    project = Project(tmp_path)
    kata = Kata(project, tmp_path / "katas" / kata.name, kata.file)
    kata.reference.mkdir(parents=True)
    kata.debrief.write_text(f"# Debrief\n\n## Follow-up questions\n\n{text}\n\n## The mistakes\n\n**1. x**\n")
    assert follow_ups(kata) == found
