"""Misconception: of several tolerations for a taint the last counts, as if it overwrote the others.

Fails: evict
"""

from datetime import timedelta

from kubekata import Client, Node, NotFound, Pod, Request, Result, Taint

GRACE = timedelta(seconds=50)
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
OURS = (NOT_READY, UNREACHABLE)
REGION = "topology.kubernetes.io/region"
ZONE = "topology.kubernetes.io/zone"


def reconcile(client: Client, request: Request) -> Result:
    now = client.now()
    try:
        node = client.get(Node, request.name)
    except NotFound:
        return Result()
    wakeups = []

    ready = ready_condition(node)
    if silent(node, now):
        if ready.status != "Unknown":
            ready.status = "Unknown"
            ready.reason = "NodeStatusUnknown"
            ready.message = "The kubelet has stopped sending heartbeats."
            ready.last_transition_time = now
            node = client.update_status(node)
    else:
        wakeups.append(ready.last_heartbeat_time + GRACE + timedelta(seconds=1))

    taints, zone_wakeup = wanted_taints(client, node, now)
    if zone_wakeup:
        wakeups.append(zone_wakeup)
    if taints != node.spec.taints:
        node.spec.taints = taints
        node = client.update(node)

    no_execute = [taint for taint in node.spec.taints if taint.effect == "NoExecute"]
    if no_execute:
        for pod in client.list(Pod, namespace=None, fields=f"spec.nodeName={node.name}"):
            if pod.metadata.deleting:
                continue
            until = stays_until(pod, no_execute)
            if until is None:
                continue
            if until > now:
                wakeups.append(until)
                continue
            try:
                client.delete(pod)
            except NotFound:
                pass

    if not wakeups:
        return Result()
    return Result(requeue_after=(min(wakeups) - now).total_seconds())


def ready_condition(node):
    return next(c for c in node.status.conditions if c.type == "Ready")


def silent(node, now) -> bool:
    return now - ready_condition(node).last_heartbeat_time > GRACE


def zone_of(node):
    return node.metadata.labels.get(REGION), node.metadata.labels.get(ZONE)


def wanted_taints(client, node, now):
    """The taints that node should have, and when to look again for its NoExecute taint."""
    others = [taint for taint in node.spec.taints if taint.key not in OURS]
    status = ready_condition(node).status
    if status == "True":
        return others, None
    key = NOT_READY if status == "False" else UNREACHABLE

    keep = [
        t
        for t in node.spec.taints
        if t.key not in OURS or (t.key == key and t.effect in ("NoSchedule", "NoExecute"))
    ]
    if not any(t.key == key and t.effect == "NoSchedule" for t in keep):
        keep.append(Taint(key=key, effect="NoSchedule"))

    all_nodes = client.list(Node)

    def down(n):
        return silent(n, now) or not n.ready

    if all(down(n) for n in all_nodes):
        return [t for t in keep if not (t.key == key and t.effect == "NoExecute")], None
    if any(t.key == key and t.effect == "NoExecute" for t in keep):
        return keep, None
    former = [t for t in node.spec.taints if t.key in OURS and t.effect == "NoExecute"]
    if former:
        keep.append(Taint(key=key, effect="NoExecute", time_added=former[0].time_added))
        return keep, None

    zone = [n for n in all_nodes if zone_of(n) == zone_of(node)]
    bad = sum(down(n) for n in zone)
    pause = timedelta(seconds=10)
    if bad > 2 and bad * 100 >= 55 * len(zone) and bad < len(zone):
        if len(zone) <= 50:
            return keep, None
        pause = timedelta(seconds=100)
    added = [
        t.time_added
        for n in zone
        for t in n.spec.taints
        if t.key in OURS and t.effect == "NoExecute" and t.time_added
    ]
    if added and now < max(added) + pause:
        return keep, max(added) + pause
    keep.append(Taint(key=key, effect="NoExecute", time_added=now))
    return keep, None


def stays_until(pod, taints):
    """None: for ever."""
    moments = []
    for taint in taints:
        toleration = next((t for t in reversed(pod.spec.tolerations) if tolerates(t, taint)), None)
        if toleration is None:
            moments.append(taint.time_added)
        elif toleration.toleration_seconds is not None:
            moments.append(taint.time_added + timedelta(seconds=toleration.toleration_seconds))
    return min(moments, default=None)


def tolerates(toleration, taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or (
        toleration.operator in ("", "Equal") and toleration.value == taint.value
    )
