"""Which pods a ReplicaSet deletes first (``pkg/controller/controller_utils.go``, ``ActivePodsWithRanks``)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cmp_to_key

from kubekata.cluster.objects import Pod

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

_CANONICAL_INT = re.compile(r"0|-?[1-9][0-9]*")
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def deletion_cost(pod: Pod) -> int:
    """Return a pod's deletion cost: an int32 written canonically, otherwise 0."""
    text = pod.metadata.annotations.get(DELETION_COST, "0")
    if _CANONICAL_INT.fullmatch(text) is None:
        return 0
    cost = int(text)
    return cost if -(2**31) <= cost < 2**31 else 0


def pods_to_delete(pods: Sequence[Pod], related: Iterable[Pod], count: int, now: datetime) -> list[Pod]:
    """Return the ``count`` pods that go first.

    Args:
        pods: the active pods of the ReplicaSet.
        related: the pods of all ReplicaSets with the same controller; how many of them are active on a
            pod's node is its rank.
        count: how many have to go.
        now: ages are counted back from here.
    """
    if count >= len(pods):
        return list(pods)
    crowd = Counter(pod.spec.node_name for pod in related if pod.active)

    def compare(one: Pod, other: Pod) -> int:
        if _goes_before(one, other, crowd, now):
            return -1
        return 1 if _goes_before(other, one, crowd, now) else 0

    return sorted(pods, key=cmp_to_key(compare))[:count]


def _goes_before(one: Pod, other: Pod, crowd: Counter[str], now: datetime) -> bool:
    """True if ``one`` is deleted before ``other``. The first rule in which they differ decides."""
    first, second = _standing(one, crowd), _standing(other, crowd)
    if first != second:
        return first < second
    if one.ready:
        ready, other_ready = _ready_since(one), _ready_since(other)
        if ready != other_ready:
            return _is_younger(ready, other_ready, one.uid < other.uid, now)
    restarts, other_restarts = _restarts(one), _restarts(other)
    if restarts != other_restarts:
        return restarts > other_restarts
    created, other_created = one.metadata.creation_timestamp, other.metadata.creation_timestamp
    return created != other_created and _is_younger(created, other_created, one.uid < other.uid, now)


def _standing(pod: Pod, crowd: Counter[str]) -> tuple[bool, int, bool, int, int]:
    """Without a node first, then by phase, unready first, cheap first, from a crowded node first."""
    return (
        bool(pod.spec.node_name),
        _PHASES.get(pod.status.phase, 0),
        pod.ready,
        deletion_cost(pod),
        -crowd[pod.spec.node_name],
    )


def _is_younger(moment: datetime | None, other: datetime | None, smaller_uid: bool, now: datetime) -> bool:
    """Compare ages in powers of two, so that a rollout does not leave all old pods on one node."""
    if moment is None or other is None:
        return moment is None
    age, other_age = _magnitude(now, moment), _magnitude(now, other)
    return smaller_uid if age == other_age else age < other_age


def _magnitude(now: datetime, moment: datetime) -> int:
    nanoseconds = (now - moment) // timedelta(microseconds=1) * 1000
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1


def _ready_since(pod: Pod) -> datetime | None:
    ready = (
        c.last_transition_time for c in pod.status.conditions if c.type == "Ready" and c.status == "True"
    )
    return next(ready, None)


def _restarts(pod: Pod) -> int:
    return max((status.restart_count for status in pod.status.container_statuses), default=0)
