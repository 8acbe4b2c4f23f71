"""How a zygote is started: the seam between the levels of isolation."""

import os
import site
import socket
import sys
import sysconfig
from pathlib import Path
from typing import Protocol

import msgspec

import kubekata
from kubekata.grading.worker.options import WorkerOptions

_PACKAGE = Path(kubekata.__file__).resolve().parent
_ANSWERS = ("cluster/actors", "cluster/eviction")  # folders, since the bytecode is an answer too
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/System", "/Library", "/nix/store")


def is_supported() -> bool:
    """Whether this system can fork a warm process."""
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


class Launcher(Protocol):
    """Builds the command that starts a zygote at one level of isolation."""

    @property
    def level(self) -> str:
        """The level's name, as it stands on the score."""
        ...

    def command(self, options: WorkerOptions) -> list[str]:
        """The program and its arguments."""
        ...


class ProcessLauncher:
    """A separate process with resource limits, an emptied environment and an audit hook; nothing more."""

    level = "process"

    def command(self, options: WorkerOptions) -> list[str]:
        """The interpreter that runs us."""
        return process_command(options)


def process_command(options: WorkerOptions) -> list[str]:
    """The interpreter that runs us as a zygote, without user site packages and without the current folder."""
    arguments = msgspec.json.encode(options).decode()
    return [sys.executable, "-s", "-P", "-m", "kubekata.grading.worker", arguments]


def package() -> Path:
    """Where kubekata itself lies."""
    return _PACKAGE


def environment(hash_seed: int, scratch: str) -> dict[str, str]:
    """All that a zygote learns from its environment. `-I` would ignore PYTHONHASHSEED, hence `-s -P` above."""
    return {
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONPATH": str(_PACKAGE.parent),
        "PYTHONUTF8": "1",
        "PATH": os.defpath,
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def closed_paths() -> tuple[str, ...]:
    """The project itself: its reference solutions, hidden tests and everybody's katas.

    The actors are closed too: working controllers are answers to several katas.
    """
    paths = [_PACKAGE.parent, *(_PACKAGE / name for name in _ANSWERS)]
    return tuple(os.path.realpath(path) for path in paths)


def readable_paths() -> tuple[str, ...]:
    """What a submission may read: the interpreter, the standard library, what is installed, and kubekata itself."""
    paths = [
        sys.prefix,
        sys.base_prefix,
        *sysconfig.get_paths().values(),
        *site.getsitepackages(),
        *_SYSTEM_FOLDERS,
        str(_PACKAGE),
    ]
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths))
