"""Where hostile submissions are graded: a project of its own, and everything that must not change watched."""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kubekata.grading.catalog import Project
from kubekata.grading.host.isolation import Isolation
from kubekata.grading.result import HiddenTestResult, KataResult
from kubekata.grading.run import Grader

PROJECT = Path(__file__).parent / "project"
REFERENCE = (PROJECT / "reference/kata-01-target/solution.py").read_text()
_BODY = "    return number * 2\n\n"

UNSEEN = "import subprocess, sys\nsys.audit = lambda *_: None"
"""What keeps `subprocess` from telling the audit hook: from here on only the kernel refuses."""

FIRST = "test_target[3]"
TIMEOUT = 0.3
TIME_LIMIT = 20.0
# A machine on which everything else runs too starts processes late. What is meant is that a grade never waits
# for the submission: every attack below would go on for an hour or for ever.
SLACK = 20.0


class Attack(NamedTuple):
    """One hostile submission: a body for `target`, or lines for the `head` of the file, and what has to come of it.

    `got` is a pattern for what the learner reads. In the texts, PROJECT, HOME and SECRET stand for the paths of
    the project, of the learner's home with the progress file, and of the hidden tests.
    """

    name: str
    body: str = "return number * 2"
    head: str = ""
    outcome: str = "error"
    got: str = ""
    timeout: float = TIMEOUT
    problem: str = ""
    score: int = 50
    why: str = ""


class Arena:
    """A copy of the project, a learner's home with a progress file, a folder for scratch, and a warm grader."""

    def __init__(self, folder: Path, isolation: Isolation = "process") -> None:
        self.folder = folder
        self.scratch = folder / "scratch"
        self.home = folder / "home"
        self.project = Project(folder / "project")
        shutil.copytree(PROJECT, self.project.root, ignore=shutil.ignore_patterns("__pycache__"))
        self.scratch.mkdir()
        self.home.mkdir()
        (self.home / "progress.db").write_text("all my scores")
        self.kata = self.project.find("target")
        # In turn, as in `all`: what is hostile in one copy is in the other, and costs as much again.
        self.grader = Grader(isolation, side_by_side=False)
        self.marker = str(self.scratch).encode()
        # From here on its processes are warm, and their number does not grow any more.
        assert self.grader.grade(self.kata, self.kata.solution).score == 100

    def source(self, attack: Attack) -> str:
        """The submission's text."""
        body = "".join(f"    {line}\n" for line in attack.body.strip("\n").splitlines())
        text = REFERENCE.replace(_BODY, f"{body}\n", 1)
        if attack.head:
            text = f"{attack.head.strip()}\n\n\n{text}"
        names = {
            "PROJECT": str(self.project.root),
            "HOME": str(self.home),
            "SECRET": str(self.kata.hidden_tests),
        }
        return re.sub("|".join(names), lambda match: names[match[0]], text)

    def grade(self, source: str | bytes, *, timeout: float = TIMEOUT) -> KataResult:
        """Grade a text, and check what has to hold after every grade, whatever is in it."""
        path = self.folder / "submission.py"
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        disk, running = self._disk(), len(self.processes())
        start = time.monotonic()
        result = self.grader.grade(self.kata, path, timeout=timeout, time_limit=TIME_LIMIT)
        seconds = time.monotonic() - start
        assert seconds < TIME_LIMIT + SLACK, f"the grade took {seconds:.1f} s"
        assert wait_for(lambda: len(self.processes()) <= running), self.processes()
        assert self._disk() == disk
        assert [left for zygote in self.scratch.glob("kubekata-*") for left in zygote.iterdir()] == []
        told = [problem.message for problem in result.problems]
        told += [text for test in by_name(result).values() for text in (test.got, test.why, test.given)]
        for text in told:
            assert "\n" not in text
            assert len(text) < 700
            assert "Traceback" not in text
        return result

    def processes(self) -> dict[int, str]:
        """Every process that comes from this arena's graders, wherever it has got to."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if self.marker in words and state != "Z" and int(entry.name) != os.getpid():
                found[int(entry.name)] = words.decode("utf-8", "replace")[:200]
        return found

    def _disk(self) -> dict[str, str]:
        """A digest of every file that a submission could want to change."""
        return {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for root in (self.project.root, self.home)
            for path in sorted(root.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def by_name(result: KataResult) -> dict[str, HiddenTestResult]:
    """Hidden tests by name."""
    return {test.name: test for item in result.rubric for test in item.tests}
