"""`--file-root`: the files of katas in a folder that is laid out like `katas/` or `reference/`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubekata.commands.status import WrongUsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kubekata.grading.catalog import Kata

FILE_NAMES = ("kata.py", "solution.py")
"""What a kata's file may be called there; the first that exists counts."""


def files_under(root: Path, katas: Sequence[Kata]) -> dict[Kata, Path]:
    """The file of each kata that has one below `root`. Raises WrongUsageError for a root that holds none at all."""
    example = f"{katas[0].name}/kata.py or solution.py"
    try:
        if not root.is_dir():
            fault = "is a file (--file takes those)" if root.exists() else "does not exist"
            raise WrongUsageError(f"--file-root: {root} {fault}: give the folder that holds {example}.")
        found = {kata: path for kata in katas if (path := _file_of(root, kata)) is not None}
    except OSError as error:
        raise WrongUsageError(
            f"--file-root: {error.filename} cannot be read ({error.strerror}): mend its permissions."
        ) from error
    if not found:
        raise WrongUsageError(f"--file-root: {root} has no file of any kata asked for, such as {example}.")
    return found


def every_file_under(root: Path, katas: Sequence[Kata]) -> dict[Kata, Path]:
    """The file of each kata below `root`. Raises WrongUsageError when one is missing."""
    found = files_under(root, katas)
    missing = next((kata for kata in katas if kata not in found), None)
    if missing is not None:
        path = root / missing.name / FILE_NAMES[0]
        raise WrongUsageError(
            f"--file-root: there is no {path}, and no {FILE_NAMES[1]} beside it; "
            "name the katas that are there, or `all`."
        )
    return found


def _file_of(root: Path, kata: Kata) -> Path | None:
    candidates = [root / kata.name / name for name in FILE_NAMES]
    return next((path for path in candidates if path.is_file()), None)
