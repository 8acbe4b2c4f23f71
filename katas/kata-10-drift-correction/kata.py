"""Kata 10: Drift correction. The brief is README.md beside this file."""

from kubekata import Client, Rack, Request, Result


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Bring one RackNode's machine to its spec, and report what the machine is like.

    client: the API server.
    rack: the hardware; the machine has the name of its RackNode.
    request: name and namespace of the RackNode to look at.

    Returns Result(requeue_after=seconds) to be called again, Result() when the machine agrees with the spec.
    """
    raise NotImplementedError
