import pytest
from hypothesis import strategies as st

from kubekata.grading.hidden import rubric


@rubric("double")
@pytest.mark.parametrize("number", [3, 70])
def test_double(submission, scenario, number):
    scenario.given(f"the number {number}")
    scenario.expected(str(2 * number))
    scenario.why("twice means times two")
    scenario.equal(submission.double(number), 2 * number)


@rubric("double")
def test_double_any(submission, scenario, reference):
    scenario.agree(submission.double, reference.double, st.tuples(st.integers(0, 1000)), max_examples=20)


@rubric("spread")
def test_spread(submission, scenario):
    scenario.given("1 and 2, by 3")
    scenario.step("before", ready=1, total=2)
    scenario.bounds(floor=1, ceiling=3)
    scenario.equal(submission.spread([1, 2], by=3), [3, 6])


@rubric("spread", needs=("test_spread",))
def test_spread_leaves_its_argument_alone(submission, scenario):
    submission.spread([1, 2], by=3)
    scenario.equal(submission.arguments_after[0], [1, 2], got="the list was changed")


@rubric("spread", needs=("test_spread",))
def test_spread_of_many(submission, scenario):
    scenario.equal(submission.spread(list(range(1000)), by=2), list(range(0, 2000, 2)))


@rubric("counter")
def test_counter(submission, scenario):
    counter = submission.Counter(5)
    counter.add(2)
    scenario.equal(counter.add(1), 8)
