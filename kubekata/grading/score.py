"""From test outcomes to points."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kubekata.grading.catalog import RubricItem
from kubekata.grading.result import HiddenTestResult, RubricResult


def mark(
    rubric: Sequence[RubricItem], tests: Mapping[str, Sequence[HiddenTestResult]]
) -> tuple[tuple[RubricResult, ...], int]:
    """The rubric with what each item earned, and the score: the sum of it, rounded down.

    An item earns its points in proportion to its tests that passed, a must only whole. A test that did not run
    did not pass, and an item without tests earns nothing.
    """
    earned = {item.id: _earned(item, tests.get(item.id, ())) for item in rubric}
    results = tuple(
        RubricResult(
            item.id,
            item.title,
            item.points,
            round(float(earned[item.id]), 2),
            item.must,
            tuple(tests.get(item.id, ())),
        )
        for item in rubric
    )
    return results, int(sum(earned.values()))


def passed(rubric: Sequence[RubricResult], score: int, pass_mark: int) -> bool:
    """Every must holds and the score is at least the pass mark."""
    return score >= pass_mark and all(item.earned == item.points for item in rubric if item.must)


def _earned(item: RubricItem, tests: Sequence[HiddenTestResult]) -> Fraction:
    good = sum(test.outcome == "passed" for test in tests)
    if not tests or (item.must and good < len(tests)):
        return Fraction(0)
    return Fraction(item.points * good, len(tests))
