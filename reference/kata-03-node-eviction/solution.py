"""Reference solution of kata 03: a silent node is tainted, and its pods go when their tolerations run out."""

from datetime import datetime, timedelta

from kubekata import Client, Node, NodeCondition, NotFound, Pod, Request, Result, Taint, Toleration

GRACE = timedelta(seconds=50)
PACE = timedelta(seconds=10)
SLOW_PACE = timedelta(seconds=100)
LARGE_ZONE = 50

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
TAINT_OF = {"False": NOT_READY, "Unknown": UNREACHABLE}
ZONE_LABELS = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


def reconcile(client: Client, request: Request) -> Result:
    """Look at the node called request.name: its heartbeat, its taints, and the pods that have to go.

    Returns when to look again, if time alone can change anything.
    """
    now = client.now()
    try:
        node = mark_if_silent(client, client.get(Node, request.name), now)
        node, turn = sync_taints(client, node, now)
    except NotFound:
        return Result()
    moments = [turn, evict(client, node, now)]
    if not is_silent(node, now):
        moments.append(ready_of(node).last_heartbeat_time + GRACE + timedelta(seconds=1))
    soonest = min((moment for moment in moments if moment is not None), default=None)
    return Result(None if soonest is None else (soonest - now).total_seconds())


def mark_if_silent(client: Client, node: Node, now: datetime) -> Node:
    """Say Unknown about a node that has not been heard of for too long."""
    ready = ready_of(node)
    if not is_silent(node, now) or ready.status == "Unknown":
        return node
    ready.status, ready.reason, ready.last_transition_time = "Unknown", "NodeStatusUnknown", now
    ready.message = "Kubelet stopped posting node status."
    return client.update_status(node)


def sync_taints(client: Client, node: Node, now: datetime) -> tuple[Node, datetime | None]:
    """Make the taints follow the Ready condition; also return when NoExecute is allowed, if the node waits for it."""
    key = TAINT_OF.get(ready_of(node).status)
    wanted, turn = [], None
    if key is not None:
        wanted.append(Taint(key=key, effect="NoSchedule"))
        since, turn = no_execute_since(client, node, now)
        if since is not None:
            wanted.append(Taint(key=key, effect="NoExecute", time_added=since))
    if {kind(taint) for taint in node.spec.taints if is_ours(taint)} != {kind(taint) for taint in wanted}:
        node.spec.taints = [taint for taint in node.spec.taints if not is_ours(taint)] + wanted
        node = client.update(node)
    return node, turn


def no_execute_since(client: Client, node: Node, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return since when a node that is down has its NoExecute taint, and otherwise when it is its turn for one."""
    nodes = client.list(Node)
    if all(is_down(other, now) for other in nodes):
        return None, None
    has = [taint.time_added for taint in node.spec.taints if is_ours(taint) and taint.effect == "NoExecute"]
    if has:
        return has[0], None
    zone = [other for other in nodes if zone_of(other) == zone_of(node)]
    pace = pace_of(zone, now)
    if pace is None:
        return None, None
    ours = [taint for other in zone for taint in other.spec.taints if is_ours(taint)]
    last = max((taint.time_added for taint in ours if taint.effect == "NoExecute"), default=None)
    if last is None or last + pace <= now:
        return now, None
    return None, last + pace


def pace_of(zone: list[Node], now: datetime) -> timedelta | None:
    """Return how much time has to lie between two evictions in a zone; None when there may be none."""
    down = sum(is_down(node, now) for node in zone)
    mostly_down = down > 2 and 100 * down >= 55 * len(zone)
    if not mostly_down or down == len(zone):
        return PACE
    return SLOW_PACE if len(zone) > LARGE_ZONE else None


def evict(client: Client, node: Node, now: datetime) -> datetime | None:
    """Delete the pods whose time has come, and return when it comes for the next one."""
    later = []
    for pod in client.list(Pod, fields=f"spec.nodeName={node.name}", namespace=None):
        due = due_of(pod, node)
        if due is None or pod.metadata.deleting:
            continue
        if due > now:
            later.append(due)
            continue
        try:
            client.delete(pod)
        except NotFound:
            continue
    return min(later, default=None)


def due_of(pod: Pod, node: Node) -> datetime | None:
    """Return when a pod has to leave its node, or None if it may stay."""
    moments = []
    for taint in node.spec.taints:
        if taint.effect != "NoExecute":
            continue
        toleration = next((t for t in pod.spec.tolerations if tolerates(t, taint)), None)
        if toleration is None:
            moments.append(taint.time_added)
        elif toleration.toleration_seconds is not None:
            moments.append(taint.time_added + timedelta(seconds=toleration.toleration_seconds))
    return min(moments, default=None)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Tell whether a toleration matches a taint."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def ready_of(node: Node) -> NodeCondition:
    """Return a node's Ready condition."""
    return next(condition for condition in node.status.conditions if condition.type == "Ready")


def is_silent(node: Node, now: datetime) -> bool:
    """Tell whether a node's last heartbeat is longer ago than the grace period."""
    return now - ready_of(node).last_heartbeat_time > GRACE


def is_down(node: Node, now: datetime) -> bool:
    """Tell whether a node is not ready, or silent and not marked yet."""
    return not node.ready or is_silent(node, now)


def is_ours(taint: Taint) -> bool:
    """Tell whether a taint is one that this controller puts on and takes off."""
    return taint.key in TAINT_OF.values()


def kind(taint: Taint) -> tuple[str, str]:
    """Return what tells two taints apart."""
    return taint.key, taint.effect


def zone_of(node: Node) -> tuple[str | None, ...]:
    """Return the region and zone of a node."""
    return tuple(node.metadata.labels.get(label) for label in ZONE_LABELS)
