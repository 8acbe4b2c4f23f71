"""Which files the kernel itself lets a submission open (Linux 5.13 and later, Landlock).

The audit hook sees what goes through Python's own functions; this sees everything, so that neither readline nor a C
library reads the reference behind its back. A kernel without Landlock goes without.
"""

import contextlib
import os
import struct
from pathlib import Path

from kubekata.grading.worker import system
from kubekata.grading.worker.options import WorkerOptions

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WHICH_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST_VERSION = (1 << 13) - 1  # those four, and the making and removing of whatever a folder can hold
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11  # for root, the disk itself would be one such file away
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE

_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_LINKER = ("/etc/ld.so.cache", "/etc/localtime")


def version() -> int:
    """Which Landlock the kernel has, 1 or higher; -1 without one."""
    return system.call(_CREATE_RULESET, None, 0, _WHICH_VERSION)


class FileRules:
    """Made in the zygote, so that a child only has to take them on."""

    def __init__(self, options: WorkerOptions) -> None:
        known = version()
        self._ruleset = -1
        if known < 1:
            return
        self._handled = _FIRST_VERSION | (_REFER if known > 1 else 0) | (_TRUNCATE if known > 2 else 0)
        attributes = struct.pack("Q", self._handled)
        self._ruleset = system.call(_CREATE_RULESET, attributes, len(attributes), 0)
        whole, by_parts = _open_parts(options.readable, options.closed)
        for path in [*whole, *_libraries(), *_LINKER]:
            self._allow(path, _READ)
        for path in by_parts:
            self._allow(path, _READ_DIR)  # an import lists the folder
        for path in _DEVICES:
            self._allow(path, _READ_FILE | _WRITE_FILE)
        self._allow(options.scratch, self._handled & ~(_EXECUTE | _MAKE_CHAR | _MAKE_BLOCK))

    def take_on(self) -> None:
        """In the child: from here on nothing else can be opened, for good."""
        if self._ruleset >= 0:
            system.call(_RESTRICT_SELF, self._ruleset, 0)
            os.close(self._ruleset)

    def _allow(self, path: str, access: int) -> None:
        try:
            place = os.open(path, os.O_PATH)
        except OSError:
            return  # nothing there
        if not Path(path).is_dir():
            access &= _OF_A_FILE
        system.call(
            _ADD_RULE, self._ruleset, _PATH_BENEATH, struct.pack("=Qi", access & self._handled, place), 0
        )
        os.close(place)


def _open_parts(readable: tuple[str, ...], closed: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """What to open of `readable`, and the folders on the way there.

    A rule opens all that lies beneath, so a folder with closed parts is opened by its other parts.
    """
    whole, by_parts = [], []
    waiting = list(readable)
    while waiting:
        path = waiting.pop()
        if path in closed:
            continue  # though it be readable too: a virtual environment can be the project's own folder
        if not any(part.startswith(f"{path.rstrip('/')}/") for part in closed):
            whole.append(path)
            continue
        by_parts.append(path)
        with contextlib.suppress(OSError):
            waiting += (entry.path for entry in os.scandir(path) if not entry.is_symlink())
    return whole, by_parts


def _libraries() -> set[str]:
    """The folders of the shared libraries that are in use, wherever this Python has them from."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return set()
    files = {line.split(maxsplit=5)[5] for line in lines if ".so" in line}
    return {str(Path(file).parent) for file in files if file.startswith("/")}
