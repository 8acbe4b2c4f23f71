"""Whether a pod fits a node, and in which words it does not (``pkg/scheduler/framework/plugins``).

The filters run in the scheduler's order, and the first one that objects ends the examination of a node:
unschedulable, taints, node selector, resources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubekata.cluster.quantity import milli, whole
from kubekata.cluster.selectors import dig

Manifest = Mapping[str, Any]
Amounts = Mapping[str, int]

_ORDER = ("cpu", "memory", "ephemeral-storage")
_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
NO_NODES = "no nodes available to schedule pods"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a node will not do. ``for_good``: evicting pods from the node would not help."""

    reasons: tuple[str, ...]
    for_good: bool = False


@dataclass(frozen=True, slots=True)
class Needs:
    """What a pod asks of a node. Pods with equal needs fit the same nodes.

    Attributes:
        amounts: per resource, CPU in thousandths and all else in whole units; zeros are left out.
        tolerations: key, operator, value, effect.
        node_selector: labels that the node must carry.
    """

    amounts: tuple[tuple[str, int], ...]
    tolerations: tuple[tuple[str, str, str, str], ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, pod: Manifest) -> Needs:
        """Read the needs of a pod."""
        spec = pod.get("spec") or {}
        tolerations = (
            tuple(t.get(key) or "" for key in ("key", "operator", "value", "effect"))
            for t in spec.get("tolerations") or ()
        )
        return cls(
            amounts=tuple(sorted(requests(pod).items())),
            tolerations=tuple((key, op, value, effect) for key, op, value, effect in tolerations),
            node_selector=tuple(sorted((spec.get("nodeSelector") or {}).items())),
        )

    def tolerates(self, taint: Manifest) -> bool:
        """True if a toleration matches the taint (``Toleration.ToleratesTaint``)."""
        return any(
            effect in ("", taint["effect"])
            and key in ("", taint["key"])
            and (operator == "Exists" or (operator in ("", "Equal") and value == (taint.get("value") or "")))
            for key, operator, value, effect in self.tolerations
        )


@dataclass(slots=True)
class NodeRoom:
    """A node, and how much of it is taken."""

    node: Manifest
    allocatable: dict[str, int] = field(init=False)
    used: Counter[str] = field(default_factory=Counter)
    pods: int = 0

    def __post_init__(self) -> None:
        self.allocatable = _amounts(dig(self.node, "status", "allocatable") or {})

    def take(self, needs: Needs) -> None:
        """Count a pod in."""
        self.pods += 1
        self.used.update(dict(needs.amounts))

    def give_back(self, needs: Needs) -> None:
        """Count a pod out."""
        self.pods -= 1
        self.used.subtract(dict(needs.amounts))

    def refusal(self, needs: Needs) -> Refusal | None:
        """Return why a pod cannot come here, or None if it can."""
        spec = self.node.get("spec") or {}
        if spec.get("unschedulable") and not needs.tolerates(_UNSCHEDULABLE):
            return Refusal(("node(s) were unschedulable",), for_good=True)
        blocking = (t for t in spec.get("taints") or () if t["effect"] in ("NoSchedule", "NoExecute"))
        if not all(needs.tolerates(taint) for taint in blocking):
            return Refusal(("node(s) had untolerated taint(s)",), for_good=True)
        labels = self.node["metadata"].get("labels") or {}
        if any(labels.get(key) != value for key, value in needs.node_selector):
            return Refusal(("node(s) didn't match Pod's node affinity/selector",), for_good=True)
        return self._shortage(needs)

    def _shortage(self, needs: Needs) -> Refusal | None:
        reasons: list[str] = []
        for_good = False
        if self.pods + 1 > self.allocatable.get("pods", 0):
            reasons.append("Too many pods")
        for resource, amount in sorted(needs.amounts, key=_filter_order):
            room = self.allocatable.get(resource, 0)
            if amount > room - self.used[resource]:
                reasons.append(f"Insufficient {resource}")
                for_good |= amount > room
        return Refusal(tuple(reasons), for_good) if reasons else None


def requests(pod: Manifest) -> dict[str, int]:
    """Return what a pod requests: the sum over containers or the largest init container, plus overhead."""
    spec = pod.get("spec") or {}
    total: Counter[str] = Counter()
    for container in spec.get("containers") or ():
        total.update(_requests_of(container))
    for container in spec.get("initContainers") or ():
        for resource, amount in _requests_of(container).items():
            total[resource] = max(total[resource], amount)
    total.update(_amounts(spec.get("overhead") or {}))
    return {resource: amount for resource, amount in total.items() if amount > 0}


def fit_message(refusals: Iterable[Refusal]) -> str:
    """Return the message of a PodScheduled condition: the histogram of reasons, and what preemption says."""
    refusals = list(refusals)
    if not refusals:
        return NO_NODES
    none = f"0/{len(refusals)} nodes are available:"
    reasons = Counter(reason for refusal in refusals for reason in refusal.reasons)
    preemption = Counter(
        "Preemption is not helpful for scheduling"
        if refusal.for_good
        else "No preemption victims found for incoming pod"
        for refusal in refusals
    )
    return (
        f"{none} {_histogram(reasons)}. no new claims to deallocate, "
        f"preemption: {none} {_histogram(preemption)}."
    )


def _histogram(counts: Counter[str]) -> str:
    # Kubernetes sorts the finished entries as text, so that "10 …" comes before "2 …".
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))


def _requests_of(container: Manifest) -> dict[str, int]:
    return _amounts(dig(container, "resources", "requests") or {})


def _amounts(quantities: Mapping[str, Any]) -> dict[str, int]:
    return {name: milli(text) if name == "cpu" else whole(text) for name, text in quantities.items()}


def _filter_order(amount: tuple[str, int]) -> tuple[int, str]:
    resource = amount[0]
    return (_ORDER.index(resource) if resource in _ORDER else len(_ORDER), resource)
