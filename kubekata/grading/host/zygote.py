"""The host's handle on a zygote process."""

import contextlib
import os
import select
import shutil
import socket
import subprocess
import tempfile
from typing import TypeVar

import msgspec

from kubekata.grading.host.errors import HostFault
from kubekata.grading.host.launcher import Launcher, closed_paths, environment, readable_paths
from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.protocol import COMPILE, DUMP, FORK, KILL, STATUS, USAGE, Fate, Ready, Usage

_ANSWER_SECONDS = 30.0
_END_SECONDS = 2.0

_A = TypeVar("_A")


class ZygoteDied(HostFault):
    """The zygote is gone or does not answer: never a submission's doing, which can signal nobody but itself."""

    def __init__(self, last_words: str, what: str = "the process around the submission died") -> None:
        super().__init__(f"{what}: {last_words}" if last_words else what)
        self.last_words = last_words


class Zygote:
    """A warm interpreter with a fixed hash seed, which forks submission processes one at a time.

    Starting it does not wait: other work can go on until the first answer is needed.
    """

    def __init__(self, launcher: Launcher, hash_seed: int, *, measure: bool = False) -> None:
        self.hash_seed = hash_seed
        self.measure = measure
        self._slowness: float | None = None
        self._buffer = b""
        self._scratch = tempfile.mkdtemp(prefix="kubekata-")
        self._control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._control.settimeout(_ANSWER_SECONDS)
        try:
            self._process = self._spawn(launcher, inner)
        except OSError:
            self._control.close()
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise
        finally:
            inner.close()

    def _spawn(self, launcher: Launcher, inner: socket.socket) -> "subprocess.Popen[bytes]":
        options = WorkerOptions(
            control=inner.fileno(),
            scratch=self._scratch,
            measure=self.measure,
            readable=readable_paths(),
            closed=closed_paths(),
        )
        return subprocess.Popen(
            launcher.command(options),
            pass_fds=[inner.fileno()],
            env=environment(self.hash_seed, self._scratch),
            cwd=self._scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    @property
    def slowness(self) -> float:
        """How many times longer than an ordinary machine this one takes, at least 1. Raises ZygoteDied."""
        if self._slowness is None:
            try:
                self._slowness = self._answer(Ready).slowness
            except ZygoteDied as error:
                raise ZygoteDied(error.last_words, "the process for submissions does not start") from error
        return self._slowness

    def was_ready(self, slowness: float) -> None:
        """A copy of this process has read that it is warm."""
        self._slowness = slowness

    @property
    def is_alive(self) -> bool:
        """Whether its process still runs: somebody may have killed it between two grades.

        Its socket says so to a copy of this process too, which is not its parent.
        """
        poll = select.poll()  # `select` refuses descriptors from 1024 on
        poll.register(self._control, select.POLLIN)
        if not poll.poll(0):
            return True
        try:
            return self._control.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False

    def compile(self, source: str) -> None:
        """Get the code of a submission ready for every child from here on."""
        text = source.encode("utf-8", "surrogatepass")
        try:
            self._control.sendall(COMPILE + len(text).to_bytes(4, "big") + text)
        except OSError as error:
            raise ZygoteDied(self._last_words()) from error

    def fork(self, fds: list[int]) -> None:
        """Clear away the last child and start the next, which gets channel, output and diagnostics.

        Waits for nothing, not even for the zygote to be warm.
        """
        try:
            socket.send_fds(self._control, [FORK], fds)
        except OSError as error:
            raise ZygoteDied(self._last_words()) from error

    def kill(self) -> None:
        """Kill the child and everything that it left behind, and wait until it is gone."""
        self._ask(KILL, Fate)

    def fate(self) -> Fate:
        """How the child ended, after giving it a moment; it is killed when it has not."""
        return self._ask(STATUS, Fate)

    def usage(self) -> Usage:
        """What the child has used so far."""
        return self._ask(USAGE, Usage)

    def dump(self) -> None:
        """Make the child write to its diagnostics where it is."""
        with contextlib.suppress(OSError):
            self._control.sendall(DUMP)

    def hang_up(self) -> None:
        """Tell the zygote to end, without waiting for it."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the zygote and its child, and delete its scratch folder."""
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _ask(self, command: bytes, answer: type[_A]) -> _A:
        _ = self.slowness
        try:
            self._control.sendall(command)
        except OSError as error:
            raise ZygoteDied(self._last_words()) from error
        return self._answer(answer)

    def _answer(self, kind: type[_A]) -> _A:
        while b"\n" not in self._buffer:
            try:
                data = self._control.recv(4096)
            except OSError as error:
                raise ZygoteDied(self._last_words()) from error
            if not data:
                raise ZygoteDied(self._last_words())
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            return msgspec.json.decode(line, type=kind)
        except msgspec.DecodeError as error:  # a copy of this process died between a question and its answer
            raise ZygoteDied("an answer to another question") from error

    def _last_words(self) -> str:
        """The last line that the zygote wrote to stderr: it writes there only when it breaks."""
        self._process.kill()
        self._process.wait()
        stream = self._process.stderr
        if stream is None or stream.closed:
            return ""
        os.set_blocking(stream.fileno(), False)
        lines = (stream.read() or b"").decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {self._process.returncode}"
