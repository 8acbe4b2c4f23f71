import pytest
from hypothesis import strategies as st

from kubekata.grading.hidden import rubric


@rubric("other")
def test_other(submission, scenario):
    scenario.equal(submission.other("a"), "A")


@rubric("target")
@pytest.mark.parametrize("number", [3, 70])
def test_target(submission, scenario, number):
    scenario.given(f"the number {number}")
    scenario.equal(submission.target(number), 2 * number)


@rubric("target")
def test_target_any(submission, scenario, reference):
    scenario.agree(submission.target, reference.target, st.tuples(st.integers(0, 1000)), max_examples=10)


@rubric("spread")
def test_spread(submission, scenario):
    numbers = list(range(100))
    scenario.equal(submission.spread(numbers), [2 * number for number in numbers])
