"""The table of katas that `python grader.py` shows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.report.look import Look

_LEVEL_STYLES = {"easy": "green", "medium": "yellow", "hard": "red"}


@dataclasses.dataclass(frozen=True)
class KataRow:
    """One kata in the table. `best` is its best score so far, None when it was never graded."""

    number: int
    slug: str
    title: str
    level: str
    minutes: int
    best: int | None = None
    passed: bool = False


def table(rows: Sequence[KataRow], look: Look, next_step: str = "") -> Text:
    """Number, title, slug, level, minutes and best score of every kata, and the next thing to do."""
    if not rows:
        return Text("There are no katas in this folder: katas/ is empty.")
    titles = max([len(look.clean(row.title)) for row in rows])
    slugs = max([len(row.slug) for row in rows])
    heading = f"    {'kata':4}  {'title':{titles}}  {'name':{slugs}}  level   minutes  best"
    lines = [Text(heading, "dim")]
    for row in rows:
        line = Text("  ")
        line.append(look.glyphs.passed if row.passed else " ", "green")
        line.append(f" {row.number:>02}    ")
        line.append(look.clean(row.title).ljust(titles), "bold")
        line.append(f"  {row.slug:{slugs}}  ", "dim")
        line.append(f"{row.level:8}", _LEVEL_STYLES.get(row.level, ""))
        line.append(f"{row.minutes:>7}  ")
        line.append("   -" if row.best is None else f"{row.best:>4}", "green" if row.passed else "")
        lines.append(line)
    passed = sum(row.passed for row in rows)
    footer = Text(f"\n{passed} of {len(rows)} passed.")
    if next_step:
        footer.append("\nNext: ", "dim")
        footer.append("\n      ".join(look.fold(next_step, look.width - 6)), "cyan")
    return Text("\n").join([*lines, footer])
