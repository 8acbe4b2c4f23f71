"""The standard streams of the command: there even when the caller closed them, and honest when they take no more."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class OutputLost(Exception):
    """Standard output takes no more, for example because the disk is full. No OSError: those are about other files."""


_kept: list[object] = []
"""The streams from before: one that is forgotten closes its file."""


class _WatchedFile(io.FileIO):
    def write(self, data: ReadableBuffer) -> int:
        try:
            return cast("int", super().write(data))
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from error


def prepare() -> None:
    """Open what is closed, and watch standard output."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # else the next file that is opened would be the stream
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stdout, io.TextIOWrapper) and isinstance(
        sys.stdout.buffer, io.BufferedWriter | io.FileIO
    ):
        _kept.append(sys.stdout)
        watched = _WatchedFile(sys.stdout.fileno(), "w", closefd=False)
        sys.stdout = io.TextIOWrapper(
            # `python -u` has none between the text and the file.
            io.BufferedWriter(watched) if isinstance(sys.stdout.buffer, io.BufferedWriter) else watched,
            encoding=sys.stdout.encoding,
            errors="replace",
            line_buffering=sys.stdout.line_buffering,
            write_through=sys.stdout.write_through,
        )


def abandon() -> None:
    """Let what is still to be printed go nowhere, since Python would complain when it flushes it on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
