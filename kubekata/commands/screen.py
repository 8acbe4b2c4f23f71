"""Where output goes: what the terminal can show, and a line of progress while the user waits."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Self

from kubekata.report.look import Look, glyphs_for

if TYPE_CHECKING:
    from rich.text import Text

_NARROWEST, _WIDEST = 40, 120
_WAIT_BEFORE_PROGRESS = 0.4


class Screen:
    """Standard output: colours on a terminal, plain text in a pipe, under NO_COLOR and on a dumb terminal."""

    def __init__(self, *, color: bool = True, verbose: bool = False) -> None:
        columns = shutil.get_terminal_size().columns
        self.color = color and is_colorful()
        self.look = Look(
            width=min(max(columns, _NARROWEST), _WIDEST),
            glyphs=glyphs_for(sys.stdout.encoding),
            verbose=verbose,
        )

    def show(self, text: Text) -> None:
        """Print `text`. Its lines are already broken, so the terminal's width does not matter here."""
        if not self.color:
            print(text.plain)
            return
        from rich.console import Console

        Console(highlight=False, force_terminal=True).print(text, soft_wrap=True)

    def show_markdown(self, text: str) -> None:
        """Print Markdown: laid out on a colour terminal, as it is written everywhere else."""
        if not self.color:
            print(self.look.clean(text.strip()))
            return
        from rich.console import Console
        from rich.markdown import Markdown

        Console(highlight=False, force_terminal=True, width=self.look.width).print(Markdown(text))


def is_colorful() -> bool:
    """Whether standard output takes colours. FORCE_COLOR says yes for a pipe; NO_COLOR says no for everything."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in ("dumb", "unknown"):
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


class ProgressLine(contextlib.AbstractContextManager["ProgressLine"]):
    """One line on stderr, drawn over and over while work goes on; nothing at all unless that is a terminal.

    It waits a moment before it shows, so that quick work does not flicker.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.started = time.monotonic()
        self.drawn = 0

    def __call__(self, done: int, total: int, label: str) -> None:
        """Show that `done` of `total` parts are done; has the shape of grading's Progress."""
        if not self.live or time.monotonic() - self.started < _WAIT_BEFORE_PROGRESS:
            return
        room = shutil.get_terminal_size().columns - 1
        text = f"{self.what}: {done} of {total}  {label}"[:room]
        print("\r" + text.ljust(self.drawn), end="", file=sys.stderr, flush=True)
        self.drawn = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            print("\r" + " " * self.drawn + "\r", end="", file=sys.stderr, flush=True)
