"""What the output may use: its width, and the symbols that its encoding can carry."""

from __future__ import annotations

import dataclasses
import textwrap
import unicodedata


@dataclasses.dataclass(frozen=True)
class Glyphs:
    """The symbols of a report. Each is one column wide, except `ellipsis` and `separator`."""

    passed: str
    failed: str
    not_run: str
    remark: str
    old: str
    new: str
    guide: str
    ellipsis: str
    separator: str


UNICODE = Glyphs("✓", "✗", "–", "!", "█", "▒", "│", "…", " · ")
ASCII = Glyphs("+", "x", "-", "!", "#", "+", "|", "...", " - ")

_SPELLED_OUT = str.maketrans({
    "–": "-", "—": "-", "−": "-", "×": "x", "·": "-", "…": "...", "≥": ">=", "≤": "<=", "≠": "!=", "→": "->",
    "“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " ",
})  # fmt: skip
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclasses.dataclass(frozen=True)
class Look:
    """How to write: `width` in columns, whether everything is shown (`verbose`), with which symbols."""

    width: int = 80
    glyphs: Glyphs = UNICODE
    verbose: bool = False

    def clean(self, text: str) -> str:
        """`text` without anything that could drive the terminal: control characters become escapes.

        What a submission prints or names itself passes through here before anybody sees it.
        """
        text = "".join(map(_visible, text.replace("\r\n", "\n").expandtabs(4)))
        return text.translate(_SPELLED_OUT) if self.glyphs is ASCII else text

    def fold(self, text: str, room: int) -> list[str]:
        """`text` cleaned and cut into lines of at most `room` columns; its own line breaks are kept."""
        lines: list[str] = []
        for line in self.clean(text).split("\n"):
            lines += textwrap.wrap(line, max(room, 20), drop_whitespace=True, break_on_hyphens=False) or [""]
        return lines

    def shorten(self, lines: list[str], limit: int) -> list[str]:
        """The first `limit` lines and how many more there are; all of them when verbose."""
        if self.verbose or len(lines) <= limit:
            return lines
        return [*lines[:limit], f"{self.glyphs.ellipsis} {len(lines) - limit} more lines"]


def glyphs_for(encoding: str | None) -> Glyphs:
    """The Unicode symbols when `encoding` can carry all of them, otherwise the ASCII ones."""
    try:
        "".join(dataclasses.astuple(UNICODE)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def _visible(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")
