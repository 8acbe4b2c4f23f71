"""Kata 13: Owner references. The brief is README.md beside this file."""

from collections.abc import Sequence

from kubekata import (
    AlreadyExists,
    Client,
    Conflict,
    Container,
    Deletion,
    Job,
    JobSpec,
    NotFound,
    ObjectMeta,
    PodSpec,
    PodTemplateSpec,
    RackNode,
    Request,
    Resource,
    Result,
    ServerTimeout,
    TooManyRequests,
)


def reconcile(client: Client, request: Request) -> Result:
    """See to it that the RackNode's machine is flashed by one Job, and tell in the status how far it is.

    Return Result() when there is nothing to wait for but a change, Result(requeue_after=seconds) to be called again.
    """
    raise NotImplementedError


def collect_garbage(objects: Sequence[Resource]) -> list[Deletion]:
    """Return what the garbage collector does now, given all objects of the cluster.

    objects: of any kinds, in any order; not to be changed. The order of the answer does not matter.
    """
    raise NotImplementedError
