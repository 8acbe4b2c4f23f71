"""Opening the progress file whatever state it is in: missing, older, newer, damaged, on a full or read-only disk."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from kubekata.practice.store.schema import STEPS, VERSION
from kubekata.practice.store.store import Store

FILE = "progress.sqlite3"

_WAIT_FOR_OTHERS = 5.0  # seconds; transactions are short, so whoever holds the lock is gone long before
_COMPANIONS = ("", "-wal", "-shm")


class StoreUnavailable(Exception):
    """The store cannot be used now. The message is one line: why, and what the user can do."""


class _Damaged(Exception):
    pass


def open_store(home: Path, *, write: bool) -> Store | None:
    """Open the store in the folder `home`; None when it is only to be read and there is none yet.

    A damaged file is put aside under a name with the time, and a fresh one begun: see Store.notice.
    Raises StoreUnavailable for a file of a newer kubekata, and when the folder or disk does not allow it.
    """
    path = home / FILE
    try:
        if not write:
            if not path.exists():
                return None
            return _readable(path)
        _make_folder(home)
        return Store(path, _connect(path))
    except _Damaged:
        return _begin_afresh(path)
    except (sqlite3.Error, OSError) as error:
        if not write and _is_refusal(str(error).lower()):
            raise StoreUnavailable(f"{path}: {error}; `chmod u+rw` lets you read it") from error
        raise StoreUnavailable(reason(error, path)) from error


def reason(error: Exception, path: Path) -> str:
    """What SQLite or the system says, in the user's words."""
    text = str(error).lower()
    if "full" in text or "i/o error" in text or "no space" in text or "file too large" in text:
        return f"the disk is full or does not take more ({path.parent}): make room there"
    if "locked" in text or "busy" in text:
        return f"another terminal has held {path} for {_WAIT_FOR_OTHERS:.0f} seconds: try again"
    if isinstance(error, OSError | sqlite3.OperationalError) and _is_refusal(text):
        return f"{path.parent} cannot be written to: set KUBEKATA_HOME to a folder that can"
    return f"{path}: {error}"


def _is_refusal(text: str) -> bool:
    signs = ("readonly", "read-only", "unable to open", "permission denied", "not a directory", "file exists",
             "no such file", "not permitted")  # fmt: skip
    return any(sign in text for sign in signs)


def _make_folder(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    ignore = home / ".gitignore"
    if not ignore.exists():
        # KUBEKATA_HOME may be in somebody's repository.
        ignore.write_text("*\n", encoding="utf-8")


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that may write, to a file that is whole and has all the tables."""
    connection = sqlite3.connect(path, timeout=_WAIT_FOR_OTHERS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        with _telling_damage():
            _refuse_newer(connection, path)
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise _Damaged
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            _bring_up_to_date(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _readable(path: Path) -> Store:
    """A store that is only read. In a folder where nothing may be written, SQLite has to be told that."""
    can_write = os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)
    uri = f"{path.absolute().as_uri()}?mode=ro" + ("" if can_write else "&immutable=1")
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_FOR_OTHERS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        with _telling_damage():
            _refuse_newer(connection, path)
            version = _version(connection)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    if version < VERSION and can_write:
        connection.close()
        return Store(path, _connect(path))
    return Store(path, connection)


@contextlib.contextmanager
def _telling_damage() -> Iterator[None]:
    """SQLite's own words for a file that is not what it should be."""
    try:
        yield
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise _Damaged from error


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _refuse_newer(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection)
    if version > VERSION:
        raise StoreUnavailable(
            f"{path} was written by a newer kubekata (schema {version}, this one knows {VERSION}) and stays as "
            "it is: update kubekata, or set KUBEKATA_HOME to another folder"
        )


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Take the steps that the file has not seen, each of them whole or not at all."""
    while _version(connection) < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = _version(connection)  # another terminal may have been faster
            if version < VERSION:
                for statement in STEPS[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _begin_afresh(path: Path) -> Store:
    try:
        with _only_one(path.parent / "lock"):
            try:
                return Store(path, _connect(path))  # another terminal has begun afresh already
            except _Damaged:
                kept = path.with_name(f"progress.damaged-{time.strftime('%Y%m%d-%H%M%S')}.sqlite3")
                for companion in _COMPANIONS:
                    part = path.with_name(path.name + companion)
                    if part.exists():
                        part.replace(kept.with_name(kept.name + companion))
            connection = _connect(path)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"{path} is damaged, and {reason(error, path)}") from error
    return Store(
        path, connection, f"the progress file was damaged: it is kept as {kept}, and a fresh one was begun."
    )


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Hold the lock file, waiting for whoever has it."""
    with path.open("a", encoding="utf-8") as lock:
        if os.name == "posix":
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
