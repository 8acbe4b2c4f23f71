"""Make the environment that grading runs in, on the standard library alone.

`grader.py` loads this file by its path before any dependency exists, so it imports nothing from
kubekata. Two files inside `.venv` tell its state: `kubekata-installing` is there while an installation
runs, and stays behind when one was killed; `kubekata-ready` is written last and holds a copy of what was
installed. A `.venv` with neither was made by hand, and is used as it is when it can import everything.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPENDENCIES = (
    "aiohttp",
    "click",
    "coverage",
    "cryptography",
    "hypothesis",
    "jsonpatch",
    "kopf",
    "kubernetes",
    "msgspec",
    "pygal",
    "pytest",
    "pytest_timeout",
    "rich",
    "yaml",
)
DEV_DEPENDENCIES = ("importlinter", "mypy", "pexpect", "ruff", "xdist")

COULD_NOT_GRADE = 3
INTERRUPTED = 130

JUST_INSTALLED = "KUBEKATA_JUST_INSTALLED"
OFFLINE_SIGNS = (
    "retrying (retry",
    "connection error",
    "connection refused",
    "failed to establish a new connection",
    "name or service not known",
    "name resolution",
    "network is unreachable",
    "no route to host",
    "cannot connect to proxy",
    "read timed out",
)
NOTHING_FOUND = "(from versions: none)"


class InstallError(Exception):
    """The environment cannot be made. The message is the one line that the user reads."""


def prepare(root: str, argv: list[str]) -> None:
    """Return when this interpreter can run kubekata, otherwise start over in one that can.

    `argv` is how `grader.py` was started. Ends the process with status 3 and one line on stderr when
    there is no such interpreter and none can be made, with 130 when the user interrupts the installation.
    """
    just_installed = os.environ.pop(JUST_INSTALLED, "")
    environment = Environment(Path(root), dev=argv[1:2] == ["selftest"])
    if environment.is_usable_here():
        return
    try:
        if os.environ.get("KUBEKATA_NO_BOOTSTRAP"):
            if environment.can_import():
                return
            raise InstallError(
                "dependencies are missing and KUBEKATA_NO_BOOTSTRAP is set. "
                f"Install them with: {environment.by_hand()}"
            )
        if just_installed:
            raise InstallError(
                f"{environment.path} cannot import everything although pip installed it. "
                "Delete that folder and run this again."
            )
        if environment.is_this_interpreter():
            environment.leave(argv)
        if environment.is_ready():
            start(str(environment.python), argv)
        environment.install()
        start(str(environment.python), argv, {JUST_INSTALLED: "1"})
    except InstallError as error:
        say(str(error))
        sys.exit(COULD_NOT_GRADE)
    except KeyboardInterrupt:
        say("interrupted. The next run finishes the installation.")
        sys.exit(INTERRUPTED)
    except OSError as error:
        say(
            f"cannot prepare {error.filename or environment.path}: {error.strerror}. Copy the repository to "
            f"a folder that you can write to, or use an environment of your own: {environment.by_hand()}"
        )
        sys.exit(COULD_NOT_GRADE)


class Environment:
    """The virtual environment `.venv` beside `grader.py`; with `dev`, the developers' tools as well."""

    def __init__(self, root: Path, *, dev: bool) -> None:
        self.root = root
        self.dev = dev
        self.path = root / ".venv"
        self.installing = self.path / "kubekata-installing"
        self.ready = self.path / ("kubekata-ready-dev" if dev else "kubekata-ready")
        self.log = self.path / "kubekata-install.log"
        self.python = self.path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.requirements = root / ("requirements-dev.txt" if dev else "requirements.txt")

    def is_usable_here(self) -> bool:
        """Whether the running interpreter has what is needed, installed to the end and up to date."""
        if not self.can_import():
            return False
        return not (self.is_this_interpreter() and (self.is_unfinished() or self.is_outdated()))

    def is_this_interpreter(self) -> bool:
        with contextlib.suppress(OSError):
            return self.path.samefile(sys.prefix)
        return False

    def can_import(self) -> bool:
        wanted = DEPENDENCIES + DEV_DEPENDENCIES if self.dev else DEPENDENCIES
        return all(importlib.util.find_spec(name) for name in wanted)

    def is_unfinished(self) -> bool:
        return self.installing.exists()

    def is_outdated(self) -> bool:
        return self.ready.exists() and not self.is_ready()

    def is_ready(self) -> bool:
        if self.is_unfinished() or not self.python.exists() or not self.ready.exists():
            return False
        return self.ready.read_text(encoding="utf-8") == self.contents()

    def contents(self) -> str:
        """What a finished installation holds: the pinned packages, and the folder that kubekata points to."""
        names = ["requirements.txt", "requirements-dev.txt"] if self.dev else ["requirements.txt"]
        texts = [(self.root / name).read_text(encoding="utf-8") for name in names]
        return "\n".join([f"# kubekata in {self.root}", *texts])

    def by_hand(self) -> str:
        python = Path(sys.executable).name or "python3"
        return (
            f"{python} -m pip install -r {self.requirements.name} && "
            f"{python} -m pip install --no-deps --no-build-isolation -e ."
        )

    def install(self) -> None:
        """Make, repair or update `.venv`. A second terminal waits for the first, then finds it done."""
        self.path.mkdir(exist_ok=True)
        with only_one(self.path / "kubekata-lock") as lock:
            if self.is_ready():
                return
            started = time.monotonic()
            if self.is_unfinished() or not self.python.exists():
                self.start_from_nothing(keep=Path(lock.name))
            say(self.announcement())
            self.installing.touch()
            count = count_pins(self.contents())
            with self.log.open("w", encoding="utf-8") as log:
                run_pip(self.pip(), ["-r", str(self.requirements)], lock, log, progress=count)
                # Building the editable install in isolation would download setuptools a second time; the
                # pinned one is in the environment already, so this step works offline.
                run_pip(self.pip(), ["--no-deps", "--no-build-isolation", "-e", str(self.root)], lock, log)
            self.ready.write_text(self.contents(), encoding="utf-8")
            if self.dev:
                runtime = Environment(self.root, dev=False)
                runtime.ready.write_text(runtime.contents(), encoding="utf-8")
            self.installing.unlink()
            say(f"ready after {time.monotonic() - started:.0f} s.")

    def announcement(self) -> str:
        size = f"{count_pins(self.contents())} pinned packages"
        if (self.path / "kubekata-ready").exists():
            return f"requirements changed: bringing {self.path.name} up to date ({size})."
        tools = "pytest, kopf, hypothesis, rich" + (", mypy, ruff" if self.dev else "")
        return f"installing what grading needs ({tools}: {size}) into {self.path.name}, once."

    def start_from_nothing(self, keep: Path) -> None:
        """Lay an empty virtual environment. A half-installed one is thrown away: pip takes a package whose
        copy was cut short for an installed one."""
        import subprocess

        if self.is_unfinished():
            say(f"the last installation did not finish: starting {self.path.name} afresh.")
        self.installing.touch()
        for entry in self.path.iterdir():
            if entry in (keep, self.installing):
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        bare = [] if has_module("ensurepip") else ["--without-pip"]
        if bare and not has_module("pip"):
            raise InstallError(
                "this Python cannot make virtual environments (it has no ensurepip). "
                "On Debian and Ubuntu run `sudo apt install python3-venv`, then this again."
            )
        made = subprocess.run(
            [sys.executable, "-m", "venv", *bare, str(self.path)], capture_output=True, text=True, check=False
        )
        if made.returncode:
            reason = (made.stderr or made.stdout).strip().splitlines() or ["no reason given"]
            raise InstallError(f"`{sys.executable} -m venv {self.path}` failed: {reason[-1]}")

    def pip(self) -> list[str]:
        if list(self.path.glob("[Ll]ib/**/site-packages/pip")):
            return [str(self.python), "-m", "pip"]
        return [sys.executable, "-m", "pip", "--python", str(self.python)]

    def leave(self, argv: list[str]) -> NoReturn:
        """Go on in the interpreter that `.venv` was made from: a folder in use is no place to mend it.

        What we once installed to the end and cannot import any more is made afresh. An environment that somebody
        made by hand only gets what it lacks.
        """
        if self.is_ready():
            self.installing.touch()
        base: str = getattr(sys, "_base_executable", "")
        if not base or Path(base) == self.python:
            raise InstallError(f"{self.path} is incomplete. Delete that folder and run this again.")
        start(base, argv)


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def count_pins(text: str) -> int:
    return sum("==" in line and 'sys_platform == "win32"' not in line for line in text.splitlines())


def start(python: str, argv: list[str], extra: dict[str, str] | None = None) -> NoReturn:
    """Become `python argv...`, with `extra` environment variables."""
    environ = {**os.environ, **(extra or {})}
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":  # there, exec would give the prompt back before the work is done
        import subprocess

        sys.exit(subprocess.run([python, *argv], env=environ, check=False).returncode)
    os.execve(python, [python, *argv], environ)


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[IO[str]]:
    """Hold the lock file, waiting for whoever has it."""
    with path.open("a", encoding="utf-8") as lock:
        if os.name == "nt":
            yield lock
            return
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is installing the dependencies: waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def run_pip(pip: list[str], arguments: list[str], lock: IO[str], log: IO[str], progress: int = 0) -> None:
    """Run `pip install`, showing how many of `progress` packages it has looked at.

    pip inherits the lock: when this process is killed, the next run waits until pip is gone too.
    """
    import subprocess

    environ = {"PIP_RETRIES": "2", **os.environ}
    options = ["install", "--no-input", "--progress-bar=off", "--disable-pip-version-check"]
    with subprocess.Popen(
        [*pip, *options, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environ,
        pass_fds=() if os.name == "nt" else (lock.fileno(),),
    ) as process:
        assert process.stdout is not None
        meter = Meter(progress)
        try:
            for line in process.stdout:
                log.write(line)
                meter.update(line)
        except BaseException:
            process.terminate()
            raise
        finally:
            meter.close()
    if process.returncode:
        log.flush()
        raise InstallError(why_pip_failed(Path(log.name)))


def why_pip_failed(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    if any(sign in text.lower() for sign in OFFLINE_SIGNS):
        return (
            "pip cannot reach the package registry. Connect to the network once and run this again; "
            "after that everything works offline."
        )
    errors = [line for line in text.splitlines() if line.startswith("ERROR:")] or text.splitlines()[-1:]
    reason = errors[0].removeprefix("ERROR:").strip() if errors else "no reason given"
    if NOTHING_FOUND in text:
        return (
            f"pip finds no packages where it looks: {reason}. Connect to the network, or see `pip config list` for "
            f"where it looks, and run this again (all that it said is in {log})"
        )
    return f"pip failed: {reason} (all that it said is in {log})"


class Meter:
    """One line on a terminal that is drawn over and over; in a pipe, a line for each stage."""

    WIDTH = 60

    def __init__(self, total: int) -> None:
        self.total = total
        self.seen = 0
        self.live = bool(total) and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def update(self, line: str) -> None:
        if line.startswith(("Collecting ", "Requirement already satisfied: ")):
            name = line.removeprefix("Requirement already satisfied: ").removeprefix("Collecting ")
            self.seen = min(self.seen + 1, self.total)
            self.draw(f"{self.seen} of {self.total}: {name.split('==')[0].split()[0]}")
        elif line.startswith("Installing collected packages: ") and self.total:
            count = line.count(",") + 1
            if self.live:
                self.draw(f"unpacking {count} packages")
            else:
                say(f"downloaded; unpacking {count} packages.")

    def draw(self, text: str) -> None:
        if self.live:
            print(f"\rkubekata: {text:{self.WIDTH}.{self.WIDTH}}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.live:
            print("\r" + " " * (self.WIDTH + len("kubekata: ")) + "\r", end="", file=sys.stderr, flush=True)


def say(text: str) -> None:
    print(f"kubekata: {text}", file=sys.stderr, flush=True)
