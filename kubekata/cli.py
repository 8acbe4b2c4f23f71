"""The command line: finds the command that a line means, and turns whatever happens into an exit status.

Each command lives in a module of its own and is imported when it is called.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from click.shell_completion import CompletionItem, shell_complete

from kubekata import __version__
from kubekata.commands import output
from kubekata.commands.completion import COMPLETION_VARIABLE
from kubekata.commands.status import COULD_NOT_GRADE, INTERRUPTED, PASSED, PIPE_CLOSED, PROGRAM
from kubekata.commands.table import COMMANDS
from kubekata.grading.ending import interrupt_when_ended

if TYPE_CHECKING:
    from collections.abc import Iterable

HELP = f"""Graded katas about the control loops inside Kubernetes.

\b
Examples:
  {PROGRAM}                           the katas, your best scores, what to do next
  {PROGRAM} kata-05                   grade katas/kata-05-surge-stepping/kata.py
  {PROGRAM} 5                         the same; so are 05, kata-5 and surge-stepping
  {PROGRAM} 1 4 5                     several; `all` for every one
  {PROGRAM} kata-05 --file mine.py    grade another file
  {PROGRAM} kata-05 --json            the result as one JSON document
  {PROGRAM} grade --help              everything about grading

\b
Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 could not be graded.
"""


class Commands(click.Group):
    """Loads a command when it is named; a first word that is no command starts the names of katas to grade."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {option for parameter in self.get_params(ctx) for option in parameter.opts}
        first = next((position for position, word in enumerate(args) if word not in own), None)
        if first is not None and args[first] not in COMMANDS:
            args.insert(first, "grade")
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(PROGRAM, "[KATA]... [OPTIONS]")
        formatter.write_usage(PROGRAM, "COMMAND [ARGS]...", prefix="       ")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from kubekata.commands.names import complete_names

        commands = [CompletionItem(name, help=entry.help) for name, entry in COMMANDS.items()]
        words = complete_names(ctx, None, incomplete) + commands
        return [word for word in words if word.value.startswith(incomplete)]


@click.group(
    cls=Commands,
    invoke_without_command=True,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="kubekata %(version)s")
@click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")
@click.pass_context
def cli(context: click.Context, no_color: bool) -> None:
    if no_color:
        os.environ["NO_COLOR"] = "1"  # whichever command follows
    if context.invoked_subcommand is None:
        from kubekata.commands.overview import overview

        overview()


def main(arguments: Iterable[str] | None = None) -> NoReturn:
    """Run the command line and exit. Whatever goes wrong ends in one line on stderr and a status."""
    output.prepare()
    interrupt_when_ended()
    try:
        status = run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        output.abandon()  # whoever read it has gone
        status = PIPE_CLOSED
    except output.OutputLost as error:
        output.abandon()
        print(
            f"kubekata: the output cannot be written: {error}. What was asked for has been done; "
            "`history` and `show` print it again.",
            file=sys.stderr,
        )
        status = COULD_NOT_GRADE
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status; what goes wrong becomes one line on stderr."""
    try:
        return dispatch(arguments)
    except click.UsageError as error:
        # These come from click itself, which knows what is wrong and not what would be right.
        path = error.ctx.command_path if error.ctx else PROGRAM
        message, status = f"{sentence(error.format_message())} See `{path} --help`.", error.exit_code
    except click.ClickException as error:
        message, status = error.format_message(), error.exit_code
    except (click.Abort, KeyboardInterrupt):
        message, status = "interrupted: nothing was recorded.", INTERRUPTED
    except (BrokenPipeError, output.OutputLost):
        raise
    except Exception as error:
        message, status = describe_bug(error), COULD_NOT_GRADE
    print(f"kubekata: {sentence(' '.join(message.split()))}", file=sys.stderr)
    return status


def sentence(text: str) -> str:
    """The text with a full stop, which some messages have, and click's mostly lack."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def dispatch(arguments: list[str]) -> int:
    """Run one command and return its status. Not click's main(), which has its own for Ctrl-C and closed pipes."""
    if COMPLETION_VARIABLE in os.environ:
        return shell_complete(cli, {}, PROGRAM, COMPLETION_VARIABLE, os.environ[COMPLETION_VARIABLE])
    try:
        with cli.make_context(PROGRAM, arguments) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return status if isinstance(status, int) else PASSED


def describe_bug(error: Exception) -> str:
    """An exception that nobody expected, in one line. KUBEKATA_DEBUG=1 adds the traceback."""
    if os.environ.get("KUBEKATA_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name} line {last.lineno}"
    return (
        f"a bug in kubekata, not in your code: {type(error).__name__}: {error} ({where}). "
        "No score was recorded. KUBEKATA_DEBUG=1 shows more; please report it."
    )
