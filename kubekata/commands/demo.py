"""`python grader.py demo racknode`: a narrated story on the reference solutions."""

from __future__ import annotations

import importlib
import sys

import click

from kubekata.commands.screen import Screen
from kubekata.commands.status import PASSED, WrongUsageError

STORIES = {
    "racknode": "an operator and its machine: provision, drift, failure, backoff, deletion",
    "control-plane": "converge, pack, heal, evict, scale, roll out, stall, roll back",
    "placement": "taints, anti-affinity, spread and bin-pack, side by side on one cluster",
    "autoscaler": "nodes come for a rush and go when it is over, by a simulated clock",
}


@click.command("demo")
@click.argument("story", required=False)
@click.option("--step", is_flag=True, help="Wait for a key between the acts.")
@click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")
def demo(story: str | None, *, step: bool, no_color: bool) -> int:
    """Tell a story on the reference solutions; without a name, list the stories."""
    if story is None:
        for name, what in STORIES.items():
            click.echo(f"{name.ljust(15)}{what}")
        return PASSED
    if story not in STORIES:
        raise WrongUsageError(f"no story {story!r}; there are: {', '.join(STORIES)}")
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WrongUsageError("--step waits for a key, and this is not a terminal; leave it out")
    # What a story needs is imported only when it is told, so that the help stays quick.
    from kubekata.demo.reference import NoReferenceError, References
    from kubekata.demo.stage import Stage
    from kubekata.grading.catalog import Project

    screen = Screen(color=not no_color)
    stage = Stage(screen.look, screen.show, _wait_for_key if step else lambda: None)
    play = importlib.import_module(f"kubekata.demo.{story.replace('-', '_')}").play
    try:
        play(stage, References(Project()))
    except NoReferenceError as error:
        raise WrongUsageError(str(error)) from None
    return PASSED


def _wait_for_key() -> None:
    click.echo("   (any key)", nl=False)
    key = click.getchar()
    click.echo("\r            \r", nl=False)
    if key in ("q", "Q"):
        raise KeyboardInterrupt
