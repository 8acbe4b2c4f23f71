"""Examples from the brief. They run in your own process: print and the debugger work."""

import pytest
from kata import desired_replicas


@pytest.mark.parametrize(
    ("current", "value", "target", "answer"),
    [
        pytest.param(4, 90, 60, 6, id="half as much again"),
        pytest.param(3, 90, 60, 5, id="4.5 pods are 5 pods"),
        pytest.param(7, 20, 60, 3, id="2.33 pods are 3 pods"),
        pytest.param(5, 65, 60, 5, id="inside the band"),
        pytest.param(12, 60, 60, 10, id="the maximum also inside the band"),
        pytest.param(8, 300, 60, 10, id="never above the maximum"),
        pytest.param(6, 0, 60, 2, id="an idle workload keeps the minimum"),
        pytest.param(0, 300, 60, 0, id="switched off"),
    ],
)
def test_worked_example(current: int, value: float, target: float, answer: int) -> None:
    assert desired_replicas(current, value, target, min_replicas=2, max_replicas=10) == answer


@pytest.mark.parametrize("value", [63, 77])
def test_the_edges_belong_to_the_band(value: float) -> None:
    assert desired_replicas(20, value, 70, min_replicas=1, max_replicas=100) == 20


def test_a_tolerance_of_your_own() -> None:
    assert desired_replicas(20, 107, 100, min_replicas=1, max_replicas=100, tolerance=0.05) == 22


def test_a_target_of_zero() -> None:
    with pytest.raises(ValueError, match=r".*"):
        desired_replicas(3, 50, 0, min_replicas=1, max_replicas=10)
