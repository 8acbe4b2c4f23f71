"""A cluster that lives in real time: the world, its control plane, and custom resources."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from datetime import UTC, datetime

from kubekata.cluster.builders import node
from kubekata.cluster.crd import CustomResources
from kubekata.cluster.objects import RackNode
from kubekata.cluster.resources import ResourceTable, ResourceType
from kubekata.cluster.store import StoreEvent
from kubekata.cluster.world import World
from kubekata.serve.clock import WallClock

_REMEMBERED_CALLS = 1_000
_SEED_BITS = 64
_UNTYPED: tuple[tuple[str, str, str, bool, tuple[str, ...]], ...] = (
    ("v1", "Secret", "secrets", True, ()),
    ("v1", "Service", "services", True, ("svc",)),
    ("v1", "ServiceAccount", "serviceaccounts", True, ("sa",)),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", False, ()),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", False, ()),
    ("rbac.authorization.k8s.io/v1", "Role", "roles", True, ()),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", True, ()),
    ("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, ("pc",)),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", False, ()),
)

log = logging.getLogger(__name__)


def served_resources() -> ResourceTable:
    """Return what a new cluster serves: the built-in kinds. RackNodes come with their definition."""
    table = ResourceTable.of_kinds(lambda kind: kind is not RackNode)
    for api_version, kind, plural, namespaced, short_names in _UNTYPED:
        group, _, version = api_version.rpartition("/")
        table.add(
            ResourceType(
                group=group,
                version=version,
                kind=kind,
                plural=plural,
                singular=kind.lower(),
                namespaced=namespaced,
                short_names=short_names,
                has_status=False,
                has_generation=False,
            )
        )
    return table


class LiveCluster:
    """A world whose clock is the machine's, and whose actors act when something changes or is due.

    Args:
        seed: fixes uids and generated names; by default they differ from run to run.
        ready_after: seconds that a pod takes to become ready.
        controllers: False for an API server alone, as envtest gives it: no garbage is collected, no pod runs.
    """

    def __init__(
        self, seed: int | None = None, *, ready_after: float = 1.0, controllers: bool = True
    ) -> None:
        self.world = World(
            random.getrandbits(_SEED_BITS) if seed is None else seed,
            clock=WallClock(),
            resources=served_resources(),
            remembered_calls=_REMEMBERED_CALLS,
        )
        self.api = self.world.api
        self.world.start(CustomResources(self.api))
        if controllers:
            self.world.start_control_plane(ready_after)
        for name in ("kube-node-lease", "kube-public"):
            self.world.ensure_namespace(name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = False
        self._unsubscribe = self.api.store.subscribe(self._hear)

    def add_nodes(self, count: int) -> None:
        """Put nodes into the cluster: ``node-1``, ``node-2`` and so on, ready and roomy."""
        for number in range(1, count + 1):
            self.world.add(node(f"node-{number}", cpu="8", memory="32Gi", since=self.world.now()))

    def start(self) -> None:
        """Let the actors act, in the running event loop, until ``stop``."""
        self._loop = asyncio.get_running_loop()
        self._act()

    def stop(self) -> None:
        """Let the actors rest."""
        self._unsubscribe()
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()

    def _hear(self, _: StoreEvent) -> None:
        if self._loop is not None and not self._due:
            self._due = True
            self._loop.call_soon(self._act)

    def _act(self) -> None:
        if self._loop is None:
            return
        self._due = True
        try:
            self.world.settle()
        except Exception:
            # One actor's failure must not end the cluster for everybody else.
            log.exception("an actor failed")
        self._due = False
        self._wait_for_next()

    def _wait_for_next(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wakeup = self.world.next_wakeup()
        if wakeup is None or self._loop is None:
            return
        # The clock shows whole seconds, so a moment within a second has come when the next one begins.
        moment = math.ceil(wakeup.timestamp())
        delay = max(moment - datetime.now(UTC).timestamp(), 0.0)
        self._timer = self._loop.call_later(delay + 0.001, self._act)
