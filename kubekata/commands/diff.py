"""`python grader.py diff kata-05`: what changed since the last attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import never_graded, shown
from kubekata.commands.finding import find_kata, kata_argument, no_color_option
from kubekata.commands.own import own_text
from kubekata.commands.progress import progress_of
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM, WrongUsageError

if TYPE_CHECKING:
    from rich.text import Text

    from kubekata.grading.catalog import Kata
    from kubekata.practice.attempts import Attempt
    from kubekata.practice.store import Store
    from kubekata.report.look import Look


@click.command("diff")
@kata_argument()
@click.argument("attempts", metavar="[ATTEMPT]...", nargs=-1)
@no_color_option()
def diff(*, name: str, attempts: tuple[str, ...], no_color: bool) -> None:
    """Compare your file with the last attempt that differs, with a given attempt, or two attempts.

    ATTEMPT is a number from `history`.
    """
    kata = find_kata(name)
    if len(attempts) > 2:
        raise WrongUsageError("diff compares two versions: give at most two attempts.")
    screen = Screen(color=not no_color)
    with progress_of(kata.project) as store:
        found = [find_attempt(store, text, kata) for text in attempts]
        screen.show(compare(store, kata, found, screen.look))


def compare(store: Store, kata: Kata, found: list[Attempt], look: Look) -> Text:
    """The difference between versions of a kata's file, oldest first; the last one is the file as it is now."""
    from rich.text import Text

    from kubekata.practice import attempts
    from kubekata.practice.texts import readable
    from kubekata.report.history import difference

    current = own_text(kata)
    if not found:
        last = attempts.last_other_than(store, kata.id, current)
        if last is None and not attempts.history(store, kata.id):
            return Text(never_graded(kata))
        if last is None:
            return Text(f"{kata.id} has no attempt that differs from {shown(kata.submission)}.")
        found = [last]
    texts = [attempts.text(store, attempt.id) for attempt in found]
    names = [f"attempt #{attempt.id}, score {attempt.score}" for attempt in found]
    if len(found) == 1:
        texts.append(current)
        names.append(shown(kata.submission))
    old, new = map(readable, texts)
    if old == new and texts[0] != texts[1]:
        return Text("They differ only in bytes that are not valid UTF-8.")
    return difference(old, new, (names[0], names[1]), look) or Text("They are the same.")


def find_attempt(store: Store, text: str, kata: Kata | None = None) -> Attempt:
    """The attempt that "12" or "#12" means; with `kata`, one of that kata's. Raises WrongUsageError."""
    from kubekata.practice import attempts

    number = text.removeprefix("#")
    if not (number.isascii() and number.isdigit()):
        raise WrongUsageError(f"{text!r} is no attempt: `{PROGRAM} history` shows their numbers.")
    attempt = attempts.find(store, int(number)) if len(number) < 18 else None
    if attempt is None or (kata and attempt.kata != kata.id):
        of = f" of {kata.id}" if kata else ""
        where = f"history {kata.file.number}" if kata else "history"
        raise WrongUsageError(f"there is no attempt {text}{of}: `{PROGRAM} {where}` shows their numbers.")
    return attempt
