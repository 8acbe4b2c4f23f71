"""The log of calls: who asked for what, what was there before, and what after."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubekata.cluster.api import Verb
from kubekata.cluster.errors import ApiError

Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call to the API server.

    Attributes:
        user: who called: ``"submission"``, an actor's name, or ``"test"``.
        before, after: the stored manifest around a write; None where there was none.
        error: the refusal, if it was refused.
    """

    at: datetime
    user: str
    verb: Verb
    kind: str
    namespace: str
    name: str
    subresource: str = ""
    before: Manifest | None = None
    after: Manifest | None = None
    error: ApiError | None = None

    @property
    def writes(self) -> bool:
        """True for create, update, patch and delete, whether or not anything changed."""
        return self.verb not in ("get", "list")

    @property
    def changed(self) -> bool:
        """True if the stored object is another one than before."""
        return self.error is None and self.writes and self.before != self.after

    def __str__(self) -> str:
        what = f"{self.verb} {self.kind}/{self.name}" + (f" {self.subresource}" if self.subresource else "")
        return f"{what}: {self.error.reason or self.error.code}" if self.error else what


class CallLog:
    """Calls in the order in which they were answered.

    Args:
        limit: roughly how many are kept, the newest; None for all. With a limit, positions in the log
            (``since``) lose their meaning once it has been reached.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._calls: list[Call] = []

    def add(self, call: Call) -> None:
        """Append a call."""
        self._calls.append(call)
        if self._limit is not None and len(self._calls) > 2 * self._limit:
            del self._calls[: -self._limit]

    def __len__(self) -> int:
        return len(self._calls)

    def calls(self, *, user: str | None = None, since: int = 0) -> list[Call]:
        """Return calls after the first ``since``, of one user or of all."""
        return [call for call in self._calls[since:] if user is None or call.user == user]

    def writes(self, *, user: str | None = None, since: int = 0) -> list[Call]:
        """Return successful writes, including those that changed nothing."""
        calls = self.calls(user=user, since=since)
        return [call for call in calls if call.writes and call.error is None]
