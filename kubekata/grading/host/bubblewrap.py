"""The stronger level of isolation: a zygote inside bubblewrap's namespaces (Linux)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kubekata.grading.host.launcher import (
    closed_paths,
    package,
    process_command,
    readable_paths,
)
from kubekata.grading.worker.options import WorkerOptions

SCRATCH_BYTES = 64 * 1024 * 1024

_PROGRAM = "bwrap"
_PROBE_SECONDS = 10
_NAMESPACES = ("--unshare-all", "--cap-drop", "ALL", "--die-with-parent")
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
)


def unavailable() -> str:
    """Why this system has no working bubblewrap, in a few words; empty when it has one."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    program = shutil.which(_PROGRAM)
    if program is None:
        return f"bubblewrap is not installed (its program is called {_PROGRAM})"
    try:
        probe = subprocess.run(
            [program, *_NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "true"],
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {type(error).__name__}"
    if probe.returncode == 0:
        return ""
    words = probe.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap does not work here: {words[-1] if words else f'exit status {probe.returncode}'}"


def is_installed() -> bool:
    """Whether there is a bubblewrap at all, working or not."""
    return shutil.which(_PROGRAM) is not None


class BubblewrapLauncher:
    """No network, no other process in sight, and of the disk only what Python needs, read-only.

    Neither the reference nor the hidden tests, katas, progress or home exist in there; what is written goes to a
    small file system in memory, which goes away with the process.
    """

    level = "bubblewrap"

    def command(self, options: WorkerOptions) -> list[str]:
        """bwrap, what it shows of this system, and the interpreter in it."""
        return [
            shutil.which(_PROGRAM) or _PROGRAM,
            *_NAMESPACES,
            *_system(),
            *_python(),
            *_project(),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", str(SCRATCH_BYTES), "--tmpfs", options.scratch),
            *("--remount-ro", "/", "--chdir", options.scratch, "--"),
            *process_command(options),
        ]


def _system() -> list[str]:
    """The system's own files; what is a link stays one."""
    arguments = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            arguments += ["--ro-bind", str(path), str(path)]
    return arguments


def _python() -> list[str]:
    """The interpreter and what is installed for it, where that lies outside of the system."""
    arguments = []
    for path in dict.fromkeys([*readable_paths(), sys.prefix, sys.base_prefix]):
        if not path.startswith(("/usr/", "/nix/store/")) and not _is_package(path) and Path(path).exists():
            arguments += ["--ro-bind", os.path.realpath(path), path]
    return arguments


def _project() -> list[str]:
    """Of the project nothing but the package, less what of it is closed. Wherever it lies, the rest is hidden."""
    root, *answers = closed_paths()
    # A virtual environment can be the project's own folder, and is shown by now.
    is_shown = root.startswith(("/usr/", "/nix/store/")) or root in readable_paths()
    arguments = ["--tmpfs", root] if is_shown else []
    for path in dict.fromkeys((sys.prefix, sys.base_prefix, *readable_paths(), f"{root}/pyvenv.cfg")):
        if is_shown and path.startswith(f"{root}/") and not _is_package(path) and Path(path).exists():
            arguments += ["--ro-bind", os.path.realpath(path), path]
    arguments += ["--ro-bind", str(package()), str(package())]
    for answer in answers:
        arguments += ["--tmpfs", answer]
    return arguments


def _is_package(path: str) -> bool:
    return path == str(package())
