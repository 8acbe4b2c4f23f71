"""How a run ends: the exit statuses, and the exceptions that become one line on stderr and such a status."""

import click

PROGRAM = "python grader.py"

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
