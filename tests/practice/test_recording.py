"""What grading remembers, and that nothing about remembering can get into its way."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import clean_environ
from tests.practice.conftest import Learner


def test_the_own_file_is_an_attempt(learner: Learner) -> None:
    learner.file.write_text(learner.mistake)
    assert "Score 40 of 100" in learner.says("1", status=1)
    ((kata, score, passed, text, result),) = learner.rows(
        "SELECT kata, score, passed, submission, result FROM attempts"
    )
    assert (kata, score, passed, text) == ("kata-01", 40, 0, learner.mistake)
    assert [item["id"] for item in json.loads(result)["rubric"]] == ["double", "spread", "counter"]


def test_other_files_are_not(learner: Learner, tmp_path: Path) -> None:
    """A candidate's file, the reference and the known mistakes say nothing about the learner."""
    other = tmp_path / "candidate.py"
    other.write_text(learner.solution)
    for path in (other, learner.reference / "solution.py"):
        assert json.loads(learner.says("1", "--json", "--file", path))["score"] == 100
    assert not learner.home.exists()


def test_the_own_file_under_another_name_for_it_is(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    learner.says("1", "--file", learner.file)
    assert learner.rows("SELECT score FROM attempts") == [(100,)]


def test_a_stub_is_no_attempt(learner: Learner) -> None:
    assert "Not started" in learner.says("1", status=1)
    assert learner.rows("SELECT count(*) FROM attempts") == [(0,)]


def test_several_at_once(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    learner.says("all", "--json", status=1)
    assert learner.rows("SELECT kata, score FROM attempts") == [("kata-01", 100)]


def test_the_overview_has_the_best_score(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    learner.says("1")
    learner.file.write_text(learner.mistake)
    learner.says("1", status=1)
    row = next(line for line in learner.says().splitlines() if "double" in line)
    assert row.split()[0] == "✓"
    assert row.split()[-1] == "100"


def test_home_can_be_elsewhere(learner: Learner, tmp_path: Path) -> None:
    learner.file.write_text(learner.solution)
    learner.says("1", KUBEKATA_HOME=str(tmp_path / "home"))
    assert (tmp_path / "home/progress.sqlite3").exists()
    assert not learner.home.exists()


def test_the_score_says_how_many_hints_were_used(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    learner.says("hint", "1")
    learner.says("hint", "1")
    assert "Score 100 of 100 with 2 hints: passed." in learner.says("1")
    assert json.loads(learner.says("1", "--json"))["hints"] == 2


def test_hints_read_after_passing_do_not_count_until_it_is_begun_again(learner: Learner) -> None:
    learner.says("hint", "1")
    learner.file.write_text(learner.solution)
    learner.says("1")
    learner.says("hint", "1")
    learner.says("hint", "1")
    assert json.loads(learner.says("1", "--json"))["hints"] == 1
    learner.says("reset", "1")
    assert "hint 1 of 3" in learner.says("hint", "1")
    learner.says("hint", "1")
    learner.file.write_text(learner.solution)
    assert json.loads(learner.says("1", "--json"))["hints"] == 2


def test_a_kata_that_is_begun_again_forgets_no_hint_that_was_taken(learner: Learner) -> None:
    learner.says("hint", "1")
    learner.says("hint", "1")
    learner.file.write_text(learner.solution)
    learner.says("1")
    for begin_again, in_mock in (("reset", False), ("mock", True)):
        learner.says(begin_again, *([] if begin_again == "reset" else ["--kata"]), "1")
        if in_mock:
            assert "No hint was taken yet in this mock" in learner.says("hint", "1", "--again")
            learner.says("mock", "finish", "--no-questions", status=1)
        shown = learner.says("hint", "1", "--again")
        assert "hint 2 of 3" in shown
        assert "hint 3 of 3" not in shown
        learner.says("report")
        assert "<dt>Hints taken</dt><dd>2</dd>" in (learner.home / "report.html").read_text()
        learner.file.write_text(learner.solution)
        assert json.loads(learner.says("1", "--json"))["hints"] == 0
        assert len(learner.says("history", "1").splitlines()) > 2


def test_a_reset_that_is_undone_counts_as_before(learner: Learner) -> None:
    learner.says("hint", "1")
    learner.file.write_text(learner.solution)
    assert "Score 100 of 100 with 1 hint: passed." in learner.says("1")
    learner.says("reset", "1")
    learner.says("reset", "1", "--undo")
    assert "Score 100 of 100 with 1 hint: passed." in learner.says("1")
    learner.says("reset", "1")
    learner.says("1", status=1)
    learner.file.write_text(learner.mistake)
    learner.says("restore", "1")
    learner.says("reset", "1", "--undo")
    assert learner.file.read_text() == learner.mistake
    assert json.loads(learner.says("1", "--json", status=1))["hints"] == 0, "that undid the restore"


def test_a_reset_before_passing_forgets_no_hint(learner: Learner) -> None:
    learner.says("hint", "1")
    learner.file.write_text(learner.mistake)
    learner.says("reset", "1")
    learner.file.write_text(learner.solution)
    assert json.loads(learner.says("1", "--json"))["hints"] == 1


def test_another_slug_loses_nothing(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    learner.says("1")
    for folder in ("katas", "reference"):
        (learner.root / folder / "kata-01-double").rename(learner.root / folder / "kata-01-twice")
    toml = learner.root / "katas/kata-01-twice/kata.toml"
    toml.write_text(toml.read_text().replace('slug = "double"', 'slug = "twice"'))
    assert "1 attempt, best 100, passed" in learner.says("history", "twice")


class TestNothingCanBeRemembered:
    """Grading works all the same, and says in one line that it left no trace."""

    def graded(self, learner: Learner, *, status: int = 0, **environ: str) -> str:
        learner.file.write_text(learner.solution)
        done = learner.run("1", "--json", **environ)
        assert done.returncode == status
        assert json.loads(done.stdout)["score"] == 100
        (line,) = done.stderr.splitlines()
        assert line.startswith("kubekata: nothing was remembered: ")
        return line

    def test_the_home_is_no_folder(self, learner: Learner) -> None:
        learner.home.write_text("a file")
        assert "KUBEKATA_HOME" in self.graded(learner)

    def test_a_newer_file(self, learner: Learner) -> None:
        learner.says("show", "1")
        learner.rows("PRAGMA user_version = 99")
        learner.file.write_text(learner.solution)
        done = learner.run("1", "--json")
        assert json.loads(done.stdout)["score"] == 100
        assert "newer kubekata (schema 99" in done.stderr
        assert "nothing was remembered" in done.stderr

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_may_not_be_written(self, learner: Learner) -> None:
        learner.home.mkdir()
        learner.home.chmod(0o555)
        assert "cannot be written" in self.graded(learner)

    def test_a_full_disk(self, learner: Learner) -> None:
        """Nothing grows beyond 8 KiB, which is what a disk does when it is full."""
        learner.file.write_text(learner.solution)
        learner.says("show", "1")
        done = subprocess.run(
            [sys.executable, str(learner.root / "grader.py"), "1", "--json"],
            cwd=learner.root,
            env=clean_environ(PYTHONDONTWRITEBYTECODE="1"),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["score"] == 100
        assert "nothing was remembered: the disk is full" in done.stderr
        assert learner.rows("SELECT count(*) FROM attempts") == [(0,)]

    def test_a_damaged_file_is_told_and_replaced(self, learner: Learner) -> None:
        learner.home.mkdir()
        (learner.home / "progress.sqlite3").write_text("rubbish " * 200)
        learner.file.write_text(learner.solution)
        done = learner.run("1")
        assert done.returncode == 0
        (line,) = done.stderr.splitlines()
        assert "the progress file was damaged: it is kept as " in line
        assert learner.rows("SELECT score FROM attempts") == [(100,)]


def test_a_reader_that_leaves_takes_no_attempt_with_it(learner: Learner) -> None:
    learner.file.write_text(learner.solution)
    command = [sys.executable, str(learner.root / "grader.py"), "1"]
    with subprocess.Popen(command, cwd=learner.root, env=clean_environ(), stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.close()
    assert process.returncode == 141
    assert learner.rows("SELECT score FROM attempts") == [(100,)]


class TestMisconception:
    def test_a_file_like_a_known_mistake(self, learner: Learner) -> None:
        learner.file.write_text(learner.mistake.replace("number**2", "number * number").split('"""\n', 1)[1])
        shown = learner.says("1", status=1)
        assert "This looks like a known misconception:\n  twice is the number by itself." in shown
        document = json.loads(learner.says("1", "--json", status=1))
        assert document["misconception"] == "twice is the number by itself."

    def test_not_for_one_that_is_wrong_in_another_way(self, learner: Learner) -> None:
        learner.file.write_text(learner.mistake.replace("number * by for", "by for"))
        assert "misconception" not in learner.says("1", status=1)

    def test_not_when_the_hidden_tests_have_changed(self, learner: Learner) -> None:
        hidden = learner.reference / "hidden_tests.py"
        hidden.write_text(hidden.read_text() + "\n# another day\n")
        learner.file.write_text(learner.mistake)
        assert "misconception" not in learner.says("1", status=1)
