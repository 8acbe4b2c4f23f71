"""`python grader.py restore 12`: an earlier attempt becomes the file again."""

from __future__ import annotations

import click

from kubekata.commands.advice import shown
from kubekata.commands.diff import find_attempt
from kubekata.commands.own import own_text, replacing
from kubekata.commands.progress import progress_of
from kubekata.commands.status import PROGRAM, WrongUsageError
from kubekata.grading.catalog import Project, UnknownKata


@click.command("restore")
@click.argument("number", metavar="ATTEMPT")
def restore(number: str) -> None:
    """Put the text of an attempt back into the kata's file. What was there is kept beside it.

    ATTEMPT is a number from `history`.
    """
    from kubekata.practice import attempts, files, stub

    project = Project()
    with progress_of(project) as store:
        attempt = find_attempt(store, number)
        text = attempts.text(store, attempt.id)
    try:
        kata = project.find(attempt.kata)
    except UnknownKata as error:
        raise WrongUsageError(
            f"attempt #{attempt.id} belongs to {attempt.kata}, which is not here."
        ) from error
    path, current = kata.submission, own_text(kata)
    if current == text:
        click.echo(f"{shown(path)} is attempt #{attempt.id} already.")
        return
    kept = None
    with replacing(kata):
        if current.strip() and not stub.is_stub(kata, current):
            kept = files.keep(path)
        files.put(path, text)
    undo = (
        f" What was there is kept as {kept.name}; `{PROGRAM} reset {kata.file.number} --undo` brings it back."
        if kept
        else ""
    )
    click.echo(f"{shown(path)} is attempt #{attempt.id} again (score {attempt.score}).{undo}")
