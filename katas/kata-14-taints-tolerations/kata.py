"""Kata 14: Taints and tolerations. The brief is README.md beside this file."""

from kubekata import Node, Placement, Pod, Taint, Toleration


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Say whether one toleration matches one taint."""
    raise NotImplementedError


def schedule(pod: Pod, nodes: list[Node]) -> Placement:
    """Say which node the pod goes to, by taints and node selector alone.

    pod: a pod without a node.
    nodes: all nodes of the cluster, in no particular order.

    Returns Placement(name of the node), or Placement(None, message) if the pod stays Pending.
    """
    raise NotImplementedError
