"""`python grader.py reset kata-05`: the stub again; what was there is kept beside it, and undo brings it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import find_kata, kata_argument
from kubekata.commands.own import own_text, replacing
from kubekata.commands.progress import recall, remember
from kubekata.commands.status import PROGRAM, WrongUsageError

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata


@click.command("reset")
@kata_argument()
@click.option("--undo", is_flag=True, help="Bring back what the last reset or restore put aside.")
def reset(name: str, undo: bool) -> None:
    """Put the stub back. The old file stays beside it under a name with the time."""
    kata = find_kata(name)
    click.echo(undo_reset(kata) if undo else reset_file(kata))


def reset_file(kata: Kata) -> str:
    """Put the stub back and return what was done, as one line. A kata that was passed is begun again.

    Raises WrongUsageError when the file cannot be read or replaced.
    """
    from kubekata.practice import files, resets, stub

    text = own_text(kata)
    if text and stub.is_stub(kata, text):
        return f"{shown(kata.submission)} is the stub already."
    fresh = recall(kata.project, lambda store: stub.find(kata, store)) or stub.find(kata, None)
    with replacing(kata):
        kept = files.keep(kata.submission) if text.strip() else None
        files.put(kata.submission, fresh)
    if recall(kata.project, lambda store: resets.passed_since(store, kata.id)):
        remember(kata.project, lambda store: resets.start_over(store, kata.id))
    if kept is None:
        return f"{shown(kata.submission)} is the stub again."
    number = kata.file.number
    return (
        f"{shown(kata.submission)} is the stub again; yours is kept as {kept.name}. "
        f"`{PROGRAM} reset {number} --undo` brings it back."
    )


def undo_reset(kata: Kata) -> str:
    """Bring back the newest copy that was kept, keep what is there now in its place, and say so in one line.

    If what is undone began the kata again, it was not begun again. Raises WrongUsageError when there is no copy, or the
    file cannot be read or replaced.
    """
    from kubekata.practice import files, resets, stub

    copies = files.kept_copies(kata.submission)
    if not copies:
        raise WrongUsageError(
            f"there is nothing to bring back for {kata.id}: `{PROGRAM} history {kata.file.number}` has every "
            "version that was graded."
        )
    newest = copies[-1]
    current = own_text(kata)
    remark = ""
    with replacing(kata):
        restored = files.read(newest)
        if current.strip() and not stub.is_stub(kata, current):
            remark = f" What was there is kept as {files.keep(kata.submission).name}."
        put_aside = newest.stat().st_mtime
        files.put(kata.submission, restored)
        newest.unlink()
    if recall(kata.project, lambda store: resets.begun(store, kata.id) >= put_aside):
        remember(kata.project, lambda store: resets.take_back(store, kata.id, put_aside))
    return f"{shown(kata.submission)} is {newest.name} again.{remark}"
