"""What the host and a zygote say to each other: one byte per command, one line of JSON per answer.

FORK carries three file descriptors (channel, output, diagnostics), COMPILE a length (four bytes, big-endian) and as
many bytes of source. Neither has an answer, nor has DUMP.
KILL and STATUS are answered by Fate, USAGE by Usage. Ready is the zygote's first line.
"""

import msgspec

FORK, COMPILE, KILL, STATUS, USAGE, DUMP = b"F", b"C", b"K", b"S", b"U", b"D"


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The zygote is warm. `slowness` is how much longer this machine takes than an ordinary one, at least 1."""

    slowness: float


class Fate(msgspec.Struct, frozen=True, tag=True):
    """How the child ended: by `exit` status, or by `signal`; neither when it had to be killed."""

    exit: int | None = None
    signal: int | None = None


class Usage(msgspec.Struct, frozen=True, tag=True):
    """Processor time of the child in seconds, and whether it wants more now; None where nobody knows."""

    seconds: float | None = None
    running: bool = True
