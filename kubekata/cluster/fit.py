"""Whether a pod fits a node: for code that thinks ahead of the scheduler, with the rules of its filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubekata.cluster.objects import Node, Pod, Taint, Toleration
from kubekata.cluster.quantity import milli, whole

_FINISHED = ("Succeeded", "Failed")


def requests_of(pod: Pod) -> tuple[int, int]:
    """What a pod requests: CPU in thousandths of a core, memory in bytes.

    The sum over its containers or the largest init container, whichever is larger, plus the overhead.
    """
    running = [_amounts(container.resources.requests) for container in pod.spec.containers]
    first = [_amounts(container.resources.requests) for container in pod.spec.init_containers]
    overhead = _amounts(pod.spec.overhead)
    cpu, memory = (
        max(sum(each[i] for each in running), max((each[i] for each in first), default=0)) + overhead[i]
        for i in (0, 1)
    )
    return cpu, memory


def fits(pod: Pod, node: Node, pods: Iterable[Pod]) -> bool:
    """Whether the scheduler would let a pod onto a node that holds ``pods`` already.

    Looked at: ``unschedulable``, taints, node selector, and room for CPU, memory and one more pod. Finished
    pods take no room. Whether the node is ready is not looked at.
    """
    if node.spec.unschedulable or not _tolerates_all(pod, node):
        return False
    if not pod.spec.node_selector.items() <= node.metadata.labels.items():
        return False
    holding = [requests_of(other) for other in pods if other.status.phase not in _FINISHED]
    if len(holding) + 1 > whole(node.status.allocatable.get("pods", "0")):
        return False
    room = _amounts(node.status.allocatable)
    # A need of 0 fits a node that is overcommitted.
    return all(
        need == 0 or need + sum(each[i] for each in holding) <= room[i]
        for i, need in enumerate(requests_of(pod))
    )


def _amounts(quantities: Mapping[str, str]) -> tuple[int, int]:
    return milli(quantities.get("cpu", "0")), whole(quantities.get("memory", "0"))


def _tolerates_all(pod: Pod, node: Node) -> bool:
    hard = (taint for taint in node.spec.taints if taint.effect != "PreferNoSchedule")
    return all(any(_tolerates(each, taint) for each in pod.spec.tolerations) for taint in hard)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and toleration.value == taint.value
