"""A pure function from the old status and the outcome to the new status and the answer."""

from dataclasses import dataclass, field

import msgspec

from kubekata import ApiError, Condition, NotFound, PermanentError, RackNode, Result, TransientError

BASE, CAP, MAX_RETRIES, SLOW = 10.0, 60.0, 5, 300.0


@dataclass
class Backoff:
    base: float
    cap: float
    log: list = field(default_factory=list)

    def when(self, item):
        self.log.append(item)
        n = self.retries(item)
        wait = self.base
        while n > 1 and wait < self.cap:
            wait, n = wait + wait, n - 1
        return wait if wait < self.cap else self.cap

    def forget(self, item):
        self.log = [entry for entry in self.log if entry != item]

    def retries(self, item):
        return self.log.count(item)


@dataclass(frozen=True)
class Decision:
    retries: int
    reason: str
    requeue: float | None


def decide(outcome, retries):
    match outcome:
        case "done":
            return Decision(0, "", None)
        case "refused":
            return Decision(0, "PermanentError", None)
    retries += 1
    if retries > MAX_RETRIES:
        return Decision(retries, "RetriesExhausted", SLOW)
    return Decision(retries, "", min(CAP, BASE * 2 ** (retries - 1)))


def next_conditions(conditions, decision, now, generation):
    status = "True" if decision.reason else "False"
    new = Condition(
        type="Degraded",
        status=status,
        reason=decision.reason or "NotDegraded",
        observed_generation=generation,
        last_transition_time=now,
    )
    result = []
    for old in conditions:
        if old.type == "Degraded":
            keep = old.last_transition_time if old.status == status else now
            result.append(msgspec.structs.replace(new, last_transition_time=keep))
        else:
            result.append(old)
    if all(old.type != "Degraded" for old in conditions):
        result.append(new)
    return result


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        generation = node.metadata.generation
        if node.metadata.deletion_timestamp:
            return Result()
        current = node.status.observed_generation == generation
        hopeless = any(
            c.type == "Degraded" and c.status == "True" and c.reason == "PermanentError" for c in node.status.conditions
        )
        if current and hopeless:
            return Result()
        decision = decide(flash(rack, node), node.status.retries if current else 0)
        status = msgspec.structs.replace(
            node.status,
            retries=decision.retries,
            observed_generation=generation,
            conditions=next_conditions(node.status.conditions, decision, client.now(), generation),
        )
        if status != node.status:
            client.update_status(msgspec.structs.replace(node, status=status))
        return Result(requeue_after=decision.requeue)
    except NotFound:
        return Result()
    except ApiError:
        return Result(requeue_after=0.5)


def flash(rack, node):
    try:
        if rack.machine(node.name).firmware != node.spec.desired_firmware:
            rack.flash(node.name, node.spec.desired_firmware)
    except PermanentError:
        return "refused"
    except TransientError:
        return "failed"
    return "done"
