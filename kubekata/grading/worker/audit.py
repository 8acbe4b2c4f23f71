"""Refuses what a submission has no business doing, and remembers it, through a PEP 578 audit hook.

This stops accidents and casual cheating. Python code that wants to get around a hook in its own process can;
what such code cannot do is make a mark, since marks are made elsewhere.
"""

import os
import socket
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kubekata.grading.wire.messages import Refusal
from kubekata.grading.worker import SUBMISSION_FILE
from kubekata.grading.worker.options import WorkerOptions

_PACKAGE = "kubekata"
_ROOT = Path(__file__).resolve().parents[2]
_MOST_REFUSALS = 20
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = frozenset({"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/etc/localtime"})

_PROGRAMS = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "os.system",
        "pty.spawn",
        "subprocess.Popen",
    }
)
_NETWORK = frozenset(
    {"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
)
_READERS = frozenset({"_dbm", "_gdbm", "_tkinter", "gnureadline", "readline"})
"""Modules in C that open files without telling the hook; here they are missing, as on some systems."""
_STARTERS = frozenset({"_multiprocessing"})
"""Modules in C that share things between processes."""

_INTERPRETERS = frozenset({"_interpreters", "_xxsubinterpreters"})
"""Modules that start interpreters, which the hook of this one does not watch."""

_CHANGES = frozenset(
    {
        "os.chflags",
        "os.chmod",
        "os.chown",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.removexattr",
        "os.rename",
        "os.rmdir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
        "sqlite3.connect",
    }
)
_LOOKS = frozenset({"os.listdir", "os.scandir", "os.listxattr", "os.getxattr"})


class Refused(PermissionError):
    """The submission tried something that the grader does not allow."""

    def __str__(self) -> str:
        # shutil.rmtree gives it a filename, and an OSError with one forgets its message.
        return str(self.args[0])


class Watch:
    """The hook of one submission process; made in the zygote, started in the child."""

    def __init__(self, options: WorkerOptions) -> None:
        self._scratch = ""
        self._lent: frozenset[str] = frozenset()
        roots = dict.fromkeys(options.readable, True) | dict.fromkeys(options.closed, False)
        self._roots = sorted(roots.items(), key=lambda root: -len(root[0]))
        self._refusals: list[Refusal] = []
        self._changes_left = options.changes
        self._most_changes = options.changes
        self._rules: dict[str, Callable[[tuple[Any, ...]], str]] = {
            "open": self._opening,
            "import": lambda args: self._importing(str(args[0])),
            "os.chdir": self._moving,
            "os.fchdir": lambda _args: "leave its scratch folder",
            "os.kill": lambda args: _signalling(args[0]),
            "os.killpg": lambda args: _signalling(args[0]),
            "resource.setrlimit": lambda _args: "change its limits",
            "resource.prlimit": lambda _args: "change its limits",
            "socket.__new__": lambda args: "" if args[1] == socket.AF_UNIX else "open a network connection",
        }
        self._rules |= dict.fromkeys(_PROGRAMS, lambda _args: "start another process")
        self._rules |= dict.fromkeys(_NETWORK, lambda _args: "open a network connection")
        self._rules |= dict.fromkeys(_CHANGES, self._changing)
        self._rules |= dict.fromkeys(_LOOKS, self._looking)

    def start(self, scratch: str) -> None:
        """Watch from here to the end of the process; a hook cannot be taken away again. `scratch` has no links."""
        self._scratch = scratch
        rules = self._rules
        refuse = self._refuse

        def hook(event: str, args: tuple[Any, ...]) -> None:
            rule = rules.get(event)
            if rule is not None:
                what = rule(args)
                if what:
                    refuse(what)
            elif event.startswith("ctypes."):
                refuse("load native code with ctypes")

        sys.addaudithook(hook)

    def allow(self, modules: tuple[str, ...]) -> None:
        """Let the submission import these modules of kubekata too."""
        self._lent = frozenset(modules)

    def take(self) -> tuple[Refusal, ...]:
        """What was refused since the last time."""
        taken, self._refusals = tuple(self._refusals), []
        return taken

    def _refuse(self, what: str) -> None:
        refusal = Refusal(what, _line())
        if len(self._refusals) < _MOST_REFUSALS and refusal not in self._refusals:
            self._refusals.append(refusal)
        raise Refused(f"a submission may not {what}")

    def _importing(self, name: str) -> str:
        """The zygote has imported all of kubekata that every kata may use; the rest is the other side's."""
        if name in _READERS:
            # What only likes to have one, as doctest and pdb do, goes on without it.
            message = f"a submission may not import {name} (it opens files by itself)"
            raise ModuleNotFoundError(message, name=name)
        if name in _STARTERS:
            return "start another process (for threads, concurrent.futures has what it takes)"
        if name in _INTERPRETERS:
            return "start another interpreter"
        if not name.startswith(f"{_PACKAGE}.") or name in self._lent or not _is_module(name):
            return ""
        return f"import {name} (what a kata needs comes from `{_PACKAGE}` itself)"

    def _opening(self, args: tuple[Any, ...]) -> str:
        path, mode, flags = args
        if isinstance(path, int) or path is None:
            return ""
        writes = bool(flags & _WRITING) if isinstance(flags, int) else "r" not in str(mode)
        return self._changing((path,)) if writes else self._looking((path,))

    def _looking(self, args: tuple[Any, ...]) -> str:
        path = _real(args[0] if args else ".")
        if path is None or path in _HARMLESS or _under(path, self._scratch) or self._is_open(path):
            return ""
        return f"read outside its scratch folder ({Path(path).name})"

    def _changing(self, args: tuple[Any, ...]) -> str:
        for arg in args[:2]:
            if not isinstance(arg, str | bytes | os.PathLike):
                continue
            path = _real(arg)
            if path is not None and path not in _HARMLESS and not _under(path, self._scratch):
                return f"write outside its scratch folder ({Path(path).name})"
        self._changes_left -= 1
        return "" if self._changes_left >= 0 else f"make or change more than {self._most_changes} files"

    def _moving(self, args: tuple[Any, ...]) -> str:
        path = _real(args[0])
        return "" if path is not None and _under(path, self._scratch) else "leave its scratch folder"

    def _is_open(self, path: str) -> bool:
        return next((is_open for root, is_open in self._roots if _under(path, root)), False)


def _is_module(name: str) -> bool:
    """Whether there is such a module: `from kubekata import Reqest` looks for one too, and is only misspelt."""
    path = _ROOT.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_name(f"{path.name}.py").is_file()


def _real(path: Any) -> str | None:
    """The path without links; None for what is no path, such as an open file's descriptor."""
    if isinstance(path, int):
        return None
    try:
        return os.path.realpath(os.fsdecode(path if path is not None else "."))
    except (TypeError, ValueError):
        return None


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _signalling(pid: Any) -> str:
    return "" if pid in (os.getpid(), os.getpgrp(), 0) else "signal another process"


def _line() -> int:
    """The line of the learner's file that led here, 0 when no frame is theirs."""
    frame: types.FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way to one's own stack
    while frame is not None:
        if frame.f_code.co_filename == SUBMISSION_FILE:
            return frame.f_lineno
        frame = frame.f_back
    return 0
