"""Leaves Conflict and its kin to the loop around it; counts doublings with logarithms."""

import math

from kubekata import Condition, NotFound, PermanentError, RackNode, Result, TransientError

BASE, CAP, MAX_RETRIES, SLOW = 10.0, 60.0, 5, 300.0


class Backoff:
    def __init__(self, base, cap):
        self.base, self.cap = base, cap
        self.doublings = max(0, math.ceil(math.log2(cap / base)))
        self.failed = {}

    def when(self, item):
        n = self.failed.setdefault(item, 0)
        self.failed[item] += 1
        return self.cap if n >= self.doublings else self.base * (1 << n)

    def forget(self, item):
        self.failed = {key: count for key, count in self.failed.items() if key != item}

    def retries(self, item):
        return self.failed.get(item) or 0


class Try:
    def __init__(self, client, rack, node):
        self.client, self.rack, self.node, self.status = client, rack, node, node.status

    @property
    def fresh(self):
        return self.status.observed_generation == self.node.metadata.generation

    @property
    def condition(self):
        return {c.type: c for c in self.status.conditions}.get("Degraded")

    @property
    def hopeless(self):
        c = self.condition
        return self.fresh and c is not None and (c.status, c.reason) == ("True", "PermanentError")

    def run(self):
        if self.hopeless:
            return None
        try:
            self.work()
        except TransientError:
            count = (self.status.retries if self.fresh else 0) + 1
            if count <= MAX_RETRIES:
                self.write(count, "False", "Retrying")
                return [10, 20, 40, 60, 60][count - 1]
            self.write(count, "True", "RetriesExhausted")
            return SLOW
        except PermanentError:
            self.write(0, "True", "PermanentError")
            return None
        self.write(0, "False", "Done")
        return None

    def work(self):
        if self.rack.machine(self.node.name).firmware != self.node.spec.desired_firmware:
            self.rack.flash(self.node.name, self.node.spec.desired_firmware)

    def write(self, count, value, reason):
        c = self.condition
        old = (self.status.retries, self.fresh, c and c.status, c and c.reason)
        if old == (count, True, value, reason):
            return
        if c is None:
            c = Condition(type="Degraded", status="Unknown")
            self.status.conditions.append(c)
        if c.status != value:
            c.last_transition_time = self.client.now()
        c.status, c.reason = value, reason
        self.status.retries = count
        self.status.observed_generation = self.node.metadata.generation
        self.client.update_status(self.node)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deletion_timestamp is not None:
            return Result()
        return Result(requeue_after=Try(client, rack, node).run())
    except NotFound:
        return Result()
