"""The learner's file: read, replaced whole, and never lost: what it held before stays beside it."""

import os
import re
import tempfile
import time
from pathlib import Path

from kubekata.grading.catalog import Kata
from kubekata.grading.problems import contents
from kubekata.practice.texts import decode, encode

_KEPT = re.compile(r"kata\.\d{8}-\d{6}(-\d+)?\.py")


def read(path: Path) -> str:
    """The text of a copy that `keep` made. `put` makes the same bytes of it."""
    return decode(path.read_bytes())


def own(kata: Kata) -> str:
    """The text of a kata's own file; empty when there is no file. Raises UnreadableSubmission."""
    if not os.path.exists(kata.submission):  # noqa: PTH110 - Path.exists raises where the folder is closed
        return ""
    return decode(contents(kata.submission, kata))


def put(path: Path, text: str) -> None:
    """Write a file so that whoever looks sees the old text or the new one, never half of it. Keeps its mode.

    A symbolic link stays one, and what it leads to is written, unless it leads nowhere.
    """
    if path.exists():
        path = path.resolve()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(encode(text))
        Path(name).chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def keep(path: Path) -> Path:
    """Copy a file to a name with the time beside it, `kata.20260301-181502.py`, and return that."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.stem}.{stamp}{path.suffix}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}.{stamp}-{number}{path.suffix}")
    put(kept, read(path))
    return kept


def kept_copies(path: Path) -> list[Path]:
    """The copies that `keep` made of a kata's file, oldest first."""
    return sorted(
        (other for other in path.parent.glob("kata.*.py") if _KEPT.fullmatch(other.name)),
        key=lambda other: (other.stat().st_mtime_ns, other.name),
    )
