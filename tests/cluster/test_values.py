"""The registry of values that cross between a submission and the grader."""

from dataclasses import FrozenInstanceError, dataclass

import pytest

import kubekata
from kubekata.cluster.values import ReplicaCount, Rollout, Step, registry, value


def test_the_learners_face_exports_the_rolling_values() -> None:
    """A stub needs one import."""
    assert (kubekata.Rollout, kubekata.ReplicaCount, kubekata.Step) == (Rollout, ReplicaCount, Step)


def test_values_are_found_by_class_name() -> None:
    """The wire names a value by its class."""
    assert registry()["Rollout"] is Rollout


def test_the_registry_is_a_copy() -> None:
    """Nobody can add a type by writing into what they were given."""
    registry().clear()
    assert "Step" in registry()


def test_values_are_frozen() -> None:
    """A submission gets a value, not a variable."""
    with pytest.raises(FrozenInstanceError):
        ReplicaCount(1, 1).spec = 2  # type: ignore[misc]


def test_registering_again_changes_nothing() -> None:
    """The same class may be registered twice."""
    assert value(Step) is Step


def test_a_class_that_is_not_a_frozen_dataclass_is_refused() -> None:
    """Mutable arguments would let one call spoil the next."""

    @dataclass
    class Mutable:
        n: int

    for cls in (Mutable, int):
        with pytest.raises(TypeError, match="frozen dataclass"):
            value(cls)
    assert "Mutable" not in registry()


def test_a_taken_name_is_refused() -> None:
    """Two classes of one name could not be told apart on the wire."""
    with pytest.raises(TypeError, match="the value name Step is taken"):
        value(dataclass(frozen=True)(type("Step", (), {})))
