"""Times and durations as people say them."""

from __future__ import annotations

import time

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def moment(at: float) -> str:
    """Local date and time to the minute; `at` is in seconds since 1970."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def ago(seconds: float) -> str:
    """How long ago something was, in one unit: "3 hours ago"."""
    for size, word in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        count = int(seconds // size)
        if count:
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    return "just now"


def duration(seconds: float) -> str:
    """A length of time: "1 h 05 min", "12 min", "40 s"."""
    seconds = max(round(seconds), 0)
    if seconds < _MINUTE:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // _MINUTE, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def clock(seconds: float) -> str:
    """What is left on a clock: "12:05", "1:02:30"; "-0:30" once the time is over."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    minutes, rest = divmod(int(seconds), _MINUTE)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{rest:02}" if hours else f"{sign}{minutes}:{rest:02}"
