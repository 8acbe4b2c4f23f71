"""Two programs side by side, or one after the other where there is no room or no terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from kubekata.report.look import Look

_LEAST_WIDTH = 100


def side_by_side(left: tuple[str, str], right: tuple[str, str], look: Look) -> Text:
    """Each side is given as (heading, text)."""
    if look.width < _LEAST_WIDTH:
        blocks = []
        for heading, text in (left, right):
            rule = "-" * max(look.width - len(heading) - 4, 3)
            blocks.append(Text.assemble((f"-- {look.clean(heading)} {rule}"[: look.width], "bold"), "\n"))
            blocks.append(Text(look.clean(text.rstrip())))
            blocks.append(Text("\n\n"))
        return Text("").join(blocks[:-1])
    room = (look.width - 3) // 2
    columns = [
        [look.clean(heading), "-" * room, *_lines(text, room, look)] for heading, text in (left, right)
    ]
    height = max(map(len, columns))
    result = Text()
    for number in range(height):
        cells = [column[number] if number < len(column) else "" for column in columns]
        style = "bold" if number == 0 else "dim" if number == 1 else ""
        result.append(cells[0].ljust(room), style)
        result.append(f" {look.glyphs.guide} ", "dim")
        result.append(cells[1], style)
        result.rstrip()
        result.append("\n" if number < height - 1 else "")
    return result


def _lines(text: str, room: int, look: Look) -> list[str]:
    """The lines of a program, the long ones broken: nothing of it is left out."""
    lines: list[str] = []
    for line in look.clean(text.rstrip()).split("\n"):
        pieces = [line[start : start + room] for start in range(0, len(line), room)]
        lines += pieces or [""]
    return lines
