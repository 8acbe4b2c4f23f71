"""`python grader.py kata-05`: grade, and say what came of it."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import after_grading, after_passing, after_several, shown
from kubekata.commands.fileroot import every_file_under, files_under
from kubekata.commands.names import ALL, all_katas, begun_and_broken, complete_names, find_katas
from kubekata.commands.next import choose
from kubekata.commands.numbers import LARGEST_SEED, Seconds, WholeNumber
from kubekata.commands.own import unreadable
from kubekata.commands.record import own_file, record, with_hints
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import (
    NOT_PASSED,
    PASSED,
    PROGRAM,
    BrokenKataError,
    CouldNotGradeError,
    WrongUsageError,
)
from kubekata.grading.catalog import Kata, Project
from kubekata.grading.limits import DEFAULT_TIMEOUT, TIME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.catalog import BrokenKata
    from kubekata.grading.host.isolation import Isolation
    from kubekata.grading.result import KataResult, Results


@dataclasses.dataclass(frozen=True)
class How:
    """The options that grading itself takes; `timeout` is in seconds for each call into the submission."""

    seed: int
    timeout: float | None
    coverage: bool
    isolation: Isolation


@click.command("grade", options_metavar="[OPTIONS]")
@click.argument("names", metavar="KATA...", nargs=-1, shell_complete=complete_names)
@click.option("--file", "path", type=click.Path(path_type=Path), help="Grade this file, not the kata's own.")
@click.option(
    "--file-root",
    "root",
    type=click.Path(path_type=Path),
    help="Grade FOLDER/<kata's folder>/kata.py, or solution.py, of each kata: a student's folder, or `reference`. "
    "With `all`, katas without such a file are passed over.",
    metavar="FOLDER",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (docs/json.md), nothing else.")
@click.option("--coverage", is_flag=True, help="Say which lines of the file ran. A pass always says it.")
@click.option(
    "--seed",
    type=WholeNumber(0, LARGEST_SEED),
    default=0,
    metavar="N",
    help="Where generated inputs start; 0 when left out. The same seed gives the same score.",
)
@click.option(
    "--timeout",
    type=Seconds(),
    metavar="SECONDS",
    help=f"How long each call into your code may take; {DEFAULT_TIMEOUT:g} when left out. "
    f"A whole grade ends after {TIME_LIMIT:g}. A slow or busy machine gets more.",
)
@click.option(
    "--isolation",
    type=click.Choice(["auto", "bubblewrap", "process"]),
    default="auto",
    help="What keeps your code apart: bubblewrap's sandbox, a process of its own, or the best that works here. "
    "SECURITY.md says what each promises.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every failed test in full.")
@click.option("--no-color", is_flag=True, help="Plain text; NO_COLOR=1 does the same.")
def grade(
    *,
    names: tuple[str, ...],
    path: Path | None,
    root: Path | None,
    as_json: bool,
    coverage: bool,
    seed: int,
    timeout: float | None,
    isolation: Isolation,
    verbose: bool,
    no_color: bool,
) -> int:
    """Grade katas.

    A KATA is a number (5), an id (kata-05), a name (surge-stepping) or its folder; `all` is every one.
    """
    if not names:
        raise WrongUsageError(f"say which kata, for example `{PROGRAM} kata-05`.")
    project = Project()
    katas = find_katas(project, names)
    how = How(seed, timeout, coverage, isolation)
    if path is not None and root is not None:
        raise WrongUsageError("--file names one file and --file-root a folder of them: give one of the two.")
    if path is not None and len(katas) != 1:
        raise WrongUsageError(f"--file goes with one kata, and these are {len(katas)}.")
    if not hasattr(os, "fork"):
        raise CouldNotGradeError("grading needs fork(), which Windows lacks: run it in WSL.")
    screen = Screen(color=not no_color, verbose=verbose)
    every = ALL in [name.lower() for name in names]
    broken = begun_and_broken(project) if every else []
    files = None
    if root is not None and katas:
        files = files_under(root, katas) if every else every_file_under(root, katas)
        say_passed_over(root, [kata for kata in katas if kata not in files])
        katas = list(files)
    if len(katas) == 1 and not every:
        return grade_one(katas[0], files[katas[0]] if files else path, how, screen, as_json=as_json)
    return grade_several(
        katas, list(files.values()) if files else None, how, screen, broken=broken, as_json=as_json
    )


def say_passed_over(root: Path, katas: Sequence[Kata]) -> None:
    """With `all`, a student need not have done every kata; which ones are missing is said beside the verdicts."""
    if katas:
        ids = ", ".join(kata.id for kata in katas)
        print(f"kubekata: {root} has no kata.py or solution.py of {ids}: passed over.", file=sys.stderr)


def grade_one(kata: Kata, path: Path | None, how: How, screen: Screen, *, as_json: bool) -> int:
    """Grade one file, print the verdict and return the exit status."""
    from kubekata.grading.run import CouldNotGrade, UnreadableSubmission
    from kubekata.grading.run import grade as grade_file

    own = own_file(kata, path)
    try:
        with ProgressLine(f"grading {kata.id}") as progress:
            result = grade_file(
                kata,
                path,
                seed=how.seed,
                timeout=how.timeout,
                coverage=how.coverage,
                isolation=how.isolation,
                on_progress=progress,
            )
    except UnreadableSubmission as error:
        raise unreadable(error) from error
    except CouldNotGrade as error:
        raise CouldNotGradeError(str(error)) from error
    result = with_hints(with_short_path(result), own)
    try:
        if as_json:
            print_json(result)
        else:
            from kubekata.report.terminal import graded

            screen.show(graded(result, screen.look, advice_about(kata, result, own_file=own is not None)))
        sys.stdout.flush()
    finally:
        record([(result, own)])  # also when whoever read the verdict has gone
    return PASSED if result.passed else NOT_PASSED


def grade_several(
    katas: Sequence[Kata],
    files: Sequence[Path] | None,
    how: How,
    screen: Screen,
    *,
    broken: Sequence[BrokenKata],
    as_json: bool,
) -> int:
    """Grade several katas, their own files or `files`, print the verdicts and return the exit status.

    What is `broken` is told among those that could not be graded.
    """
    from kubekata.grading.result import Ungraded, combine
    from kubekata.grading.run import grade_many

    chosen: Sequence[Path | None] = files or [None] * len(katas)
    owns = [own_file(kata, path) for kata, path in zip(katas, chosen, strict=True)]
    with ProgressLine("grading") as progress:
        outcomes = grade_many(
            katas,
            files,
            seed=how.seed,
            timeout=how.timeout,
            coverage=how.coverage,
            isolation=how.isolation,
            on_progress=progress,
        )
    graded = [
        (with_hints(with_short_path(outcome), own), own)
        for outcome, own in zip(outcomes, owns, strict=True)
        if not isinstance(outcome, Ungraded)
    ]
    ungraded = [outcome for outcome in outcomes if isinstance(outcome, Ungraded)]
    unusable = [Ungraded(kata.id, kata.message) for kata in broken]
    results = combine([*(result for result, _ in graded), *ungraded, *unusable])
    try:
        if as_json:
            print_json(results)
        elif graded:
            from kubekata.report.terminal import graded_many

            mine = [result for result, own in graded if own is not None]
            screen.show(graded_many(results, screen.look, advice_about_several(katas[0].project, mine)))
        sys.stdout.flush()
    finally:
        record(graded)
    if ungraded:
        raise CouldNotGradeError("; ".join(f"{one.kata}: {one.reason}" for one in [*ungraded, *unusable]))
    if unusable:
        raise BrokenKataError(
            "; ".join(one.reason for one in unusable), " ".join(one.kata for one in unusable)
        )
    return PASSED if results.passed else NOT_PASSED


def advice_about(kata: Kata, result: KataResult, *, own_file: bool) -> str:
    """The next thing to do after a verdict. A pass of somebody else's file is no step of the learner's: none."""
    if not result.passed:
        return after_grading(kata, result, own_file=own_file)
    if not own_file:
        return ""
    return after_passing(kata, choose(kata.project, all_katas(kata.project), [result]))


def advice_about_several(project: Project, mine: Sequence[KataResult]) -> str:
    """The next thing to do after grading several files; `mine` are the learner's, and without them there is none."""
    return after_several(mine, choose(project, all_katas(project), mine)) if mine else ""


def with_short_path(result: KataResult) -> KataResult:
    """The same result with the submission's path as the user would type it."""
    import msgspec

    return msgspec.structs.replace(result, submission=shown(Path(result.submission)))


def print_json(document: KataResult | Results) -> None:
    """The one thing that --json writes to stdout."""
    from kubekata.grading.result import to_json

    print(to_json(document))
