"""A warm interpreter that forks one child per hidden test, and clears away what the child leaves behind.

The host sends one byte per command over a Unix socket (see `protocol`). When the socket closes, the host is gone,
and so are the children.
"""

import contextlib
import errno
import gc
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from kubekata.grading.worker import (
    audit,
    child,
    crashes,
    landlock,
    limits,
    loader,
    measuring,
    streams,
    system,
)
from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.protocol import COMPILE, DUMP, FORK, KILL, STATUS, USAGE, Fate, Ready

_EXIT_GRACE = 1.0
_BASELINE_LOOPS = 40_000
_BASELINE_SECONDS = 0.002


def serve(options: WorkerOptions) -> None:
    """Obey the host until it goes away."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would take away how a child ended
    system.adopt_orphans()
    system.give_up_privileges()
    streams.prepare()
    crashes.prepare()
    measure = measuring.start() if options.measure else None
    sys.path[:] = [entry for entry in sys.path if not _is_project(entry)]
    zygote = _Zygote(options, measure)
    try:
        zygote.run()
    finally:
        zygote.clear()
        shutil.rmtree(options.scratch, ignore_errors=True)


def _is_project(entry: str) -> bool:
    return Path(entry or ".").resolve() == Path(__file__).resolve().parents[3]


class _Zygote:
    def __init__(self, options: WorkerOptions, measure: "measuring.Measure | None") -> None:
        # Without links in it, so that no child has to look for them.
        self._folder = Path(os.path.realpath(options.scratch))
        self._options = options
        self._measure = measure
        self._guards = child.Guards(
            options, landlock.FileRules(options), system.SystemCalls(), audit.Watch(options)
        )
        self._forks = 0
        self._control = socket.socket(fileno=options.control)
        self._child = 0
        self._fate: Fate | None = None
        self._scratch: Path | None = None

    def run(self) -> None:
        self._answer(Ready(slowness=_slowness()))
        gc.collect()
        gc.freeze()
        while True:
            try:
                command, fds, _, _ = socket.recv_fds(self._control, 1, 3)
            except ConnectionError:
                return
            if not command:
                return
            if command == FORK:
                self._fork(fds)
            elif command == COMPILE:
                self._compile(self._text())
            elif command == KILL:
                self.clear()
                self._answer(self._fate or Fate())
            elif command == STATUS:
                self._await_exit()
                self.clear()
                self._answer(self._fate or Fate())
            elif command == USAGE:
                self._answer(system.usage(self._child))
            elif command == DUMP and self._child and not self._fate:
                os.kill(self._child, signal.SIGUSR1)

    def clear(self) -> None:
        """Kill the child, its session and every descendant that left it, then delete its scratch folder."""
        if self._child:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            if self._fate is None:
                os.waitpid(self._child, 0)
                self._fate = Fate()
            self._child = 0
        _kill_adopted()
        if self._scratch:
            _delete(self._scratch)
            self._scratch = None

    def _fork(self, fds: list[int]) -> None:
        self.clear()
        self._fate = None
        self._forks += 1
        self._scratch = self._folder / str(self._forks)
        self._scratch.mkdir(0o700)
        pid = os.fork()
        if pid == 0:
            self._control.close()
            child.run(self._guards, fds, str(self._scratch), self._measure)
        self._child = pid
        for fd in fds:
            os.close(fd)

    def _compile(self, source: str) -> None:
        # A page of nested `finally` is gigabytes of code, and no child may have as much.
        with limits.memory(self._options):
            loader.prepare(source)

    def _text(self) -> str:
        size = int.from_bytes(self._exactly(4), "big")
        return self._exactly(size).decode("utf-8", "surrogatepass")

    def _exactly(self, size: int) -> bytes:
        return self._control.recv(size, socket.MSG_WAITALL)

    def _await_exit(self) -> None:
        """Give a child whose channel is closed a moment to say how it ends."""
        deadline = time.monotonic() + _EXIT_GRACE
        while self._child and self._fate is None and time.monotonic() < deadline:
            self._reap()
            if self._fate is None:
                time.sleep(0.001)

    def _reap(self) -> None:
        pid, status = os.waitpid(self._child, os.WNOHANG)
        if pid == 0:
            return
        code = os.waitstatus_to_exitcode(status)
        self._fate = Fate(exit=code) if code >= 0 else Fate(signal=-code)

    def _answer(self, message: Any) -> None:
        with contextlib.suppress(ConnectionError):
            self._control.sendall(msgspec.json.encode(message) + b"\n")


def _delete(folder: Path) -> None:
    try:
        folder.rmdir()  # nearly always it is empty
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def _kill_adopted() -> None:
    """Kill orphans that came to us until none is left; each one killed may hand us its own children."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        except OSError as error:
            if error.errno == errno.EINTR:
                continue
            raise
        if pid:
            continue
        for orphan in system.children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
        time.sleep(0.0005)


def _slowness() -> float:
    """The best of a few runs of a fixed loop, in processor time, which other programs do not lengthen much."""
    best = min(_time_loop() for _ in range(3))
    return max(1.0, best / _BASELINE_SECONDS)


def _time_loop() -> float:
    start = time.process_time()
    total = 0
    for number in range(_BASELINE_LOOPS):
        total += number
    return time.process_time() - start
