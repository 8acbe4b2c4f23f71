"""All actors at once, for scenarios that want a cluster which just works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kubekata.cluster.actors.base import Actor
from kubekata.cluster.actors.deployment import DeploymentController
from kubekata.cluster.actors.disruption import DisruptionController
from kubekata.cluster.actors.garbagecollector import GarbageCollector
from kubekata.cluster.actors.heartbeats import NodeHeartbeats
from kubekata.cluster.actors.kubelet import Kubelet
from kubekata.cluster.actors.namespaces import NamespaceController
from kubekata.cluster.actors.replicaset import ReplicaSetController
from kubekata.cluster.actors.scheduler import Scheduler

if TYPE_CHECKING:
    from kubekata.cluster.world import World


@dataclass(frozen=True)
class ControlPlane:
    """The actors of a cluster, by what they are, so that a scenario can talk to one of them."""

    deployments: DeploymentController
    replica_sets: ReplicaSetController
    disruptions: DisruptionController
    garbage: GarbageCollector
    namespaces: NamespaceController
    scheduler: Scheduler
    kubelet: Kubelet
    heartbeats: NodeHeartbeats

    @classmethod
    def of(cls, world: World, ready_after: float | None = 0.0, *, stop_after: float = 0.0) -> ControlPlane:
        """Make the actors of a world; the arguments are the kubelet's."""
        return cls(
            deployments=DeploymentController(world),
            replica_sets=ReplicaSetController(world),
            disruptions=DisruptionController(world),
            garbage=GarbageCollector(world),
            namespaces=NamespaceController(world),
            scheduler=Scheduler(world),
            kubelet=Kubelet(world, ready_after, stop_after=stop_after),
            heartbeats=NodeHeartbeats(world),
        )

    @property
    def actors(self) -> list[Actor]:
        """All of them, in the order in which they act."""
        return [
            self.deployments,
            self.replica_sets,
            self.disruptions,
            self.garbage,
            self.namespaces,
            self.scheduler,
            self.kubelet,
            self.heartbeats,
        ]
