"""Grading many files on every core, in worker processes that each keep a warm Grader.

The workers are plain processes that take one job per line on stdin and answer one line on stdout: nothing is
pickled, nothing is forked from a process that may have threads, and it is the same on every system.
"""

import contextlib
import os
import selectors
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from kubekata.grading.catalog import Project
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.ending import interrupt_when_ended
from kubekata.grading.host.isolation import Isolation
from kubekata.grading.result import KataResult
from kubekata.grading.run import CouldNotGrade, Grader, Progress, UnreadableSubmission


class Job(msgspec.Struct, frozen=True):
    """One file to grade; paths as text."""

    root: str
    kata: str
    path: str
    seed: int = 0
    timeout: float | None = None
    coverage: bool = False
    effort: Effort = FULL


class Answer(msgspec.Struct, frozen=True):
    """What a worker says: a result, or in one line why there is none."""

    result: KataResult | None = None
    fault: str = ""


Outcome = KataResult | str


def grade_jobs(
    jobs: Sequence[Job],
    *,
    isolation: Isolation = "process",
    on_progress: Progress | None = None,
    processes: int | None = None,
) -> list[Outcome]:
    """Grade every job; a text in place of a result says why that one could not be graded."""
    count = min(len(jobs), processes or available_processors())
    outcomes: list[Outcome] = ["not graded"] * len(jobs)
    waiting = list(range(len(jobs)))[::-1]
    done = 0
    workers = [_Worker(isolation) for _ in range(count)]
    try:
        with selectors.DefaultSelector() as selector:
            for worker in workers:
                selector.register(worker.answers, selectors.EVENT_READ, worker)
                worker.start(waiting.pop(), jobs)
            while done < len(jobs):
                for key, _ in selector.select():
                    finished: _Worker = key.data
                    outcomes[finished.job] = finished.answer()
                    label = jobs[finished.job].kata
                    done += 1
                    if on_progress:
                        on_progress(done, len(jobs), label)
                    if finished.is_gone:
                        selector.unregister(finished.answers)
                        finished.replace()
                        selector.register(finished.answers, selectors.EVENT_READ, finished)
                    if waiting:
                        finished.start(waiting.pop(), jobs)
                    else:
                        selector.unregister(finished.answers)
    except BaseException:
        for worker in workers:
            worker.end()
        raise
    finally:
        for worker in workers:
            worker.close()
    return outcomes


def available_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """One worker process, which grades one job at a time."""

    def __init__(self, isolation: Isolation) -> None:
        self.job = -1
        self.is_gone = False
        self._isolation = isolation
        self._process = self._spawn()

    @property
    def answers(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def start(self, number: int, jobs: Sequence[Job]) -> None:
        assert self._process.stdin is not None
        self.job = number
        try:
            self._process.stdin.write(msgspec.json.encode(jobs[number]) + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.is_gone = True

    def answer(self) -> Outcome:
        line = self.answers.readline()
        if not line:
            self.is_gone = True
            return f"a grading process ended by itself (exit status {self._process.wait()})"
        answer = msgspec.json.decode(line, type=Answer)
        return answer.result or answer.fault

    def replace(self) -> None:
        self.close()
        self._process = self._spawn()
        self.is_gone = False

    def end(self) -> None:
        """Give up on the job at once; what the worker started goes with it."""
        self._process.terminate()

    def close(self) -> None:
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()
        self.answers.close()

    def _spawn(self) -> "subprocess.Popen[bytes]":
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "kubekata.grading.many", self._isolation],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            # Ctrl-C in a terminal goes to a whole process group. It is for the parent, which ends the workers.
            process_group=0 if os.name == "posix" else None,
        )


def main() -> None:
    """Be a worker: jobs in, answers out, until stdin ends, or nobody reads any more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    interrupt_when_ended()
    with contextlib.ExitStack() as stack:
        grader: Grader | str
        try:
            grader = stack.enter_context(Grader(msgspec.convert(sys.argv[1], Isolation), side_by_side=False))
        except CouldNotGrade as error:
            grader = str(error)
        stack.enter_context(
            contextlib.suppress(KeyboardInterrupt)
        )  # the parent gave up, and knows that it did
        for line in sys.stdin.buffer:
            job = msgspec.json.decode(line, type=Job)
            try:
                answers.write(msgspec.json.encode(_graded(grader, job)) + b"\n")
            except BrokenPipeError:
                return


def _graded(grader: Grader | str, job: Job) -> Answer:
    if isinstance(grader, str):
        return Answer(fault=grader)
    try:
        kata = Project(Path(job.root)).find(job.kata)
        result = grader.grade(
            kata,
            Path(job.path),
            seed=job.seed,
            timeout=job.timeout,
            coverage=job.coverage,
            effort=job.effort,
        )
    except (CouldNotGrade, UnreadableSubmission) as error:
        return Answer(fault=str(error))
    except Exception as error:
        return Answer(fault=f"{job.kata}: {type(error).__name__}: {error}")
    return Answer(result=result)


if __name__ == "__main__":
    main()
