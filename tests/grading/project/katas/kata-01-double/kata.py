"""Double."""


def double(number: int) -> int:
    """Return twice the number."""
    raise NotImplementedError


def spread(numbers: list[int], *, by: int = 1) -> list[int]:
    """Return every number times `by`."""
    raise NotImplementedError


class Counter:
    """Counts from `start`."""

    def __init__(self, start: int) -> None:
        raise NotImplementedError

    def add(self, amount: int) -> int:
        """Add, and return the count."""
        raise NotImplementedError
