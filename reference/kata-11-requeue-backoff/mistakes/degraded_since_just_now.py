"""Misconception: the condition is set on every failure, with the time of the failure.

Fails: giveup
"""

import copy

from kubekata import ApiError, Condition, NotFound, PermanentError, RackNode, Result, TransientError

BASE = 10.0
CAP = 60.0
MAX_RETRIES = 5
SLOW = 300.0


class Backoff:
    def __init__(self, base, cap):
        self.base = base
        self.cap = cap
        self.failures = {}

    def when(self, item):
        failures = self.failures.get(item, 0)
        self.failures[item] = failures + 1
        return wait(self.base, self.cap, failures)

    def forget(self, item):
        self.failures.pop(item, None)

    def retries(self, item):
        return self.failures.get(item, 0)


def wait(base, cap, failures):
    if failures > 60:
        return cap
    return min(base * 2**failures, cap)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deletion_timestamp is not None:
            return Result()
        return work(client, rack, node)
    except NotFound:
        return Result()
    except ApiError:
        return Result(requeue_after=1)


def work(client, rack, node):
    status = node.status
    current = status.observed_generation == node.metadata.generation
    old = next((c for c in status.conditions if c.type == "Degraded"), None)
    if current and old and old.status == "True" and old.reason == "PermanentError":
        return Result()
    failures = status.retries if current else 0
    reason = ""
    delay = None
    try:
        if rack.machine(node.name).firmware != node.spec.desired_firmware:
            rack.flash(node.name, node.spec.desired_firmware)
        failures = 0
    except PermanentError:
        failures = 0
        reason = "PermanentError"
    except TransientError:
        failures += 1
        if failures > MAX_RETRIES:
            reason = "RetriesExhausted"
            delay = SLOW
        else:
            delay = wait(BASE, CAP, failures - 1)
    save(client, node, failures, reason)
    return Result(requeue_after=delay)


def save(client, node, failures, reason):
    before = copy.deepcopy(node.status)
    status = node.status
    status.retries = failures
    status.observed_generation = node.metadata.generation
    wanted = "True" if reason else "False"
    for c in status.conditions:
        if c.type == "Degraded":
            if reason or c.status != wanted:
                c.last_transition_time = client.now()
            c.status = wanted
            c.reason = reason or "AsExpected"
            break
    else:
        if reason:
            status.conditions.append(
                Condition(type="Degraded", status=wanted, reason=reason, last_transition_time=client.now())
            )
    if status != before:
        client.update_status(node)
