"""Grading: from a kata and a file to a verdict. This is the face that the command line and `practice` use."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from kubekata.grading.catalog import Kata
from kubekata.grading.result import KataResult

Progress = Callable[[int, int, str], None]
"""Called as (done, total, label) whenever a part of the work is done."""


class CouldNotGrade(Exception):
    """Our fault: a hidden test, the world or the grader broke, so there is no score. The message is one line."""


class UnreadableSubmission(Exception):
    """The path cannot be read as a file (missing, a folder, no permission): wrong usage. The message is one line."""


class Grader:
    """Grades again and again with warm processes; close it, or use it as a context manager."""

    def grade(
        self,
        kata: Kata,
        path: Path | None = None,
        *,
        seed: int = 0,
        timeout: float | None = None,
        coverage: bool = False,
        on_progress: Progress | None = None,
    ) -> KataResult:
        """Grade the file at `path`, by default the kata's own `kata.py`.

        `timeout` is in seconds for each call into the submission, as measured on an ordinary machine.
        Raises CouldNotGrade (no score) and UnreadableSubmission (wrong usage).
        """
        raise NotImplementedError

    def close(self) -> None:
        """End every process that this grader started."""

    def __enter__(self) -> "Grader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def grade(
    kata: Kata,
    path: Path | None = None,
    *,
    seed: int = 0,
    timeout: float | None = None,
    coverage: bool = False,
    on_progress: Progress | None = None,
) -> KataResult:
    """Grade one file with processes of its own; see Grader.grade."""
    with Grader() as grader:
        return grader.grade(
            kata, path, seed=seed, timeout=timeout, coverage=coverage, on_progress=on_progress
        )


def grade_many(
    katas: Sequence[Kata],
    *,
    seed: int = 0,
    timeout: float | None = None,
    coverage: bool = False,
    on_progress: Progress | None = None,
) -> tuple[KataResult, ...]:
    """Grade the `kata.py` of several katas on every core; the results come in the order of `katas`."""
    raise NotImplementedError
