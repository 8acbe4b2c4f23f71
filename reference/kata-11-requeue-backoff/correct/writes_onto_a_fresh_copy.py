"""Reads again before it writes, and gives the report up if the spec has moved on."""

from kubekata import Conflict, Condition, NotFound, PermanentError, RackNode, Result, ServerTimeout
from kubekata import TooManyRequests, TransientError

BASE, CAP, MAX_RETRIES, SLOW = 10.0, 60.0, 5, 300.0

SOON = Result(requeue_after=1)


class Backoff:
    def __init__(self, base, cap):
        self.delays = [base]
        while self.delays[-1] < cap:
            self.delays.append(self.delays[-1] * 2)
        self.delays[-1] = cap
        self.counts = {}

    def when(self, item):
        count = self.counts[item] = self.counts.get(item, 0) + 1
        return self.delays[min(count, len(self.delays)) - 1]

    def forget(self, item):
        self.counts[item] = 0

    def retries(self, item):
        return self.counts.get(item, 0)


def degraded(node):
    return next((c for c in node.status.conditions if c.type == "Degraded"), None)


def count_of(node):
    return node.status.retries if node.status.observed_generation == node.metadata.generation else 0


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deletion_timestamp:
            return Result()
        condition = degraded(node)
        if (
            condition
            and condition.status == "True"
            and condition.reason == "PermanentError"
            and node.status.observed_generation == node.metadata.generation
        ):
            return Result()
        retries, reason, answer = 0, None, Result()
        try:
            machine = rack.machine(node.name)
            if machine.firmware != node.spec.desired_firmware:
                rack.flash(node.name, node.spec.desired_firmware)
        except PermanentError:
            reason = "PermanentError"
        except TransientError:
            retries = count_of(node) + 1
            if retries > MAX_RETRIES:
                reason, answer = "RetriesExhausted", Result(requeue_after=SLOW)
            else:
                answer = Result(requeue_after=[BASE, 2 * BASE, 4 * BASE, CAP, CAP][retries - 1])
        for _ in range(5):
            fresh = client.get(RackNode, request.name, request.namespace)
            if fresh.metadata.generation != node.metadata.generation:
                return SOON
            if not change(client, fresh, retries, reason):
                return answer
            try:
                client.update_status(fresh)
            except Conflict:
                continue
            return answer
        return SOON
    except NotFound:
        return Result()
    except (ServerTimeout, TooManyRequests):
        return SOON


def change(client, node, retries, reason):
    changed = node.status.retries != retries or node.status.observed_generation != node.metadata.generation
    node.status.retries = retries
    node.status.observed_generation = node.metadata.generation
    condition = degraded(node)
    if condition is None:
        if reason is None:
            return changed
        condition = Condition(type="Degraded", status="False", reason="New")
        node.status.conditions.append(condition)
    wanted = "False" if reason is None else "True"
    if condition.status != wanted:
        condition.status = wanted
        condition.last_transition_time = client.now()
        changed = True
    if condition.reason != (reason or "Recovered"):
        condition.reason = reason or "Recovered"
        changed = True
    return changed
