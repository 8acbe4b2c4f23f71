"""The debrief of a kata: what an interviewer asks afterwards, read from DEBRIEF.md."""

import re
from typing import NamedTuple

from kubekata.grading.catalog import Kata

_SECTION = re.compile(r"^## Follow-up questions *$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
# **1. Question?** and 1. **Question?**, with the answer behind it or below.
_QUESTION = re.compile(r"^(?:\*\*(\d+)\. |(\d+)\. \*\*)(.+?)\*\*", re.MULTILINE | re.DOTALL)


class FollowUp(NamedTuple):
    """A question that an interviewer asks afterwards, and a model answer in Markdown."""

    question: str
    answer: str


def follow_ups(kata: Kata) -> list[FollowUp]:
    """The questions of a kata's debrief in order; empty when it has none or does not number them from 1."""
    try:
        text = kata.debrief.read_text("utf-8")
    except FileNotFoundError:
        return []
    match = _SECTION.search(text)
    section = match[1] if match else ""
    found = list(_QUESTION.finditer(section))
    if [int(match[1] or match[2]) for match in found] != list(range(1, len(found) + 1)):
        return []
    ends = [match.start() for match in found] + [len(section)]
    return [
        FollowUp(" ".join(match[3].split()), _dedented(section[match.end() : end]))
        for match, end in zip(found, ends[1:], strict=True)
    ]


def _dedented(answer: str) -> str:
    return "\n".join(line.strip() for line in answer.strip().splitlines())
