"""An open progress store."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Store:
    """A connection to the progress file; close it, or use it as a context manager.

    `notice` is one line that the user has to read, about what happened when the file was opened; mostly empty.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, notice: str = "") -> None:
        self.path = path
        self.notice = notice
        self._connection = connection

    def rows(self, query: str, *values: object) -> list[Any]:
        """All rows of a query, each reachable by the names of its columns."""
        return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> Any:
        """The first row, None when there is none."""
        return self._connection.execute(query, values).fetchone()

    def insert(self, table: str, **values: object) -> int:
        """Add one row in a transaction of its own and return its id."""
        with self.transaction():
            return self.add(table, **values)

    def add(self, table: str, **values: object) -> int:
        """Add one row within a transaction that the caller holds, and return its id."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        cursor = self._connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
        )
        return cursor.lastrowid or 0

    def change(self, statement: str, *values: object) -> int:
        """Run one UPDATE, INSERT or DELETE and return how many rows it touched."""
        return self._connection.execute(statement, values).rowcount

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. It takes the write lock at once, so that what it reads cannot be stale when it writes."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
