"""Kata 06: stalled rollout. The brief is README.md beside this file."""

from datetime import datetime

from kubekata import DeploymentCondition, Pod, PodCounts, RolloutReport, RolloutStalledError


def check_progress(
    report: RolloutReport,
    previous: DeploymentCondition | None,
    pods: list[Pod],
    now: datetime,
) -> DeploymentCondition:
    """Return the Deployment's Progressing condition as of now.

    report: settings, and the counts at the last look (`before`) and at this one (`after`).
    previous: the condition from the last look; None at the very first.
    pods: the pods of the new ReplicaSet.

    Raises RolloutStalledError for settings under which no pod could ever be replaced.
    """
    raise NotImplementedError
