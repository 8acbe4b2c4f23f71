"""Examples from the brief. They run in your own process: print and the debugger work."""

import pytest
from kata import next_step, resolve_fenceposts

from kubekata import ReplicaCount, Rollout, Step


def quarter(new: tuple[int, int], *old: tuple[int, int]) -> Rollout:
    """10 replicas, 25% and 25%; each ReplicaSet as (spec, available)."""
    return Rollout(10, "25%", "25%", ReplicaCount(*new), [ReplicaCount(*counts) for counts in old])


@pytest.mark.parametrize(
    ("max_surge", "max_unavailable", "replicas", "fenceposts"),
    [
        pytest.param(3, 2, 10, (3, 2), id="numbers stay"),
        pytest.param("25%", "25%", 10, (3, 2), id="surge up, unavailable down"),
        pytest.param("150%", 0, 4, (6, 0), id="nothing is capped"),
        pytest.param(0, "1%", 10, (0, 1), id="two zeros are rescued"),
    ],
)
def test_fenceposts(
    max_surge: int | str, max_unavailable: int | str, replicas: int, fenceposts: tuple[int, int]
) -> None:
    assert resolve_fenceposts(max_surge, max_unavailable, replicas) == fenceposts


def test_text_that_is_no_percentage() -> None:
    with pytest.raises(ValueError, match=r".*"):
        resolve_fenceposts("25", 1, 10)


@pytest.mark.parametrize(
    ("rollout", "step"),
    [
        pytest.param(quarter((0, 0), (10, 10)), Step("scale-new", 3, [10]), id="fill the surge"),
        pytest.param(quarter((3, 0), (10, 10)), Step("scale-old", 3, [8]), id="down to the floor"),
        pytest.param(quarter((5, 0), (8, 8)), Step("none", 5, [8]), id="wait for new pods"),
        pytest.param(quarter((5, 3), (8, 8)), Step("scale-old", 5, [5]), id="three serve, three may go"),
        pytest.param(quarter((8, 8), (1, 1)), Step("scale-new", 10, [1]), id="never more than replicas"),
        pytest.param(quarter((10, 8), (1, 1)), Step("scale-old", 10, [0]), id="the last old pod"),
        pytest.param(quarter((10, 10), (0, 0)), Step("none", 10, [0]), id="complete"),
        pytest.param(quarter((0, 0), (8, 8), (5, 0)), Step("scale-old", 0, [8, 0]), id="broken pods first"),
    ],
)
def test_worked_example(rollout: Rollout, step: Step) -> None:
    assert next_step(rollout) == step
