"""Kata 01: Idempotent reconcile. The brief is README.md beside this file."""

from kubekata import Client, Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Request, Result


def reconcile(client: Client, request: Request) -> Result:
    """Bring the pods of one ReplicaSet to the number that its spec asks for.

    client: reads and writes the cluster: client.get, client.list, client.create, client.delete,
        client.update_status. Every read gives you a copy of your own.
    request: which ReplicaSet to look at: request.name in request.namespace.

    Return Result() when all is as it should be, Result(requeue_after=seconds) to be called again.
    """
    raise NotImplementedError
