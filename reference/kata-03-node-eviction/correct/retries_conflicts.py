"""Evicts first by the taints that it is going to write, and retries every conflict."""

import copy
from datetime import timedelta

from kubekata import Conflict, Node, NotFound, Pod, Result, Taint

PREFIX = "node.kubernetes.io/"


def is_own(taint):
    return taint.key in (PREFIX + "not-ready", PREFIX + "unreachable")


def reconcile(client, request):
    for _ in range(5):
        try:
            return attempt(client, request)
        except Conflict:
            continue
        except NotFound:
            return Result()
    return Result(requeue_after=1)


def heard(node):
    return next(c.last_heartbeat_time for c in node.status.conditions if c.type == "Ready")


def state(node, now):
    if heard(node) < now - timedelta(seconds=50):
        return "Unknown"
    return next(c.status for c in node.status.conditions if c.type == "Ready")


def attempt(client, request):
    now = client.now()
    node = client.get(Node, request.name)
    status = state(node, now)
    for c in node.status.conditions:
        if c.type == "Ready" and c.status != status:
            c.status, c.reason, c.last_transition_time = status, "NodeStatusUnknown", now
            node = client.update_status(node)
            break
    plan, moments = taint_plan(client, node, status, now)
    if sorted(map(ident, plan)) != sorted(map(ident, node.spec.taints)):
        changed = copy.deepcopy(node)
        changed.spec.taints = plan
        client.update(changed)
    for pod in client.list(Pod, fields="spec.nodeName=" + node.name, namespace=None):
        moment = leaves(pod, plan)
        if moment and not pod.metadata.deleting:
            if moment > now:
                moments.append(moment)
            else:
                delete(client, pod)
    if status != "Unknown":
        moments.append(heard(node) + timedelta(seconds=50, microseconds=1000))
    return Result((min(moments) - now).total_seconds() if moments else None)


def delete(client, pod):
    try:
        client.delete(pod, precondition_uid=pod.uid)
    except (NotFound, Conflict):
        pass


def ident(taint):
    return taint.key, taint.effect


def taint_plan(client, node, status, now):
    plan = [t for t in node.spec.taints if not is_own(t)]
    if status == "True":
        return plan, []
    key = PREFIX + {"False": "not-ready", "Unknown": "unreachable"}[status]
    plan.append(Taint(key=key, effect="NoSchedule"))
    since = next((t.time_added for t in node.spec.taints if is_own(t) and t.effect == "NoExecute"), None)
    nodes = client.list(Node)
    if {state(n, now) for n in nodes}.isdisjoint({"True"}):
        return plan, []
    moments = []
    if since is None:
        turn = turn_of(node, nodes, now)
        if turn is not None and turn <= now:
            since = now
        elif turn is not None:
            moments = [turn]
    if since is not None:
        plan.append(Taint(key=key, effect="NoExecute", time_added=since))
    return plan, moments


def place(node):
    return {k: v for k, v in node.metadata.labels.items() if k in ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")}


def turn_of(node, nodes, now):
    zone = [n for n in nodes if place(n) == place(node)]
    well = sum(state(n, now) == "True" for n in zone)
    ill = len(zone) - well
    gap = 10
    if well and ill >= 3 and ill * 100 >= len(zone) * 55:
        if len(zone) < 51:
            return None
        gap = 100
    past = sorted(t.time_added for n in zone for t in n.spec.taints if is_own(t) and t.effect == "NoExecute")
    return past[-1] + timedelta(seconds=gap) if past else now


def leaves(pod, taints):
    moments = []
    for taint in taints:
        if taint.effect == "NoExecute":
            for t in pod.spec.tolerations:
                if (t.effect or taint.effect) == taint.effect and (t.key or taint.key) == taint.key and (t.operator == "Exists" or t.value == taint.value):
                    if t.toleration_seconds is not None:
                        moments.append(taint.time_added + timedelta(seconds=t.toleration_seconds))
                    break
            else:
                moments.append(taint.time_added)
    return min(moments) if moments else None
