"""Starts over inside the call, a few times, before it asks to be called again."""

from kubekata import *

POLITE = 3


def reconcile(client, request):
    wait = 1
    for _ in range(POLITE):
        try:
            try:
                rs = client.get(ReplicaSet, request.name, request.namespace)
            except NotFound:
                return Result()
            one_pass(client, rs)
            return Result()
        except NotFound:
            continue
        except (Conflict, ServerTimeout) as e:
            wait = e.retry_after or 1
        except TooManyRequests as e:
            return Result(requeue_after=e.retry_after or 1)
    return Result(requeue_after=wait)


def one_pass(client, rs):
    pods = client.list(Pod, namespace=rs.namespace)
    deleting = rs.metadata.deletion_timestamp is not None
    mine = []
    strays, orphans = [], []
    for p in pods:
        if p.status.phase in ("Failed", "Succeeded") or p.metadata.deletion_timestamp is not None:
            continue
        c = p.metadata.controller
        m = rs.spec.selector.matches(p.metadata.labels)
        if c is None and m:
            orphans.append(p)
        if c is not None and c.uid == rs.uid:
            (mine if m else strays).append(p)
    if not deleting:
        for p in strays:
            p.metadata.owner_references = [r for r in p.metadata.owner_references if r.uid != rs.uid]
            client.update(p)
        for p in orphans:
            p.metadata.owner_references += [rs.owner_reference()]
            mine.append(client.update(p))
        diff = len(mine) - rs.spec.replicas
        if diff < 0:
            for _ in range(-diff):
                p = Pod(spec=rs.spec.template.spec)
                p.metadata = ObjectMeta(
                    generate_name=f"{rs.name}-", labels=rs.spec.template.metadata.labels, namespace=rs.namespace
                )
                p.metadata.owner_references = [rs.owner_reference()]
                mine.append(client.create(p))
        while len(mine) > rs.spec.replicas:
            if diff > 0:
                mine = insertion_sort(mine, client.now())
                diff = 0
            p = mine.pop(0)
            try:
                client.delete(p)
            except NotFound:
                pass
    ready = sum(p.ready for p in mine)
    if rs.status.replicas != len(mine) or rs.status.ready_replicas != ready:
        rs.status.replicas = len(mine)
        rs.status.ready_replicas = ready
        client.update_status(rs)


def insertion_sort(pods, now):
    crowd = {}
    for p in pods:
        crowd[p.spec.node_name] = crowd.get(p.spec.node_name, 0) + 1
    out = []
    for p in pods:
        i = 0
        while i < len(out) and not less(p, out[i], crowd, now):
            i += 1
        out.insert(i, p)
    return out


def less(a, b, crowd, now):
    for f in (
        lambda p: p.spec.node_name != "",
        lambda p: "PUR".index(p.status.phase[0]),
        lambda p: p.ready,
        price,
        lambda p: -crowd[p.spec.node_name],
    ):
        if f(a) != f(b):
            return f(a) < f(b)
    if a.ready and stamp(a) != stamp(b):
        return earlier_victim(stamp(a), stamp(b), a, b, now)
    ra, rb = worst(a), worst(b)
    if ra != rb:
        return ra > rb
    ca, cb = a.metadata.creation_timestamp, b.metadata.creation_timestamp
    return ca != cb and earlier_victim(ca, cb, a, b, now)


def earlier_victim(ta, tb, a, b, now):
    if ta is None or tb is None:
        return ta is None
    pa, pb = (len(bin(max(0, int((now - t).total_seconds() * 1e6)) * 1000)) for t in (ta, tb))
    za, zb = now <= ta, now <= tb
    if za or zb:
        return za and (not zb or a.uid < b.uid)
    return pa < pb if pa != pb else a.uid < b.uid


def stamp(p):
    return next(c for c in p.status.conditions if c.type == "Ready").last_transition_time


def worst(p):
    return sorted([0, *(c.restart_count for c in p.status.container_statuses)])[-1]


def price(p):
    raw = p.metadata.annotations.get("controller.kubernetes.io/pod-deletion-cost", "0")
    try:
        n = int(raw, 10)
    except ValueError:
        return 0
    if f"{n:d}" != raw or n not in range(-(2**31), 2**31):
        return 0
    return n
