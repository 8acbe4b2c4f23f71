"""Noticing that a file was saved.

The file is looked at by its path many times a second. That costs next to nothing for one file, and unlike the
system's change events it also works over network mounts and with editors that save by renaming a new file into
place.
"""

import os
import time
from pathlib import Path

from kubekata.practice.texts import decode

SETTLED = 0.03
"""Seconds without a change after which a save is complete: some editors empty the file first and then write it."""

GONE = 0.5
"""Seconds without a file that can be read after which it is lost: some editors remove it first when they save."""

_Mark = tuple[int, int, int]


class FileWatch:
    """Tells each new text of a file once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text: str | None = None
        self._mark: _Mark | None = None
        self._settles_at = 0.0
        self._lost_at = 0.0
        self._told_lost = False

    def poll(self) -> str | None:
        """The text if it is new since the last call and complete, otherwise None. A missing file is waited for."""
        mark = self._look()
        now = time.monotonic()
        if mark is None:
            self._lost_at = self._lost_at or now
        if mark != self._mark:
            self._mark = mark
            self._settles_at = now + SETTLED
            return None
        if mark is None or not self._settles_at or now < self._settles_at:
            return None
        self._settles_at = 0.0
        try:
            text = decode(self.path.read_bytes())
        except OSError:
            self._mark = None
            self._lost_at = self._lost_at or now
            return None
        self._lost_at = 0.0
        self._told_lost = False
        if text == self._text:
            return None
        self._text = text
        return text

    def lost(self) -> bool:
        """True once for each time that the file is gone, or cannot be read, and no save explains it."""
        if self._told_lost or not self._lost_at or time.monotonic() - self._lost_at < GONE:
            return False
        self._told_lost = True
        return True

    def saved_at(self) -> float:
        """When the file was written, in seconds since 1970; now if it is gone."""
        try:
            return self.path.stat().st_mtime
        except OSError:
            return time.time()

    def _look(self) -> _Mark | None:
        try:
            status = os.stat(self.path)  # noqa: PTH116 - this is called many times a second
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
