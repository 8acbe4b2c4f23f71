"""Where a submission was when it crashed, or when the host asks: the interpreter itself writes it down."""

import faulthandler
import os
import signal

_fd = -1


def prepare() -> None:
    """In the zygote: let crashes, and SIGUSR1, write the stack of the main thread to a descriptor kept for it."""
    global _fd  # noqa: PLW0603 - a descriptor is global to its process anyway
    _fd = os.open(os.devnull, os.O_WRONLY)
    faulthandler.enable(file=_fd, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file=_fd, all_threads=False, chain=False)


def report_to(diagnostics: int) -> None:
    """In the child: put the host's pipe in place of that descriptor."""
    os.dup2(diagnostics, _fd)
    os.close(diagnostics)
