"""What the hidden tests said on each hash seed, and what that means together."""

import msgspec

from kubekata.grading.result import HiddenTestResult
from kubekata.grading.wire.messages import Refusal

_OTHER_ORDER = "it passed at first and failed when sets were ordered differently"


class Ran(msgspec.Struct, frozen=True):
    """What the hidden tests said on one lane, or on all of them, and what came with it.

    `tests` are by rubric item in the order of the file. `lines` of the submission ran and `statements` could have;
    both are empty where nothing was measured. `slowness` is that of the first lane. With any of `faults`, the rest is
    worth nothing.
    """

    tests: dict[str, list[HiddenTestResult]]
    lines: frozenset[int]
    statements: frozenset[int]
    refusals: tuple[Refusal, ...]
    faults: tuple[str, ...]
    slowness: float

    @property
    def not_passed(self) -> frozenset[str]:
        """The names of the tests that another seed cannot make pass any more."""
        return frozenset(
            result.name for results in self.tests.values() for result in results if result.outcome != "passed"
        )


def both(first: Ran, second: Ran) -> Ran:
    """What two lanes say together: a test has passed when it has passed on both."""
    again = {result.name: result for results in second.tests.values() for result in results}
    return Ran(
        tests={
            item: [_worse(result, again.get(result.name, _unseen(result.name))) for result in results]
            for item, results in first.tests.items()
        },
        lines=first.lines | second.lines,
        statements=first.statements | second.statements,
        refusals=first.refusals + second.refusals,
        faults=first.faults + second.faults,
        slowness=first.slowness,
    )


def _unseen(name: str) -> HiddenTestResult:
    return HiddenTestResult(name, "not-run", got="not run", why="not run with sets ordered differently")


def _worse(first: HiddenTestResult, second: HiddenTestResult) -> HiddenTestResult:
    if first.outcome != "passed":
        return first
    seconds = round(first.seconds + second.seconds, 4)
    if second.outcome == "passed":
        return msgspec.structs.replace(first, seconds=seconds)
    if second.outcome == "not-run":
        return msgspec.structs.replace(second, seconds=seconds)
    why = f"{second.why} ({_OTHER_ORDER})" if second.why else _OTHER_ORDER
    return msgspec.structs.replace(second, why=why, seconds=seconds)
