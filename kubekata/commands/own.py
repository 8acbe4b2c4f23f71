"""The learner's own file as commands use it: what keeps it from being read or replaced is one line, wrong usage."""

from __future__ import annotations

import contextlib
import errno
from typing import TYPE_CHECKING

from kubekata.commands.advice import shown
from kubekata.commands.status import WrongUsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubekata.grading.catalog import Kata
    from kubekata.grading.problems import UnreadableSubmission

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def own_text(kata: Kata) -> str:
    """What is in the file; empty when there is none. Raises WrongUsageError."""
    from kubekata.grading.problems import UnreadableSubmission
    from kubekata.practice import files

    try:
        return files.own(kata)
    except UnreadableSubmission as error:
        raise unreadable(error) from error


def why_lost(kata: Kata) -> str:
    """Why the file cannot be read just now, being gone included; empty when it can."""
    from kubekata.grading.problems import UnreadableSubmission, contents

    try:
        contents(kata.submission, kata)
    except UnreadableSubmission as error:
        return f"{unreadable(error).message} Waiting for the next save."
    return ""


def unreadable(error: UnreadableSubmission) -> WrongUsageError:
    """The same with the path as the user would type it."""
    return WrongUsageError(f"{shown(error.path)} {error.why}.")


@contextlib.contextmanager
def replacing(kata: Kata) -> Iterator[None]:
    """Around whatever puts another text into the file. Raises WrongUsageError when the system does not allow it."""
    try:
        yield
    except OSError as error:
        cure = (
            "make room on that disk"
            if error.errno in _NO_ROOM
            else f"see that you may write in {shown(kata.folder)}"
        )
        raise WrongUsageError(
            f"{shown(kata.submission)} cannot be replaced: {error.strerror}; {cure}, then run this again."
        ) from error
