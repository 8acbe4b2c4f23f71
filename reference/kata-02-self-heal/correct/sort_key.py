"""A sort key instead of a comparison: equal ready times get the same place, all others are settled by bucket and uid."""

from itertools import groupby

from kubekata import *


def reconcile(client, request):
    try:
        return attempt(client, request)
    except (TooManyRequests, ServerTimeout) as e:
        return Result(requeue_after=max(e.retry_after or 0, 2.0))
    except Conflict:
        return Result(requeue_after=0.1)


def attempt(client, request):
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
    except NotFound:
        return Result()
    ns = request.namespace
    # Two lists instead of one: what is ours already, and what matches.
    ours = {p.uid: p for p in client.list(Pod, owner=rs, namespace=ns)}
    fitting = {p.uid: p for p in client.list(Pod, labels=rs.spec.selector, namespace=ns)}
    kept = []
    for uid, pod in {**fitting, **ours}.items():
        boss = next((r for r in pod.metadata.owner_references if r.controller), None)
        if pod.metadata.deletion_timestamp or pod.status.phase in {"Failed", "Succeeded"}:
            continue
        if boss is not None and boss.uid != rs.uid:
            continue
        if boss is not None and uid in fitting:
            kept.append(pod)
            continue
        if rs.metadata.deletion_timestamp is not None:
            continue
        if boss is not None:
            pod.metadata.owner_references.remove(boss)
        else:
            pod.metadata.owner_references.insert(0, rs.owner_reference())
        try:
            pod = client.update(pod)
        except NotFound:
            continue
        if boss is None:
            kept.append(pod)

    if rs.metadata.deletion_timestamp is None:
        gap = rs.spec.replicas - len(kept)
        if gap > 0:
            meta = rs.spec.template.metadata
            meta.generate_name = rs.name
            meta.namespace = ns
            meta.owner_references = [rs.owner_reference()]
            for _ in range(gap):
                kept.append(client.create(Pod(metadata=meta, spec=rs.spec.template.spec)))
        elif gap < 0:
            order = ranked(kept, client.now())
            for pod in order[:-gap]:
                try:
                    client.delete(pod, precondition_uid=pod.uid)
                except NotFound:
                    pass
            kept = order[-gap:]

    numbers = len(kept), len([p for p in kept if p.ready])
    if numbers != (rs.status.replicas, rs.status.ready_replicas):
        rs.status.replicas, rs.status.ready_replicas = numbers
        try:
            client.update_status(rs)
        except NotFound:
            pass
    return Result()


def ranked(pods, now):
    where = [p.spec.node_name for p in pods]

    def first(p):
        phases = {"Pending": 0, "Unknown": 1, "Running": 2}
        return (p.spec.node_name > "", phases[p.status.phase], p.ready, price(p), -where.count(p.spec.node_name))

    result = []
    for _, group in groupby(sorted(pods, key=first), key=first):
        group = list(group)
        result += by_time(group, ready_at, now, lambda same: by_restarts(same, now)) if group[0].ready else by_restarts(group, now)
    return result


def by_restarts(pods, now):
    count = lambda p: -max((c.restart_count for c in p.status.container_statuses), default=0)
    out = []
    for _, same in groupby(sorted(pods, key=count), key=count):
        out += by_time(list(same), lambda p: p.metadata.creation_timestamp, now, list)
    return out


def by_time(pods, moment, now, settle_equal):
    """Pods with the very same moment stay together and are settled by what comes next."""
    together = {}
    for p in pods:
        together.setdefault(moment(p), []).append(p)
    blocks = sorted(together.items(), key=lambda item: (bucket(item[0], now), min(p.uid for p in item[1])))
    return [p for _, block in blocks for p in (settle_equal(block) if len(block) > 1 else block)]


def bucket(moment, now):
    if moment is None:
        return -2
    micros = round((now - moment).total_seconds() * 1_000_000)
    n, ns = -1, micros * 1000
    while ns >= 1:
        n, ns = n + 1, ns >> 1
    return n


def ready_at(pod):
    return {c.type: c for c in pod.status.conditions}["Ready"].last_transition_time


def price(pod):
    text = pod.metadata.annotations.get("controller.kubernetes.io/pod-deletion-cost")
    try:
        value = int(text or 0)
    except ValueError:
        return 0
    return value if str(value) == text and abs(value + 0.5) < 2**31 else 0
