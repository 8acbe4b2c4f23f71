"""The core group: pods, nodes, and the small kinds around them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

import msgspec

from kubekata.cluster.objects.meta import Condition, LabelSelector, ObjectMeta, Part, Resource

PodPhase = Literal["Pending", "Running", "Succeeded", "Failed", "Unknown"]
TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class ResourceRequirements(Part):
    """What a container asks for and may use at most; quantities as Kubernetes writes them (``"500m"``)."""

    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


class Container(Part):
    """One container of a pod."""

    merge_key: ClassVar[str] = "name"

    name: str = ""
    image: str = ""
    resources: ResourceRequirements = msgspec.field(default_factory=ResourceRequirements)


class Taint(Part):
    """Keeps pods without a matching toleration away from a node."""

    merge_key: ClassVar[str] = "key"

    key: str
    effect: TaintEffect
    value: str = ""
    time_added: datetime | None = None


class Toleration(Part):
    """Lets a pod stay with (or come to) a taint. ``toleration_seconds`` None means for ever."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class NodeSelectorRequirement(Part):
    """``key operator values``; operators are In, NotIn, Exists, DoesNotExist, Gt and Lt."""

    key: str
    operator: str
    values: list[str] = []


class NodeSelectorTerm(Part):
    """Expressions that must all hold; a term without any matches nothing."""

    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class NodeSelector(Part):
    """Terms of which one must hold."""

    node_selector_terms: list[NodeSelectorTerm] = []


class PreferredSchedulingTerm(Part):
    """A node selector term that only steers; ``weight`` is 1 to 100."""

    weight: int
    preference: NodeSelectorTerm = msgspec.field(default_factory=NodeSelectorTerm)


class NodeAffinity(Part):
    """Which nodes a pod needs or prefers."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: list[PreferredSchedulingTerm] = []


class PodAffinityTerm(Part):
    """Pods that match ``label_selector`` in ``namespaces`` (empty: the pod's own), seen per topology domain."""

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: list[str] = []
    namespace_selector: LabelSelector | None = None


class WeightedPodAffinityTerm(Part):
    """A pod affinity term that only steers; ``weight`` is 1 to 100."""

    weight: int
    pod_affinity_term: PodAffinityTerm


class PodAffinity(Part):
    """Rules about other pods, used for attraction as well as for repulsion."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []


class Affinity(Part):
    """Where a pod wants to run, relative to nodes and to other pods."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class PodSpec(Part):
    """What a pod should be. ``node_name`` is set by the scheduler, once."""

    containers: list[Container] = []
    init_containers: list[Container] = []
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: list[Toleration] = []
    overhead: dict[str, str] = {}
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    restart_policy: str = ""
    termination_grace_period_seconds: int | None = None


class PodCondition(Condition):
    """A pod's condition; the Ready one decides whether the pod counts as ready."""

    last_probe_time: datetime | None = None


class ContainerStatus(Part):
    """What the kubelet saw of a container."""

    merge_key: ClassVar[str] = "name"

    name: str = ""
    image: str = ""
    ready: bool = False
    restart_count: int = 0


class PodStatus(Part):
    """What a pod is."""

    phase: PodPhase = "Pending"
    conditions: list[PodCondition] = []
    reason: str = ""
    message: str = ""
    start_time: datetime | None = None
    container_statuses: list[ContainerStatus] = []
    nominated_node_name: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")


class Pod(Resource):
    """The smallest thing that runs."""

    api_version: ClassVar[str] = "v1"
    kind: ClassVar[str] = "Pod"
    plural: ClassVar[str] = "pods"

    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)

    @property
    def ready(self) -> bool:
        """True if the Ready condition is True (``podutil.IsPodReady``)."""
        return any(c.type == "Ready" and c.status == "True" for c in self.status.conditions)

    @property
    def active(self) -> bool:
        """True unless finished or being deleted (``controller.IsPodActive``)."""
        return self.status.phase not in ("Succeeded", "Failed") and not self.metadata.deleting


class PodTemplateSpec(Part):
    """The pod that a controller makes copies of."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PodSpec = msgspec.field(default_factory=PodSpec)


class NodeCondition(Condition):
    """A node's condition; ``last_heartbeat_time`` moves with every heartbeat."""

    last_heartbeat_time: datetime | None = None


class NodeSpec(Part):
    """What a node should be."""

    taints: list[Taint] = []
    unschedulable: bool = False
    provider_id: str = msgspec.field(default="", name="providerID")


class NodeStatus(Part):
    """What a node is. ``allocatable`` is what pods may request: cpu, memory, pods."""

    capacity: dict[str, str] = {}
    allocatable: dict[str, str] = {}
    conditions: list[NodeCondition] = []


class Node(Resource):
    """A machine that runs pods."""

    api_version: ClassVar[str] = "v1"
    kind: ClassVar[str] = "Node"
    plural: ClassVar[str] = "nodes"
    namespaced: ClassVar[bool] = False

    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)

    @property
    def ready(self) -> bool:
        """True if the Ready condition is True; Unknown and absent are not ready."""
        return any(c.type == "Ready" and c.status == "True" for c in self.status.conditions)


class NamespaceSpec(Part):
    """A namespace goes when its own finalizers are gone."""

    finalizers: list[str] = []


class NamespaceStatus(Part):
    """Active or Terminating."""

    phase: str = "Active"
    conditions: list[Condition] = []


class Namespace(Resource):
    """A scope for names."""

    api_version: ClassVar[str] = "v1"
    kind: ClassVar[str] = "Namespace"
    plural: ClassVar[str] = "namespaces"
    namespaced: ClassVar[bool] = False

    spec: NamespaceSpec = msgspec.field(default_factory=NamespaceSpec)
    status: NamespaceStatus = msgspec.field(default_factory=NamespaceStatus)


class ConfigMap(Resource):
    """Plain data."""

    api_version: ClassVar[str] = "v1"
    kind: ClassVar[str] = "ConfigMap"
    plural: ClassVar[str] = "configmaps"

    data: dict[str, str] = {}
    immutable: bool | None = None


class ObjectReference(Part):
    """Points to an object, for events."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""


class EventSource(Part):
    """Who reported an event."""

    component: str = ""
    host: str = ""


class Event(Resource):
    """Something that happened, for people to read."""

    api_version: ClassVar[str] = "v1"
    kind: ClassVar[str] = "Event"
    plural: ClassVar[str] = "events"

    involved_object: ObjectReference = msgspec.field(default_factory=ObjectReference)
    reason: str = ""
    message: str = ""
    type: str = ""
    source: EventSource = msgspec.field(default_factory=EventSource)
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    count: int = 0
