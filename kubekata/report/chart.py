"""The trace of a stepwise test as a chart: one row for each step, pods against floor and ceiling."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubekata.grading.result import Trace, TraceStep
    from kubekata.report.look import Glyphs, Look

_LABEL_ROOM = 24
_NUMBER_ROOM = 5
_WIDEST_POD = 3
_ROWS = 12
_GAP = "   "


def draw(trace: Trace, look: Look, indent: int) -> list[Text]:
    """The rows of the chart, the first a heading; empty for a trace without counts.

    A step in which ready fell below the floor or the total passed the ceiling is marked.
    """
    columns = _columns(trace, look, indent)
    if not columns:
        return []
    label_room = _label_room(trace)
    heading = Text(" " * indent + " " * label_room)
    for column in columns:
        heading.append(_GAP + column.heading().ljust(column.width), "dim")
    heading.rstrip()
    rows = [heading]
    for index in _shown(trace, look):
        if index is None:
            rows.append(Text(" " * indent + look.glyphs.ellipsis, "dim"))
            continue
        step = trace.steps[index]
        broken = _is_broken(step, trace)
        label = look.clean(step.label)
        if len(label) > label_room:
            label = label[: label_room - len(look.glyphs.ellipsis)] + look.glyphs.ellipsis
        row = Text(" " * (indent - 2))
        row.append(f"{look.glyphs.failed} " if broken else "  ", "red")
        row.append(label.ljust(label_room), "bold" if broken else "")
        for column in columns:
            row.append(_GAP)
            row.append_text(column.cells(step))
        row.rstrip()
        rows.append(row)
    return rows


@dataclasses.dataclass(frozen=True)
class _Column:
    """Ready pods against the floor, or all pods against the ceiling."""

    of: str  # "ready" or "total"
    bound: int | None
    most: int  # the largest number in the whole chart, so that both columns have one scale
    bar_room: int
    glyphs: Glyphs
    split: bool  # old and new pods told apart

    @property
    def width(self) -> int:
        return max(self.scaled(self.most) + (self.bound is not None) + _NUMBER_ROOM, len(self.heading()))

    def heading(self) -> str:
        bound = "" if self.bound is None else f", {'floor' if self.of == 'ready' else 'ceiling'} {self.bound}"
        if self.of == "ready":
            return f"ready{bound}"
        return f"old {self.glyphs.old} new {self.glyphs.new}{bound}" if self.split else f"pods{bound}"

    def scaled(self, count: int) -> int:
        if self.most <= self.bar_room:
            return count * max(1, min(_WIDEST_POD, self.bar_room // max(self.most, 1)))
        return max(round(count * self.bar_room / self.most), 1 if count else 0)

    def cells(self, step: TraceStep) -> Text:
        count = step.ready if self.of == "ready" else step.total
        if count is None:
            return Text(" " * self.width)
        text = Text()
        edge = None if self.bound is None else self.scaled(self.bound)
        for glyph, style, length in self._pods(step, count):
            before = length if edge is None else min(max(edge - len(text), 0), length)
            text.append(glyph * before, style)
            if edge is not None and len(text) == edge:
                text.append(self.glyphs.guide, "yellow")
            text.append(glyph * (length - before), style)
        out = self.bound is not None and (count < self.bound if self.of == "ready" else count > self.bound)
        text.append(f" {count:>{_NUMBER_ROOM - 1}}", "bold red" if out else "dim")
        text.append(" " * (self.width - len(text)))
        return text

    def _pods(self, step: TraceStep, count: int) -> Iterator[tuple[str, str, int]]:
        """The runs of the bar as (glyph, style, length), then blanks as far as the longest bar goes."""
        filled = self.scaled(count)
        old = min(self.scaled(step.old), filled) if self.split and step.old is not None else filled
        yield self.glyphs.old, "green" if self.of == "ready" else "blue", old
        yield self.glyphs.new, "cyan", filled - old
        yield " ", "", self.scaled(self.most) - filled


def _columns(trace: Trace, look: Look, indent: int) -> list[_Column]:
    wanted = [
        (of, bound)
        for of, bound in (("ready", trace.floor), ("total", trace.ceiling))
        if any(getattr(step, of) is not None for step in trace.steps)
    ]
    if not wanted:
        return []
    counts = [count for step in trace.steps for count in (step.ready, step.total) if count is not None]
    most = max([*counts, trace.floor or 0, trace.ceiling or 0])
    fixed = len(_GAP) + 1 + _NUMBER_ROOM
    room = (look.width - indent - _label_room(trace)) // len(wanted) - fixed
    split = any(step.old is not None and step.new is not None for step in trace.steps)
    return [
        _Column(of, bound, most, max(room, 5), look.glyphs, split and of == "total") for of, bound in wanted
    ]


def _label_room(trace: Trace) -> int:
    return min(_LABEL_ROOM, max(len(step.label) for step in trace.steps))


def _is_broken(step: TraceStep, trace: Trace) -> bool:
    if trace.floor is not None and step.ready is not None and step.ready < trace.floor:
        return True
    return trace.ceiling is not None and step.total is not None and step.total > trace.ceiling


def _shown(trace: Trace, look: Look) -> list[int | None]:
    """The indices of the steps to draw; None stands for steps left out."""
    last = len(trace.steps) - 1
    if look.verbose or last < _ROWS:
        return list(range(last + 1))
    broken = next((index for index, step in enumerate(trace.steps) if _is_broken(step, trace)), last)
    start = min(max(broken - _ROWS // 2, 2), last - _ROWS + 3)
    stop = min(start + _ROWS - 2, last + 1)
    middle: list[int | None] = [0, 1, *([None] if start > 2 else []), *range(start, stop)]
    return [*middle, None] if stop <= last else middle
