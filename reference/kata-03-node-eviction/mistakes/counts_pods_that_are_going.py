"""Misconception: every pod on the node has a moment to wait for.

Fails: requeue
"""

from datetime import timedelta

from kubekata import Node, NotFound, Pod, Result, Taint

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
OURS = (NOT_READY, UNREACHABLE)
GRACE = timedelta(seconds=50)


def reconcile(client, request):
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
            ready.message = "no heartbeat"
            ready.last_transition_time = now
            node = client.update_status(node)
            ready = ready_condition(node)
    else:
        wakeups.append(ready.last_heartbeat_time + GRACE + timedelta(milliseconds=500))

    if ready.status == "True":
        key = None
    elif ready.status == "False":
        key = NOT_READY
    else:
        key = UNREACHABLE

    taints = [t for t in node.spec.taints if t.key not in OURS]
    if key is not None:
        taints.append(Taint(key=key, effect="NoSchedule"))
        running = [t for t in node.spec.taints if t.key in OURS and t.effect == "NoExecute"]
        nodes = client.list(Node)
        if everything_down(nodes, now):
            pass
        elif running:
            taints.append(Taint(key=key, effect="NoExecute", time_added=running[0].time_added))
        else:
            when = next_turn(node, nodes, now)
            if when is not None and when <= now:
                taints.append(Taint(key=key, effect="NoExecute", time_added=now))
            elif when is not None:
                wakeups.append(when)

    if names(taints) != names(node.spec.taints):
        node.spec.taints = taints
        node = client.update(node)

    for pod in client.list(Pod, namespace=None):
        if pod.spec.node_name != node.name:
            continue
        leave_at = departure(pod, node.spec.taints)
        if leave_at is None:
            continue
        if leave_at <= now:
            if pod.metadata.deletion_timestamp is not None:
                continue
            try:
                client.delete(pod)
            except NotFound:
                pass
        else:
            wakeups.append(leave_at)

    if not wakeups:
        return Result()
    return Result(requeue_after=(min(wakeups) - now).total_seconds())


def ready_condition(node):
    for condition in node.status.conditions:
        if condition.type == "Ready":
            return condition


def silent(node, now):
    return now - ready_condition(node).last_heartbeat_time > GRACE


def down(node, now):
    return silent(node, now) or ready_condition(node).status != "True"


def everything_down(nodes, now):
    return all(down(node, now) for node in nodes)


def names(taints):
    return sorted((t.key, t.effect, t.value) for t in taints)


def zone(node):
    labels = node.metadata.labels
    return labels.get("topology.kubernetes.io/region"), labels.get("topology.kubernetes.io/zone")


def next_turn(node, nodes, now):
    mine = [other for other in nodes if zone(other) == zone(node)]
    bad = len([other for other in mine if down(other, now)])
    pause = 10
    if bad > 2 and bad * 20 >= len(mine) * 11 and bad < len(mine):
        if len(mine) <= 50:
            return None
        pause = 100
    latest = None
    for other in mine:
        for taint in other.spec.taints:
            if taint.key in OURS and taint.effect == "NoExecute":
                if latest is None or taint.time_added > latest:
                    latest = taint.time_added
    if latest is None:
        return now
    return latest + timedelta(seconds=pause)


def departure(pod, taints):
    earliest = None
    for taint in taints:
        if taint.effect != "NoExecute":
            continue
        found = None
        for toleration in pod.spec.tolerations:
            if tolerates(toleration, taint):
                found = toleration
                break
        if found is None:
            moment = taint.time_added
        elif found.toleration_seconds is None:
            continue
        else:
            moment = taint.time_added + timedelta(seconds=found.toleration_seconds)
        if earliest is None or moment < earliest:
            earliest = moment
    return earliest


def tolerates(toleration, taint):
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.value == taint.value
