"""Node heartbeats: the kubelets' sign of life (``pkg/kubelet/kubelet_node_status.go``, ``util/nodelease``)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kubekata.cluster.objects import Lease, LeaseSpec, Node, NodeCondition, ObjectMeta

if TYPE_CHECKING:
    from kubekata.cluster.world import World

LEASE_NAMESPACE = "kube-node-lease"
_LEASE_SECONDS = 40
_READY = ("True", "KubeletReady", "kubelet is posting ready status")
_NOT_READY = ("False", "KubeletNotReady", "container runtime is down")


class NodeHeartbeats:
    """Renews the heartbeat of every node that is up.

    Args:
        every: seconds between two heartbeats of a node.
        status: renew ``lastHeartbeatTime`` of the Ready condition, and bring Ready back to True.
        lease: renew the node's Lease in ``kube-node-lease`` (created where it is missing).
    """

    def __init__(
        self, world: World, every: float = 10.0, *, status: bool = True, lease: bool = False
    ) -> None:
        self.name = "kubelet"
        self._world = world
        self._client = world.client(self.name)
        self._every = timedelta(seconds=every)
        self._status = status
        self._lease = lease
        self._not_ready: set[str] = set()
        self._next = world.now()

    def stop(self, node: str) -> None:
        """Cut a node off: no more heartbeats, and its kubelet does nothing."""
        self._world.outages.stop(node)

    def resume(self, node: str) -> None:
        """Let a node come back: its next heartbeat is on time."""
        self._world.outages.resume(node)

    def set_ready(self, node: str, ready: bool) -> None:
        """Let a node that is up report itself Ready or not, from its next heartbeat on."""
        if ready:
            self._not_ready.discard(node)
        else:
            self._not_ready.add(node)

    def sync(self) -> bool:
        """Send the heartbeats that are due."""
        now = self._world.now()
        if now < self._next:
            return False
        self._next = now + self._every
        up = [node for node in self._world.list(Node) if node.name not in self._world.outages]
        for node in up:
            if self._status:
                self._renew_status(node, now)
            if self._lease:
                self._renew_lease(node, now)
        return bool(up)

    def next_wakeup(self) -> datetime | None:
        """The moment of the next heartbeat."""
        return self._next

    def _renew_status(self, node: Node, now: datetime) -> None:
        status, reason, message = _NOT_READY if node.name in self._not_ready else _READY
        ready = next((c for c in node.status.conditions if c.type == "Ready"), None)
        if ready is None:
            ready = NodeCondition(type="Ready", status="Unknown")
            node.status.conditions.append(ready)
        if ready.status != status:
            ready.last_transition_time = now
        ready.status = "True" if status == "True" else "False"
        ready.reason, ready.message, ready.last_heartbeat_time = reason, message, now
        self._client.update_status(node)

    def _renew_lease(self, node: Node, now: datetime) -> None:
        lease = self._world.get(Lease, node.name, LEASE_NAMESPACE)
        if lease is not None:
            lease.spec.renew_time = now
            self._client.update(lease)
            return
        self._world.ensure_namespace(LEASE_NAMESPACE)
        self._client.create(
            Lease(
                metadata=ObjectMeta(
                    name=node.name,
                    namespace=LEASE_NAMESPACE,
                    owner_references=[node.owner_reference(controller=False, block_owner_deletion=False)],
                ),
                spec=LeaseSpec(
                    holder_identity=node.name, lease_duration_seconds=_LEASE_SECONDS, renew_time=now
                ),
            )
        )
