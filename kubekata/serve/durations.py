"""Ages as people read them in tables (apimachinery's ``duration.HumanDuration``)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kubekata.cluster.clock import parse_timestamp

_MINUTE, _HOUR = 60, 3600
_DAY = 24 * _HOUR
_YEAR = 365 * _DAY


def age(stamp: Any, now: datetime) -> str:
    """Return how long ago a manifest's timestamp was: ``8m28s``; ``<unknown>`` for none."""
    if not isinstance(stamp, str) or not stamp:
        return "<unknown>"
    try:
        moment = parse_timestamp(stamp)
        return human_duration((now - moment).total_seconds())
    except (ValueError, TypeError):
        return "<invalid>"


def human_duration(elapsed: float) -> str:
    """Return seconds in one or two units."""
    seconds = int(elapsed)
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    # Up to each bound: the unit, and the smaller one that is shown beside it.
    steps = (
        (2 * _MINUTE, 1, "s", 0, ""),
        (10 * _MINUTE, _MINUTE, "m", 1, "s"),
        (3 * _HOUR, _MINUTE, "m", 0, ""),
        (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
        (2 * _DAY, _HOUR, "h", 0, ""),
        (8 * _DAY, _DAY, "d", _HOUR, "h"),
        (2 * _YEAR, _DAY, "d", 0, ""),
        (8 * _YEAR, _YEAR, "y", _DAY, "d"),
    )
    for bound, unit, letter, small, small_letter in steps:
        if seconds < bound:
            whole, rest = divmod(seconds, unit)
            more = rest // small if small else 0
            return f"{whole}{letter}{more}{small_letter}" if more else f"{whole}{letter}"
    return f"{seconds // _YEAR}y"
