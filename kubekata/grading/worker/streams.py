"""The standard streams of a submission: nothing to read, and every line written at once.

This happens in the zygote, whose own streams lead nowhere; a child only puts the host's pipe in their place.
"""

import builtins
import contextlib
import io
import sys
from typing import NoReturn


def prepare() -> None:
    """Set the streams up, and refuse what would wait for a person."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.breakpointhook = _no_breakpoint
    builtins.input = _no_input
    sys.dont_write_bytecode = True


def flush() -> None:
    """Send what the submission printed on its way, as far as it left us the streams to do so."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _no_breakpoint(*_args: object, **_kwargs: object) -> NoReturn:
    raise RuntimeError("a breakpoint is still in your file")


def _no_input(*_args: object, **_kwargs: object) -> NoReturn:
    raise EOFError("input() was called, and nobody is there to answer")
