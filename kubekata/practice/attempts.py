"""Attempts: every grade of the learner's own file, with the text that was graded."""

import dataclasses
import time
from typing import Any

import msgspec

from kubekata.grading.result import KataResult
from kubekata.practice import hints
from kubekata.practice.store import Store
from kubekata.practice.texts import from_column, to_column

AWAY = 3600.0
"""Seconds without a sign of work on a kata after which the learner was away, and the time does not count."""


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One graded version. `at` is in seconds since 1970; `worked` and `seconds` are durations, see the schema."""

    id: int
    kata: str
    at: float
    score: int
    passed: bool
    hints: int
    worked: float
    seconds: float
    mock: int | None


@dataclasses.dataclass(frozen=True)
class Standing:
    """How a kata stands: the best score, whether it was ever passed, attempts, and when the last one was."""

    best: int
    passed: bool
    attempts: int
    last: float


_COLUMNS = "id, kata, at, score, passed, hints, worked, seconds, mock"


def record(store: Store, result: KataResult, text: str, *, mock: int | None = None) -> Attempt:
    """Remember one grade and the text that was graded."""
    now = time.time()
    with store.transaction():
        worked = _worked(store, result.kata, now)
        used = hints.used(store, result.kata, mock=mock)
        number = store.add(
            "attempts",
            kata=result.kata,
            at=now,
            score=result.score,
            passed=result.passed,
            hints=used,
            worked=worked,
            seconds=result.seconds,
            mock=mock,
            result=msgspec.json.encode(result).decode(),
            submission=to_column(text),
        )
    return Attempt(number, result.kata, now, result.score, result.passed, used, worked, result.seconds, mock)


def visit(store: Store, kata: str) -> None:
    """Remember that the learner looked at a kata, which is when the work on it begins."""
    store.insert("visits", kata=kata, at=time.time())


def history(store: Store, kata: str | None = None) -> list[Attempt]:
    """All attempts at a kata, or at every one, oldest first."""
    if kata is None:
        rows = store.rows(f"SELECT {_COLUMNS} FROM attempts ORDER BY id")
    else:
        rows = store.rows(f"SELECT {_COLUMNS} FROM attempts WHERE kata = ? ORDER BY id", kata)
    return [_attempt(row) for row in rows]


def find(store: Store, number: int) -> Attempt | None:
    """The attempt with that number."""
    row = store.row(f"SELECT {_COLUMNS} FROM attempts WHERE id = ?", number)
    return _attempt(row) if row else None


def text(store: Store, number: int) -> str:
    """The submission's text of one attempt."""
    return from_column(store.row("SELECT submission FROM attempts WHERE id = ?", number)["submission"])


def result(store: Store, number: int) -> KataResult:
    """The whole verdict of one attempt."""
    row = store.row("SELECT result FROM attempts WHERE id = ?", number)
    return msgspec.json.decode(row["result"], type=KataResult)


def last_other_than(store: Store, kata: str, current: str) -> Attempt | None:
    """The last attempt at a kata whose text is not `current`."""
    row = store.row(
        f"SELECT {_COLUMNS} FROM attempts WHERE kata = ? AND submission != ? ORDER BY id DESC LIMIT 1",
        kata,
        to_column(current),
    )
    return _attempt(row) if row else None


def standings(store: Store) -> dict[str, Standing]:
    """How every kata stands that was ever graded, by id."""
    rows = store.rows(
        "SELECT kata, max(score) AS best, max(passed) AS passed, count(*) AS attempts, max(at) AS last"
        " FROM attempts GROUP BY kata"
    )
    return {
        row["kata"]: Standing(row["best"], bool(row["passed"]), row["attempts"], row["last"]) for row in rows
    }


def _worked(store: Store, kata: str, now: float) -> float:
    """The time since the last sign of work on this kata."""
    row = store.row(
        "SELECT max(at) AS at FROM (SELECT at FROM attempts WHERE kata = ?1"
        " UNION ALL SELECT at FROM visits WHERE kata = ?1 UNION ALL SELECT at FROM hints WHERE kata = ?1)",
        kata,
    )
    gap = now - row["at"] if row["at"] else AWAY
    return round(gap, 1) if 0 <= gap < AWAY else 0.0


def _attempt(row: Any) -> Attempt:
    values = dict(row)
    return Attempt(**{**values, "passed": bool(values["passed"])})
