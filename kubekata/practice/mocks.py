"""Timed mock interviews as the store keeps them: the clock, pauses, versions of the file, and the scorecard."""

import dataclasses
import time
from typing import Any

from kubekata.practice.store import Store
from kubekata.practice.texts import from_column, to_column


@dataclasses.dataclass(frozen=True)
class Mock:
    """One mock interview. Times are in seconds since 1970; `deadline` already contains the pauses that are over."""

    id: int
    kata: str
    seed: int
    reason: str
    minutes: int
    started: float
    deadline: float
    paused: float | None
    pauses: int
    pause_seconds: float
    finished: float | None
    card: str | None

    def left(self, now: float) -> float:
        """Seconds on the clock; negative once the time is over. A paused clock stands."""
        return self.deadline - (self.paused if self.paused is not None else now)

    def spent(self, now: float) -> float:
        """Seconds of the box that were used, without pauses."""
        return self.minutes * 60 - self.left(now)


def start(store: Store, kata: str, minutes: int, *, seed: int, reason: str) -> Mock | None:
    """Begin a mock interview, whose clock runs from now on; None when another one is running."""
    now = time.time()
    with store.transaction():
        if running(store):
            return None
        number = store.add(
            "mocks",
            kata=kata,
            seed=seed,
            reason=reason,
            minutes=minutes,
            started=now,
            deadline=now + minutes * 60,
        )
    return get(store, number)


def get(store: Store, number: int) -> Mock:
    """The mock with that number. Raises LookupError."""
    row = store.row("SELECT * FROM mocks WHERE id = ?", number)
    if row is None:
        raise LookupError(number)
    return _mock(row)


def running(store: Store) -> Mock | None:
    """The mock that has not been finished, whether or not its time is over."""
    row = store.row("SELECT * FROM mocks WHERE finished IS NULL ORDER BY id DESC LIMIT 1")
    return _mock(row) if row else None


def running_on(store: Store, kata: str) -> int | None:
    """The number of the running mock if it is about this kata and its time is not over."""
    mock = running(store)
    return mock.id if mock and mock.kata == kata and mock.left(time.time()) > 0 else None


def history(store: Store) -> list[Mock]:
    """Every mock, oldest first."""
    return [_mock(row) for row in store.rows("SELECT * FROM mocks ORDER BY id")]


def pause(store: Store, mock: Mock) -> None:
    """Stop the clock."""
    store.change(
        "UPDATE mocks SET paused = ?, pauses = pauses + 1 WHERE id = ? AND paused IS NULL",
        time.time(),
        mock.id,
    )


def resume(store: Store, mock: Mock) -> None:
    """Let the clock go on: the deadline moves by the length of the pause."""
    now = time.time()
    store.change(
        "UPDATE mocks SET deadline = deadline + ?1 - paused, pause_seconds = pause_seconds + ?1 - paused,"
        " paused = NULL WHERE id = ?2 AND paused IS NOT NULL",
        now,
        mock.id,
    )


def finish(store: Store, mock: Mock) -> None:
    """End the mock: its clock stops for good."""
    store.change("UPDATE mocks SET finished = ? WHERE id = ? AND finished IS NULL", time.time(), mock.id)


def reopen(store: Store, mock: Mock) -> None:
    """Take the end back, when the grade that belongs to it could not be made."""
    store.change("UPDATE mocks SET finished = NULL WHERE id = ? AND card IS NULL", mock.id)


def keep_card(store: Store, mock: Mock, card: str) -> None:
    """Store the scorecard."""
    store.change("UPDATE mocks SET card = ? WHERE id = ?", card, mock.id)


def keep_version(store: Store, mock_id: int, text: str, saved: float) -> bool:
    """Store a version of the file unless it is the last one stored; whether it was new."""
    column = to_column(text)
    with store.transaction():
        last = store.row("SELECT text FROM versions WHERE mock = ? ORDER BY id DESC LIMIT 1", mock_id)
        if last and last["text"] == column:
            return False
        store.add("versions", mock=mock_id, saved=saved, text=column)
    return True


def last_version(store: Store, mock: Mock) -> tuple[float, str] | None:
    """When it was saved and the text: the last version that was saved before the deadline."""
    row = store.row(
        "SELECT saved, text FROM versions WHERE mock = ? AND saved <= ? ORDER BY saved DESC, id DESC LIMIT 1",
        mock.id,
        mock.deadline,
    )
    return (row["saved"], from_column(row["text"])) if row else None


NOT_RATED = 0
"""The rating of an answer whose questions were ended before the learner rated it."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A follow-up question, what was typed, the model answer, and the self-rating from 1 (missed) to 3 (had it)."""

    number: int
    question: str
    answer: str
    model: str
    rating: int


def keep_answer(store: Store, mock: Mock, answer: Answer) -> None:
    """Store an answer; a second one to the same question replaces the first."""
    store.change(
        "INSERT OR REPLACE INTO answers (mock, number, question, answer, model, rating) VALUES (?, ?, ?, ?, ?, ?)",
        mock.id,
        *dataclasses.astuple(answer),
    )


def answers(store: Store, mock: Mock) -> list[Answer]:
    """The answers of a mock in the order of the questions."""
    rows = store.rows(
        "SELECT number, question, answer, model, rating FROM answers WHERE mock = ? ORDER BY number", mock.id
    )
    return [Answer(*row) for row in rows]


def _mock(row: Any) -> Mock:
    return Mock(**dict(row))
