"""Simulated time: it moves only when told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """The cluster's one clock."""

    def __init__(self, start: datetime = EPOCH) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the current time (aware, UTC)."""
        return self._now

    def set(self, moment: datetime) -> None:
        """Move to a later moment.

        Raises:
            ValueError: ``moment`` is in the past.
        """
        if moment < self._now:
            msg = f"time does not run backwards: {moment} is before {self._now}"
            raise ValueError(msg)
        self._now = moment

    def advance(self, seconds: float) -> None:
        """Move ``seconds`` ahead."""
        self.set(self._now + timedelta(seconds=seconds))


def timestamp(moment: datetime) -> str:
    """Return a moment as manifests write it; the fraction stands only where there is one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_timestamp(text: str) -> datetime:
    """Return the moment that a manifest's timestamp names."""
    return datetime.fromisoformat(text)
