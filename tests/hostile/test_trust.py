"""What breaks a learner's trust: a terminal out of order, an interrupt that counts, our fault shown as theirs."""

import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

from kubekata.grading.run import CouldNotGrade, Grader
from tests.hostile.arena import Arena, Attack

ROOT = Path(__file__).resolve().parents[2]

LOUD = r"""
import sys
WORDS = "\x1b[?1049h\x1b[2J\x1b]0;owned\x07\x1b[8m100 / 100\x0e\r"
print(WORDS, file=sys.stderr)
try:
    open("/dev/tty", "w").write(WORDS)
except OSError:
    pass


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    print(WORDS)
    raise ValueError(WORDS)
"""


def test_the_terminal_is_as_it_was_and_shows_nothing_of_theirs(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(LOUD)
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    command = [sys.executable, str(ROOT / "grader.py"), "kata-04", "--file", str(path)]
    shown = b""
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as run:
        ended = threading.Thread(target=run.wait)
        ended.start()
        while ended.is_alive():
            shown += _take(ours)
            ended.join(0.05)
        shown += _take(ours)
    assert run.returncode == 1
    assert termios.tcgetattr(theirs) == before
    for steering in (b"\x1b[?1049h", b"\x1b[2J", b"\x1b]0", b"\x1b[8m", b"\x0e", b"\x07"):
        assert steering not in shown
    os.close(ours)
    os.close(theirs)


def _take(fd: int) -> bytes:
    os.set_blocking(fd, False)
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return b""


def test_ctrl_c_is_no_verdict(arena: Arena) -> None:
    path = arena.folder / "slow.py"
    path.write_text(arena.source(Attack("", "import time\ntime.sleep(100)")))
    timer = threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT))
    with Grader() as grader:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            grader.grade(arena.kata, path, timeout=100)
    timer.join()


def test_a_world_that_breaks_is_our_fault_and_no_score(arena: Arena) -> None:
    tests = arena.kata.hidden_tests
    kept = tests.read_text()
    tests.write_text(kept.replace('scenario.given(f"the number {number}")', "1 / 0"))
    try:
        with pytest.raises(CouldNotGrade, match="ZeroDivisionError"):
            arena.grader.grade(arena.kata, arena.kata.solution)
    finally:
        tests.write_text(kept)


def test_a_worker_that_is_killed_from_outside_is_replaced(arena: Arena) -> None:
    for lane in arena.grader._lanes.values():
        lane._zygote._process.kill()
    assert arena.grader.grade(arena.kata, arena.kata.solution).score == 100
