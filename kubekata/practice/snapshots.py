"""Keeps every saved version of the file while a mock interview runs, in a process that outlives the terminal.

    python -m kubekata.practice.snapshots HOME MOCK FILE

It ends by itself: when the mock is finished, a moment after the deadline, when the store is gone, and after a day
in any case.
"""

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from kubekata.practice import mocks
from kubekata.practice.mocks import Mock
from kubekata.practice.store import StoreUnavailable, open_store
from kubekata.practice.watching import FileWatch

_LOOK_EVERY = 0.25
_ASK_EVERY = 2.0
_GRACE = 3.0
_LONGEST = 86400.0


def start(home: Path, mock: Mock, path: Path) -> None:
    """Start the process for a mock. It belongs to no terminal."""
    package = Path(__file__).resolve().parents[2]
    subprocess.Popen(
        [sys.executable, "-P", "-m", "kubekata.practice.snapshots", str(home), str(mock.id), str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(package)},
        start_new_session=True,
    )


def keep_now(home: Path, mock: Mock, path: Path, text: str) -> None:
    """Keep what was just read from the file, under the time at which it was written."""
    saved = FileWatch(path).saved_at()
    store = open_store(home, write=True)
    assert store is not None  # it is made when there is none
    with store:
        mocks.keep_version(store, mock.id, text, saved)


def follow(home: Path, number: int, path: Path) -> None:
    """Keep every version until there is a reason to end."""
    watch = FileWatch(path)
    end = time.time() + _LONGEST
    ask_at = 0.0
    unkept: tuple[str, float] | None = None
    while time.time() < end:
        text = watch.poll()
        if text is not None:
            unkept = (text, watch.saved_at())
        if unkept is not None and _kept(home, number, *unkept):
            unkept = None
        if time.monotonic() >= ask_at:
            if _is_over(home, number):
                return
            ask_at = time.monotonic() + _ASK_EVERY
        time.sleep(_LOOK_EVERY)


def _kept(home: Path, number: int, text: str, saved: float) -> bool:
    """Keep a version; False when the store is busy or the disk is full, to be tried again."""
    with contextlib.suppress(StoreUnavailable, sqlite3.Error, OSError):
        store = open_store(home, write=True)
        assert store is not None
        with store:
            mocks.keep_version(store, number, text, saved)
            return True
    return False


def _is_over(home: Path, number: int) -> bool:
    try:
        store = open_store(home, write=False)
        if store is None:
            return True
        with store:
            mock = mocks.get(store, number)
    except LookupError:
        return True
    except (StoreUnavailable, sqlite3.Error):
        return not home.is_dir()
    return mock.finished is not None or mock.left(time.time()) < -_GRACE


if __name__ == "__main__":
    follow(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
