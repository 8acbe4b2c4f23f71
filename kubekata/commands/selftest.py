"""`python grader.py selftest`: the project's own checks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from kubekata.commands.status import NOT_PASSED, PASSED, CouldNotGradeError, WrongUsageError

ROOT = Path(__file__).resolve().parents[2]

_PYTHON = (sys.executable, "-m")
_PYTEST_USAGE, _PYTEST_NO_TESTS = 4, 5
"""pytest's own exit statuses."""


@click.command("selftest", context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", metavar="[PYTEST ARGS]...", nargs=-1, type=click.UNPROCESSED)
def selftest(pytest_arguments: tuple[str, ...]) -> int:
    """Check the katas (as `selfcheck` does), then run the project's tests with pytest.

    With arguments for pytest, for example `selftest tests/cli -k colour`, only those tests run.
    """
    if not (ROOT / "tests").is_dir():
        raise CouldNotGradeError("tests/ is missing: selftest needs a clone of the whole repository.")
    if pytest_arguments:
        return _run_some(pytest_arguments)
    checks = subprocess.run([*_PYTHON, "kubekata", "selfcheck"], cwd=ROOT, check=False)
    workers = str(min(os.cpu_count() or 1, 8))
    tests = subprocess.run([*_PYTHON, "pytest", "-n", workers], cwd=ROOT, check=False)
    return NOT_PASSED if checks.returncode or tests.returncode else PASSED


def _run_some(arguments: tuple[str, ...]) -> int:
    """Run pytest with what the user typed after `selftest`. Raises WrongUsageError for what pytest does not take."""
    done = subprocess.run(
        [*_PYTHON, "pytest", *arguments], cwd=ROOT, check=False, stderr=subprocess.PIPE, text=True
    )
    if done.returncode == _PYTEST_USAGE:
        raise WrongUsageError(f"pytest says: {_complaint(done.stderr)}.")
    sys.stderr.write(done.stderr)
    if done.returncode == _PYTEST_NO_TESTS:
        raise WrongUsageError("no test is like that.")
    return NOT_PASSED if done.returncode else PASSED


def _complaint(errors: str) -> str:
    """What is wrong, out of the lines that pytest writes about it: its usage and its folders tell nothing here."""
    lines = [line.partition(" error: ")[2] for line in errors.splitlines() if " error: " in line]
    return (lines or [errors.strip().removeprefix("ERROR: ")])[-1].rstrip(".")
