"""The hints of a kata, read from its file."""

import re

from kubekata.grading.catalog import Kata

_HEADING = re.compile(r"^## Hint \d+: (\S.*)$", re.MULTILINE)


def hints(kata: Kata) -> list[tuple[str, str]]:
    """Title and Markdown text of each hint, in order; empty when the kata has none."""
    try:
        text = kata.hints.read_text("utf-8")
    except FileNotFoundError:
        return []
    _, *parts = _HEADING.split(text)
    return [(title, body.strip()) for title, body in zip(parts[::2], parts[1::2], strict=True)]
