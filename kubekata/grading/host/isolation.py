"""Which level of isolation a grade gets."""

from typing import Literal

from kubekata.grading.host import bubblewrap
from kubekata.grading.host.launcher import Launcher, ProcessLauncher

Isolation = Literal["auto", "bubblewrap", "process"]


class IsolationUnavailable(Exception):
    """The level that was asked for does not work on this system. One line that says why."""


def choose(wanted: Isolation) -> tuple[Launcher, str]:
    """The launcher for that level, and one line to tell if it is less than could be expected; mostly empty.

    `auto` takes bubblewrap where it works. Where it is not installed nothing was expected and nothing is said.
    Raises IsolationUnavailable.
    """
    if wanted == "process":
        return ProcessLauncher(), ""
    reason = bubblewrap.unavailable()
    if not reason:
        return bubblewrap.BubblewrapLauncher(), ""
    if wanted == "bubblewrap":
        raise IsolationUnavailable(f"--isolation bubblewrap: {reason}")
    expected = bubblewrap.is_installed()
    return ProcessLauncher(), f"graded with isolation `process`: {reason}" if expected else ""
