"""What the kernel itself refuses to a submission (Linux, seccomp): other processes, programs, the network.

The audit hook sees only what goes through Python's own functions; this sees everything, so that neither a private
module nor a C library starts a process that nobody counts. Threads go on. The numbers are those of the kernel's
system call tables, for the two machines that people have.
"""

import platform
import struct
from typing import NamedTuple

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_NEVER = {
    "x86_64": {
        "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "ptrace": 101,
        "process_vm_readv": 310, "process_vm_writev": 311, "connect": 42, "bind": 49, "listen": 50,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "setns": 308, "unshare": 272,
        "reboot": 169, "init_module": 175, "finit_module": 313, "bpf": 321, "perf_event_open": 298,
        "add_key": 248, "request_key": 249, "keyctl": 250, "userfaultfd": 323, "io_uring_setup": 425,
        "io_uring_enter": 426, "io_uring_register": 427, "pidfd_send_signal": 424, "pidfd_open": 434,
        "pidfd_getfd": 438, "setrlimit": 160, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240,
        "personality": 135, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "tkill": 200,
    },
    "aarch64": {
        "execve": 221, "execveat": 281, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
        "connect": 203, "bind": 200, "listen": 201, "mount": 40, "umount2": 39, "pivot_root": 41,
        "chroot": 51, "setns": 268, "unshare": 97, "reboot": 142, "init_module": 105, "finit_module": 273,
        "bpf": 280, "perf_event_open": 241, "add_key": 217, "request_key": 218, "keyctl": 219,
        "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
        "pidfd_send_signal": 424, "pidfd_open": 434, "pidfd_getfd": 438, "setrlimit": 164, "shmget": 194,
        "semget": 190, "msgget": 186, "mq_open": 180, "personality": 92, "rt_sigqueueinfo": 138,
        "rt_tgsigqueueinfo": 240, "tkill": 130,
    },
}  # fmt: skip


class _Judged(NamedTuple):
    """Calls whose arguments decide."""

    clone: int
    socket: int
    kill: int
    tgkill: int
    prlimit64: int


_JUDGED = {"x86_64": _Judged(56, 41, 62, 234, 302), "aarch64": _Judged(220, 198, 129, 131, 261)}
_CLONE3 = 435

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW = 0x7FFF0000
_NOT_PERMITTED = 0x00050000 | 1
_NOT_THERE = 0x00050000 | 38
"""ENOSYS: the C library then falls back from clone3, whose flags a filter cannot see, to clone."""

_CLONE_THREAD = 0x10000
_AF_UNIX = 1
_X32 = 0x40000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_STEP = struct.Struct("HBBI")
_CONSTANT_AT = 4

_OWN, _OWN_GROUP = 0xFFFFFFF1, 0xFFFFFFF2
"""Where the process's own number belongs, and its negative, which means its group."""


class Program(NamedTuple):
    """A filter program, and at which offsets the process that it is for writes its own number, and the negative."""

    steps: bytes
    own: tuple[int, ...]
    own_group: tuple[int, ...]


def program(machine: str = "") -> Program | None:
    """The filter program, without the number of the process; None for a machine whose calls are not known here."""
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        return None
    steps = _steps(machine)
    return Program(b"".join(steps), _places(steps, _OWN), _places(steps, _OWN_GROUP))


def _steps(machine: str) -> list[bytes]:
    judged = _JUDGED[machine]
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _NOT_PERMITTED),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _NOT_PERMITTED),
    ]
    for number in _NEVER[machine].values():
        program += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _NOT_PERMITTED)]
    program += [_step(_EQUAL, _CLONE3, 0, 1), _step(_RETURN, _NOT_THERE)]
    program += _unless(judged.clone, [(0, _ANY_BIT, (_CLONE_THREAD,))])
    program += _unless(judged.socket, [(0, _EQUAL, (_AF_UNIX,))])
    program += _unless(judged.kill, [(0, _EQUAL, (_OWN, 0, _OWN_GROUP))])
    program += _unless(judged.tgkill, [(0, _EQUAL, (_OWN,))])
    # Looking at a limit is harmless; a third argument that is not null sets it.
    program += _unless(judged.prlimit64, [(2, _EQUAL, (0,)), (2.5, _EQUAL, (0,))])
    program.append(_step(_RETURN, _ALLOW))
    return program


def _places(steps: list[bytes], constant: int) -> tuple[int, ...]:
    """Offsets of the steps' constants that are this one."""
    return tuple(
        number * _STEP.size + _CONSTANT_AT
        for number, step in enumerate(steps)
        if _STEP.unpack(step)[-1] == constant
    )


def _unless(number: int, conditions: list[tuple[float, int, tuple[int, ...]]]) -> list[bytes]:
    """Refuse call `number` unless each argument (a half is its upper word) compares true with one of the values."""
    body: list[bytes] = []
    for argument, comparison, values in conditions:
        body.append(_step(_LOAD, _ARGUMENTS + int(8 * argument)))
        for position, value in enumerate(values):
            to_next = len(values) - position  # past the remaining comparisons and the refusal
            body.append(_step(comparison, value, to_next, 0))
        body.append(_step(_RETURN, _NOT_PERMITTED))
    body.append(_step(_RETURN, _ALLOW))
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _step(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return _STEP.pack(code, if_true, if_false, constant)
