"""Ending in good order when somebody else ends the process: a closed terminal, a shutdown, a parent that gives up."""

import signal
from types import FrameType
from typing import NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def interrupt_when_ended() -> None:
    """Let SIGTERM and SIGHUP interrupt like Ctrl-C, so that what was started ends and scratch folders go.

    Who ignores one of them on purpose, as nohup does, goes on ignoring it.
    """
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    # Not SystemExit: pytest, which may be at work just now, takes that for the failure of a test.
    raise KeyboardInterrupt
