"""The learner's file: read, replaced whole, and never lost: what it held before stays beside it."""

import os
import re
import tempfile
import time
from pathlib import Path

_KEPT = re.compile(r"kata\.\d{8}-\d{6}(-\d+)?\.py")


def read(path: Path) -> str:
    """The text of a learner's file; empty when there is no file. `put` makes the same bytes of it."""
    try:
        return decode(path.read_bytes())
    except FileNotFoundError:
        return ""


def decode(data: bytes) -> str:
    """Bytes as text. Those that are no UTF-8 become lone surrogates, which `encode` turns back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` made a text of."""
    return text.encode("utf-8", "surrogateescape")


def put(path: Path, text: str) -> None:
    """Write a file so that whoever looks sees the old text or the new one, never half of it. Keeps its mode.

    A symbolic link stays one: what it leads to is written.
    """
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
