"""The parts of a control plane that move the world when the clock moves."""

from kubekata.cluster.actors.base import Actor
from kubekata.cluster.actors.controlplane import ControlPlane
from kubekata.cluster.actors.deployment import DeploymentController
from kubekata.cluster.actors.disruption import DisruptionController
from kubekata.cluster.actors.garbagecollector import GarbageCollector
from kubekata.cluster.actors.heartbeats import NodeHeartbeats
from kubekata.cluster.actors.kubelet import Kubelet
from kubekata.cluster.actors.namespaces import NamespaceController
from kubekata.cluster.actors.replicaset import ReplicaSetController
from kubekata.cluster.actors.scheduler import Scheduler

__all__ = [
    "Actor",
    "ControlPlane",
    "DeploymentController",
    "DisruptionController",
    "GarbageCollector",
    "Kubelet",
    "NamespaceController",
    "NodeHeartbeats",
    "ReplicaSetController",
    "Scheduler",
]
