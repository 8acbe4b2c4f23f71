"""A world in this process, for examples and for trying things out: print and debuggers just work."""

from kubekata.cluster.builders import (
    container,
    deployment,
    node,
    pod,
    pod_template,
    rack_node,
    replica_set,
)
from kubekata.cluster.clock import EPOCH
from kubekata.cluster.world import World

__all__ = [
    "EPOCH",
    "World",
    "container",
    "deployment",
    "node",
    "pod",
    "pod_template",
    "rack_node",
    "replica_set",
]
