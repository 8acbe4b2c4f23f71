"""Kata 11: Requeue with backoff. The brief is README.md beside this file."""

from collections.abc import Hashable

from kubekata import Client, Rack, Request, Result

BASE = 10.0  # seconds to wait after the first failure
CAP = 60.0  # the longest backoff
MAX_RETRIES = 5  # so many retries with backoff, then give up
SLOW = 300.0  # seconds between two tries after that


class Backoff:
    """Exponential backoff for each item: base, 2 * base, 4 * base … and never more than cap (seconds)."""

    def __init__(self, base: float, cap: float) -> None:
        raise NotImplementedError

    def when(self, item: Hashable) -> float:
        """Count one more failure of the item, and return how long to wait after it."""
        raise NotImplementedError

    def forget(self, item: Hashable) -> None:
        """The item has succeeded: its next failure is its first."""
        raise NotImplementedError

    def retries(self, item: Hashable) -> int:
        """Return how many failures of the item are counted now."""
        raise NotImplementedError


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Try once to bring one RackNode's firmware to its spec; say when to try again.

    client: the API server.
    rack: the hardware; the machine has the name of its RackNode.
    request: name and namespace of the RackNode to look at.
    """
    raise NotImplementedError
