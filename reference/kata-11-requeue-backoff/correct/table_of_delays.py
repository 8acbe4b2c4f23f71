"""The delays of reconcile are a table; Backoff keeps the next wait, not the count."""

from kubekata import Condition, Conflict, NotFound, PermanentError, RackNode, Result, ServerTimeout
from kubekata import TooManyRequests, TransientError

DELAYS = {1: 10.0, 2: 20.0, 3: 40.0, 4: 60.0, 5: 60.0}
SLOW = 300.0


class Backoff:
    def __init__(self, base, cap):
        self.base, self.cap = base, cap
        self.next_wait = {}
        self.count = {}

    def when(self, item):
        wait = self.next_wait.get(item, min(self.base, self.cap))
        self.next_wait[item] = min(wait * 2, self.cap)
        self.count[item] = self.count.get(item, 0) + 1
        return wait

    def forget(self, item):
        for book in (self.next_wait, self.count):
            if item in book:
                del book[item]

    def retries(self, item):
        return self.count[item] if item in self.count else 0


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            return Result()
        known = node.status.observed_generation == node.metadata.generation
        degraded = [c for c in node.status.conditions if c.type == "Degraded"]
        if known and [(c.status, c.reason) for c in degraded] == [("True", "PermanentError")]:
            return Result()
        outcome = attempt(rack, node)
        if outcome == "ok":
            tell(client, node, 0, "")
            return Result()
        if outcome == "never":
            tell(client, node, 0, "PermanentError")
            return Result()
        count = node.status.retries + 1 if known else 1
        tell(client, node, count, "" if count in DELAYS else "RetriesExhausted")
        return Result(requeue_after=DELAYS.get(count, SLOW))
    except NotFound:
        return Result()
    except (Conflict, ServerTimeout, TooManyRequests):
        return Result(requeue_after=2)


def attempt(rack, node):
    wanted = node.spec.desired_firmware
    try:
        if rack.machine(node.name).firmware == wanted:
            return "ok"
        rack.flash(node.name, wanted)
        return "ok"
    except TransientError:
        return "later"
    except PermanentError:
        return "never"


def tell(client, node, count, why):
    status = "True" if why else "False"
    conditions, found = [], False
    for c in node.status.conditions:
        if c.type != "Degraded":
            conditions.append(c)
            continue
        found = True
        since = c.last_transition_time if c.status == status else client.now()
        conditions.append(
            Condition(type="Degraded", status=status, reason=why or "Fine", last_transition_time=since)
        )
    if not found:
        conditions.append(
            Condition(type="Degraded", status=status, reason=why or "Fine", last_transition_time=client.now())
        )
    new = (count, node.metadata.generation, conditions)
    if new != (node.status.retries, node.status.observed_generation, node.status.conditions):
        node.status.retries, node.status.observed_generation, node.status.conditions = new
        client.update_status(node)
