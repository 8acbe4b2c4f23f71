"""Values of the scoring kata: how a scheduler is told to score, and where its scores put some pods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class ScoringStrategy:
    """How the scheduler scores the room on a node (`scoringStrategy` of its NodeResourcesFit plugin).

    type: the name of the strategy.
    weights: how much each resource counts, by name; only these are looked at.
    shape: for RequestedToCapacityRatio, points (utilization in percent, score from 0 to 10), with utilization
        rising; empty for the others.
    """

    type: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
    weights: dict[str, int] = field(default_factory=lambda: {"cpu": 1, "memory": 1})
    shape: list[tuple[int, int]] = field(default_factory=list)


@value
@dataclass(frozen=True)
class Layout:
    """Where a list of pods went on a set of nodes, and what is left.

    nodes: for every node, the names of the pods on it in the order in which they came.
    waiting: the names of the pods that fit nowhere, in the order in which they came.
    empty: how many nodes have no pod.
    largest: the most CPU, in thousandths of a core, that one more pod could ask for and still fit a node.
    """

    nodes: dict[str, list[str]]
    waiting: list[str]
    empty: int
    largest: int
