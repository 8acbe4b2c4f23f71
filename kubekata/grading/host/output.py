"""What a submission prints, kept short and safe to show."""

import re

HEAD = 4096
TAIL = 1024

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output:
    """Keeps the first and last bytes of a stream, and counts what it drops between."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def feed(self, data: bytes) -> None:
        """Take what arrived."""
        self._total += len(data)
        room = HEAD - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail = (self._tail + data[room:])[-TAIL:]

    def text(self) -> str:
        """The text, without anything that steers a terminal, and with a note of how much was cut."""
        dropped = self._total - len(self._head) - len(self._tail)
        if not dropped:
            return _safe(bytes(self._head + self._tail))
        return f"{_safe(bytes(self._head))}\n… {dropped:,} bytes left out …\n{_safe(bytes(self._tail))}"


def _safe(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _ESCAPES.sub("", text))
