"""Reference solution of kata 02: a ReplicaSet that heals itself, in a world that does not help."""

import re
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cmp_to_key

from kubekata import (
    Client,
    Conflict,
    NotFound,
    ObjectMeta,
    Pod,
    ReplicaSet,
    Request,
    Result,
    ServerTimeout,
    TooManyRequests,
)

RETRY_SECONDS = 1.0
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
PHASES = ("Pending", "Unknown", "Running")


def reconcile(client: Client, request: Request) -> Result:
    """Do what can be done now; where the server says "not now", ask to be called again."""
    try:
        sync(client, request)
    except NotFound:
        return Result()
    except (Conflict, ServerTimeout, TooManyRequests) as refusal:
        # Nothing to undo and nothing to remember: the next call counts again what is there by then.
        return Result(requeue_after=refusal.retry_after or RETRY_SECONDS)
    return Result()


def sync(client: Client, request: Request) -> None:
    """One look at the world and what follows from it. Raises NotFound when the ReplicaSet is gone."""
    replica_set = client.get(ReplicaSet, request.name, request.namespace)
    pods = claim(client, replica_set)
    if not replica_set.metadata.deleting:
        pods = manage(client, replica_set, pods)
    report(client, replica_set, pods)


def claim(client: Client, replica_set: ReplicaSet) -> list[Pod]:
    """Return the active pods that belong to the ReplicaSet, after adopting orphans and releasing strays."""
    mine = []
    for pod in client.list(Pod, namespace=replica_set.namespace):
        controller = pod.metadata.controller
        if not pod.active or (controller and controller.uid != replica_set.uid):
            continue
        matches = replica_set.spec.selector.matches(pod.metadata.labels)
        if controller and matches:
            mine.append(pod)
        elif replica_set.metadata.deleting:
            continue
        elif controller:
            release(client, replica_set, pod)
        elif matches:
            mine += adopt(client, replica_set, pod)
    return mine


def adopt(client: Client, replica_set: ReplicaSet, pod: Pod) -> list[Pod]:
    """Become a pod's controller. Returns the pod, or nothing if it has gone meanwhile."""
    pod.metadata.owner_references.append(replica_set.owner_reference())
    try:
        return [client.update(pod)]
    except NotFound:
        return []


def release(client: Client, replica_set: ReplicaSet, pod: Pod) -> None:
    """Give up a pod whose labels say that it is no longer ours; its other owners stay."""
    references = pod.metadata.owner_references
    pod.metadata.owner_references = [ref for ref in references if ref.uid != replica_set.uid]
    with suppress(NotFound):
        client.update(pod)


def manage(client: Client, replica_set: ReplicaSet, pods: list[Pod]) -> list[Pod]:
    """Create or delete the difference; returns the pods that are active afterwards."""
    desired = replica_set.spec.replicas
    if len(pods) <= desired:
        return pods + [client.create(new_pod(replica_set)) for _ in range(desired - len(pods))]
    ranked = deletion_order(pods, client.now())
    surplus = len(pods) - desired
    for pod in ranked[:surplus]:
        with suppress(NotFound):
            client.delete(pod)
    return ranked[surplus:]


def new_pod(replica_set: ReplicaSet) -> Pod:
    """A pod made from the template, which the ReplicaSet owns; the server chooses the rest of its name."""
    template = replica_set.spec.template
    return Pod(
        metadata=ObjectMeta(
            generate_name=f"{replica_set.name}-",
            namespace=replica_set.namespace,
            labels=template.metadata.labels,
            owner_references=[replica_set.owner_reference()],
        ),
        spec=template.spec,
    )


def report(client: Client, replica_set: ReplicaSet, pods: list[Pod]) -> None:
    """Write the counts into the status, if they differ from what stands there."""
    status = replica_set.status
    counts = (len(pods), sum(pod.ready for pod in pods))
    if (status.replicas, status.ready_replicas) != counts:
        status.replicas, status.ready_replicas = counts
        client.update_status(replica_set)


def deletion_order(pods: list[Pod], now: datetime) -> list[Pod]:
    """Sort pods so that those whose loss hurts least come first (``ActivePodsWithRanks``)."""
    crowd = Counter(pod.spec.node_name for pod in pods)

    def loss(pod: Pod) -> tuple[bool, int, bool, int, int]:
        node = pod.spec.node_name
        return bool(node), PHASES.index(pod.status.phase), pod.ready, deletion_cost(pod), -crowd[node]

    def compare(a: Pod, b: Pod) -> int:
        if loss(a) != loss(b):
            return -1 if loss(a) < loss(b) else 1
        if a.ready and ready_since(a) != ready_since(b):
            return later_first(a, ready_since(a), b, ready_since(b), now)
        if restarts(a) != restarts(b):
            return restarts(b) - restarts(a)
        return later_first(a, a.metadata.creation_timestamp, b, b.metadata.creation_timestamp, now)

    return sorted(pods, key=cmp_to_key(compare))


def later_first(a: Pod, at: datetime | None, b: Pod, bt: datetime | None, now: datetime) -> int:
    """Compare two moments by the power of two of their age; within one power the smaller uid goes first."""
    if at is None or bt is None:
        return (at is not None) - (bt is not None)
    if bits(now - at) != bits(now - bt):
        return bits(now - at) - bits(now - bt)
    return -1 if a.uid < b.uid else 1


def bits(age: timedelta) -> int:
    """The length of an age in bits of nanoseconds: one more than its power of two, and 0 for no age at all."""
    nanoseconds = age // timedelta(microseconds=1) * 1000
    return max(0, nanoseconds).bit_length()


def ready_since(pod: Pod) -> datetime | None:
    """When the Ready condition last changed; None if it does not say."""
    return next((c.last_transition_time for c in pod.status.conditions if c.type == "Ready"), None)


def restarts(pod: Pod) -> int:
    """Restarts of the container that restarted most."""
    return max((status.restart_count for status in pod.status.container_statuses), default=0)


def deletion_cost(pod: Pod) -> int:
    """The cost that the pod's annotation names; 0 if there is none, or if it is not a plain 32-bit integer."""
    text = pod.metadata.annotations.get(DELETION_COST, "0")
    if not re.fullmatch(r"-?[1-9][0-9]*|0", text):
        return 0
    cost = int(text)
    return cost if -(2**31) <= cost < 2**31 else 0
