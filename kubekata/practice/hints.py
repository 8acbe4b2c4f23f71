"""Hints: which were taken. In practice they cost nothing and are counted; in a mock they cost points."""

import time

from kubekata.practice.store import Store

COSTS = (5, 10, 15)
"""What the first, second and third hint of a mock cost, in points of 100."""


def taken(store: Store, kata: str, *, mock: int | None = None) -> list[int]:
    """The numbers of the hints that were taken: in that mock, or anywhere when there is none."""
    if mock is None:
        rows = store.rows("SELECT DISTINCT number FROM hints WHERE kata = ? ORDER BY number", kata)
    else:
        rows = store.rows(
            "SELECT DISTINCT number FROM hints WHERE kata = ? AND mock = ? ORDER BY number", kata, mock
        )
    return [row["number"] for row in rows]


def used(store: Store, kata: str, *, mock: int | None = None) -> int:
    """How many different hints were taken."""
    return len(taken(store, kata, mock=mock))


def take(store: Store, kata: str, number: int, *, mock: int | None = None) -> None:
    """Remember that a hint was shown."""
    store.insert("hints", kata=kata, number=number, at=time.time(), mock=mock)


def cost(count: int) -> int:
    """What `count` hints cost in a mock."""
    return sum(COSTS[:count])
