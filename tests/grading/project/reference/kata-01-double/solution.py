"""Reference."""


def double(number: int) -> int:
    return number * 2


def spread(numbers: list[int], *, by: int = 1) -> list[int]:
    return [number * by for number in numbers]


class Counter:
    def __init__(self, start: int) -> None:
        self._count = start

    def add(self, amount: int) -> int:
        self._count += amount
        return self._count
