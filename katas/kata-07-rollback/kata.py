"""Kata 07: rollback. The brief is README.md beside this file."""

from kubekata import (
    Client,
    Deployment,
    DeploymentPausedError,
    ObjectMeta,
    ReplicaSet,
    Request,
    RevisionNotFoundError,
)


def record_revision(client: Client, request: Request) -> int:
    """Make sure that the Deployment's present template has its ReplicaSet, with the newest revision.

    Returns the number of that revision.
    """
    raise NotImplementedError


def rollback(client: Client, request: Request, to_revision: int = 0) -> int:
    """Give the Deployment the template of an earlier revision; 0 means the previous one.

    Returns the revision's new number, as record_revision does.

    Raises RevisionNotFoundError when there is no such revision, DeploymentPausedError when the Deployment is paused.
    """
    raise NotImplementedError


def prune_history(client: Client, request: Request) -> None:
    """Delete the oldest ReplicaSets beyond spec.revisionHistoryLimit."""
    raise NotImplementedError
