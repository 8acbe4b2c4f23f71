"""The commands around grading, as a learner types them."""

import os
import re
import sys
import time
from pathlib import Path

import pytest

from kubekata.grading.catalog import Project
from kubekata.grading.result import KataResult
from kubekata.practice import attempts
from kubekata.practice.choosing import next_choice
from kubekata.practice.store import open_store
from tests.cli.conftest import ROOT, run_grader
from tests.practice.conftest import Learner, ended

NOT_UTF8 = ["# Lösung für Brücke\n".encode("latin-1"), "x = 'ü'\r\n".encode("utf-16"), bytes(range(256)) * 2]


def next_line(shown: str) -> str:
    """The first line of the advice under a verdict or the overview."""
    return next(line for line in shown.splitlines() if line.startswith("Next: "))


class TestWrongInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["show"], "Missing argument 'KATA'"),
            (["show", "nope"], "no kata is called 'nope'"),
            (["show", "all"], "this takes one kata"),
            (["hint", "doubel"], "did you mean kata-01?"),
            (["reset", "9"], "no kata is called '9'"),
            (["open", "1"], "Set EDITOR"),
            (["reveal", "x"], "no kata is called 'x'"),
            (["reveal", "1", "--give-up"], "add --yes"),
            (["watch", "x"], "no kata is called 'x'"),
            (["history", "x"], "no kata is called 'x'"),
            (["diff", "1", "x"], "'x' is no attempt"),
            (["diff", "1", "7"], "there is no attempt 7 of kata-01"),
            (["diff", "1", "1", "2", "3"], "at most two"),
            (["restore", "x"], "'x' is no attempt"),
            (["restore", "99999999999999999999"], "there is no attempt"),
            (["restore"], "Missing argument 'ATTEMPT'"),
            (["reset", "1", "--undo"], "nothing to bring back"),
            (["list", "--level", "extreme"], "'extreme' is not one of"),
            (["list", "--tag", "nope"], "no kata has the tag 'nope': there are test"),
            (["next", "1"], "unexpected extra argument"),
            (["mock", "nope"], "No such command 'nope'"),
            (["mock", "1"], "a mock interview chooses the kata itself, by --topic, --level and --minutes"),
            (["mock", "keeper"], "`python grader.py mock --kata 2` insists on this one."),
            (["mock", "submit"], "no mock interview is running"),
            (["mock", "pause"], "no mock interview is running"),
            (["mock", "resume"], "no mock interview is running"),
            (["mock", "finish"], "no mock interview is running"),
            (["mock", "watch"], "no mock interview is running"),
            (["mock", "history", "3"], "there is no mock 3"),
            (["mock", "--topic", "nope"], "no kata has the topic 'nope': there are test"),
            (["mock", "--minutes", "1"], "nothing fits into 1 minutes: the shortest is kata-01 with 5"),
            (["mock", "--kata", "1", "--minutes", "1"], "--kata names the kata, and --minutes, --level and"),
            (["mock", "--kata", "1", "--level", "hard"], "give one or the other"),
            (["mock", "--topic", "test", "--kata", "1"], "give one or the other"),
            (["mock", "--minutes", "0"], "give a whole number from 1 up, not '0'."),
            (["mock", "--level", "hard"], "no kata has that level"),
            (["report", "--output", "/nowhere/at/all.html"], "cannot be written"),
        ],
    )
    def test_one_line_that_says_what_to_do_and_2(
        self, learner: Learner, arguments: list[str], message: str
    ) -> None:
        assert message in learner.refused(*arguments)

    @pytest.mark.parametrize(
        "arguments", [["1"], ["reset", "1"], ["restore", "1"], ["diff", "1"], ["reveal", "1"], ["mock"]]
    )
    def test_a_folder_in_the_place_of_the_file(self, learner: Learner, arguments: list[str]) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        learner.file.unlink()
        learner.file.mkdir()
        more = ["--kata", "1"] if arguments == ["mock"] else []
        assert (
            "katas/kata-01-double/kata.py is a folder: move it away, then `python grader.py reset 1` puts the "
            "stub back."
        ) in learner.refused(*arguments, *more)
        assert learner.rows("SELECT count(*) FROM mocks") == [(0,)]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    @pytest.mark.parametrize(
        "arguments", [["1"], ["reset", "1"], ["restore", "1"], ["diff", "1"], ["reveal", "1"], ["mock"]]
    )
    def test_a_file_that_may_not_be_read(self, learner: Learner, arguments: list[str]) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        learner.file.chmod(0)
        more = ["--kata", "1"] if arguments == ["mock"] else []
        line = learner.refused(*arguments, *more)
        assert "kata.py cannot be read: Permission denied; `chmod u+r` lets you read it." in line

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    @pytest.mark.parametrize("arguments", [["reset", "1"], ["restore", "1"], ["mock", "--kata", "1"]])
    def test_a_folder_that_may_not_be_written(self, learner: Learner, arguments: list[str]) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        learner.file.write_text("mine = 1\n")
        learner.file.parent.chmod(0o555)
        line = learner.refused(*arguments)
        learner.file.parent.chmod(0o755)
        assert (
            "kata.py cannot be replaced: Permission denied; see that you may write in katas/kata-01-double, "
            "then run this again."
        ) in line
        assert learner.file.read_text() == "mine = 1\n"

    def test_a_file_that_is_gone(self, learner: Learner) -> None:
        learner.file.unlink()
        assert "kata.py does not exist: `python grader.py reset 1` puts the stub back." in learner.refused(
            "1"
        )
        learner.says("mock", "--kata", "1")
        learner.file.unlink()
        assert "`python grader.py reset 1` puts the stub back." in learner.refused("mock", "submit")
        learner.says("reset", "1")
        assert "Not started" in learner.says("1", status=1)


class TestNext:
    def test_begins_with_the_easiest_then_follows_the_work(self, learner: Learner) -> None:
        shown = learner.says("next")
        assert shown.startswith("kata-01 Double · easy, 5 minutes\nA good one to begin with")
        assert "python grader.py show 1" in shown
        learner.file.write_text(learner.mistake)
        learner.says("1", status=1)
        shown = learner.says("next")
        assert "Begun and not passed: 40 of 100 at best, after 1 attempt." in shown
        assert '"Doubling" is a must and does not hold yet.' in shown
        learner.file.write_text(learner.solution)
        learner.says("1")
        assert learner.says("next").startswith("kata-02 ")

    def test_a_pass_the_overview_and_next_name_the_same_kata(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution)
        assert next_line(learner.says("1")) == (
            "Next: `python grader.py reveal 1` shows the reference beside yours. Then kata-02"
        )
        assert next_line(learner.says()).startswith("Next: read katas/kata-02-keeper/README.md")
        keeper = learner.root / "katas/kata-02-keeper/kata.py"
        keeper.write_text("x = 1\n")
        learner.says("2", status=1)
        assert learner.says("next").startswith("kata-02 ")
        assert next_line(learner.says()).startswith("Next: go on with katas/kata-02-keeper/kata.py")
        assert "begun and not passed: `python" in " ".join(learner.says("1").split())
        assert next_line(learner.says("all", status=1)).startswith("Next: `python grader.py kata-02` says")

    def test_what_is_about_to_be_recorded_counts_already(self, tmp_path: Path) -> None:
        katas = Project(ROOT).katas
        first = KataResult("kata-01", "", "", 90, passed=True, pass_mark=80)
        choice = next_choice(None, katas, 1000.0, [first])
        assert (choice.kind, choice.kata.id) == ("new", "kata-04"), "the easiest, as `next` has it"
        stalled = KataResult("kata-06", "", "", 40, passed=False, pass_mark=80)
        together = [stalled, KataResult("kata-05", "", "", 40, passed=False, pass_mark=80), first]
        assert next_choice(None, katas, 1000.0, together).kata.id == "kata-05"
        store = open_store(tmp_path, write=True)
        assert store is not None
        with store:
            for result in together:
                attempts.record(store, result, "")
            assert next_choice(store, katas, time.time()).kata.id == "kata-05"

    def test_somebody_elses_file_is_no_step_of_yours(self, learner: Learner) -> None:
        assert "Next:" not in learner.says("1", "--file", learner.reference / "solution.py")
        shown = learner.says("1", "--file", learner.reference / "mistakes/squares.py", status=1)
        assert 'Next: make "Doubling" hold' in shown
        assert "Stuck?" not in shown
        assert "Next:" not in learner.says("all", "--file-root", "reference")
        assert learner.says("next").startswith("kata-01 ")


class TestList:
    def test_filters(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        assert len(learner.says("list").splitlines()) == 3
        (_, row) = learner.says("list", "--state", "passed").splitlines()
        assert re.split(r"\s{2,}", row.strip()) == [
            "✓ 01",
            "Double",
            "easy",
            "5",
            "100",
            "1",
            "passed",
            "test",
        ]
        assert "Double" not in learner.says("list", "--state", "new")
        assert learner.says("list", "--level", "hard") == "No kata is like that.\n"


class TestShowAndOpen:
    def test_a_pipe_gets_the_brief_as_it_is_written(self, learner: Learner) -> None:
        brief = (learner.file.parent / "README.md").read_text()
        assert learner.says("show", "1") == brief.strip() + "\n"

    def test_the_bonus_round_has_a_brief_too(self) -> None:
        done = run_grader(ROOT, "show", "kind")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == (ROOT / "katas/kata-kind-operator/README.md").read_text().strip() + "\n"

    def test_a_terminal_gets_it_laid_out(self, learner: Learner) -> None:
        terminal = learner.terminal("show", "1")
        assert ended(terminal) == 0
        assert terminal.before
        assert "| --- |" not in terminal.before

    def test_open_runs_the_editor_with_its_options(self, learner: Learner, tmp_path: Path) -> None:
        editor = tmp_path / "editor.py"
        editor.write_text("import sys, pathlib\npathlib.Path(sys.argv[2]).write_text(sys.argv[1])\n")
        learner.says("open", "1", EDITOR=f"{sys.executable} {editor} '# edited'")
        assert learner.file.read_text() == "# edited"

    def test_an_editor_that_is_not_there(self, learner: Learner) -> None:
        assert "'no-such-editor', which is not installed" in learner.refused(
            "open", "1", VISUAL="no-such-editor"
        )


class TestHints:
    def test_three_then_no_more(self, learner: Learner) -> None:
        shown = [learner.says("hint", "1") for _ in range(4)]
        assert [f"hint {number} of 3" in shown[number - 1] for number in (1, 2, 3)] == [True] * 3
        assert "2 more" in shown[0]
        assert "That was the last one" in shown[2]
        assert shown[3].count("hint ") >= 3
        assert learner.rows("SELECT number FROM hints") == [(1,), (2,), (3,)]

    def test_again_shows_what_was_taken_and_no_more(self, learner: Learner) -> None:
        assert "No hint was taken yet" in learner.says("hint", "1", "--again")
        learner.says("hint", "1")
        shown = learner.says("hint", "1", "--again")
        assert "hint 1 of 3" in shown
        assert "hint 2 of 3" not in shown


class TestReset:
    def test_there_and_back(self, learner: Learner) -> None:
        learner.says("hint", "1")  # any command that opens the kata's file or store
        learner.says("1", status=1)  # sees the stub
        learner.file.write_text("mine = 1\n")
        assert "is the stub again; yours is kept as kata.2" in learner.says("reset", "1")
        assert learner.file.read_text() == learner.stub
        assert "is the stub already" in learner.says("reset", "1")
        (kept,) = learner.file.parent.glob("kata.2*.py")
        assert kept.read_text() == "mine = 1\n"
        assert "again" in learner.says("reset", "1", "--undo")
        assert learner.file.read_text() == "mine = 1\n"
        assert not list(learner.file.parent.glob("kata.2*.py"))

    def test_undo_of_an_undo(self, learner: Learner) -> None:
        learner.file.write_text("first = 1\n")
        learner.says("reset", "1")
        learner.file.write_text("second = 2\n")
        assert "What was there is kept as" in learner.says("reset", "1", "--undo")
        assert learner.file.read_text() == "first = 1\n"
        learner.says("reset", "1", "--undo")
        assert learner.file.read_text() == "second = 2\n"

    def test_a_stub_that_nobody_remembers_is_made_from_the_entry_points(self, learner: Learner) -> None:
        learner.file.write_text("mine = 1\n")
        learner.says("reset", "1")
        text = learner.file.read_text()
        assert "def spread(numbers, *, by=1):\n    raise NotImplementedError" in text
        assert "    def add(self, amount):\n        raise NotImplementedError" in text
        assert "Not started" in learner.says("1", status=1)

    @pytest.mark.parametrize("data", NOT_UTF8)
    def test_every_byte_is_kept_whatever_they_are(self, learner: Learner, data: bytes) -> None:
        learner.file.write_bytes(data)
        learner.says("reset", "1")
        (kept,) = learner.file.parent.glob("kata.2*.py")
        assert kept.read_bytes() == data
        learner.says("reset", "1", "--undo")
        assert learner.file.read_bytes() == data

    @pytest.mark.parametrize("target", ["/nowhere/kata.py", "kata.py"])
    def test_a_link_that_leads_nowhere_is_replaced(self, learner: Learner, target: str) -> None:
        learner.file.unlink()
        learner.file.symlink_to(target)
        assert "`python grader.py reset 1` puts the stub back." in learner.refused("1")
        learner.says("reset", "1")
        assert "Not started" in learner.says("1", status=1)

    def test_a_link_stays_one(self, learner: Learner, tmp_path: Path) -> None:
        mine = tmp_path / "mine.py"
        mine.write_text("mine = 1\n")
        learner.file.unlink()
        learner.file.symlink_to(mine)
        learner.says("reset", "1")
        assert learner.file.is_symlink()
        assert "NotImplementedError" in mine.read_text()
        learner.says("reset", "1", "--undo")
        assert learner.file.is_symlink()
        assert mine.read_text() == "mine = 1\n"


class TestAttempts:
    @pytest.fixture
    def tried(self, learner: Learner) -> Learner:
        for text in (learner.mistake, learner.solution):
            learner.file.write_text(text)
            learner.run("1")
        return learner

    def test_history(self, tried: Learner) -> None:
        shown = tried.says("history", "1")
        assert shown.startswith("kata-01 Double: 2 attempts, best 100, passed")
        first, second = shown.splitlines()[-2:]
        assert re.match(r"  ✗ #1  \d{4}-\d\d-\d\d \d\d:\d\d     40 .* Doubling$", first)
        assert second.startswith("  ✓ #2  ")
        assert "kata-01" in tried.says("history").splitlines()[-1]

    def test_history_of_nothing(self, learner: Learner) -> None:
        assert learner.says("history", "1") == "kata-01 was never graded: `python grader.py 1`.\n"
        assert learner.says("history") == "Nothing was graded yet: `python grader.py next`.\n"

    def test_diff_with_nothing(self, learner: Learner) -> None:
        assert learner.says("diff", "1") == "kata-01 was never graded: `python grader.py 1`.\n"
        learner.file.write_text(learner.solution)
        learner.says("1")
        assert "has no attempt that differs" in learner.says("diff", "1")

    def test_diff(self, tried: Learner) -> None:
        assert tried.says("diff", "1", "2") == "They are the same.\n"
        since_the_mistake = tried.says("diff", "1").splitlines()
        assert since_the_mistake[0] == "--- attempt #1, score 40"
        assert {"-    return number**2", "+    return number * 2"} <= set(since_the_mistake)
        assert {"+    return number**2", "-    return number * 2"} <= set(
            tried.says("diff", "1", "2", "#1").splitlines()
        )

    def test_what_is_no_utf8_is_shown_all_the_same(self, learner: Learner) -> None:
        coding = b"# -*- coding: latin-1 -*-\n"
        learner.file.write_bytes(coding + learner.solution.encode() + b"# \xf6\n")
        learner.says("1")
        assert "# \ufffd" in learner.says("reveal", "1")
        learner.file.write_bytes(coding + learner.solution.encode() + b"# \xfc\n")
        assert learner.says("diff", "1") == "They differ only in bytes that are not valid UTF-8.\n"
        learner.file.write_bytes(coding + learner.solution.encode())
        assert "-# \ufffd" in learner.says("diff", "1")

    def test_restore_keeps_what_was_there(self, tried: Learner) -> None:
        tried.file.write_text("later = 1\n")
        assert "is attempt #1 again (score 40)" in tried.says("restore", "1")
        assert tried.file.read_text() == tried.mistake
        tried.says("reset", "1", "--undo")
        assert tried.file.read_text() == "later = 1\n"

    @pytest.mark.parametrize("data", NOT_UTF8)
    def test_an_attempt_comes_back_to_the_byte(self, learner: Learner, data: bytes) -> None:
        learner.file.write_bytes(data)
        learner.says("1", status=1)
        assert "has no attempt that differs" in learner.says("diff", "1")
        learner.file.write_bytes(data * 2)
        assert "attempt #1" in learner.says("diff", "1")
        learner.says("restore", "1")
        assert learner.file.read_bytes() == data
        learner.says("reset", "1", "--undo")
        assert learner.file.read_bytes() == data * 2


class TestReveal:
    def test_before_passing_it_says_what_is_missing(self, learner: Learner) -> None:
        line = learner.refused("reveal", "1", status=1)
        assert line.startswith("kata-01 is not passed yet: it was never graded.")
        learner.file.write_text(learner.mistake)
        learner.says("1", status=1)
        line = learner.refused("reveal", "1", status=1)
        assert '40 of 100, it takes 80 and every must. "Doubling" is a must' in line
        assert "return number * 2" not in line

    def test_after_passing(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution + "# mine\n")
        learner.says("1")
        shown = learner.says("reveal", "1", COLUMNS="120")
        assert re.search(r"return number \* 2 +│ +return number \* 2", shown)
        assert "# mine" in shown
        assert "Follow-up questions" in shown
        assert learner.rows("SELECT gave_up FROM reveals") == [(0,)]
        narrow = learner.says("reveal", "1", COLUMNS="70")
        assert narrow.index("-- yours: ") < narrow.index("# mine") < narrow.index("-- the reference ")

    def test_giving_up_is_asked_about_and_remembered(self, learner: Learner) -> None:
        terminal = learner.terminal("reveal", "1", "--give-up")
        terminal.expect(r"\[y/N\]")
        terminal.sendline("n")
        assert ended(terminal) == 1
        assert "the reference" in learner.says("reveal", "1", "--give-up", "--yes")
        assert learner.rows("SELECT gave_up FROM reveals") == [(1,)]
        assert "given-up" in learner.says("list", "--state", "given-up")
