"""What the report is made from."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.result import Trace
    from kubekata.report.card import Card


@dataclasses.dataclass(frozen=True)
class KataLine:
    """One kata. `best` is None when it was never graded, `to_pass` (seconds of work) when it was never passed."""

    id: str
    title: str
    level: str
    minutes: int
    tags: Sequence[str]
    state: str
    best: int | None
    attempts: int
    hints: int
    to_pass: float | None


@dataclasses.dataclass(frozen=True)
class Point:
    """One attempt: when (seconds since 1970), at which kata, with which score."""

    at: float
    kata: str
    score: int
    passed: bool


@dataclasses.dataclass(frozen=True)
class Stepwise:
    """The last attempt at a kata that happens in steps: one scenario, the learner's trace and the reference's."""

    kata: str
    title: str
    scenario: str
    passed: bool
    yours: Trace
    reference: Trace | None


@dataclasses.dataclass(frozen=True)
class Progress:
    """Everything. `made_at` is in seconds since 1970."""

    made_at: float
    katas: Sequence[KataLine]
    points: Sequence[Point]
    cards: Sequence[Card]
    traces: Sequence[Stepwise]
