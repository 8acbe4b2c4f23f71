"""How much of a grade is run: all of it for a score, less of it where the gate or a first look asks for less."""

import msgspec


class Effort(msgspec.Struct, frozen=True):
    """What a grade may leave out.

    With `item`, only the tests of that rubric item run, and those that they need, on one hash seed, until the
    first of the item's tests is red. With `until_red`, all tests run on one hash seed until any is red. Without
    `isolate`, one process answers all tests: for a submission that keeps nothing from one call to the next.
    With `one_seed`, sets are ordered in one way only. Without `shrink`, generated differences are told as they
    were found. Without `measure`, no coverage is taken.
    """

    item: str = ""
    until_red: bool = False
    isolate: bool = True
    one_seed: bool = False
    shrink: bool = True
    measure: bool = True


FULL = Effort()
FIRST_LOOK = Effort(isolate=False, one_seed=True, measure=False)
"""What a learner sees a moment after a save, while the full grade is still to come."""
