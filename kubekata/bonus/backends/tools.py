"""Running other programs: kind and kubectl."""

from __future__ import annotations

import shutil
import subprocess

from kubekata.bonus.errors import BackendError

_TIMEOUT = 60


def run_tool(*command: str, timeout: float = _TIMEOUT) -> str:
    """Run a program and return what it prints.

    Raises:
        BackendError: it is missing, fails, or takes too long.
    """
    if shutil.which(command[0]) is None:
        raise BackendError(f"{command[0]} is not on PATH: install it, or use --backend served.")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise BackendError(f"`{' '.join(command[:3])}` did not end within {timeout:.0f} s.") from None
    except OSError as error:
        raise BackendError(f"{command[0]} cannot be run: {error.strerror}.") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise BackendError(f"`{' '.join(command[:3])}` failed: {lines[-1]}")
    return done.stdout
