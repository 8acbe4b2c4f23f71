"""Numbers on the command line, refused in words that say what would be right."""

from __future__ import annotations

import math

import click

LARGEST_SEED = 2**32 - 1


class WholeNumber(click.ParamType[int]):
    """A whole number from `least` to `most`, or from `least` up."""

    name = "number"

    def __init__(self, least: int, most: int | None = None) -> None:
        self._least = least
        self._most = most

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or click.BadParameter."""
        upper = "up" if self._most is None else f"to {self._most:,}"
        wanted = f"give a whole number from {self._least} {upper}, not {str(value)!r}."
        try:
            number = int(value)
        except ValueError:
            self.fail(wanted, param, ctx)
        if number < self._least or (self._most is not None and number > self._most):
            self.fail(wanted, param, ctx)
        return number


class Seconds(click.ParamType[float]):
    """A duration: finite and above zero."""

    name = "seconds"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of seconds, or click.BadParameter."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds > 0):
            self.fail(f"give a number of seconds above zero, not {str(value)!r}.", param, ctx)
        return seconds
