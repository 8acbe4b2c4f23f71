"""A small project of its own for each test: two quick katas, this code, this environment."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.cli.conftest import ROOT, clean_environ, run_grader

SMALL_PROJECT = ROOT / "tests/grading/project"
PATIENCE = 90
"""Seconds that a terminal may take to show something on a machine that is busy with everything else."""


class Learner:
    """Somebody at work in a project: runs commands, writes the file of kata 01, looks into the store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.file = root / "katas/kata-01-double/kata.py"
        self.reference = root / "reference/kata-01-double"
        self.solution = (self.reference / "solution.py").read_text()
        self.mistake = (self.reference / "mistakes/squares.py").read_text()
        self.stub = self.file.read_text()
        self.home = root / ".kubekata"
        self.terminals: list[pexpect.spawn[str]] = []

    def run(self, *arguments: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
        return run_grader(self.root, *arguments, env=environ)

    def says(self, *arguments: str | Path, status: int = 0, **environ: str) -> str:
        """What a command prints, which has to end with `status` and without a word on stderr."""
        done = self.run(*arguments, **environ)
        assert (done.returncode, done.stderr) == (status, ""), done
        return done.stdout

    def refused(self, *arguments: str | Path, status: int = 2, **environ: str) -> str:
        """The one line on stderr with which a command refuses, having printed nothing."""
        done = self.run(*arguments, **environ)
        assert (done.returncode, done.stdout) == (status, ""), done
        (line,) = done.stderr.splitlines()
        assert "Traceback" not in line
        return line

    def terminal(self, *arguments: str, **environ: str) -> "pexpect.spawn[str]":
        """The same on a terminal of 100 columns."""
        terminal = pexpect.spawn(
            sys.executable,
            [str(self.root / "grader.py"), *arguments],
            cwd=str(self.root),
            env=clean_environ(**{"TERM": "xterm-256color", "PAGER": "cat", **environ}),  # type: ignore[arg-type]
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(50, 100),
        )
        self.terminals.append(terminal)
        return terminal

    def rows(self, query: str, *values: object) -> list[Any]:
        with contextlib.closing(sqlite3.connect(self.home / "progress.sqlite3", timeout=10)) as connection:
            found = connection.execute(query, values).fetchall()
            connection.commit()
            return found

    def close(self) -> None:
        for terminal in self.terminals:
            terminal.close(force=True)
        # The process that keeps versions ends when its mock is over.
        with contextlib.suppress(sqlite3.Error):
            self.rows("UPDATE mocks SET finished = 1 WHERE finished IS NULL")


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    root = tmp_path / "project"
    root.mkdir()
    shutil.copytree(ROOT / "kubekata", root / "kubekata", ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("katas", "hints", "reference"):
        shutil.copytree(SMALL_PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "grader.py", root)
    learner = Learner(root)
    yield learner
    learner.close()


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def ended(terminal: "pexpect.spawn[str]") -> int | None:
    """Wait for the program to end and return its status."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    status: int | None = terminal.exitstatus
    return status


def settings(terminal: "pexpect.spawn[str]") -> list[Any]:
    """The settings of the terminal, as the kernel has them."""
    return termios.tcgetattr(terminal.child_fd)


def save_by_rename(path: Path, text: str) -> None:
    """As vim and many other editors save."""
    new = path.with_name(".new~")
    new.write_text(text)
    os.replace(new, path)  # noqa: PTH105
