"""How much of a grade is run: all of it for a learner, less of it where the gate asks a narrower question."""

import msgspec


class Effort(msgspec.Struct, frozen=True):
    """What a grade may leave out.

    With `item`, only the tests of that rubric item run, and those that they need, on one hash seed, until the first
    of the item's tests is red. Without `isolate`, one process answers all tests: for a submission that keeps nothing
    from one call to the next. Without `shrink`, generated differences are told as they were found. Without
    `measure`, no coverage is taken.
    """

    item: str = ""
    isolate: bool = True
    shrink: bool = True
    measure: bool = True


FULL = Effort()
