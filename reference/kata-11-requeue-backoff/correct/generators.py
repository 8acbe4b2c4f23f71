"""Backoff holds one generator of delays per item."""

import copy
import itertools

from kubekata import ApiError, Condition, NotFound, PermanentError, RackNode, Result, TransientError

BASE, CAP, MAX_RETRIES, SLOW = 10.0, 60.0, 5, 300.0


def delays(base, cap):
    wait = min(base, cap)
    while True:
        yield wait
        wait = min(2 * wait, cap)


class Backoff:
    def __init__(self, base, cap):
        self.make = lambda: enumerate(delays(base, cap), start=1)
        self.running = {}
        self.seen = {}

    def when(self, item):
        if item not in self.running:
            self.running[item] = self.make()
        self.seen[item], wait = next(self.running[item])
        return wait

    def forget(self, item):
        self.running.pop(item, None)
        self.seen.pop(item, None)

    def retries(self, item):
        return self.seen.get(item, 0)


def nth_delay(n):
    return next(itertools.islice(delays(BASE, CAP), n - 1, None))


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        meta, status = node.metadata, node.status
        if meta.deleting:
            return Result()
        before = copy.deepcopy(status)
        index = {c.type: i for i, c in enumerate(status.conditions)}
        if status.observed_generation != meta.generation:
            status.observed_generation = meta.generation
            status.retries = 0
        elif "Degraded" in index:
            c = status.conditions[index["Degraded"]]
            if c.status == "True" and c.reason == "PermanentError":
                return Result()
        requeue = reason = None
        try:
            if node.spec.desired_firmware != rack.machine(meta.name).firmware:
                rack.flash(meta.name, node.spec.desired_firmware)
            status.retries = 0
        except TransientError:
            status.retries += 1
            requeue = nth_delay(status.retries) if status.retries <= MAX_RETRIES else SLOW
            reason = "RetriesExhausted" if requeue == SLOW else None
        except PermanentError:
            status.retries, reason = 0, "PermanentError"
        new = Condition(type="Degraded", status="True" if reason else "False", reason=reason or "Ok")
        if "Degraded" in index:
            old = status.conditions[index["Degraded"]]
            same = old.status == new.status
            new.last_transition_time = old.last_transition_time if same else client.now()
            status.conditions[index["Degraded"]] = new
        else:
            new.last_transition_time = client.now()
            status.conditions.insert(0, new)
        if status != before:
            client.update_status(node)
        return Result(requeue_after=requeue)
    except NotFound:
        return Result()
    except ApiError:
        return Result(requeue_after=5)
