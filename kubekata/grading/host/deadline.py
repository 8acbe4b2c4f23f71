"""How long a call may take, in terms that do not depend on what else the machine does."""

import math
import time
from collections.abc import Callable

from kubekata.grading.worker.protocol import Usage

_HARD_FACTOR = 10


class Deadline:
    """Expires when the submission has used `seconds` of processor time, or has idled for that long.

    A submission that waits for a busy processor is neither: it gets more time, up to ten times `seconds`.
    Only time that is spent waiting for it counts, not what the grader does on its behalf. Nothing goes on past
    `end`, the moment (monotonic) at which the whole grade is over.
    """

    def __init__(self, seconds: float, usage: Callable[[], Usage], *, end: float = math.inf) -> None:
        self._seconds = seconds
        self._usage = usage
        self._waited = 0.0
        self._next_look = seconds
        self._end = min(end, time.monotonic() + seconds * _HARD_FACTOR)

    def waited(self, seconds: float) -> None:
        """Count time that was spent waiting for the submission."""
        self._waited += seconds

    def remaining(self) -> float:
        """Seconds until it is worth looking again; 0 or less when the time is up."""
        left = self._end - time.monotonic()
        if left <= 0:
            return 0.0
        if self._waited < self._next_look:
            return min(left, self._next_look - self._waited)
        usage = self._usage()
        if usage.seconds is None:
            return 0.0
        unused = self._seconds - usage.seconds
        if unused <= 0 or not usage.running:
            return 0.0
        self._next_look = self._waited + unused
        return min(left, unused)
