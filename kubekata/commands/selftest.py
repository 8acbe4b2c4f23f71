"""`python grader.py selftest`: the project's own checks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from kubekata.commands.status import CouldNotGradeError

ROOT = Path(__file__).resolve().parents[2]


@click.command("selftest", context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", metavar="[PYTEST ARGS]...", nargs=-1, type=click.UNPROCESSED)
def selftest(pytest_arguments: tuple[str, ...]) -> int:
    """Check the katas (as `selfcheck` does), then run the project's tests with pytest.

    With arguments for pytest, for example `selftest tests/cli -k colour`, only those tests run.
    """
    if not (ROOT / "tests").is_dir():
        raise CouldNotGradeError("tests/ is missing: selftest needs a clone of the whole repository.")
    checks = 0 if pytest_arguments else _run("kubekata", "selfcheck")
    workers = ["-n", str(min(os.cpu_count() or 1, 8))] if not pytest_arguments else []
    tests = _run("pytest", *workers, *pytest_arguments)
    return 1 if checks or tests else 0


def _run(module: str, *arguments: str) -> int:
    """Run a module of this environment from the project's folder; its output passes through as it comes."""
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode
