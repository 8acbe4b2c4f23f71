"""The same submission graded again and again under load on every core: the same score, the same messages.

`KUBEKATA_REPEATS=50` is the full measure; a few times are enough to find a clock that should not be there.
"""

import multiprocessing
import os
from collections.abc import Iterator

import pytest

from kubekata.grading.many import available_processors
from kubekata.grading.result import KataResult
from tests.hostile.arena import Arena, Attack

REPEATS = int(os.environ.get("KUBEKATA_REPEATS", "3"))

SUBMISSIONS = [
    Attack("a right one"),
    Attack("one with a bug that is found by generated inputs", "return number * 2 if number < 91 else 0"),
    Attack("one that takes half its time", "end = sum(range(2_000_000))\nreturn number * 2 + end * 0"),
    Attack("one that never ends", "while True:\n    pass"),
    Attack("one that sleeps for ever", "import time\ntime.sleep(3600)"),
]


@pytest.fixture
def load() -> Iterator[None]:
    """Twice as many busy processes as there are processors."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=_burn, daemon=True) for _ in range(2 * available_processors())]
    for process in busy:
        process.start()
    yield
    for process in busy:
        process.kill()
        process.join()
        process.close()


def _burn() -> None:
    while True:
        pass


def told(result: KataResult) -> list[object]:
    """Everything about a result but the seconds."""
    tests = [
        (test.name, test.outcome, test.given, test.expected, test.got, test.why, test.stdout)
        for item in result.rubric
        for test in item.tests
    ]
    return [result.score, result.passed, result.problems, result.coverage, tests]


@pytest.mark.usefixtures("load")
@pytest.mark.parametrize("attack", SUBMISSIONS, ids=lambda attack: attack.name)
def test_the_verdict_does_not_depend_on_the_load(arena: Arena, attack: Attack) -> None:
    source = arena.source(attack)
    first = told(arena.grade(source, timeout=0.5))
    for _ in range(REPEATS - 1):
        assert told(arena.grade(source, timeout=0.5)) == first
