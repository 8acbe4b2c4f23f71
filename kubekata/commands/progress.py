"""The learner's progress as commands use it: what cannot be remembered must not get into the way of grading."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, TypeVar

import click

from kubekata.practice.home import home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubekata.grading.catalog import Project
    from kubekata.practice.attempts import Standing
    from kubekata.practice.store import Store

T = TypeVar("T")


class NoProgressError(click.ClickException):
    """A command that is about progress cannot get at it. The message is one line."""

    exit_code = 3


@contextlib.contextmanager
def progress_of(project: Project) -> Iterator[Store]:
    """The store, for a command that is nothing without it. Raises NoProgressError."""
    import sqlite3

    from kubekata.practice.store import StoreUnavailable, open_store
    from kubekata.practice.store.opening import FILE, reason

    folder = home(project.root)
    try:
        store = open_store(folder, write=True)
        assert store is not None  # it is made when there is none
        with store:
            _tell(store.notice)
            yield store
    except StoreUnavailable as error:
        raise NoProgressError(f"{error}.") from error
    except sqlite3.Error as error:
        raise NoProgressError(f"{reason(error, folder / FILE)}.") from error


def remember(project: Project, write: Callable[[Store], T]) -> T | None:
    """Write something down. When that is impossible one line on stderr says so, and the result is None."""
    try:
        with progress_of(project) as store:
            return write(store)
    except (NoProgressError, OSError) as error:
        text = error.message if isinstance(error, click.ClickException) else f"{error}."
        _tell(f"nothing was remembered: {text}")
        return None


def recall(project: Project, read: Callable[[Store], T]) -> T | None:
    """Look something up; None when there is no store yet, or none that can be read (which is told)."""
    try:
        return look_up(project, read)
    except NoProgressError as error:
        _tell(error.message)
        return None


def look_up(project: Project, read: Callable[[Store], T]) -> T | None:
    """Look something up; None when there is no store yet. Raises NoProgressError when it cannot be read."""
    import sqlite3

    from kubekata.practice.store import StoreUnavailable, open_store

    try:
        store = open_store(home(project.root), write=False)
        if store is None:
            return None
        with store:
            _tell(store.notice)
            return read(store)
    except (StoreUnavailable, sqlite3.Error) as error:
        raise NoProgressError(f"your progress cannot be read: {error}.") from error


def standings(project: Project) -> dict[str, Standing]:
    """How every kata stands that was ever graded, by id."""
    from kubekata.practice import attempts

    return recall(project, attempts.standings) or {}


_told: set[str] = set()


def _tell(line: str) -> None:
    """Say something on stderr, once for each run of the program."""
    if line and line not in _told:
        _told.add(line)
        print(f"kubekata: {' '.join(line.split())}", file=sys.stderr, flush=True)
