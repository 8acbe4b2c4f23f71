"""Small functions over seconds since the epoch."""

from functools import partial
from itertools import chain

import kubekata as k

NR, UN = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
stamp = lambda moment: moment.timestamp()
ready = lambda node: {c.type: c for c in node.status.conditions}["Ready"]
silence = lambda now, node: round(stamp(now) - stamp(ready(node).last_heartbeat_time), 6)
up = lambda now, node: ready(node).status == "True" and silence(now, node) <= 50
own = lambda taint: taint.key in {NR, UN}
executing = lambda node: [t for t in node.spec.taints if t.effect == "NoExecute"]
spot = lambda node: tuple(node.metadata.labels.get("topology.kubernetes.io/" + part) for part in ("zone", "region"))


def reconcile(client, request):
    now = client.now()
    found = [n for n in client.list(k.Node) if n.name == request.name]
    if not found:
        return k.Result()
    node = unknown(client, now, found[0])
    node, turn = taint(client, now, node)
    pods = [p for p in client.list(k.Pod, namespace=None) if p.spec.node_name == node.name and not p.metadata.deleting]
    deadlines = [(round(seconds_left(now, node, p), 6), p) for p in pods]
    for left, pod in deadlines:
        if left <= 0:
            gone_is_fine(partial(client.delete, pod))
    times = [left for left, _ in deadlines if 0 < left < float("inf")] + turn
    if silence(now, node) <= 50:
        times.append(50.9 - silence(now, node))
    return k.Result(min(times, default=None))


def gone_is_fine(call):
    try:
        call()
    except k.NotFound:
        pass


def unknown(client, now, node):
    c = ready(node)
    if silence(now, node) <= 50 or c.status == "Unknown":
        return node
    c.status, c.reason, c.message, c.last_transition_time = "Unknown", "NodeStatusUnknown", "?", now
    return client.update_status(node)


def taint(client, now, node):
    status = ready(node).status
    key = {"True": "", "False": NR}.get(status, UN)
    since, turn = execution(client, now, node) if key else (None, [])
    mine = [k.Taint(key=key, effect="NoSchedule")] if key else []
    if since:
        mine.insert(0, k.Taint(key=key, effect="NoExecute", time_added=since))
    has = {(t.key, t.effect) for t in node.spec.taints if own(t)}
    if has != {(t.key, t.effect) for t in mine}:
        node.spec.taints = mine + [t for t in node.spec.taints if not own(t)]
        node = client.update(node)
    return node, turn


def execution(client, now, node):
    everyone = client.list(k.Node)
    if not any(up(now, n) for n in everyone):
        return None, []
    running = [t.time_added for t in executing(node) if own(t)]
    if running:
        return running[0], []
    zone = [n for n in everyone if spot(n) == spot(node)]
    good = len([n for n in zone if up(now, n)])
    bad = len(zone) - good
    crisis = good > 0 and bad > 2 and bad / len(zone) >= 0.55
    if crisis and len(zone) <= 50:
        return None, []
    earlier = [stamp(t.time_added) for t in chain(*map(executing, zone)) if own(t)]
    wait = round(max(earlier) + (100 if crisis else 10) - stamp(now), 6) if earlier else 0
    return (now, []) if wait <= 0 else (None, [wait])


def seconds_left(now, node, pod):
    def left(t):
        fits = [o for o in pod.spec.tolerations if tolerates(o, t)]
        allowed = 0 if not fits else float("inf") if fits[0].toleration_seconds is None else fits[0].toleration_seconds
        return allowed + stamp(t.time_added) - stamp(now)

    return min(map(left, executing(node)), default=float("inf"))


def tolerates(o, t):
    return o.effect in ("", t.effect) and o.key in ("", t.key) and ("Exists" == o.operator or o.value == t.value)
