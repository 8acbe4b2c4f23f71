"""An event loop in a thread, for servers that run beside checks that block."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")

_SECONDS_TO_STOP = 10


class Background(Generic[T]):
    """Keeps an asynchronous context open in a thread of its own; use it as a context manager."""

    def __init__(self, context: AbstractAsyncContextManager[T]) -> None:
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.value: T

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            entering = asyncio.run_coroutine_threadsafe(self._context.__aenter__(), self._loop)
            self.value = entering.result()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            leaving = asyncio.run_coroutine_threadsafe(self._context.__aexit__(None, None, None), self._loop)
            leaving.result(_SECONDS_TO_STOP)
        finally:
            self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS_TO_STOP)
        if not self._thread.is_alive():
            self._loop.close()
