"""Values of the cluster-autoscaler kata: what an autoscaler sees, and what it decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from kubekata.cluster.objects import Node, Pod, PodDisruptionBudget
from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class NodeGroup:
    """Machines of one kind, of which a cloud provides as many as it is told to.

    name: nodes of the group carry it as their label ``autoscaler.example.com/group``.
    template: what a new node of the group looks like: its allocatable resources, labels and taints.
    min_size, max_size: how many nodes the group may have.
    upcoming: nodes that have been asked for and are not among the cluster's nodes yet.
    """

    name: str
    template: Node
    min_size: int
    max_size: int
    upcoming: int = 0


@value
@dataclass(frozen=True)
class ClusterView:
    """A cluster at one moment, as an autoscaler sees it.

    pods: all pods; those of ``spec.node_name`` "" wait for a node. Their names are unique.
    unneeded_since: what the last ``ScaleDown`` said, empty after a start.
    last_scale_up: when nodes were last asked for, or None.
    """

    now: datetime
    nodes: list[Node]
    pods: list[Pod]
    groups: list[NodeGroup]
    budgets: list[PodDisruptionBudget] = field(default_factory=list)
    unneeded_since: dict[str, datetime] = field(default_factory=dict)
    last_scale_up: datetime | None = None


@value
@dataclass(frozen=True)
class ScaleUp:
    """Which nodes to ask for.

    group: the name of the group that gets more nodes, or None.
    nodes: how many more; 0 without a group.
    refused: the names of pods that no group can help now, each with the reason.
    """

    group: str | None = None
    nodes: int = 0
    refused: dict[str, Literal["fits no group", "max size reached"]] = field(default_factory=dict)


@value
@dataclass(frozen=True)
class ScaleDown:
    """Which node to drain and give back.

    remove: the name of the node, or None.
    unneeded_since: for every node that is not needed, the moment since when.
    """

    remove: str | None = None
    unneeded_since: dict[str, datetime] = field(default_factory=dict)
