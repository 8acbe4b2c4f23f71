"""How a run ends: the exit statuses, and the exceptions that become one line on stderr and such a status."""

import os
import shlex
from pathlib import Path

import click

_GRADER = Path(__file__).resolve().parents[2] / "grader.py"


def _program() -> str:
    """What to type here to call the grader: many systems have no `python`, and not everybody is in the clone."""
    folders = os.get_exec_path()
    python = "python" if any(os.access(Path(folder, "python"), os.X_OK) for folder in folders) else "python3"
    here = os.name == "nt" or Path.cwd() == _GRADER.parent or not _GRADER.is_file()
    return f"{python} {_GRADER.name if here else shlex.quote(str(_GRADER))}"


try:
    PROGRAM = _program()
except OSError:  # the current folder is gone
    PROGRAM = "python3 grader.py"

PASSED = 0
NOT_PASSED = 1
WRONG_USAGE = 2
COULD_NOT_GRADE = 3
INTERRUPTED = 130
PIPE_CLOSED = 141


class WrongUsageError(click.ClickException):
    """What the user typed does not work. The message is one line that says what to do instead."""

    exit_code = WRONG_USAGE


class CouldNotGradeError(click.ClickException):
    """No score, through no fault of the learner's. The message is one line."""

    exit_code = COULD_NOT_GRADE

    def __init__(self, message: str) -> None:
        super().__init__(f"could not be graded, which is no fault of your code: {message}")


class BrokenKataError(click.ClickException):
    """A kata that cannot be used, which is for its author to mend. `message` is one line that says what is wrong."""

    exit_code = COULD_NOT_GRADE

    def __init__(self, message: str, kata: str) -> None:
        super().__init__(f"{message}. Mend that; `{PROGRAM} selfcheck {kata}` says what else is missing.")
