"""Tries everything it can even after a refusal, reads again before it reports, and sums up at the end."""

import functools
import math
import random
import string

from kubekata import (
    AlreadyExists,
    Conflict,
    NotFound,
    ObjectMeta,
    Pod,
    ReplicaSet,
    Result,
    ServerTimeout,
    TooManyRequests,
)

BUSY = (TooManyRequests, ServerTimeout, Conflict)


class Worker:
    def __init__(self, client):
        self.client = client
        self.refused = []

    def quietly(self, action):
        try:
            return action()
        except NotFound:
            return None
        except BUSY as error:
            self.refused.append(error)
            return None

    def result(self):
        if not self.refused:
            return Result()
        return Result(requeue_after=max([1.0] + [e.retry_after for e in self.refused if e.retry_after]))


def mine(pods, rs):
    def holds(pod):
        boss = pod.metadata.controller
        return boss is not None and boss.uid == rs.uid and rs.spec.selector.matches(pod.metadata.labels)

    return [p for p in pods if p.active and holds(p)]


def reconcile(client, request):
    worker = Worker(client)
    rs = worker.quietly(lambda: client.get(ReplicaSet, request.name, request.namespace))
    if rs is None:
        return worker.result()
    pods = worker.quietly(lambda: client.list(Pod, namespace=request.namespace))
    if pods is None:
        return worker.result()
    if not rs.metadata.deleting:
        settle_ownership(worker, rs, [p for p in pods if p.active])
        pods = worker.quietly(lambda: client.list(Pod, namespace=request.namespace))
        if pods is None or worker.refused:
            return worker.result()
        resize(worker, rs, mine(pods, rs))
        pods = worker.quietly(lambda: client.list(Pod, namespace=request.namespace))
        if pods is None:
            return worker.result()
    there = mine(pods, rs)
    ready = sum(1 for p in there if p.ready)
    if (rs.status.replicas, rs.status.ready_replicas) != (len(there), ready):
        rs.status.replicas, rs.status.ready_replicas = len(there), ready
        worker.quietly(lambda: client.update_status(rs))
    return worker.result()


def settle_ownership(worker, rs, pods):
    for pod in pods:
        boss = pod.metadata.controller
        fits = rs.spec.selector.matches(pod.metadata.labels)
        if boss is None and fits:
            pod.metadata.owner_references.append(rs.owner_reference(block_owner_deletion=False))
        elif boss is not None and boss.uid == rs.uid and not fits:
            pod.metadata.owner_references = [r for r in pod.metadata.owner_references if r.uid != rs.uid]
        else:
            continue
        worker.quietly(lambda: worker.client.update(pod))


def resize(worker, rs, pods):
    client = worker.client
    if len(pods) > rs.spec.replicas:
        now = client.now()
        for pod in sorted(pods, key=functools.cmp_to_key(lambda a, b: order(a, b, pods, now)))[: len(pods) - rs.spec.replicas]:
            worker.quietly(lambda: client.delete(pod))
    for _ in range(rs.spec.replicas - len(pods)):
        if worker.refused:
            return
        name = rs.name + "-" + "".join(random.choices(string.ascii_lowercase, k=10))
        meta = ObjectMeta(name=name, namespace=rs.namespace, labels=rs.spec.template.metadata.labels)
        meta.owner_references = [rs.owner_reference()]
        try:
            worker.quietly(lambda: client.create(Pod(metadata=meta, spec=rs.spec.template.spec)))
        except AlreadyExists:
            pass


def order(a, b, pods, now):
    if bool(a.spec.node_name) != bool(b.spec.node_name):
        return 1 if a.spec.node_name else -1
    if a.status.phase != b.status.phase:
        return 1 if {"Pending": 1, "Unknown": 2, "Running": 3}[a.status.phase] > {"Pending": 1, "Unknown": 2, "Running": 3}[b.status.phase] else -1
    if a.ready != b.ready:
        return 1 if a.ready else -1
    if cost(a) != cost(b):
        return cost(a) - cost(b)
    crowd_a = len([p for p in pods if p.spec.node_name == a.spec.node_name])
    crowd_b = len([p for p in pods if p.spec.node_name == b.spec.node_name])
    if crowd_a != crowd_b:
        return crowd_b - crowd_a
    if a.ready and since(a) != since(b):
        return newer(since(a), since(b), now) or (-1 if a.uid < b.uid else 1)
    if restarts(a) != restarts(b):
        return restarts(b) - restarts(a)
    if a.metadata.creation_timestamp != b.metadata.creation_timestamp:
        return newer(a.metadata.creation_timestamp, b.metadata.creation_timestamp, now) or (-1 if a.uid < b.uid else 1)
    return 0


def newer(a, b, now):
    if a is None or b is None:
        return -1 if a is None else 1
    return exponent((now - a).total_seconds()) - exponent((now - b).total_seconds())


def exponent(seconds):
    if seconds <= 0:
        return -1
    # frexp gives a mantissa between 0.5 and 1.
    return math.frexp(seconds * 1e9)[1] - 1


def since(pod):
    for c in pod.status.conditions:
        if c.type == "Ready":
            return c.last_transition_time


def restarts(pod):
    most = 0
    for c in pod.status.container_statuses:
        most = max(most, c.restart_count)
    return most


def cost(pod):
    text = pod.metadata.annotations.get("controller.kubernetes.io/pod-deletion-cost", "0")
    if text and text.removeprefix("-").isdigit() and str(int(text)) == text and -(2**31) <= int(text) < 2**31:
        return int(text)
    return 0
