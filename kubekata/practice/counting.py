"""Which version of the file a mock interview counts: the last one that was saved before the deadline."""

import dataclasses
import time

from kubekata.grading.catalog import Kata
from kubekata.practice import files, mocks
from kubekata.practice.mocks import Mock
from kubekata.practice.store import Store


@dataclasses.dataclass(frozen=True)
class Counted:
    """The version that counts, and how that is said. `text` is None when no version was saved in time."""

    text: str | None
    how: str
    late: bool


def counted(store: Store, mock: Mock, kata: Kata, now: float) -> Counted:
    """Decide it at the moment `now`. The file itself counts when it was not written after the deadline.

    Raises UnreadableSubmission when that is the one and cannot be read.
    """
    late = mock.left(now) < 0
    try:
        saved = kata.submission.stat().st_mtime
    except OSError:
        saved = None
    if saved is not None and (not late or saved <= mock.deadline):
        how = "the file as it is" if not late else f"the file as it was saved at {_clock(saved)}, in time"
        return Counted(files.own(kata), how, late)
    version = mocks.last_version(store, mock)
    if version is None:
        return Counted(None, "nothing: no version was saved before the deadline", late)
    when, text = version
    return Counted(text, f"the last version before the deadline, saved at {_clock(when)}", late)


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))
