"""Warm zygotes, one lane per hash seed, and sessions that are ready before they are asked for."""

import contextlib
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

from kubekata.grading.catalog import EntryPoint
from kubekata.grading.host.errors import HostFault
from kubekata.grading.host.launcher import Launcher
from kubekata.grading.host.session import Session
from kubekata.grading.host.source import Source
from kubekata.grading.host.zygote import Zygote, ZygoteDied


class _Job(NamedTuple):
    """What sessions run, and how long they may."""

    source: Source
    timeout: float
    start: float
    time_limit: float
    isolate: bool


class Lane:
    """Runs one session at a time on one zygote, and starts the next while the host is busy elsewhere."""

    def __init__(self, launcher: Launcher, hash_seed: int, *, measure: bool) -> None:
        self.hash_seed = hash_seed
        self.measure = measure
        self._launcher = launcher
        self._zygote = self._start_zygote()
        self.statements: frozenset[int] | None = None
        self._job: _Job | None = None
        self._spare: Session | None = None

    @property
    def slowness(self) -> float:
        """How many times longer than an ordinary machine this one takes, at least 1."""
        return self._zygote.slowness

    def was_ready(self, slowness: float) -> None:
        """Its zygote became warm in the eyes of a copy of this process, which has read that for both."""
        self._zygote.was_ready(slowness)

    def use(
        self, source: Source, timeout: float, *, time_limit: float = math.inf, isolate: bool = True
    ) -> None:
        """From here on sessions run this submission.

        `timeout` is for each call and `time_limit` for all from now on, in seconds on an ordinary machine. Without
        `isolate`, the session goes on from one test to the next for as long as its process lives.
        """
        self.statements = None
        self._job = _Job(source, timeout, time.monotonic(), time_limit, isolate)
        self._compile(source)

    def inspect(self, entry_points: Sequence[EntryPoint]) -> Session:
        """A session whose loading says what the submission defines under the names of `entry_points`."""
        return self._session(_names(entry_points))

    def open(self) -> Session:
        """A fresh session. The one before it must be closed."""
        session, self._spare = self._spare or self._session(), None
        return session

    def prepare(self) -> None:
        """Start the next session now, since the one before it is closed and another is likely."""
        if self._spare is None:
            self._spare = self._session()

    def rest(self) -> None:
        """End what still runs; the zygote stays warm."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        self._job = None
        try:
            self._zygote.kill()
        except ZygoteDied:
            self._replace()

    def hang_up(self) -> None:
        """Say that this is the end, without waiting for it as `close` does."""
        self._zygote.hang_up()

    def close(self) -> None:
        """End everything."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        self._zygote.close()

    def _session(self, names: tuple[str, ...] = ()) -> Session:
        if self._job is None:
            raise HostFault("a session was asked for without a submission")
        if not self._zygote.is_alive:
            self._replace()
        try:
            return self._start_session(self._job, names)
        except ZygoteDied:
            self._replace()  # somebody killed it a moment ago
            return self._start_session(self._job, names)

    def _start_session(self, job: "_Job", names: tuple[str, ...]) -> Session:
        return Session(
            self._zygote,
            job.source,
            timeout=job.timeout,
            start=job.start,
            time_limit=job.time_limit,
            entry_points=names,
        )

    def finish(self, session: Session) -> None:
        """End a session of this lane, and learn from the first which lines are statements at all."""
        if self._job is not None and not self._job.isolate and not session.is_dead:
            self._spare = session
            return
        session.close(ask_statements=self.statements is None)
        if session.statements:
            self.statements = session.statements

    def _compile(self, source: Source) -> None:
        with contextlib.suppress(ZygoteDied):  # the next session finds out
            self._zygote.compile(source.text)

    def _replace(self) -> None:
        self._zygote.close()
        self._zygote = self._start_zygote()
        if self._job is not None:
            self._compile(self._job.source)

    def _start_zygote(self) -> Zygote:
        return Zygote(self._launcher, self.hash_seed, measure=self.measure)


def _names(entry_points: Sequence[EntryPoint]) -> tuple[str, ...]:
    """What a submission is asked to look for: entry points, and the methods of classes with a dot."""
    names = []
    for entry in entry_points:
        names.append(entry.name)
        names += [f"{entry.name}.{method.name}" for method in entry.methods]
    return tuple(names)
