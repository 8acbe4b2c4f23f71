"""Work that goes on in a copy of this process, on another processor, and whose result comes back as one message."""

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, NoReturn, TypeVar

import msgspec

from kubekata.grading.ending import ENDING
from kubekata.grading.host.errors import HostFault

_T = TypeVar("_T")

_DONE, _BROKE = b"=", b"!"


def is_safe() -> bool:
    """Whether this process may be copied: with other threads in it, a copy could wait for a lock for ever."""
    return threading.active_count() == 1


class Aside(Generic[_T]):
    """Starts `work` in a forked copy at once; use it as a context manager, so that the copy never outlives it.

    What `work` returns has to be of the type `kind` and travels as JSON. The copy ends with this process, however
    that ends.
    """

    def __init__(self, work: Callable[[], _T], kind: type[_T]) -> None:
        self._kind = kind
        self._answers, answers = os.pipe()
        lifeline, self._lifeline = os.pipe()
        # Ctrl-C goes to both processes, and may come at once. It is for the first, which ends this one.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._pid = os.fork()
            if self._pid == 0:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                os.close(self._answers)
                os.close(self._lifeline)
                _be_the_copy(work, answers, lifeline)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(answers)
        os.close(lifeline)

    def result(self) -> _T:
        """Wait for what the work returned. Raises HostFault when it raised, or when the copy was killed."""
        parts = []
        while data := os.read(self._answers, 1 << 16):
            parts.append(data)
        answer = b"".join(parts)
        if answer[:1] == _DONE:
            return msgspec.json.decode(answer[1:], type=self._kind)
        raise HostFault(answer[1:].decode() or "the process for the second hash seed ended by itself")

    def __enter__(self) -> "Aside[_T]":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Where SIGCHLD is ignored, which programs inherit, there is nothing left to wait for.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._answers)
        os.close(self._lifeline)


def _be_the_copy(work: Callable[[], object], answers: int, lifeline: int) -> NoReturn:
    """Never returns, and never runs an exit handler of the process that was copied."""
    try:
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
        gc.freeze()  # a collection would touch, and so copy, every page
        answer = _DONE + msgspec.json.encode(work())
    except BaseException as error:
        text = str(error) if isinstance(error, HostFault) else f"{type(error).__name__}: {error}"
        answer = _BROKE + text.encode("utf-8", "replace")
    try:
        with os.fdopen(answers, "wb") as stream:
            stream.write(answer)
    finally:
        os._exit(0)


def _end_with(lifeline: int) -> None:
    """Wait until the other end of the pipe is gone, and its process with it; it works so on every system."""
    os.read(lifeline, 1)
    os._exit(1)
