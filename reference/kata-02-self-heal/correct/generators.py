"""Decisions as a stream of actions, applied one after the other."""

import math
from collections import Counter, namedtuple
from functools import cmp_to_key, partial

from kubekata import (
    Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result, ServerTimeout, TooManyRequests,
)  # fmt: skip

Action = namedtuple("Action", "verb pod")
KEY = "controller.kubernetes.io/pod-deletion-cost"


def reconcile(client, request):
    try:
        rs = client.get(ReplicaSet, name=request.name, namespace=request.namespace)
        mine = []
        for verb, pod in ownership(rs, client.list(Pod, namespace=rs.namespace)):
            if verb == "keep":
                mine.append(pod)
            elif apply(client.update, pod) and verb == "adopt":
                mine.append(pod)
        gone = set()
        for verb, pod in [] if rs.metadata.deleting else sizing(rs, mine, client.now):
            if verb == "create":
                mine.append(client.create(pod))
            else:
                apply(client.delete, pod)
                gone.add(pod.uid)
        mine = [p for p in mine if p.uid not in gone]
        before = (rs.status.replicas, rs.status.ready_replicas)
        rs.status.replicas, rs.status.ready_replicas = len(mine), len(list(filter(lambda p: p.ready, mine)))
        if before != (rs.status.replicas, rs.status.ready_replicas):
            client.update_status(rs)
    except NotFound:
        pass
    except (Conflict, ServerTimeout, TooManyRequests) as no:
        seconds = no.retry_after
        return Result(requeue_after=3 if seconds is None else seconds + 0.5)
    return Result()


def apply(call, pod):
    try:
        call(pod)
    except NotFound:
        return False
    return True


def ownership(rs, pods):
    for pod in reversed(pods):
        if not pod.active:
            continue
        refs = pod.metadata.owner_references
        boss = [r.uid for r in refs if r.controller]
        fits = rs.spec.selector.matches(pod.metadata.labels)
        if boss == [rs.uid] and fits:
            yield Action("keep", pod)
        elif rs.metadata.deleting:
            continue
        elif boss == [rs.uid]:
            pod.metadata.owner_references = [r for r in refs if r.uid not in boss]
            yield Action("release", pod)
        elif not boss and fits:
            refs.append(rs.owner_reference())
            yield Action("adopt", pod)


def sizing(rs, mine, now):
    extra = len(mine) - rs.spec.replicas
    template = rs.spec.template
    for _ in range(-extra):
        metadata = ObjectMeta(
            generate_name="web-", namespace=rs.namespace, labels=template.metadata.labels, annotations=template.metadata.annotations
        )
        metadata.owner_references = [rs.owner_reference()]
        yield Action("create", Pod(metadata=metadata, spec=template.spec))
    if extra > 0:
        crowd = Counter(p.spec.node_name for p in mine)
        victims = sorted(mine, key=cmp_to_key(partial(compare, crowd=crowd, now=now())))
        for i in range(extra):
            yield Action("delete", victims[i])


def compare(a, b, crowd, now):
    for x, y in zip(facts(a, b, crowd, now), facts(b, a, crowd, now)):
        if x < y:
            return -1
        if x > y:
            return 1
    return 0


def facts(pod, other, crowd, now):
    """What counts against ``other``, in order; smaller goes first."""
    yield len(pod.spec.node_name) > 0
    yield {"P": 0, "U": 1, "R": 2}[pod.status.phase[0]]
    yield int(pod.ready)
    yield cost(pod.metadata.annotations.get(KEY))
    yield 0 - crowd[pod.spec.node_name]
    if pod.ready and moment(pod) != moment(other):
        yield size(moment(pod), now)
        yield pod.uid
    yield -max((s.restart_count for s in pod.status.container_statuses), default=0)
    if pod.metadata.creation_timestamp != other.metadata.creation_timestamp:
        yield size(pod.metadata.creation_timestamp, now)
        yield pod.uid


def size(at, now):
    if at is None:
        return -2
    seconds = (now - at).total_seconds()
    return int(math.log(seconds * 1e9, 2)) if seconds > 0 else -1


def moment(pod):
    return dict((c.type, c.last_transition_time) for c in pod.status.conditions)["Ready"]


def cost(text):
    if text is None or text != text.strip() or "_" in text or "+" in text:
        return 0
    try:
        number = int(text)
    except ValueError:
        return 0
    canonical = len(str(number)) == len(text)
    return number if canonical and -0x80000000 <= number <= 0x7FFFFFFF else 0
