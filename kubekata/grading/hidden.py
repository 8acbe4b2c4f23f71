"""What the author of a kata writes hidden tests with.

    from kubekata.grading.hidden import rubric

    @rubric("floor")
    def test_floor_with_percentages(submission, scenario, world, reference): ...

Every hidden test has exactly one rubric item. The fixtures are `submission` (the learner's entry points, each
test in a fresh process), `scenario` (given, expected, why, and the checks), `world` (a fresh simulated cluster)
and `reference` (the module of the reference solution).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from kubekata.grading.host.errors import SubmissionRaised
from kubekata.grading.scenario import Scenario
from kubekata.grading.submission import Submission

__all__ = ["Rubric", "Scenario", "Submission", "SubmissionRaised", "rubric", "rubric_of"]

_F = TypeVar("_F", bound=Callable[..., Any])


class Rubric(NamedTuple):
    """Which rubric item a hidden test counts for, and which tests have to pass first."""

    id: str
    needs: tuple[str, ...]


def rubric(item: str, *, needs: tuple[str, ...] = ()) -> Callable[[_F], _F]:
    """Tie a hidden test to a rubric item of kata.toml.

    A check that also holds when nothing is done names in `needs` the tests that fail then. When one of them
    has not passed, this test is not run and earns nothing.
    """

    def mark(function: _F) -> _F:
        function.rubric = Rubric(item, needs)  # type: ignore[attr-defined]
        return function

    return mark


def rubric_of(function: Callable[..., Any]) -> Rubric | None:
    """What `rubric` said about a function, if anything."""
    found = getattr(function, "rubric", None)
    return found if isinstance(found, Rubric) else None
