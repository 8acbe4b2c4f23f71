"""Sums in place of products."""


def double(number):
    return number + number


def spread(numbers, *, by=1):
    return [sum([number] * by) for number in numbers]


class Counter:
    def __init__(self, first):
        self.parts = [first]

    def add(self, more):
        self.parts.append(more)
        return sum(self.parts)
