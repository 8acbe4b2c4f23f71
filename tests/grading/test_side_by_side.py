"""The two hash seeds of a grade run beside each other, each in a process of ours: that must not show."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from kubekata.grading.catalog import Kata
from kubekata.grading.host.launcher import ProcessLauncher
from kubekata.grading.many import Job
from kubekata.grading.result import KataResult
from kubekata.grading.run import CouldNotGrade, Grader
from tests.grading.conftest import PROJECT, Grade, by_name, with_double

LUCKY = "return number * 2 if next(iter(set('abcdefgh'))) in 'abcd' else 0"
KILLER = """
import os, signal, sys, time
from pathlib import Path

parent = Path("/proc", sys.argv[1])
line = (parent / "cmdline").read_bytes()
while True:
    for pid in (parent / "task" / sys.argv[1] / "children").read_text().split():
        if Path("/proc", pid, "cmdline").read_bytes() == line:
            os.kill(int(pid), signal.SIGKILL)
            sys.exit()
    time.sleep(0.02)
"""


def without_times(result: KataResult) -> KataResult:
    rubric = tuple(
        msgspec.structs.replace(
            item, tests=tuple(msgspec.structs.replace(test, seconds=0.0) for test in item.tests)
        )
        for item in result.rubric
    )
    return msgspec.structs.replace(result, rubric=rubric, seconds=0.0)


@pytest.mark.parametrize("body", ["return number * 2", "return number", LUCKY, "raise SystemExit"])
def test_one_after_the_other_gives_the_same_document(grade: Grade, body: str) -> None:
    """A process with other threads is never copied: there the seeds take turns."""
    beside = grade(with_double(body), coverage=True)
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        in_turn = grade(with_double(body), coverage=True)
    finally:
        done.set()
        other.join()
    assert without_times(beside) == without_times(in_turn)


def test_what_fails_on_either_seed_has_failed(grade: Grade) -> None:
    """A set's order differs between the seeds, so one of them is unlucky, and the learner is told so."""
    lucky = {f"return number * 2 if next(iter(set('ab'))) == {letter!r} else 0" for letter in "ab"}
    results = [by_name(grade(with_double(body)))["test_double[3]"] for body in sorted(lucky)]
    assert [result.outcome for result in results] == ["failed", "failed"]
    told = "it passed at first and failed when sets were ordered differently"
    assert [told in result.why for result in results].count(True) == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_copy_that_is_killed_is_our_fault_and_no_score(
    grader: Grader, double: Kata, tmp_path: Path
) -> None:
    path = tmp_path / "slow.py"
    path.write_text(with_double("import time\ntime.sleep(0.8)\nreturn 0"))
    # From a process of its own, since a process that has threads is never copied.
    with subprocess.Popen([sys.executable, "-c", KILLER, str(os.getpid())]) as killer:
        with pytest.raises(CouldNotGrade, match="ended by itself"):
            grader.grade(double, path, timeout=30)
        assert killer.wait(30) == 0
    assert grader.grade(double, double.solution).score == 100


def test_ctrl_c_is_not_for_the_copy_however_early_it_comes() -> None:
    code = """
import os, signal
from kubekata.grading.host.aside import Aside

fork = os.fork

def interrupted_fork():
    pid = fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return pid

os.fork = interrupted_fork
with Aside(lambda: 7, int) as aside:
    print(aside.result())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("7\n", "")


def test_a_grader_whose_parent_ignores_the_end_of_children() -> None:
    code = """
import signal, sys
from pathlib import Path
from kubekata.grading.catalog import Project
from kubekata.grading.run import Grader

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
kata = Project(Path(sys.argv[1])).find("kata-01")
with Grader() as grader:
    print(grader.grade(kata, kata.solution).score)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(PROJECT)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "100\n", done.stderr


def test_many_open_files_of_the_callers_do_not_matter() -> None:
    code = """
import os, resource, sys
from pathlib import Path
from kubekata.grading.catalog import Project
from kubekata.grading.run import Grader

_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
kata = Project(Path(sys.argv[1])).find("kata-01")
with Grader() as grader:
    print(grader.grade(kata, kata.solution).score)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(PROJECT)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "100\n", done.stderr


def test_processes_that_do_not_start_are_our_fault(monkeypatch: pytest.MonkeyPatch, double: Kata) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no such luck')"]
    with monkeypatch.context() as patch:
        patch.setattr(ProcessLauncher, "command", lambda *_: command)
        grader = Grader()
        with pytest.raises(
            CouldNotGrade, match=r"^the process for submissions does not start: no such luck$"
        ):
            grader.grade(double, double.solution)
    with grader:
        assert grader.grade(double, double.solution).score == 100


@pytest.mark.parametrize("number", [0, 1])
def test_a_process_that_is_killed_in_the_middle_is_our_fault(
    grader: Grader, double: Kata, tmp_path: Path, number: int
) -> None:
    """Whoever kills it, it is no submission: those can signal nobody. And the next grade has another."""
    path = tmp_path / "slow.py"
    path.write_text(with_double("import time\ntime.sleep(0.8)\nreturn 0"))
    assert grader.grade(double, double.solution).score == 100
    zygote = list(grader._lanes.values())[number]._zygote._process
    dead = pytest.raises(CouldNotGrade, match="the process around the submission died")
    with subprocess.Popen(["sh", "-c", f"sleep 0.7; kill -9 {zygote.pid}"]), dead:
        grader.grade(double, path, timeout=30)
    assert grader.grade(double, double.solution).score == 100


def test_a_worker_whose_reader_is_gone_ends_without_a_word() -> None:
    job = Job(str(PROJECT), "kata-01", str(PROJECT / "reference/kata-01-double/solution.py"))
    with subprocess.Popen(
        [sys.executable, "-m", "kubekata.grading.many", "process"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as worker:  # fmt: skip
        assert worker.stdin
        assert worker.stdout
        assert worker.stderr
        worker.stdin.write(msgspec.json.encode(job) + b"\n")
        worker.stdin.flush()
        worker.stdout.close()
        assert worker.wait(60) == 0
        assert worker.stderr.read() == b""
