"""The operator as a process: `kopf run`, started, stopped and killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_SECONDS_TO_STOP = 5.0
_POLL_SECONDS = 0.05
_KEPT_FROM_OURS = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")
_LONGEST_OUTPUT = 2_000


class OperatorProcess:
    """Runs a file with kopf, in a session of its own so that nothing of it outlives us.

    Args:
        file: the operator.
        namespace: the only one that it looks at.
        folder: its working directory and home, and where its output goes.
        settings: environment variables for it.
    """

    def __init__(
        self, file: Path, kubeconfig: Path, namespace: str, folder: Path, settings: Mapping[str, str]
    ) -> None:
        self._file = file.absolute()
        self._namespace = namespace
        self._folder = folder
        self._log = folder / "operator.log"
        self._environment = {
            **{key: os.environ[key] for key in _KEPT_FROM_OURS if key in os.environ},
            "HOME": str(folder),
            "KUBECONFIG": str(kubeconfig),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def running(self) -> bool:
        """Whether it runs now."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it; it need not be ready when this returns."""
        self._port = _free_port()
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "kopf",
                    "run",
                    str(self._file),
                    f"--namespace={self._namespace}",
                    "--standalone",
                    f"--liveness=http://127.0.0.1:{self._port}/healthz",
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
            )

    def wait_until_up(self, seconds: float) -> bool:
        """Wait until it answers that it lives; False if it ended or took too long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.running:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=1):
                    return True
            except (OSError, urllib.error.URLError):
                time.sleep(_POLL_SECONDS)
        return False

    def kill(self) -> None:
        """End it without a chance to tidy up, as a node failure would."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end, and make sure that it and its children do."""
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGKILL)

    def output(self, since: int = 0) -> str:
        """Return the end of what it printed after a position."""
        with suppress(OSError), self._log.open("rb") as file:
            file.seek(since)
            text = file.read().decode(errors="replace")
            return text if len(text) <= _LONGEST_OUTPUT else "…" + text[-_LONGEST_OUTPUT:]
        return ""

    def position(self) -> int:
        """Return how much it has printed, in bytes."""
        return self._log.stat().st_size if self._log.exists() else 0

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_STOP)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
