"""Reference solution of kata 11: failures get quieter with time, and giving up is said aloud."""

from collections.abc import Hashable

import msgspec

from kubekata import (
    ApiError,
    Client,
    Condition,
    NotFound,
    PermanentError,
    Rack,
    RackNode,
    Request,
    Result,
    TransientError,
)

BASE = 10.0
CAP = 60.0
MAX_RETRIES = 5
SLOW = 300.0


class Backoff:
    """Exponential backoff for each item, in memory (client-go's ItemExponentialFailureRateLimiter)."""

    def __init__(self, base: float, cap: float) -> None:
        self._base = base
        self._cap = cap
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        """Count one more failure of the item, and return how long to wait after it."""
        self._failures[item] = self.retries(item) + 1
        return delay(self._base, self._cap, self._failures[item])

    def forget(self, item: Hashable) -> None:
        """The item has succeeded: its next failure is its first."""
        self._failures.pop(item, None)

    def retries(self, item: Hashable) -> int:
        """Return how many failures of the item are counted now."""
        return self._failures.get(item, 0)


def delay(base: float, cap: float, failures: int) -> float:
    """Return the wait after so many failures in a row; stops doubling at the cap, before any number overflows."""
    wait = base
    for _ in range(failures - 1):
        if wait >= cap:
            break
        wait *= 2
    return min(wait, cap)


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Try once to bring one RackNode's firmware to its spec; say when to try again."""
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting or failed_for_good(node):
            return Result()
        return try_once(client, rack, node)
    except NotFound:
        return Result()
    except ApiError:
        return Result(requeue_after=BASE)


def try_once(client: Client, rack: Rack, node: RackNode) -> Result:
    try:
        if rack.machine(node.name).firmware != node.spec.desired_firmware:
            rack.flash(node.name, node.spec.desired_firmware)
    except PermanentError as error:
        report(client, node, degraded="PermanentError", message=str(error))
        return Result()
    except TransientError as error:
        retries = 1 + (node.status.retries if up_to_date(node) else 0)
        if retries > MAX_RETRIES:
            report(client, node, retries, degraded="RetriesExhausted", message=str(error))
            return Result(requeue_after=SLOW)
        report(client, node, retries, message=str(error))
        return Result(requeue_after=delay(BASE, CAP, retries))
    report(client, node)
    return Result()


def up_to_date(node: RackNode) -> bool:
    """Whether the status is about the spec of now."""
    return node.status.observed_generation == node.metadata.generation


def failed_for_good(node: RackNode) -> bool:
    degraded = degraded_condition(node)
    if degraded is None or not up_to_date(node):
        return False
    return degraded.status == "True" and degraded.reason == "PermanentError"


def degraded_condition(node: RackNode) -> Condition | None:
    return next((condition for condition in node.status.conditions if condition.type == "Degraded"), None)


def report(
    client: Client, node: RackNode, retries: int = 0, *, degraded: str = "", message: str = ""
) -> None:
    """Write the outcome of a try; ``degraded`` is the reason for giving up, if we do."""
    old = degraded_condition(node)
    new = Condition(
        type="Degraded",
        status="True" if degraded else "False",
        reason=degraded or "AsExpected",
        message=message,
        observed_generation=node.metadata.generation,
        last_transition_time=client.now(),
    )
    if old is not None and old.status == new.status:
        new.last_transition_time = old.last_transition_time

    kept = node.status.conditions
    conditions = [*kept, new] if old is None else [new if c is old else c for c in kept]
    status = msgspec.structs.replace(
        node.status, retries=retries, observed_generation=node.metadata.generation, conditions=conditions
    )
    if status != node.status:
        node.status = status
        client.update_status(node)
