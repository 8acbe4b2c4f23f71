"""Starting over: a kata that was passed and is reset begins again, with its hints counted from there."""

import time

from kubekata.practice.store import Store


def start_over(store: Store, kata: str) -> None:
    """Remember that the learner begins a kata again."""
    store.insert("resets", kata=kata, at=time.time())


def take_back(store: Store, kata: str, since: float) -> None:
    """Forget the starts from that moment on: what was put aside then is back."""
    store.change("DELETE FROM resets WHERE kata = ? AND at >= ?", kata, since)


def begun(store: Store, kata: str) -> float:
    """When the learner last began the kata again, in seconds since 1970; 0 for the first time through."""
    at: float = store.row("SELECT coalesce(max(at), 0.0) AS at FROM resets WHERE kata = ?", kata)["at"]
    return at


def passed_since(store: Store, kata: str) -> float | None:
    """When the kata was first passed since then, in seconds since 1970."""
    at: float | None = store.row(
        "SELECT min(at) AS at FROM attempts WHERE kata = ? AND passed AND at > ?", kata, begun(store, kata)
    )["at"]
    return at
