"""Attempts as `history` shows them, and the difference between two of them."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING

from rich.text import Text

from kubekata.report.when import duration, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.result import KataResult
    from kubekata.report.look import Look


@dataclasses.dataclass(frozen=True)
class Row:
    """One attempt: its number, when, the verdict, seconds worked, hints used, and what to know about it."""

    number: int
    kata: str
    at: float
    score: int
    passed: bool
    worked: float
    hints: int
    remark: str


def remark(result: KataResult, *, in_mock: bool) -> str:
    """The one thing to know about an attempt: what failed first."""
    mock = "in a mock" if in_mock else ""
    fatal = next((problem.message for problem in result.problems if problem.fatal), "")
    failed = next((item.title for item in result.rubric if item.earned < item.points), "")
    return ", ".join(filter(None, (fatal or failed, mock)))


def attempts(rows: Sequence[Row], look: Look, summary: str, *, with_kata: bool = False) -> Text:
    """A line for each attempt, oldest first, below a line that sums them up."""
    width = max(len(f"#{row.number}") for row in rows)
    kata = f"  {'kata':8}" if with_kata else ""
    heading = f"  {'':{width + 2}}  {'when':16}{kata}  score  {'worked':>10}  hints  fails first"
    lines = [Text(look.clean(summary), "bold"), Text(""), Text(heading, "dim")]
    for row in rows:
        line = Text("  ")
        symbol, style = (look.glyphs.passed, "green") if row.passed else (look.glyphs.failed, "red")
        line.append(f"{symbol} ", style)
        line.append(f"#{row.number}".rjust(width))
        line.append(f"  {moment(row.at)}", "dim")
        if with_kata:
            line.append(f"  {row.kata:8}")
        line.append(f"  {row.score:>5}", "bold")
        line.append(f"  {duration(row.worked) if row.worked else '-':>10}  {row.hints or '-':>5}  ")
        space = max(look.width - len(line), 12)
        words = look.clean(row.remark)
        line.append(
            words
            if len(words) <= space
            else words[: space - len(look.glyphs.ellipsis)] + look.glyphs.ellipsis,
            "dim",
        )
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)


def difference(before: str, after: str, names: tuple[str, str], look: Look) -> Text:
    """Two texts as a unified diff; empty when they are the same."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=3)
    text = Text()
    for number, line in enumerate(lines):
        style = "bold" if number < 2 else {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        text.append(("\n" if number else "") + look.clean(line), style)
    return text
