"""Kata 09: Bin-packing by requests. The brief is README.md beside this file."""

from kubekata import Node, Placement, Pod, milli, whole


def schedule(pod: Pod, nodes: list[Node], pods: list[Pod]) -> Placement:
    """Say which node the pod goes to.

    pod: a pod without a node.
    nodes: all nodes of the cluster, in no particular order.
    pods: all other pods of the cluster, with a node or without.

    Returns Placement(name of the node), or Placement(None, message) if the pod stays Pending.
    """
    raise NotImplementedError
