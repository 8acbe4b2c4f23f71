"""Mock interviews, from the brief to the card."""

import random
import re
import time
from pathlib import Path

import msgspec
import pexpect
import pytest

from kubekata.grading.catalog import Project
from kubekata.grading.result import KataResult
from kubekata.practice import attempts
from kubekata.practice.choosing import pick
from kubekata.practice.store import open_store
from tests.cli.conftest import ROOT
from tests.practice.conftest import Learner, ended, until


@pytest.fixture
def candidate(learner: Learner) -> Learner:
    """Somebody whose mock of kata 01 has just begun."""
    learner.file.write_text("old = 1\n")
    shown = learner.says("mock", "--kata", "1", "--seed", "3")
    assert "# Double" in shown
    assert "Mock 1: kata-01 Double, 5 minutes, until " in shown
    assert "Drawn because" not in shown, "it was named"
    return learner


def time_is_over(learner: Learner, since: float = 60) -> float:
    """Move the clock of the running mock, and return the deadline."""
    deadline = time.time() - since
    learner.rows(
        "UPDATE mocks SET deadline = ?, started = ? - 300 WHERE finished IS NULL", deadline, deadline
    )
    return deadline


class TestBeginning:
    def test_the_stub_is_put_in_place_and_the_old_file_kept(self, candidate: Learner) -> None:
        assert "raise NotImplementedError" in candidate.file.read_text()
        candidate.says("reset", "1", "--undo")
        assert candidate.file.read_text() == "old = 1\n"

    def test_a_file_that_is_not_utf8_is_kept_and_graded_as_it_is(self, learner: Learner) -> None:
        data = "# Brücke\n".encode("latin-1")
        learner.file.write_bytes(data)
        learner.says("mock", "--kata", "1")
        learner.file.write_bytes(data)
        shown = learner.says("mock", "finish", "--no-questions", status=1)
        assert "line 1 is not valid UTF-8" in shown
        assert [text for (text,) in learner.rows("SELECT text FROM versions")][-1] == data
        learner.says("reset", "1", "--undo")
        assert learner.file.read_bytes() == data

    def test_one_at_a_time(self, candidate: Learner) -> None:
        line = candidate.refused("mock")
        assert re.search(r"a mock interview about kata-01 is running \(\d:\d\d left\)", line)
        assert "A mock interview is running: 4 minutes are left." in candidate.says("next")

    def test_the_reference_stays_closed_until_the_end(self, candidate: Learner) -> None:
        for clock in ("running", "paused", "over"):
            if clock == "paused":
                candidate.says("mock", "pause")
            if clock == "over":
                candidate.says("mock", "resume")
                time_is_over(candidate)
            for more in ([], ["--give-up"], ["--give-up", "--yes"]):
                line = candidate.refused("reveal", "1", *more, status=1)
                assert line.endswith("`python grader.py mock finish` first.")
                assert "--give-up" not in line
        assert candidate.rows("SELECT count(*) FROM reveals") == [(0,)]
        candidate.says("mock", "finish", "--no-questions", status=1)
        assert "the reference" in candidate.says("reveal", "1", "--give-up", "--yes")

    def test_the_same_seed_draws_the_same_kata(self, learner: Learner) -> None:
        drawn = []
        for _ in range(2):
            learner.says("mock", "--seed", "11")
            drawn += learner.rows("SELECT kata FROM mocks WHERE finished IS NULL")
            learner.rows("DELETE FROM mocks")
        assert drawn[0] == drawn[1]

    def test_what_is_asked_for_is_what_is_drawn(self, learner: Learner) -> None:
        shown = learner.says("mock", "--minutes", "5", "--level", "easy", "--topic", "test", "--seed", "3")
        assert "Drawn because: not seen yet. Seed 3." in shown
        assert learner.rows("SELECT kata FROM mocks") == [("kata-01",)]

    def test_somebody_who_has_passed_nothing_gets_an_easy_one_or_one_they_tried(self, tmp_path: Path) -> None:
        katas = Project(ROOT).katas
        store = open_store(tmp_path, write=True)
        assert store is not None
        with store:

            def drawn() -> set[str]:
                return {pick(store, katas, random.Random(seed))[0].id for seed in range(300)}

            assert drawn() == {"kata-01", "kata-04", "kata-12"}
            medium = [kata for kata in katas if kata.file.level != "easy"]
            assert pick(store, medium, random.Random(0))[0].file.level == "medium"
            tried = KataResult("kata-05", "", "", 40, passed=False, pass_mark=80)
            attempts.record(store, tried, "")
            assert drawn() == {"kata-01", "kata-04", "kata-05", "kata-12"}
            attempts.record(store, msgspec.structs.replace(tried, score=90, passed=True), "")
            assert "kata-02" in drawn()


class TestClock:
    def test_watch_keeps_versions_and_does_what_keys_ask(self, candidate: Learner) -> None:
        terminal = candidate.terminal("mock", "watch")
        terminal.expect(r"4:\d\d left")
        candidate.file.write_text(candidate.mistake)
        terminal.expect("saved ")
        terminal.send("s")
        terminal.expect("40 of 100")
        terminal.expect("Doubling \\(must\\)")
        terminal.expect("Handed in")
        terminal.send("p")
        terminal.expect("Paused")
        terminal.expect("left, paused")
        terminal.send("p")
        terminal.expect("The clock goes on")
        terminal.send("p")
        terminal.expect("can be paused once")
        candidate.file.unlink()
        terminal.expect("kata.py does not exist: `python grader.py reset 1` puts the stub back. Waiting")
        candidate.file.write_text(candidate.mistake)
        terminal.send("h")
        terminal.expect(r"costs 5 points of this mock. Show it\? \[y/N\]")
        terminal.sendline("y")
        terminal.expect("2 more")
        terminal.send("q")
        assert ended(terminal) == 0
        assert candidate.rows("SELECT number, mock FROM hints") == [(1, 1)]
        assert candidate.rows("SELECT score, mock FROM attempts") == [(40, 1)]

    def test_it_survives_the_terminal(self, candidate: Learner) -> None:
        """Nobody watches; every version is kept all the same."""
        candidate.file.write_text("first = 1\n")
        until(lambda: ("first = 1\n",) in candidate.rows("SELECT text FROM versions"))
        candidate.file.write_text("second = 2\n")
        until(lambda: ("second = 2\n",) in candidate.rows("SELECT text FROM versions"))

    def test_a_pause_moves_the_deadline(self, candidate: Learner) -> None:
        ((before,),) = candidate.rows("SELECT deadline FROM mocks")
        assert "Paused (4:" in candidate.says("mock", "pause")
        candidate.rows("UPDATE mocks SET paused = paused - 100")
        assert "paused already" in candidate.refused("mock", "pause")
        assert "The clock goes on (6:" in candidate.says("mock", "resume")
        ((after, seconds),) = candidate.rows("SELECT deadline, pause_seconds FROM mocks")
        assert after - before == pytest.approx(seconds)
        assert seconds >= 100
        assert "not paused" in candidate.refused("mock", "resume")

    def test_status_is_the_clock_once(self, candidate: Learner) -> None:
        candidate.says("hint", "1", "--yes")
        shown = candidate.says("mock", "status")
        assert re.match(r"Mock 1: kata-01 Double, 4:\d\d left\.\n", shown)
        assert "Graded: 0. Hints: 1 (-5 points)." in shown
        candidate.says("mock", "pause")
        assert "left, paused." in candidate.says("mock", "status")
        candidate.rows("DELETE FROM mocks")
        assert candidate.says("mock", "status").startswith("No mock interview is running: `python")

    def test_in_a_pipe_it_is_a_line(self, candidate: Learner) -> None:
        time_is_over(candidate)
        terminal = candidate.terminal("mock", "watch", TERM="dumb")
        terminal.expect("The time is over")
        terminal.send("q")
        assert ended(terminal) == 0


class TestFinishing:
    def test_questions_and_card(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.mistake)
        candidate.says("hint", "1", "--yes")
        terminal = candidate.terminal("mock", "finish")
        terminal.expect("5 follow-up questions")
        for number in range(1, 4):
            terminal.expect(f"{number}\\. ")
            terminal.expect("> ")
            terminal.sendline(f"answer {number}")
            terminal.expect("> ")
            terminal.sendline("")
            terminal.expect("A model answer")
            terminal.expect("How was yours")
            terminal.sendline(str(number))
        terminal.expect("4\\. ")
        terminal.expect("> ")
        terminal.sendline("begun")
        terminal.expect("> ")
        terminal.sendintr()
        terminal.expect("Scorecard of mock 1: kata-01 Double")
        terminal.expect("Doubling \\(must\\)")
        terminal.expect("5 points of 40")
        terminal.expect("1 had it, 1 partly, 1 missed")
        terminal.expect("twice is the number by itself")
        terminal.expect("Score 35 of 100: not passed")
        assert ended(terminal) == 1, "the card's, since Ctrl-C is how to end the questions"
        assert "Traceback" not in (terminal.before or "")
        listed = candidate.says("mock", "history")
        assert re.search(r"✗ +1 .* kata-01  Double +35 ", listed)
        card = candidate.says("mock", "history", "1")
        assert "answer 2" in card
        assert "(not rated)\n\nYours: begun" in card
        assert "Model answer: Something more negative." in card

    def test_full_marks(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.solution)
        assert "Next: `python grader.py mock finish` ends the interview" in candidate.says("1")
        shown = candidate.says("mock", "finish", "--no-questions")
        assert "Counted   the file as it is" in shown
        assert "Graded    1 time before the end" in shown
        assert "Strong    Doubling, Spreading, Counting" in shown
        assert "Score 100 of 100: passed." in shown
        assert candidate.rows("SELECT score, mock FROM attempts") == [(100, 1), (100, 1)]

    def test_a_pipe_is_asked_nothing(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.solution)
        assert "were not asked: this is no terminal" in candidate.says("mock", "finish")

    def test_submit_says_with_its_status_whether_it_would_pass(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.mistake)
        assert "40 of 100" in candidate.says("mock", "submit", status=1)
        candidate.file.write_text(candidate.solution)
        assert "100 of 100" in candidate.says("mock", "submit")


class TestTooLate:
    def test_the_last_version_before_the_deadline_counts(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.mistake)
        until(lambda: (candidate.mistake,) in candidate.rows("SELECT text FROM versions"))
        candidate.rows("UPDATE versions SET saved = saved - 120")
        time_is_over(candidate)
        candidate.file.write_text(candidate.solution)
        assert "the time is over" in candidate.refused("mock", "submit")
        assert "the time is over" in candidate.refused("mock", "pause")
        shown = candidate.says("mock", "finish", "--no-questions", status=1)
        assert "the last version before the deadline, saved at" in shown
        assert "too late" in shown
        assert "Score 40 of 100: not passed." in shown

    def test_a_file_that_was_not_touched_since_counts_as_it_is(self, candidate: Learner) -> None:
        candidate.file.write_text(candidate.solution)
        time_is_over(candidate, since=-1)
        until(lambda: candidate.rows("SELECT deadline FROM mocks")[0][0] < time.time())
        shown = candidate.says("mock", "finish", "--no-questions")
        assert "in time" in shown
        assert "Score 100 of 100: passed." in shown

    def test_nothing_saved_in_time_is_said_plainly(self, candidate: Learner) -> None:
        deadline = time_is_over(candidate)
        candidate.file.write_text(candidate.solution)
        candidate.rows("DELETE FROM versions WHERE saved <= ?", deadline)
        shown = candidate.says("mock", "finish", "--no-questions", status=1)
        assert "nothing: no version was saved before the deadline" in shown
        assert "Score 0 of 100: not passed." in shown


def test_the_keeper_ends_when_the_mock_does(candidate: Learner) -> None:
    def keepers() -> list[str]:
        return pexpect.run(f"pgrep -f '[s]napshots {candidate.home}'").decode().split()

    until(keepers)
    candidate.file.write_text(candidate.solution)
    candidate.says("mock", "finish", "--no-questions")
    until(lambda: not keepers())


def test_the_keeper_ends_after_the_deadline(candidate: Learner) -> None:
    time_is_over(candidate)
    until(lambda: not pexpect.run(f"pgrep -f '[s]napshots {candidate.home}'").strip())
