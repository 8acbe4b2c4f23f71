"""Taints before the status, and reads the node again before each write."""

from datetime import timedelta

from kubekata import Node, NotFound, Pod, Result, Taint

LOST, SICK = "node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"


def reconcile(client, request):
    try:
        return look(client, request.name)
    except NotFound:
        return Result()


def heartbeat_age(node, now):
    [ready] = [c for c in node.status.conditions if c.type == "Ready"]
    return now - ready.last_heartbeat_time, ready


def look(client, name):
    now = client.now()
    nodes = {node.name: node for node in client.list(Node)}
    if name not in nodes:
        return Result()
    silence, ready = heartbeat_age(nodes[name], now)
    quiet = silence > timedelta(seconds=50)
    well = {n.name for n in nodes.values() if n.ready and heartbeat_age(n, now)[0] <= timedelta(seconds=50)}

    key = None
    if name not in well:
        key = LOST if quiet or ready.status == "Unknown" else SICK
    added, turn = None, None
    if key and well:
        added = since(nodes[name])
        if added is None:
            turn = turn_of(nodes, name, well, now)
            if turn is not None and turn <= now:
                added, turn = now, None

    node = client.get(Node, name)
    keep = [t for t in node.spec.taints if t.key not in (LOST, SICK)]
    want = keep + ([Taint(key=key, effect="NoSchedule")] if key else [])
    want += [Taint(key=key, effect="NoExecute", time_added=added)] if added else []
    if {(t.key, t.effect) for t in want} != {(t.key, t.effect) for t in node.spec.taints}:
        node.spec.taints = want
        client.update(node)

    node = client.get(Node, name)
    _, ready = heartbeat_age(node, now)
    if quiet and ready.status in ("True", "False"):
        ready.status, ready.reason, ready.last_transition_time = "Unknown", "NodeStatusUnknown", now
        client.update_status(node)

    agenda = [turn] if turn else []
    if not quiet:
        agenda.append(ready.last_heartbeat_time + timedelta(seconds=51))
    for pod in client.list(Pod, fields=f"spec.nodeName={name}", namespace=None):
        if pod.metadata.deletion_timestamp:
            continue
        ends = [end for taint in node.spec.taints if taint.effect == "NoExecute" for end in end_of_stay(pod, taint)]
        if ends and min(ends) <= now:
            try:
                client.delete(pod)
            except NotFound:
                pass
        elif ends:
            agenda.append(min(ends))
    return Result((min(agenda) - now) / timedelta(seconds=1)) if agenda else Result()


def since(node):
    for taint in node.spec.taints:
        if taint.key in (LOST, SICK) and taint.effect == "NoExecute":
            return taint.time_added


def turn_of(nodes, name, well, now):
    def where(n):
        return (n.metadata.labels.get("topology.kubernetes.io/zone"), n.metadata.labels.get("topology.kubernetes.io/region"))

    zone = [n for n in nodes.values() if where(n) == where(nodes[name])]
    alive = [n for n in zone if n.name in well]
    dead = len(zone) - len(alive)
    step = 10
    if alive and dead > 2 and dead >= 0.55 * len(zone) - 1e-9:
        step = 100 if len(zone) > 50 else 0
    if not step:
        return None
    past = [since(n) for n in zone if since(n)]
    return max(past) + timedelta(seconds=step) if past else now


def end_of_stay(pod, taint):
    for t in pod.spec.tolerations:
        if t.effect and t.effect != taint.effect or t.key and t.key != taint.key:
            continue
        if t.operator != "Exists" and t.value != taint.value:
            continue
        return [] if t.toleration_seconds is None else [taint.time_added + timedelta(seconds=t.toleration_seconds)]
    return [taint.time_added]
