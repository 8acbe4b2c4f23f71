"""Kata 16: Disruption budget. The brief is README.md beside this file."""

from datetime import datetime

from kubekata import BudgetStatus, Client, DrainReport, EvictionAnswer, Pod, PodDisruptionBudget


def budget_status(
    budget: PodDisruptionBudget, pods: list[Pod], replicas: dict[str, int], now: datetime
) -> BudgetStatus:
    """Compute the status of a budget, as the disruption controller does.

    pods: all pods of the cluster.
    replicas: spec.replicas of every controller of pods, by the controller's uid.

    Raises ValueError for a spec that makes no sense.
    """
    raise NotImplementedError


def decide_eviction(pod: Pod, budgets: list[PodDisruptionBudget], dry_run: bool = False) -> EvictionAnswer:
    """Say what the API server answers to a request to evict a pod.

    budgets: all budgets of the cluster, each with its last status.
    dry_run: the same answer, but nothing is charged.
    """
    raise NotImplementedError


def drain(client: Client, node: str, deadline: datetime) -> DrainReport:
    """Bring the drain of a node one round further, and say where it stands.

    deadline: from this moment on nobody calls again.
    """
    raise NotImplementedError
