"""Short ways to write objects for scenarios and examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from kubekata.cluster.clock import EPOCH
from kubekata.cluster.objects import (
    Container,
    Deployment,
    DeploymentSpec,
    DeploymentStrategy,
    LabelSelector,
    Node,
    NodeCondition,
    NodeSpec,
    NodeStatus,
    ObjectMeta,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    RackNode,
    RackNodeSpec,
    ReplicaSet,
    ReplicaSetSpec,
    Resource,
    ResourceRequirements,
    RollingUpdate,
    Taint,
    Toleration,
)
from kubekata.cluster.objects.core import PodPhase


def container(
    image: str = "app:1", *, cpu: str | None = None, memory: str | None = None, name: str = "main"
) -> Container:
    """Return a container that requests ``cpu`` and ``memory`` (quantities such as ``"500m"``, ``"128Mi"``)."""
    requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value is not None}
    return Container(name=name, image=image, resources=ResourceRequirements(requests=requests))


def pod(
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    owner: Resource | None = None,
    node: str = "",
    phase: PodPhase = "Pending",
    ready: bool | None = None,
    ready_since: datetime = EPOCH,
    image: str = "app:1",
    cpu: str | None = None,
    memory: str | None = None,
    tolerations: Iterable[Toleration] = (),
    namespace: str = "default",
) -> Pod:
    """Return a pod. ``ready`` None leaves the Ready condition out; True or False sets it."""
    conditions = []
    if ready is not None:
        conditions.append(
            PodCondition(type="Ready", status="True" if ready else "False", last_transition_time=ready_since)
        )
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            labels=dict(labels or {}),
            owner_references=[owner.owner_reference()] if owner else [],
        ),
        spec=PodSpec(
            containers=[container(image, cpu=cpu, memory=memory)],
            node_name=node,
            tolerations=list(tolerations),
            # As the server fills them in: a pod without them could not be updated, its spec would change.
            restart_policy="Always",
            termination_grace_period_seconds=30,
        ),
        status=PodStatus(phase=phase, conditions=conditions),
    )


def node(
    name: str,
    *,
    cpu: str = "4",
    memory: str = "8Gi",
    pods: int = 110,
    labels: Mapping[str, str] | None = None,
    taints: Iterable[Taint] = (),
    ready: bool = True,
    since: datetime = EPOCH,
) -> Node:
    """Return a node with all its capacity allocatable."""
    size = {"cpu": cpu, "memory": memory, "pods": str(pods)}
    return Node(
        metadata=ObjectMeta(name=name, labels={"kubernetes.io/hostname": name, **(labels or {})}),
        spec=NodeSpec(taints=list(taints)),
        status=NodeStatus(
            capacity=dict(size),
            allocatable=dict(size),
            conditions=[
                NodeCondition(
                    type="Ready",
                    status="True" if ready else "False",
                    reason="KubeletReady" if ready else "KubeletNotReady",
                    last_heartbeat_time=since,
                    last_transition_time=since,
                )
            ],
        ),
    )


def pod_template(
    labels: Mapping[str, str],
    *,
    image: str = "app:1",
    cpu: str | None = None,
    memory: str | None = None,
    tolerations: Iterable[Toleration] = (),
) -> PodTemplateSpec:
    """Return a pod template."""
    return PodTemplateSpec(
        metadata=ObjectMeta(labels=dict(labels)),
        spec=PodSpec(containers=[container(image, cpu=cpu, memory=memory)], tolerations=list(tolerations)),
    )


def replica_set(
    name: str,
    replicas: int = 1,
    *,
    labels: Mapping[str, str] | None = None,
    template: PodTemplateSpec | None = None,
    namespace: str = "default",
) -> ReplicaSet:
    """Return a ReplicaSet that selects ``labels`` (by default ``app: <name>``)."""
    wanted = dict(labels or {"app": name})
    return ReplicaSet(
        metadata=ObjectMeta(name=name, namespace=namespace, labels=dict(wanted)),
        spec=ReplicaSetSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels=wanted),
            template=template or pod_template(wanted),
        ),
    )


def deployment(
    name: str,
    replicas: int = 1,
    *,
    image: str = "app:1",
    max_surge: int | str = "25%",
    max_unavailable: int | str = "25%",
    cpu: str | None = None,
    memory: str | None = None,
    namespace: str = "default",
) -> Deployment:
    """Return a Deployment with a rolling update strategy."""
    labels = {"app": name}
    return Deployment(
        metadata=ObjectMeta(name=name, namespace=namespace, labels=dict(labels)),
        spec=DeploymentSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels=dict(labels)),
            template=pod_template(labels, image=image, cpu=cpu, memory=memory),
            strategy=DeploymentStrategy(
                type="RollingUpdate",
                rolling_update=RollingUpdate(max_surge=max_surge, max_unavailable=max_unavailable),
            ),
        ),
    )


def rack_node(
    name: str,
    firmware: str = "2.1.0",
    *,
    power: str = "On",
    finalizers: Iterable[str] = (),
    namespace: str = "default",
) -> RackNode:
    """Return a RackNode that wants a firmware version and a power state."""
    return RackNode(
        metadata=ObjectMeta(name=name, namespace=namespace, finalizers=list(finalizers)),
        spec=RackNodeSpec(desired_firmware=firmware, power="On" if power == "On" else "Off"),
    )
