"""Hints: which were taken. In practice they cost nothing and are counted; in a mock they cost points."""

import time

from kubekata.practice import resets
from kubekata.practice.store import Store

COSTS = (5, 10, 15)
"""What the first, second and third hint of a mock cost, in points of 100."""


def taken(store: Store, kata: str, *, mock: int | None = None) -> list[int]:
    """The numbers of the hints that were taken: in that mock, or anywhere since the kata was last begun."""
    if mock is None:
        rows = store.rows(
            "SELECT DISTINCT number FROM hints WHERE kata = ? AND at > ? ORDER BY number",
            kata,
            resets.begun(store, kata),
        )
    else:
        rows = store.rows(
            "SELECT DISTINCT number FROM hints WHERE kata = ? AND mock = ? ORDER BY number", kata, mock
        )
    return [row["number"] for row in rows]


def ever(store: Store, kata: str) -> list[int]:
    """The numbers of the hints that were ever taken, whether or not the kata was begun again since."""
    rows = store.rows("SELECT DISTINCT number FROM hints WHERE kata = ? ORDER BY number", kata)
    return [row["number"] for row in rows]


def used(store: Store, kata: str, *, mock: int | None = None) -> int:
    """How many different hints count. One that was read after the kata was passed helped nobody to pass it."""
    passed = None if mock else resets.passed_since(store, kata)
    if passed is None:
        return len(taken(store, kata, mock=mock))
    count: int = store.row(
        "SELECT count(DISTINCT number) AS used FROM hints WHERE kata = ? AND at > ? AND at <= ?",
        kata,
        resets.begun(store, kata),
        passed,
    )["used"]
    return count


def take(store: Store, kata: str, number: int, *, mock: int | None = None) -> None:
    """Remember that a hint was shown."""
    store.insert("hints", kata=kata, number=number, at=time.time(), mock=mock)


def cost(count: int) -> int:
    """What `count` hints cost in a mock."""
    return sum(COSTS[:count])
