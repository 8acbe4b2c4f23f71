"""The two values that a reconciler exchanges with the loop that calls it (controller-runtime's names)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """Which object to look at. It carries no event: a reconciler is level-triggered."""

    name: str
    namespace: str = "default"


@dataclass(frozen=True, slots=True)
class Result:
    """When to look again: ``requeue_after`` in seconds, or None to wait for the next change."""

    requeue_after: float | None = None
