"""What a demonstration is told with: acts, lines with a speaker, and pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from kubekata.grading.result import Trace
    from kubekata.report.look import Look

_SPEAKER_ROOM = 12
_INDENT = 3

Show = Callable[[Text], None]
Wait = Callable[[], None]


class Stage:
    """Prints a story; ``wait`` is called between acts and may block until a key is pressed."""

    def __init__(self, look: Look, show: Show, wait: Wait = lambda: None) -> None:
        self.look = look
        self._show = show
        self._wait = wait
        self._acts = 0

    def open(self, title: str, text: str) -> None:
        """Say what this is about."""
        self._show(Text(self.look.clean(title), "bold"))
        self._paragraph(text)

    def act(self, title: str, text: str) -> None:
        """Begin the next act, after the pause that the viewer asked for."""
        if self._acts:
            self._wait()
        self._acts += 1
        self._show(Text())
        self._show(Text.assemble((f"{self._acts}  ", "cyan"), (self.look.clean(title), "bold")))
        self._paragraph(text)

    def says(self, speaker: str, text: str, style: str = "") -> None:
        """One thing that somebody does or reports."""
        room = self.look.width - _INDENT - _SPEAKER_ROOM
        for number, line in enumerate(self.look.fold(text, room)):
            head = speaker if number == 0 else ""
            row = Text(" " * _INDENT)
            row.append(head.ljust(_SPEAKER_ROOM), "dim")
            row.append(line, style)
            self._show(row)

    def good(self, speaker: str, text: str) -> None:
        """What went as it should."""
        self.says(speaker, text, "green")

    def bad(self, speaker: str, text: str) -> None:
        """What went wrong, as the story wants it."""
        self.says(speaker, text, "yellow")

    def rows(self, rows: Iterable[tuple[str, str, str]]) -> None:
        """A picture: (label, bar, remark) a row."""
        rows = list(rows)
        labels = max((len(label) for label, _, _ in rows), default=0)
        bars = max((len(bar) for _, bar, _ in rows), default=0)
        for label, bar, remark in rows:
            row = Text(" " * (_INDENT + _SPEAKER_ROOM))
            row.append(label.ljust(labels) + "  ", "dim")
            row.append(bar.ljust(bars), "cyan")
            row.append("  " + self.look.clean(remark))
            row.rstrip()
            self._show(row)

    def bar(self, full: int, size: int) -> str:
        """``full`` of ``size`` units as blocks."""
        return self.look.glyphs.old * full + "." * max(size - full, 0)

    def chart(self, trace: Trace) -> None:
        """Pods step by step, against floor and ceiling."""
        from kubekata.report.chart import draw  # noqa: PLC0415 - a story without steps does without

        # A story shows every step, where a report would leave out the middle.
        for row in draw(trace, dataclasses.replace(self.look, verbose=True), _INDENT + 2):
            self._show(row)

    def close(self, text: str) -> None:
        """The last word."""
        self._show(Text())
        self._paragraph(text)

    def _paragraph(self, text: str) -> None:
        for line in self.look.fold(text, self.look.width - _INDENT):
            self._show(Text(" " * _INDENT + line, "italic"))
