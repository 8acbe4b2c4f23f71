"""Kata 05: surge stepping. The brief is README.md beside this file."""

from kubekata import ReplicaCount, Rollout, Step


def resolve_fenceposts(max_surge: int | str, max_unavailable: int | str, replicas: int) -> tuple[int, int]:
    """Turn both limits of a rolling update into numbers of pods: (surge, unavailable).

    max_surge, max_unavailable: pods as an int, or a share of replicas as text such as "25%".

    Raises ValueError for text that is not digits followed by "%".
    """
    raise NotImplementedError


def next_step(rollout: Rollout) -> Step:
    """Say what one sync of the Deployment controller does to the ReplicaSets of this rollout."""
    raise NotImplementedError
