"""Kata 02: Self-healing in a hostile world. The brief is README.md beside this file."""

from kubekata import (
    Client,
    Conflict,
    NotFound,
    ObjectMeta,
    Pod,
    ReplicaSet,
    Request,
    Result,
    ServerTimeout,
    TooManyRequests,
)


def reconcile(client: Client, request: Request) -> Result:
    """Bring one ReplicaSet's active pods to the number that its spec asks for, whatever state the world is in.

    client: reads and writes the cluster; client.now() is the cluster's time.
    request: which ReplicaSet to look at: request.name in request.namespace.

    Return Result() when all is as it should be, Result(requeue_after=seconds) to be called again.
    """
    raise NotImplementedError
