"""Misconception: twice is the number by itself.

Fails: double
"""


def double(number):
    return number**2


def spread(numbers, *, by=1):
    return [number * by for number in numbers]


class Counter:
    def __init__(self, start):
        self.count = start

    def add(self, amount):
        self.count += amount
        return self.count
