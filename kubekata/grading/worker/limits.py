"""Resource limits of one submission process."""

import contextlib
import resource
from collections.abc import Iterator

from kubekata.grading.worker.options import WorkerOptions

_ADDRESS_SPACE_FACTOR = 4


def apply(options: WorkerOptions) -> None:
    """Limit memory, file size, open files and core dumps; a limit that the system lacks is passed over."""
    wanted = {
        # Private writable memory is the honest measure; the address space catches what it does not count.
        "RLIMIT_DATA": options.memory,
        "RLIMIT_AS": options.memory * _ADDRESS_SPACE_FACTOR,
        "RLIMIT_FSIZE": options.file_size,
        "RLIMIT_NOFILE": options.open_files,
        "RLIMIT_CORE": 0,
    }
    for name, limit in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


@contextlib.contextmanager
def memory(options: WorkerOptions) -> Iterator[None]:
    """Limit memory for a while, in a process that goes on without the limit."""
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (options.memory, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))
