"""The next thing to do, in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kubekata.commands.status import PROGRAM
from kubekata.commands.table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult, Results


def after_overview(katas: Sequence[Kata], passed: Collection[str]) -> str:
    """Which kata to work on: the first that is not passed."""
    kata = next((kata for kata in katas if kata.id not in passed), None)
    if kata is None:
        return ""
    return f"{_start(kata)}, then run `{PROGRAM} {kata.id}`."


def after_grading(
    kata: Kata, result: KataResult, katas: Sequence[Kata], passed: Collection[str], *, own_file: bool
) -> str:
    """What to do about a result. `own_file` is whether the kata's own kata.py was graded."""
    if result.passed:
        later = [other for other in katas if other.file.number > kata.file.number]
        following = next((other for other in later if other.id not in passed), None)
        reveal = (
            f"`{PROGRAM} reveal {kata.file.number}` shows the reference beside yours. " if own_file else ""
        )
        if following is None:
            return f"{reveal}`{PROGRAM}` lists every kata."
        then = "Then " if reveal else ""
        return f"{reveal}{then}{following.id} {following.title}: read {shown(following.brief)}."
    if not result.started:
        return f"{_start(kata) if own_file else f'read {shown(kata.brief)}'}, then run this again."
    if any(problem.fatal for problem in result.problems):
        return "mend that, then run this again."
    broken = [item for item in result.rubric if item.earned < item.points]
    if not broken:
        return "run this again."
    # What did not run is broken by something else.
    broken = [item for item in broken if any(test.is_red for test in item.tests)] or broken
    first = next((item for item in broken if item.must), broken[0])
    hint = f" Stuck? `{PROGRAM} hint {kata.id}`." if "hint" in COMMANDS else ""
    return f'make "{first.title}" hold, then run this again.{hint}'


def after_several(results: Results) -> str:
    """Which of several katas to look at: the first that is not passed."""
    first = next((result for result in results.results if not result.passed), None)
    return f"`{PROGRAM} {first.kata}` says what is missing there." if first else ""


def shown(path: Path) -> str:
    """A path as the user would type it: relative when it is below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _start(kata: Kata) -> str:
    return f"read {shown(kata.brief)} and write {shown(kata.submission)}"
