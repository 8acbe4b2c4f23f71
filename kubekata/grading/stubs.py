"""The stub that a kata was handed out with, as git remembers it."""

import subprocess
from pathlib import Path

from kubekata.grading.catalog import Kata
from kubekata.grading.host.source import Source
from kubekata.grading.problems import is_started

_GIT_SECONDS = 10


def is_stub(kata: Kata, text: str) -> bool:
    """Whether nobody has written anything yet."""
    try:
        return not is_started(Source(text), kata.file.entry_points)
    except (SyntaxError, ValueError):
        return False


def committed(kata: Kata) -> str:
    """The newest committed version that is a stub, for learners commit their work, too.

    Empty when there is no git, or no such version.
    """
    for commit in _git(kata.folder, "log", "--format=%H", "--", kata.submission.name).split():
        text = _git(kata.folder, "show", f"{commit}:./{kata.submission.name}")
        if text and is_stub(kata, text):
            return text
    return ""


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, check=True, timeout=_GIT_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
