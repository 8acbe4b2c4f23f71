"""The pipes of one submission process, read and written without ever blocking on it."""

import contextlib
import fcntl
import os
import re
import select
import socket
import time

import msgspec

from kubekata.grading.host.deadline import Deadline
from kubekata.grading.host.output import Output
from kubekata.grading.host.zygote import Zygote
from kubekata.grading.wire.framing import FrameTooLarge, Unpacker, pack
from kubekata.grading.wire.messages import FromSubmission, Message
from kubekata.grading.worker import SUBMISSION_FILE

_CHUNK = 256 * 1024
_DRAIN_LIMIT = 4 * 1024 * 1024
_DUMP_SECONDS = 0.3

_decoder = msgspec.json.Decoder(FromSubmission)
_WHERE = re.compile(rf'File "{re.escape(SUBMISSION_FILE)}", line (\d+)')


class Malformed(Exception):
    """What came over the channel is not a message."""


class LinkClosed(Exception):
    """The submission's end of the channel is closed."""


class TimeIsUp(Exception):
    """The deadline expired."""


class Link:
    """Channel, output and diagnostics of one child of `zygote`."""

    def __init__(self, zygote: Zygote) -> None:
        self.output = Output()
        self._channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._output_fd, output = os.pipe()
        self._diagnostics_fd, diagnostics = os.pipe()
        _enlarge(output)
        try:
            zygote.fork([inner.fileno(), output, diagnostics])
        except BaseException:
            self.close()
            raise
        finally:
            inner.close()
            os.close(output)
            os.close(diagnostics)
        self._channel.setblocking(False)
        for fd in (self._output_fd, self._diagnostics_fd):
            os.set_blocking(fd, False)
        self._unpacker = Unpacker()
        self._bodies: list[bytes] = []
        self._unsent = bytearray()
        self._is_open = True

    def post(self, message: Message) -> None:
        """Queue a message, and send as much of it as goes at once. Raises FrameTooLarge."""
        self._unsent += pack(message)
        self._send()

    def receive(self, deadline: Deadline) -> Message:
        """Wait for the next message. Raises TimeIsUp, LinkClosed, Malformed."""
        while True:
            remaining = deadline.remaining()
            if remaining <= 0:
                raise TimeIsUp
            if self._bodies:
                break
            if not self._is_open:
                raise LinkClosed
            start = time.monotonic()
            self._wait(remaining)
            deadline.waited(time.monotonic() - start)
        try:
            return _decoder.decode(self._bodies.pop(0))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Malformed from error

    def drain(self) -> None:
        """Take what is left in the output, without waiting for more."""
        taken = 0
        while taken < _DRAIN_LIMIT:
            data = _read(self._output_fd)
            if not data:
                return
            taken += len(data)
            self.output.feed(data)

    def diagnostics(self, zygote: Zygote | None = None) -> list[int]:
        """The lines of the learner's file that the interpreter wrote down, outermost first.

        With a zygote, first ask the child to write where it is.
        """
        text = b""
        if zygote is not None:
            zygote.dump()
            end = time.monotonic() + _DUMP_SECONDS * zygote.slowness
            poll = select.poll()
            poll.register(self._diagnostics_fd, select.POLLIN)
            while b"\n" not in text and time.monotonic() < end:
                poll.poll(50)
                text += _read(self._diagnostics_fd)
            time.sleep(0.005)
        text += _read(self._diagnostics_fd)
        return [int(line) for line in _WHERE.findall(text.decode("utf-8", "replace"))][::-1]

    def close(self) -> None:
        """Close every pipe; the child notices at the latest when it uses one."""
        self._channel.close()
        for fd in (self._output_fd, self._diagnostics_fd):
            with contextlib.suppress(OSError):
                os.close(fd)

    def _wait(self, seconds: float) -> None:
        poll = select.poll()
        poll.register(self._channel, select.POLLIN | (select.POLLOUT if self._unsent else 0))
        poll.register(self._output_fd, select.POLLIN)
        for fd, event in poll.poll(max(1, int(seconds * 1000))):
            if fd == self._output_fd:
                if event & select.POLLIN:
                    self.output.feed(_read(self._output_fd))
                elif event & select.POLLHUP:
                    # The submission closed both its streams: nothing more to poll for, the channel decides.
                    time.sleep(0.0005)
            elif event & select.POLLOUT:
                self._send()
            if fd == self._channel.fileno() and event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                self._receive()

    def _send(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self._channel.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()

    def _receive(self) -> None:
        try:
            data = self._channel.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._is_open = False
            return
        try:
            self._bodies.extend(self._unpacker.feed(data))
        except FrameTooLarge as error:
            raise Malformed from error


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK)
    except OSError:
        return b""


def _enlarge(pipe: int) -> None:
    """A roomier pipe (Linux) lets a submission print without waiting for us."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, resize, _CHUNK)
