"""The next thing to do, in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kubekata.commands.status import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.practice.choosing import Choice


def after_overview(choice: Choice) -> str:
    """What comes next, which `next` says at length."""
    kata, number = choice.kata, choice.kata.file.number
    if choice.kind == "mock":
        return f"a mock interview about {kata.id} runs: `{PROGRAM} mock watch` shows the clock."
    if choice.kind == "all-passed":
        return f"every kata is behind you: `{PROGRAM} mock` is a timed interview."
    if choice.kind == "unfinished":
        return f"go on with {shown(kata.submission)}: `{PROGRAM} watch {number}` grades on every save."
    return f"{_start(kata)}, then run `{PROGRAM} {kata.id}`."


def after_passing(kata: Kata, choice: Choice) -> str:
    """What to do once the learner's own file has passed; `choice` is what comes next."""
    if choice.kind == "mock" and choice.kata.id == kata.id:
        return f"`{PROGRAM} mock finish` ends the interview and makes the scorecard."
    reveal = f"`{PROGRAM} reveal {kata.file.number}` shows the reference beside yours."
    following = choice.kata
    if choice.kind == "new":
        return f"{reveal} Then {following.id} {following.title}: read {shown(following.brief)}."
    if choice.kind == "unfinished":
        go_on = f"`{PROGRAM} watch {following.file.number}`"
        return f"{reveal} Then {following.id} {following.title}, which is begun and not passed: {go_on}."
    rest = after_overview(choice)
    return f"{reveal} {rest[0].upper()}{rest[1:]}"


def after_grading(kata: Kata, result: KataResult, *, own_file: bool) -> str:
    """What to do about a result that is no pass. `own_file` is whether it is the learner's own."""
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
    hint = f" Stuck? `{PROGRAM} hint {kata.id}`." if own_file else ""
    return f'make "{first.title}" hold, then run this again.{hint}'


def after_several(results: Sequence[KataResult], choice: Choice) -> str:
    """What to do about several results of the learner's own files; `choice` is what comes next."""
    if choice.kind == "unfinished" and any(result.kata == choice.kata.id for result in results):
        return f"`{PROGRAM} {choice.kata.id}` says what is missing there."
    return after_overview(choice)


def never_graded(kata: Kata) -> str:
    """What to say where an attempt is looked for and there is none."""
    return f"{kata.id} was never graded: `{PROGRAM} {kata.file.number}`."


def shown(path: Path) -> str:
    """A path as the user would type it: relative when it is below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _start(kata: Kata) -> str:
    return f"read {shown(kata.brief)} and write {shown(kata.submission)}"
