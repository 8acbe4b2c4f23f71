"""Kata 08: Finalizer. The brief is README.md beside this file."""

from kubekata import Client, Rack, Request, Result

FINALIZER = "rack.example.com/decommission"


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Bring one RackNode and its machine a step nearer to what they should be.

    client: the API server.
    rack: the hardware; the machine has the name of its RackNode.
    request: name and namespace of the RackNode to look at.

    Returns Result(requeue_after=seconds) to be called again, Result() to wait for the next change.
    """
    raise NotImplementedError
