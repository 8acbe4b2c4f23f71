"""`python grader.py kind`: the bonus round, a kopf operator graded while it runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import NOT_PASSED, PASSED, PROGRAM, CouldNotGradeError, WrongUsageError

if TYPE_CHECKING:
    from kubekata.bonus.rubric import Bonus
    from kubekata.grading.result import KataResult

_BACKENDS = ("served", "kind", "context", "envtest")


@click.command("kind")
@click.option(
    "--file", "path", type=click.Path(path_type=Path), help="Grade this operator, not the kata's own."
)
@click.option(
    "--backend",
    type=click.Choice(_BACKENDS),
    help="Where it runs; by default the kind cluster if it is up, else served.",
)
@click.option("--context", metavar="NAME", help="A kubeconfig context to run on, for --backend context.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (docs/json.md), nothing else.")
@click.option("-v", "--verbose", is_flag=True, help="Show every failed check in full.")
@click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")
def kind(
    *,
    path: Path | None,
    backend: str | None,
    context: str | None,
    as_json: bool,
    verbose: bool,
    no_color: bool,
) -> int:
    """Grade the bonus round: run your operator with kopf, and watch what it does.

    It runs on the project's own control plane (served), on a kind cluster (kind/run-kind.sh up), on any
    cluster by its context, or on envtest's API server (KUBEBUILDER_ASSETS). The rack is simulated everywhere.
    """
    from kubekata.bonus.backends import choose
    from kubekata.bonus.errors import BackendError, UnknownBackend
    from kubekata.bonus.rubric import Bonus
    from kubekata.bonus.run import Unreadable, grade

    if not hasattr(os, "killpg"):
        raise CouldNotGradeError("the bonus round needs POSIX processes, which Windows lacks: run it in WSL.")
    bonus = Bonus()
    screen = Screen(color=not no_color, verbose=verbose)
    try:
        chosen = choose(backend, context)
        click.echo(f"backend: {chosen.name} ({chosen.because})", err=True)
        with ProgressLine("grading the operator") as progress:
            result = grade(bonus, chosen, path, on_progress=progress)
    except (UnknownBackend, Unreadable) as error:
        raise WrongUsageError(str(error)) from error
    except BackendError as error:
        raise CouldNotGradeError(str(error)) from error
    _say(result, bonus, screen, as_json=as_json)
    return PASSED if result.passed else NOT_PASSED


def _say(result: KataResult, bonus: Bonus, screen: Screen, *, as_json: bool) -> None:
    import msgspec

    result = msgspec.structs.replace(result, submission=shown(Path(result.submission)))
    if as_json:
        from kubekata.grading.result import to_json

        print(to_json(result))
        return
    from kubekata.report.terminal import graded

    screen.show(graded(result, screen.look, _advice(result, bonus)))


def _advice(result: KataResult, bonus: Bonus) -> str:
    if result.passed:
        return (
            f"compare yours with {shown(bonus.solution)}, and read {shown(bonus.reference / 'DEBRIEF.md')}."
        )
    if not result.started:
        return f"open {shown(bonus.submission)}, read the README.md beside it, then run `{PROGRAM} kind`."
    broken = [item for item in result.rubric if item.earned < item.points]
    first = next((item for item in broken if item.must), broken[0] if broken else None)
    if first is None or any(problem.fatal for problem in result.problems):
        return "mend that, then run this again."
    hints = shown(bonus.root / "hints" / "kata-kind-operator.md")
    return f'make "{first.title}" hold, then run this again. Stuck? {hints}'
