"""Frames: four bytes of length, most significant first, then that many bytes of JSON."""

import struct
from collections.abc import Iterator

import msgspec

from kubekata.grading.wire.messages import Message

MAX_FRAME = 8 * 1024 * 1024

_LENGTH = struct.Struct(">I")
_encoder = msgspec.json.Encoder()


class FrameTooLarge(Exception):
    """A frame of `size` bytes is more than either side accepts."""

    def __init__(self, size: int) -> None:
        super().__init__(f"a frame of {size} bytes, at most {MAX_FRAME} are accepted")
        self.size = size


def pack(message: Message) -> bytes:
    """One message as a frame. Raises FrameTooLarge."""
    body = _encoder.encode(message)
    if len(body) > MAX_FRAME:
        raise FrameTooLarge(len(body))
    return _LENGTH.pack(len(body)) + body


class Unpacker:
    """Cuts a stream of bytes into the bodies of its frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take what arrived; yield the body of every frame that is complete. Raises FrameTooLarge."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._buffer)
            if size > MAX_FRAME:
                raise FrameTooLarge(size)
            end = _LENGTH.size + size
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield body
