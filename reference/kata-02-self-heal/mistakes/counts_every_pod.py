"""Misconception: a pod that exists is a pod; its phase is for people to read.

Fails: heal
"""

import functools
import math
import re
from collections import Counter

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result, ServerTimeout, TooManyRequests

COST = "controller.kubernetes.io/pod-deletion-cost"


def reconcile(client, request):
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
        pods = claim(client, rs)
        if not rs.metadata.deleting:
            pods = manage(client, rs, pods)
        write_status(client, rs, pods)
    except NotFound:
        return Result()
    except (TooManyRequests, ServerTimeout, Conflict) as error:
        return Result(requeue_after=error.retry_after or 5)
    return Result()


def claim(client, rs):
    mine = []
    for pod in client.list(Pod, namespace=rs.namespace):
        owner = pod.metadata.controller
        matches = rs.spec.selector.matches(pod.metadata.labels)
        if owner and owner.uid == rs.uid and matches:
            mine.append(pod)
        elif rs.metadata.deleting:
            pass
        elif owner and owner.uid == rs.uid:
            pod.metadata.owner_references = [r for r in pod.metadata.owner_references if r.uid != rs.uid]
            save(client, pod)
        elif owner is None and matches:
            pod.metadata.owner_references.append(rs.owner_reference())
            if save(client, pod):
                mine.append(pod)
    return mine


def save(client, pod):
    try:
        client.update(pod)
    except NotFound:
        return False
    return True


def manage(client, rs, pods):
    desired = rs.spec.replicas
    for _ in range(desired - len(pods)):
        pods.append(client.create(make_pod(rs)))
    surplus = len(pods) - desired
    if surplus > 0:
        pods = ranked(pods, client.now())
        for pod in pods[:surplus]:
            try:
                client.delete(pod)
            except NotFound:
                pass
        pods = pods[surplus:]
    return pods


def make_pod(rs):
    template = rs.spec.template
    return Pod(
        metadata=ObjectMeta(
            generate_name=rs.name + "-",
            namespace=rs.namespace,
            labels=template.metadata.labels,
            owner_references=[rs.owner_reference()],
        ),
        spec=template.spec,
    )


def write_status(client, rs, pods):
    ready = len([p for p in pods if p.ready])
    if rs.status.replicas != len(pods) or rs.status.ready_replicas != ready:
        rs.status.replicas = len(pods)
        rs.status.ready_replicas = ready
        client.update_status(rs)


def ranked(pods, now):
    crowd = Counter(p.spec.node_name for p in pods)

    def compare(a, b):
        for x, y in zip(early(a, crowd), early(b, crowd)):
            if x != y:
                return -1 if x < y else 1
        if a.ready:
            ta, tb = ready_time(a), ready_time(b)
            if ta != tb:
                return younger(ta, tb, a, b, now)
        if restarts(a) != restarts(b):
            return restarts(b) - restarts(a)
        ta, tb = a.metadata.creation_timestamp, b.metadata.creation_timestamp
        return younger(ta, tb, a, b, now) if ta != tb else 0

    return sorted(pods, key=functools.cmp_to_key(compare))


def early(pod, crowd):
    yield pod.spec.node_name != ""
    yield ["Pending", "Unknown", "Running"].index(pod.status.phase)
    yield pod.ready
    yield cost(pod)
    yield -crowd[pod.spec.node_name]


def younger(ta, tb, a, b, now):
    if ta is None:
        return -1
    if tb is None:
        return 1
    la, lb = log(now - ta), log(now - tb)
    if la != lb:
        return -1 if la < lb else 1
    return -1 if a.uid < b.uid else 1


def log(age):
    return int(math.log2(age.total_seconds() * 1e9)) if age.total_seconds() > 0 else -1


def ready_time(pod):
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition.last_transition_time
    return None


def restarts(pod):
    return max([c.restart_count for c in pod.status.container_statuses] or [0])


def cost(pod):
    text = pod.metadata.annotations.get(COST, "0")
    if re.fullmatch("0|-?[1-9][0-9]*", text) and -(2**31) <= int(text) <= 2**31 - 1:
        return int(text)
    return 0
