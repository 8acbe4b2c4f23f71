"""Single keys from the terminal, which gets its settings back whatever happens."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, Self

from kubekata.commands.status import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator

END = "\x04"
"""What Ctrl-D types, and what is read once the terminal has gone."""

_ENDING = ("SIGTERM", "SIGHUP")


class Keyboard(contextlib.AbstractContextManager["Keyboard"]):
    """Reads keys as they are pressed. Without a terminal there are no keys, and everything else works.

    SIGTERM and SIGHUP end the program like Ctrl-C (KeyboardInterrupt), so that the terminal is put right, and leave
    the exit status in `status`. Ctrl-Z puts it right for the shell, and `resumed` tells whoever draws that the
    screen is another one now.
    """

    def __init__(self) -> None:
        self.live = os.name == "posix" and sys.stdin.isatty()
        self.resumed = False
        self.status = INTERRUPTED
        self._typed_ahead: list[str] = []
        self._before: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in _ENDING:
            if hasattr(signal, name):
                self._handle(getattr(signal, name), self._end)
        if self.live:
            import termios

            self._before = termios.tcgetattr(sys.stdin.fileno())
            atexit.register(self._restore)
            self._handle(signal.SIGTSTP, self._suspend)
            self._handle(signal.SIGCONT, self._resume)
            self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        atexit.unregister(self._restore)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()

    def key(self, seconds: float) -> str:
        """The next key, lower case, or an empty text when none is pressed within that time."""
        if not self._typed_ahead:
            self._typed_ahead = self._read(seconds)
        return self._typed_ahead.pop(0) if self._typed_ahead else ""

    @contextlib.contextmanager
    def lines(self) -> Iterator[None]:
        """Whole lines with echo again, for questions."""
        self._restore()
        try:
            yield
        finally:
            if self.live:
                self._listen()

    def _read(self, seconds: float) -> list[str]:
        if not self.live:
            time.sleep(seconds)
            return []
        ready, _, _ = select.select([sys.stdin.fileno()], [], [], seconds)
        if not ready:
            return []
        try:
            typed = os.read(sys.stdin.fileno(), 64)
        except OSError:
            typed = b""
        if typed.startswith(b"\x1b"):
            return []  # an arrow or a function key
        return list(typed.decode("utf-8", "replace").lower()) or [END]

    def _listen(self) -> None:
        import tty

        tty.setcbreak(sys.stdin.fileno())

    def _restore(self) -> None:
        if self._before is None:
            return
        import termios

        with contextlib.suppress(termios.error, OSError, ValueError):
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def _handle(self, number: int, handler: Any) -> None:
        self._handlers[number] = signal.signal(number, handler)

    def _end(self, number: int, _frame: object) -> None:
        # Not SystemExit: pytest, which may be at work just now, takes that for the failure of a test.
        self.status = 128 + number
        raise KeyboardInterrupt

    def _suspend(self, _number: int, _frame: object) -> None:
        self._restore()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _resume(self, _number: int, _frame: object) -> None:
        self._listen()
        self.resumed = True
