"""The katas with their state, as `list` shows them, and the one to do next, as `next` does."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.report.look import Look

LEVEL_STYLES = {"easy": "green", "medium": "yellow", "hard": "red"}
_WITHOUT_TAGS, _LEAST_TAGS = 45, 14
STATE_STYLES = {"passed": "green", "started": "cyan", "given-up": "magenta"}


@dataclasses.dataclass(frozen=True)
class Listed:
    """One kata in the list. `best` is None when it was never graded."""

    number: int
    title: str
    level: str
    minutes: int
    state: str
    best: int | None
    attempts: int
    tags: Sequence[str]


def listing(rows: Sequence[Listed], look: Look) -> Text:
    """A line for each kata; tags as far as the width goes."""
    room = max(len(look.clean(row.title)) for row in rows)
    with_tags = look.width >= room + _WITHOUT_TAGS + _LEAST_TAGS
    heading = (
        f"    {'kata':4}  {'title':{room}}  level   min  best  tries  state     {'tags' if with_tags else ''}"
    )
    lines = [Text(heading[: look.width], "dim")]
    for row in rows:
        line = Text("  ")
        line.append(look.glyphs.passed if row.state == "passed" else " ", "green")
        line.append(f" {row.number:>02}    ")
        line.append(look.clean(row.title).ljust(room), "bold")
        line.append(f"  {row.level:6}", LEVEL_STYLES.get(row.level, ""))
        line.append(
            f"  {row.minutes:>3}  {'-' if row.best is None else row.best:>4}  {row.attempts or '-':>5}"
        )
        line.append(f"  {row.state:8}  ", STATE_STYLES.get(row.state, "dim"))
        tags = look.clean(", ".join(row.tags))
        space = look.width - len(line)
        if space < len(tags):
            tags = tags[: max(space - len(look.glyphs.ellipsis), 0)] + look.glyphs.ellipsis
        line.append(tags if with_tags else "", "dim")
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)


def suggestion(
    heading: str, about: str, reasons: Sequence[str], commands: Sequence[tuple[str, str]], look: Look
) -> Text:
    """What to do next: a heading and what is said beside it, why, and the commands that go with it."""
    text = Text(look.clean(heading), "bold")
    text.append(f"{look.glyphs.separator}{look.clean(about)}" if about else "", "not bold dim")
    for reason in reasons:
        text.append("\n" + "\n".join(look.fold(reason, look.width)), "not bold")
    room = max(len(command) for command, _ in commands)
    for command, purpose in commands:
        text.append(f"\n{chr(10) if command == commands[0][0] else ''}  ", "not bold")
        text.append(command.ljust(room), "not bold cyan")
        text.append(f"   {purpose}", "not bold dim")
    return text
