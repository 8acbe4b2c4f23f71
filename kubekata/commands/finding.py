"""One kata from one argument, and what every practice command offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from kubekata.commands.names import ALL, all_katas, complete_names, find_katas
from kubekata.commands.status import WrongUsageError
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from kubekata.grading.catalog import Kata

Command = TypeVar("Command", bound="Callable[..., object]")


def find_kata(name: str) -> Kata:
    """The kata that `name` means. Raises WrongUsageError."""
    if name.lower() == ALL:
        raise WrongUsageError("this takes one kata, for example kata-05.")
    return find_katas(Project(), [name])[0]


def katas() -> tuple[Kata, ...]:
    """Every kata."""
    return all_katas(Project())


def complete_one(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Shell completion for the name of one kata."""
    return [word for word in complete_names(context, parameter, incomplete) if word.value != ALL]


def kata_argument(*, required: bool = True) -> Callable[[Command], Command]:
    """The argument KATA."""
    metavar = "KATA" if required else "[KATA]"
    return click.argument("name", metavar=metavar, required=required, shell_complete=complete_one)


def no_color_option() -> Callable[[Command], Command]:
    """The option --no-color."""
    return click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")


def yes_option() -> Callable[[Command], Command]:
    """The option --yes."""
    return click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def confirmed(question: str, *, yes: bool) -> bool:
    """Ask on a terminal. Where nobody can answer, raises WrongUsageError unless `yes` is given."""
    import sys

    if yes:
        return True
    if not sys.stdin.isatty():
        raise WrongUsageError("nobody is there to confirm this: add --yes.")
    return click.confirm(question, default=False, err=True)
