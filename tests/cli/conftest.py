"""The real command, run as a process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from kubekata.grading import stubs
from kubekata.grading.catalog import Project

ROOT = Path(__file__).resolve().parents[2]


class Grader(Protocol):
    """Run `python grader.py ARGUMENTS` and wait; `env` adds to a clean environment."""

    def __call__(
        self, *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]: ...


def clean_environ(**extra: str) -> dict[str, str]:
    """The environment of a user: nothing of pytest's, of an editor's or of CI's."""
    unwanted = (
        *("KUBEKATA_", "PYTEST_", "COV_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "CI"),
        *("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"),
    )
    kept = {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}
    with_python = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PYTHONUTF8": "1", "PATH": with_python, **extra}


def run_grader(
    root: Path, *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(root / "grader.py"), *map(str, arguments)],
        env=clean_environ(**(env or {})),
        cwd=cwd or root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


@pytest.fixture
def grader() -> Grader:
    """This project's grader."""

    def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        return run_grader(ROOT, *arguments, **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the project to break; `run_grader(clone, ...)` uses its code and this environment."""
    folder = tmp_path / "clone"
    folder.mkdir()
    left_out = shutil.ignore_patterns("__pycache__")
    for name in ("kubekata", "katas", "reference", "hints"):
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    shutil.copy(ROOT / "grader.py", folder)
    for kata in Project(ROOT).katas:
        if not stubs.is_stub(kata, kata.submission.read_text()):
            # Whoever runs the tests may be a learner, too.
            (folder / kata.submission.relative_to(ROOT)).write_text(stubs.committed(kata))
    return folder
