"""`python grader.py open kata-05`: the file in the learner's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import find_kata, kata_argument
from kubekata.commands.progress import remember
from kubekata.commands.status import WrongUsageError

if TYPE_CHECKING:
    from kubekata.practice.store import Store

_VARIABLES = ("KUBEKATA_EDITOR", "VISUAL", "EDITOR")


@click.command("open")
@kata_argument()
def open_kata(name: str) -> int:
    """Open a kata's file in $VISUAL or $EDITOR."""
    from kubekata.practice import attempts, stub

    kata = find_kata(name)
    command = _editor()

    def begin(store: Store) -> None:
        stub.remember(store, kata)
        attempts.visit(store, kata.id)

    remember(kata.project, begin)
    done = subprocess.run([*command, str(kata.submission)], check=False)
    if done.returncode:
        raise WrongUsageError(
            f"`{shlex.join(command)}` ended with status {done.returncode} on {shown(kata.submission)}."
        )
    return 0


def _editor() -> list[str]:
    variable = next((variable for variable in _VARIABLES if os.environ.get(variable, "").strip()), None)
    if variable is None:
        raise WrongUsageError(
            "which editor? Set EDITOR, for example `export EDITOR='code --wait'` or `EDITOR=vim`."
        )
    try:
        command = shlex.split(os.environ[variable])
    except ValueError as error:
        raise WrongUsageError(f"{variable} is no command line: {error}.") from error
    if not shutil.which(command[0]):
        raise WrongUsageError(f"{variable} names {command[0]!r}, which is not installed.")
    return command
