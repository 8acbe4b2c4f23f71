"""The child's end of the channel: blocking, one message at a time."""

import os

import msgspec

from kubekata.grading.wire.framing import Unpacker, pack
from kubekata.grading.wire.messages import FromGrader, Message

_CHUNK = 256 * 1024
_decoder = msgspec.json.Decoder(FromGrader)


class HostGone(Exception):
    """The other end is closed: there is nobody left to work for."""


class Channel:
    """Sends and receives whole messages over a socket's descriptor: a socket object costs a tenth of a child."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._unpacker = Unpacker()
        self._bodies: list[bytes] = []

    def send(self, message: Message) -> None:
        """Send one message. Raises FrameTooLarge, HostGone."""
        unsent = pack(message)
        try:
            while unsent:
                unsent = unsent[os.write(self._fd, unsent) :]
        except ConnectionError as error:
            raise HostGone from error

    def receive(self) -> Message:
        """Wait for the next message. Raises HostGone."""
        while not self._bodies:
            try:
                data = os.read(self._fd, _CHUNK)
            except ConnectionError as error:
                raise HostGone from error
            if not data:
                raise HostGone
            self._bodies.extend(self._unpacker.feed(data))
        return _decoder.decode(self._bodies.pop(0))
