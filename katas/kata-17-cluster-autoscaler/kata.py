"""Kata 17: Cluster autoscaler. The brief is README.md beside this file."""

from kubekata import ClusterView, ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP = "autoscaler.example.com/group"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"


def scale_up(cluster: ClusterView) -> ScaleUp:
    """Say which group gets how many more nodes, so that waiting pods find room."""
    raise NotImplementedError


def scale_down(cluster: ClusterView) -> ScaleDown:
    """Say which nodes nobody needs, since when, and which one of them goes now."""
    raise NotImplementedError
