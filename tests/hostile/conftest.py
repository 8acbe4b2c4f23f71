import tempfile
from collections.abc import Callable, Iterator

import pytest

from kubekata.grading.result import HiddenTestResult
from tests.hostile.arena import FIRST, Arena, Attack, by_name

collect_ignore = ["project"]

Judge = Callable[[Attack], HiddenTestResult]


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("arena")
    before, tempfile.tempdir = tempfile.tempdir, str(folder / "scratch")
    arena = Arena(folder)
    yield arena
    arena.grader.close()
    tempfile.tempdir = before
    assert arena.processes() == {}
    assert list(arena.scratch.glob("kubekata-*")) == []


@pytest.fixture
def judge(arena: Arena) -> Judge:
    """Grade an attack, compare the verdict with what is expected, and return the attacked test's result."""

    def run(attack: Attack) -> HiddenTestResult:
        result = arena.grade(arena.source(attack), timeout=attack.timeout)
        assert not result.passed
        if attack.problem:
            assert result.score == 0
            assert result.problems[0].fatal
            assert attack.problem in result.problems[0].message
            return HiddenTestResult(FIRST, "not-run")
        test = by_name(result)[FIRST]
        assert (test.outcome, result.score) == (attack.outcome, attack.score), test
        assert attack.got in test.got
        return test

    return run
