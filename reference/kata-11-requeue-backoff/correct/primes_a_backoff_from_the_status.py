"""Uses its own Backoff in reconcile: filled from the status at the start of each call."""

import copy
from collections import Counter

from kubekata import ApiError, Condition, NotFound, PermanentError, RackNode, Result, TransientError

BASE, CAP, MAX_RETRIES, SLOW = 10.0, 60.0, 5, 300.0


class Backoff:
    def __init__(self, base, cap):
        self._base = base
        self._cap = cap
        self._counter = Counter()

    def when(self, item):
        self._counter[item] += 1
        try:
            return min(self._cap, self._base * 2 ** (self._counter[item] - 1))
        except OverflowError:
            return self._cap

    def forget(self, item):
        del self._counter[item]

    def retries(self, item):
        return self._counter[item]

    def remember(self, item, count):
        self._counter[item] = count


def find(node):
    for condition in node.status.conditions:
        if condition.type == "Degraded":
            return condition


def reconcile(client, rack, request):
    backoff = Backoff(BASE, CAP)
    try:
        node = client.get(RackNode, request.name, request.namespace)
    except NotFound:
        return Result()
    except ApiError:
        return Result(requeue_after=1)
    if node.metadata.deletion_timestamp:
        return Result()
    stored = copy.deepcopy(node.status)
    if stored.observed_generation == node.metadata.generation:
        backoff.remember(request, stored.retries)
        condition = find(node)
        if condition and condition.status == "True" and condition.reason == "PermanentError":
            return Result()
    verdict, answer = "", Result()
    try:
        machine = rack.machine(request.name)
        if machine.firmware != node.spec.desired_firmware:
            rack.flash(request.name, node.spec.desired_firmware)
    except TransientError:
        answer = Result(requeue_after=backoff.when(request))
        if backoff.retries(request) > MAX_RETRIES:
            verdict, answer = "RetriesExhausted", Result(requeue_after=SLOW)
    except PermanentError:
        verdict = "PermanentError"
        backoff.forget(request)
    else:
        backoff.forget(request)

    node.status.retries = backoff.retries(request)
    node.status.observed_generation = node.metadata.generation
    condition = find(node)
    if condition is None and verdict:
        condition = Condition(type="Degraded", status="False")
        node.status.conditions = node.status.conditions + [condition]
    if condition is not None:
        value = "True" if verdict else "False"
        if condition.status != value:
            condition.last_transition_time = client.now()
        condition.status, condition.reason = value, verdict
    if node.status != stored:
        try:
            client.update_status(node)
        except NotFound:
            return Result()
        except ApiError:
            return Result(requeue_after=1)
    return answer
