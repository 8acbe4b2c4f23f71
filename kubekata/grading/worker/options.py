"""What a zygote is told when it starts."""

import msgspec


class WorkerOptions(msgspec.Struct, frozen=True):
    """`control` is the inherited socket of the host; `scratch` a folder in which each child gets its own.

    `measure` records the lines that run. A path is open to a submission when the longest of `readable` and
    `closed` that it lies under is one of `readable`. Sizes are in bytes. `changes` is how often a submission may make
    or change a file in its scratch folder; with `file_size` it bounds how much of the disk can be filled.
    """

    control: int
    scratch: str
    measure: bool = False
    readable: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    memory: int = 512 * 1024 * 1024
    file_size: int = 2 * 1024 * 1024
    open_files: int = 128
    changes: int = 100
