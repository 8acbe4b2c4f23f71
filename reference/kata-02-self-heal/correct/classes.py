"""A small framework: each rule of the order is an object, and the loop is a class."""

import math
from dataclasses import dataclass
from datetime import datetime
from functools import cmp_to_key

from kubekata import (
    ApiError,
    Conflict,
    NotFound,
    ObjectMeta,
    OwnerReference,
    Pod,
    ReplicaSet,
    Result,
    ServerTimeout,
    TooManyRequests,
)


def sign(x, y):
    return (x > y) - (x < y)


@dataclass
class View:
    pods: list
    now: datetime

    def neighbours(self, pod):
        return sum(other.spec.node_name == pod.spec.node_name for other in self.pods)

    def magnitude(self, moment):
        seconds = (self.now - moment).total_seconds()
        return math.floor(math.log2(seconds * 10**9)) if seconds > 0 else -1


class Rule:
    def __init__(self, value):
        self.value = value

    def __call__(self, a, b, view):
        return sign(self.value(a, view), self.value(b, view))


class TimeRule:
    def __init__(self, moment, when=lambda pod: True):
        self.moment, self.when = moment, when

    def __call__(self, a, b, view):
        if not self.when(a):
            return 0
        x, y = self.moment(a), self.moment(b)
        if x == y:
            return 0
        if None in (x, y):
            return -1 if x is None else 1
        return sign(view.magnitude(x), view.magnitude(y)) or sign(a.uid, b.uid)


def transition(pod):
    return [c.last_transition_time for c in pod.status.conditions if c.type == "Ready"][0]


def cost(pod, view=None):
    text = pod.metadata.annotations.get("controller.kubernetes.io/pod-deletion-cost", "")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or digits[0] == "0":
        return 0
    return int(text) if -2147483648 <= int(text) <= 2147483647 else 0


RULES = [
    Rule(lambda p, v: 1 if p.spec.node_name else 0),
    Rule(lambda p, v: ("Pending", "Unknown", "Running").index(p.status.phase)),
    Rule(lambda p, v: p.ready),
    Rule(cost),
    Rule(lambda p, v: -v.neighbours(p)),
    TimeRule(transition, when=lambda p: p.ready),
    Rule(lambda p, v: -max([0] + [c.restart_count for c in p.status.container_statuses])),
    TimeRule(lambda p: p.metadata.creation_timestamp),
]


class Reconciler:
    def __init__(self, client, rs):
        self.client, self.rs = client, rs
        self.alive = not rs.metadata.deleting

    def run(self):
        pods = [pod for pod in self.client.list(Pod, namespace=self.rs.namespace) if pod.active and self.belongs(pod)]
        if self.alive:
            pods = self.resize(pods)
        self.tell(len(pods), sum(p.ready for p in pods))

    def belongs(self, pod):
        controller, fits = pod.metadata.controller, self.rs.spec.selector.matches(pod.metadata.labels)
        match (controller.uid == self.rs.uid if controller else None, fits):
            case (True, True):
                return True
            case (None, True) if self.alive:
                return self.rewrite(pod, pod.metadata.owner_references + [self.reference()])
            case (True, False) if self.alive:
                self.rewrite(pod, [r for r in pod.metadata.owner_references if r != controller])
        return False

    def rewrite(self, pod, references):
        pod.metadata.owner_references = references
        try:
            self.client.update(pod)
            return True
        except NotFound:
            return False

    def reference(self):
        return OwnerReference(api_version="apps/v1", kind="ReplicaSet", name=self.rs.name, uid=self.rs.uid, controller=True)

    def resize(self, pods):
        view = View(pods, self.client.now())

        def compare(a, b):
            return next((verdict for rule in RULES if (verdict := rule(a, b, view))), 0)

        # Last to go first, so that the victims are at the end.
        stay = sorted(pods, key=cmp_to_key(compare), reverse=True)
        while len(stay) > self.rs.spec.replicas:
            victim = stay.pop()
            try:
                self.client.delete(Pod, victim.name, victim.namespace)
            except NotFound:
                pass
        while len(stay) < self.rs.spec.replicas:
            meta = ObjectMeta(name="", generate_name="pod-", namespace=self.rs.namespace)
            meta.labels = dict(self.rs.spec.template.metadata.labels)
            meta.owner_references = [self.reference()]
            stay.append(self.client.create(Pod(metadata=meta, spec=self.rs.spec.template.spec)))
        return stay

    def tell(self, replicas, ready):
        status = self.rs.status
        if status.replicas != replicas or status.ready_replicas != ready:
            status.replicas = replicas
            status.ready_replicas = ready
            self.client.update_status(self.rs)


def reconcile(client, request):
    try:
        Reconciler(client, client.get(ReplicaSet, request.name, request.namespace)).run()
        return Result()
    except ApiError as error:
        match error:
            case NotFound():
                return Result()
            case Conflict() | ServerTimeout() | TooManyRequests():
                return Result(requeue_after=(error.retry_after or 0) + 1)
        raise
