"""What the world asks of an actor."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Actor(Protocol):
    """A controller, scheduler or kubelet that acts when it is woken.

    An actor is level-triggered: it looks at the store and does what is due at the present time. It
    remembers nothing that it could not find out again, but for timers.
    """

    name: str

    def sync(self) -> bool:
        """Do what is due now; return True if anything was written."""
        ...

    def next_wakeup(self) -> datetime | None:
        """When to be woken even if nothing changes; None if only a change matters."""
        ...
