"""Reveals: when the reference was opened, and whether the learner had passed."""

import dataclasses
import time

from kubekata.practice.store import Store


@dataclasses.dataclass(frozen=True)
class Reveal:
    """The reference of a kata was opened; `gave_up` is whether that was before passing."""

    kata: str
    at: float
    gave_up: bool


def remember(store: Store, kata: str, *, gave_up: bool) -> None:
    """Remember that the reference was shown."""
    store.insert("reveals", kata=kata, at=time.time(), gave_up=gave_up)


def given_up(store: Store) -> set[str]:
    """The katas whose reference was opened before they were passed."""
    return {row["kata"] for row in store.rows("SELECT DISTINCT kata FROM reveals WHERE gave_up")}


def of(store: Store, kata: str) -> list[Reveal]:
    """Every reveal of a kata, oldest first."""
    rows = store.rows("SELECT kata, at, gave_up FROM reveals WHERE kata = ? ORDER BY id", kata)
    return [Reveal(row["kata"], row["at"], bool(row["gave_up"])) for row in rows]
