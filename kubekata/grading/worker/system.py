"""What only the operating system can do for us, each with an answer for systems that cannot."""

import contextlib
import os
import signal
import struct
import sys
from pathlib import Path
from typing import Any

from kubekata.grading.worker import syscalls
from kubekata.grading.worker.protocol import Usage

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2


def _load_libc() -> tuple[Any, Any, Any]:
    """The C library, and how to make a buffer for it and to know its address; nothing elsewhere than on Linux."""
    if sys.platform != "linux":
        return None, None, None
    import ctypes  # noqa: PLC0415 - it leaves again with the next lines

    libc = ctypes.CDLL(None)
    buffer, address = ctypes.create_string_buffer, ctypes.addressof
    # A submission has no business with it, and importing it again is seen by the audit hook.
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ctypes", "_ctypes")]:
        del sys.modules[name]
    return libc, buffer, address


_libc, _buffer, _address = _load_libc()


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies (Linux)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def give_up_privileges() -> None:
    """Never gain any again, by whatever program; only who says so may confine himself (Linux)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent dies, however it dies (Linux)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def call(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call by its number (Linux); -1 when it fails, and elsewhere."""
    if _libc is None:
        return -1
    result: int = _libc.syscall(number, *arguments)
    return result


class SystemCalls:
    """Made in the zygote, so that a child has next to nothing left to do before it refuses them."""

    def __init__(self) -> None:
        self._program = None if _libc is None else syscalls.program()
        if self._program is None:
            return
        steps = self._program.steps
        self._steps = _buffer(steps, len(steps))
        whole = struct.pack("HxxxxxxP", len(steps) // 8, _address(self._steps))
        self._whole = _buffer(whole, len(whole))

    def refuse(self) -> None:
        """Let the kernel refuse what `syscalls` lists, for good (Linux; a kernel without filters goes without)."""
        if self._program is None:
            return
        pid = os.getpid()
        for offset in self._program.own:
            struct.pack_into("I", self._steps, offset, pid)
        for offset in self._program.own_group:
            struct.pack_into("i", self._steps, offset, -pid)
        _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._whole, 0, 0)


def children() -> list[int]:
    """The processes whose parent we are (Linux; elsewhere none are known)."""
    mine = str(os.getpid())
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if _stat(entry)[1] == mine:
                found.append(int(entry.name))
    return found


def usage(pid: int) -> Usage:
    """How much processor time the process has used, threads included."""
    try:
        fields = _stat(Path(f"/proc/{pid}"))
    except OSError:
        return Usage()
    ticks = int(fields[11]) + int(fields[12])
    return Usage(seconds=ticks / os.sysconf("SC_CLK_TCK"), running=fields[0] == "R")


def _stat(process: Path) -> list[str]:
    # The second field is the program's name in brackets, and may hold spaces and brackets itself.
    return (process / "stat").read_text().rpartition(")")[2].split()
