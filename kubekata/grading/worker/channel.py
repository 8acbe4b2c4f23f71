"""The child's end of the channel: blocking, one message at a time."""

import socket

import msgspec

from kubekata.grading.wire.framing import Unpacker, pack
from kubekata.grading.wire.messages import FromGrader, Message

_CHUNK = 256 * 1024
_decoder = msgspec.json.Decoder(FromGrader)


class HostGone(Exception):
    """The other end is closed: there is nobody left to work for."""


class Channel:
    """Sends and receives whole messages."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._unpacker = Unpacker()
        self._bodies: list[bytes] = []

    def send(self, message: Message) -> None:
        """Send one message. Raises FrameTooLarge, HostGone."""
        try:
            self._socket.sendall(pack(message))
        except ConnectionError as error:
            raise HostGone from error

    def receive(self) -> Message:
        """Wait for the next message. Raises HostGone."""
        while not self._bodies:
            try:
                data = self._socket.recv(_CHUNK)
            except ConnectionError as error:
                raise HostGone from error
            if not data:
                raise HostGone
            self._bodies.extend(self._unpacker.feed(data))
        return _decoder.decode(self._bodies.pop(0))
