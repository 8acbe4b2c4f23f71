"""`watch` at a real terminal (a pseudo one)."""

import os
import re
import signal
import subprocess
import sys
import time

import pexpect
import pytest

from tests.cli.conftest import clean_environ
from tests.practice.conftest import PATIENCE, Learner, ended, save_by_rename, settings, until

KEYS = "q quit"


@pytest.fixture
def watching(learner: Learner) -> "pexpect.spawn[str]":
    """A watch that has shown its first verdict, on the stub."""
    terminal = learner.terminal("watch", "1")
    terminal.expect("Not started")
    terminal.expect(KEYS)
    return terminal


class TestSaves:
    def test_every_save_is_graded(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        learner.file.write_text(learner.mistake)
        watching.expect("Score 40 of 100")
        watching.expect("up from 0 to 40")
        watching.expect(KEYS)
        save_by_rename(learner.file, learner.solution)
        watching.expect("Score 100 of 100")
        watching.expect(KEYS)
        watching.send("q")
        assert ended(watching) == 0
        assert learner.rows("SELECT score FROM attempts") == [(40,), (100,)]

    def test_a_broken_save_shows_the_error_and_waits(
        self, learner: Learner, watching: "pexpect.spawn[str]"
    ) -> None:
        learner.file.write_text("def double(:\n")
        watching.expect("line 1: invalid syntax")
        watching.expect(KEYS)
        learner.file.unlink()
        time.sleep(0.3)
        learner.file.write_text(learner.solution)
        watching.expect("Score 100 of 100")

    def test_a_file_that_is_gone_is_said_once(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        learner.file.unlink()
        watching.expect("kata.py does not exist: `python grader.py reset 1` puts the stub back. Waiting")
        learner.file.mkdir()
        assert watching.expect(["Waiting", pexpect.TIMEOUT], timeout=1.5) == 1
        learner.file.rmdir()
        learner.file.write_text(learner.mistake)
        watching.expect("Score 40 of 100")
        watching.expect(KEYS)
        learner.file.unlink()
        learner.file.mkdir()
        watching.expect("kata.py is a folder: move it away")
        watching.send("r")
        watching.expect("y/n")
        watching.send("y")
        watching.expect("kata.py is a folder: move it away")

    def test_what_has_scrolled_away_stays(self, watching: "pexpect.spawn[str]") -> None:
        watching.send("\r")
        watching.expect(KEYS)
        assert "\x1b[2J" in (watching.before or "")
        assert "\x1b[3J" not in (watching.before or "")

    def test_a_save_that_changes_nothing_is_not_graded_again(
        self, learner: Learner, watching: "pexpect.spawn[str]"
    ) -> None:
        learner.file.write_text(learner.solution)
        watching.expect("Score 100 of 100")
        watching.expect(KEYS)
        os.utime(learner.file)
        assert watching.expect(["Score", pexpect.TIMEOUT], timeout=1) == 1

    def test_without_a_kata_it_takes_the_next_one(self, learner: Learner) -> None:
        terminal = learner.terminal("watch")
        terminal.expect("kata-01 Double")

    def test_a_pipe_gets_one_verdict_after_the_other(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution)
        with subprocess.Popen(
            [sys.executable, str(learner.root / "grader.py"), "watch", "1"],
            cwd=learner.root,
            env=clean_environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout
            shown = ""
            while "watching" not in shown:
                shown += process.stdout.readline()
            process.send_signal(signal.SIGINT)
            shown += process.stdout.read()  # who reads on is no reader that has gone
        assert process.returncode == 130
        assert "Score 100 of 100: passed." in shown
        assert "\x1b" not in shown


class TestKeys:
    def test_hint_list_and_help(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        watching.send("h")
        watching.expect("hint 1 of 3")
        watching.expect(KEYS)
        watching.send("l")
        watching.expect("0 of 2 passed")
        watching.expect(KEYS)
        watching.send("?")
        watching.expect(KEYS)
        assert learner.rows("SELECT number FROM hints") == [(1,)]

    def test_diff_to_the_last_attempt(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        for text, score in ((learner.mistake, 40), (learner.solution, 100)):
            learner.file.write_text(text)
            watching.expect(f"Score {score} of")
            watching.expect(KEYS)
        watching.send("d")
        watching.expect("attempt #1, score 40")
        watching.expect(re.escape("-    return number**2"))

    def test_reset_asks_first(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        learner.file.write_text(learner.mistake)
        watching.expect("Score 40")
        watching.expect(KEYS)
        watching.send("r")
        watching.expect("y/n")
        watching.send("n")
        watching.expect("Nothing was changed")
        watching.send("ry")
        watching.expect("is the stub again")
        watching.expect("Not started")
        assert learner.file.read_text() == learner.stub

    def test_next_kata_and_again(self, watching: "pexpect.spawn[str]") -> None:
        watching.send("\r")
        watching.expect("kata-01 Double")
        watching.expect(KEYS)
        watching.send("n")
        watching.expect("kata-02 ")
        watching.expect("Not started")


class TestTheTerminalIsPutRight:
    @pytest.fixture
    def before(self, learner: Learner) -> list[object]:
        return settings(learner.terminal("completion", "bash"))

    @pytest.mark.parametrize(
        ("how", "status"), [("q", 0), ("\x04", 0), ("\x03", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
    )
    def test_however_it_ends(self, learner: Learner, how: str | signal.Signals, status: int) -> None:
        terminal = learner.terminal("watch", "1")
        before = settings(terminal)
        terminal.expect(KEYS)
        until(lambda: settings(terminal)[3] != before[3])
        if isinstance(how, str):
            terminal.send(how)
        else:
            terminal.kill(how)
        # The settings of a pseudo terminal can be read as long as its leader is open.
        until(lambda: settings(terminal)[:4] == before[:4])
        assert ended(terminal) == status

    def test_while_it_is_stopped(self, learner: Learner, watching: "pexpect.spawn[str]") -> None:
        busy = settings(watching)
        watching.send("\x1a")
        until(lambda: settings(watching)[3] != busy[3])
        watching.kill(signal.SIGCONT)
        until(lambda: settings(watching)[3] == busy[3])
        watching.expect(KEYS)
        watching.send("q")
        assert ended(watching) == 0

    def test_when_it_breaks(self, learner: Learner) -> None:
        broken = learner.root / "kubekata/report/terminal.py"
        broken.write_text(broken.read_text().replace("def graded(", "def graded_no_more("))
        terminal = learner.terminal("watch", "1")
        before = settings(terminal)
        terminal.expect("a bug in kubekata")
        until(lambda: settings(terminal)[:4] == before[:4])
        assert ended(terminal) == 3


def test_nothing_is_left_running(learner: Learner) -> None:
    terminal = learner.terminal("watch", "1")
    terminal.expect(KEYS)
    children = [int(line) for line in _children(terminal.pid)]
    assert children, "the warm processes"
    terminal.send("q")
    assert ended(terminal) == 0
    until(lambda: not any(_runs(child) for child in children), PATIENCE)


def _children(process: int) -> list[str]:
    done = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False
    )
    return done.stdout.split()


def _runs(process: int) -> bool:
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")
