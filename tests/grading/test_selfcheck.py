"""The gate finds what is wrong with a kata, and only that."""

from pathlib import Path

import pytest

from kubekata.grading.catalog import Project
from kubekata.grading.selfcheck import lazy, run_selfcheck, texts
from tests.grading.conftest import PROJECT
from tests.grading.test_grade import copy_of_project


def findings(project: Project) -> list[str]:
    report = run_selfcheck(project, [project.find("double")])
    return [f"{finding.subject}: {finding.message}" for finding in report.findings]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(texts, "LEAST_MISTAKES", 1)
    monkeypatch.setattr(texts, "LEAST_CORRECT", 1)
    project = copy_of_project(tmp_path)
    (tmp_path / "katas" / "conftest.py").write_bytes(
        (PROJECT.parents[2] / "katas" / "conftest.py").read_bytes()
    )
    return project


def test_a_sound_kata_passes(copy: Project) -> None:
    seen: list[tuple[int, int, str]] = []
    report = run_selfcheck(copy, [copy.find("double")], on_progress=lambda *state: seen.append(state))
    assert report.findings == ()
    assert report.passed
    assert seen[-1] == (report.checks, report.checks, "kata-01")


def test_everything_wrong_is_found_at_once(copy: Project) -> None:
    kata = copy.find("double")
    kata.solution.write_text(kata.solution.read_text().replace("number * by", "number + by"))
    (kata.reference / "mistakes" / "none.py").write_text(
        '"""Misconception: none.\n\nFails: counter\n"""\n' + kata.submission.read_text()
    )
    (kata.reference / "mistakes" / "unnamed.py").write_text("x = 1\n")
    (kata.reference / "mistakes" / "elsewhere.py").write_text(
        (kata.reference / "mistakes" / "squares.py").read_text().replace("Fails: double", "Fails: counter")
    )
    kata.hints.write_text("## Hint 1: look\n")
    kata.brief.write_text("# Double\n\nDoubling 60\nCounting 15\n")
    kata.debrief.unlink()
    found = findings(copy)
    assert "reference/kata-01-double/DEBRIEF.md: is missing" in found
    assert "hints/kata-01.md: needs exactly three sections: `## Hint 1: …` to `## Hint 3: …`" in found
    assert "README.md: does not announce the rubric item “Spreading” with its 25 points in one line" in found
    assert "mistakes/unnamed.py: its docstring has to begin with `Misconception: …`" in found
    assert "mistakes/unnamed.py: its `Fails:` line names nothing" in found
    assert "mistakes/elsewhere.py: does not fail at counter; it fails at double" in found
    assert any(
        line.startswith("solution.py: scores 75, expected 100: test_spread (failed)") for line in found
    )


def test_points_for_nothing_are_found(copy: Project) -> None:
    kata = copy.find("double")
    free = '\n\n@rubric("counter")\ndef test_free(submission, scenario):\n    submission.double(1) if False else None\n'
    kata.hidden_tests.write_text(kata.hidden_tests.read_text() + free)
    found = [line for line in findings(copy) if "expected 0" in line]
    assert any(
        "does nothing: scores 7, expected 0: combine or give `needs` to test_free" in line for line in found
    )
    assert any("returns 1 and []" in line for line in found)


def test_a_stub_that_is_somebodys_work_is_found(copy: Project) -> None:
    kata = copy.find("double")
    kata.submission.write_text(kata.solution.read_text())
    assert (
        "kata.py: the stub does not show as not started: leave `raise NotImplementedError` in every entry point"
        in (findings(copy))
    )


def test_examples_have_to_fail_on_the_stub(copy: Project) -> None:
    kata = copy.find("double")
    kata.examples.write_text("def test_nothing():\n    pass\n")
    assert any(
        line.startswith("test_examples.py: does not fail on the stub kata.py") for line in findings(copy)
    )


def test_lazy_submissions_cover_every_entry_point(project: Project) -> None:
    made = lazy.submissions(project.find("double").file.entry_points)
    assert made[0].name == "a submission that does nothing"
    assert len({submission.source for submission in made}) == len(made) > 3
    for submission in made:
        compile(submission.source, "lazy.py", "exec")
        assert all(
            name in submission.source for name in ("def double(", "def spread(", "class Counter", "def add(")
        )
