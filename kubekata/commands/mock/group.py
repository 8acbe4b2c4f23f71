"""`python grader.py mock`: begins a mock interview, or passes on to its other commands."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import complete_one, find_kata, katas, no_color_option
from kubekata.commands.mock.finish import finish
from kubekata.commands.mock.history import history
from kubekata.commands.mock.running import shown_clock
from kubekata.commands.mock.status import status
from kubekata.commands.mock.steps import pause, resume, submit
from kubekata.commands.mock.watch import watch
from kubekata.commands.numbers import LARGEST_SEED, WholeNumber
from kubekata.commands.progress import progress_of
from kubekata.commands.screen import Screen
from kubekata.commands.status import PROGRAM, CouldNotGradeError, WrongUsageError
from kubekata.grading.catalog import CatalogError, Project, UnknownKata

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.practice.mocks import Mock


class MockCommands(click.Group):
    """Tells somebody who names a kata, as every other command has it, that a mock draws one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            try:
                number = Project().find(args[0]).file.number
            except (CatalogError, UnknownKata):
                number = None
            if number is None:
                raise
            raise WrongUsageError(
                "a mock interview chooses the kata itself, by --topic, --level and --minutes; "
                f"`{PROGRAM} mock --kata {number}` insists on this one."
            ) from None


@click.group("mock", cls=MockCommands, invoke_without_command=True)
@click.option(
    "--minutes",
    type=WholeNumber(1),
    metavar="N",
    help="Only katas that N minutes are enough for; the clock gets what the kata takes.",
)
@click.option("--level", type=click.Choice(["easy", "medium", "hard"]), help="Only katas of this level.")
@click.option("--topic", metavar="TAG", help="Only katas with this tag; `list` shows the tags.")
@click.option("--kata", "name", metavar="KATA", shell_complete=complete_one, help="This kata, and no other.")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), metavar="N", help="Draw the same kata again.")
@no_color_option()
@click.pass_context
def mock(
    context: click.Context,
    *,
    minutes: int | None,
    level: str | None,
    topic: str | None,
    name: str | None,
    seed: int | None,
    no_color: bool,
) -> None:
    """Begin a timed mock interview: it picks a kata, puts the stub in place, shows the brief, starts the clock.

    What is weak or unseen is likely to be picked. Hints cost points (5, 10, 15). When the time is over, the last
    version saved before counts.
    """
    if context.invoked_subcommand is not None:
        return
    if name is None:
        candidates = candidates_for(minutes, level, topic)
    elif (minutes, level, topic) == (None, None, None):
        candidates = [find_kata(name)]
    else:
        raise WrongUsageError(
            "--kata names the kata, and --minutes, --level and --topic say among which to draw: give one or the other."
        )
    begin(candidates, seed, Screen(color=not no_color), is_named=name is not None)


for command in (watch, status, submit, pause, resume, finish, history):
    mock.add_command(command)


def candidates_for(minutes: int | None, level: str | None, topic: str | None) -> list[Kata]:
    """The katas that fit what was asked for. Raises WrongUsageError when none does."""
    every = katas()
    tags = sorted({tag for kata in every for tag in kata.file.tags})
    if topic is not None and topic not in tags:
        raise WrongUsageError(f"no kata has the topic {topic!r}: there are {', '.join(tags)}.")
    fitting = [
        kata
        for kata in every
        if level in (None, kata.file.level) and (topic is None or topic in kata.file.tags)
    ]
    in_time = [kata for kata in fitting if minutes is None or kata.file.minutes <= minutes]
    if in_time:
        return in_time
    if not fitting:
        raise WrongUsageError("no kata has that level and topic: `list` shows what there is.")
    shortest = min(fitting, key=lambda kata: kata.file.minutes)
    raise WrongUsageError(
        f"nothing fits into {minutes} minutes: the shortest is {shortest.id} with {shortest.file.minutes}."
    )


def begin(candidates: list[Kata], seed: int | None, screen: Screen, *, is_named: bool) -> None:
    """Draw a kata, put its stub in place, start the clock and show the brief.

    `is_named` is for the only candidate, which the learner chose.
    """
    from kubekata.commands.reset import reset_file
    from kubekata.practice import mocks, snapshots, stub
    from kubekata.practice.choosing import pick
    from kubekata.practice.home import home

    seed = random.randrange(LARGEST_SEED) if seed is None else seed
    project = candidates[0].project
    with progress_of(project) as store:
        refuse_a_second(mocks.running(store))
        kata, reason = (
            (candidates[0], "named with --kata") if is_named else pick(store, candidates, random.Random(seed))
        )
        stub.remember(store, kata)
    try:
        brief = kata.brief.read_text("utf-8")
    except OSError as error:
        raise CouldNotGradeError(f"{error.filename}: {error.strerror}") from error
    done = reset_file(kata)
    with progress_of(project) as store:
        started = mocks.start(store, kata.id, kata.file.minutes, seed=seed, reason=reason)
        if started is None:  # another terminal was faster
            refuse_a_second(mocks.running(store))
            raise WrongUsageError("another mock interview has just been begun.")
    snapshots.start(home(project.root), started, kata.submission)
    screen.show_markdown(brief)
    click.echo()
    drawn = "" if is_named else f"Drawn because: {started.reason}. Seed {started.seed}."
    for line in _instructions(kata, started, done, drawn):
        click.echo(line)


def refuse_a_second(other: Mock | None) -> None:
    """There is one clock. Raises WrongUsageError when a mock is running."""
    if other:
        raise WrongUsageError(
            f"a mock interview about {other.kata} is running ({shown_clock(other, time.time())}): "
            f"`{PROGRAM} mock watch` shows it, `{PROGRAM} mock finish` ends it."
        )


def _instructions(kata: Kata, started: Mock, done: str, drawn: str) -> list[str]:
    until = time.strftime("%H:%M", time.localtime(started.deadline))
    lines = [
        f"Mock {started.id}: {kata.id} {kata.title}, {started.minutes} minutes, until {until}. The clock runs.",
        f"Write {shown(kata.submission)}. {done}",
        drawn,
        f"`{PROGRAM} mock watch` shows the clock, `mock submit` hands in what you have, `mock pause` works once,",
        f"`hint {kata.file.number}` costs points, `mock finish` ends it. You may close this terminal.",
    ]
    return [line for line in lines if line]
