"""Misconception: Expected is how many pods there are; a controller that is behind does not matter.

Fails: counts
"""

import re
from datetime import datetime, timedelta

from kubekata import (
    ApiError,
    BudgetStatus,
    Client,
    DrainReport,
    EvictionAnswer,
    Node,
    NotFound,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    TooManyRequests,
)

EVICTION_TAKES_AT_MOST = timedelta(seconds=120)
RETRY_AFTER = 5.0


def covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    selector = budget.spec.selector
    return selector is not None and pod.namespace == budget.namespace and selector.matches(pod.metadata.labels)


def budget_status(
    budget: PodDisruptionBudget, pods: list[Pod], replicas: dict[str, int], now: datetime
) -> BudgetStatus:
    """Compute the status of a budget from the pods that there are."""
    check(budget.spec)
    mine = [pod for pod in pods if covers(budget, pod)]
    alive = {pod.name for pod in mine if not pod.metadata.deleting}
    leaving = {
        name: granted
        for name, granted in budget.status.disrupted_pods.items()
        if name in alive and now - granted <= EVICTION_TAKES_AT_MOST
    }
    healthy = sum(pod.ready and pod.name in alive and pod.name not in leaving for pod in mine)
    expected, desired = expected_and_desired(budget.spec, mine, replicas)
    allowed = max(0, healthy - desired) if expected else 0
    return BudgetStatus(allowed, healthy, desired, expected, leaving)


def check(spec: PodDisruptionBudgetSpec) -> None:
    if spec.min_available is not None and spec.max_unavailable is not None:
        raise ValueError("minAvailable and maxUnavailable are mutually exclusive")
    for value in (spec.min_available, spec.max_unavailable):
        if isinstance(value, str):
            if not re.fullmatch(r"[0-9]+%", value) or int(value[:-1]) > 100:
                raise ValueError(f"{value!r} is no percentage from 0% to 100%")
        elif value is not None and value < 0:
            raise ValueError(f"{value} is negative")


def expected_and_desired(
    spec: PodDisruptionBudgetSpec, pods: list[Pod], replicas: dict[str, int]
) -> tuple[int, int]:
    if isinstance(spec.min_available, int):
        return len(pods), spec.min_available
    expected = len(pods)
    if spec.min_available is not None:
        return expected, share(spec.min_available, expected)
    if spec.max_unavailable is not None:
        return expected, max(0, expected - share(spec.max_unavailable, expected))
    return 0, 0


def share(value: int | str, total: int) -> int:
    # Integers only: 0.28 * 25 is a little more than 7, and would round up to 8.
    return value if isinstance(value, int) else -(-int(value[:-1]) * total // 100)


def decide_eviction(pod: Pod, budgets: list[PodDisruptionBudget], dry_run: bool = False) -> EvictionAnswer:
    """Say what the API server answers to a request to evict a pod."""
    if pod.status.phase in ("Pending", "Succeeded", "Failed") or pod.metadata.deleting:
        return EvictionAnswer(201)
    asked = [budget for budget in budgets if covers(budget, pod)]
    if len(asked) > 1:
        return EvictionAnswer(500)
    if not asked or (not pod.ready and lets_unready_go(asked[0])):
        return EvictionAnswer(201)
    (budget,) = asked
    name, status = budget.name, budget.status
    if status.observed_generation < budget.metadata.generation:
        return EvictionAnswer(
            429, cause=f"The disruption budget {name} is still being processed by the server.", retry_after=10
        )
    if status.disruptions_allowed == 0:
        return EvictionAnswer(429, cause=f"The disruption budget {name} {why_used_up(budget)}")
    return EvictionAnswer(201, charged=not dry_run)


def lets_unready_go(budget: PodDisruptionBudget) -> bool:
    if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
        return True
    return budget.status.current_healthy >= budget.status.desired_healthy > 0


def why_used_up(budget: PodDisruptionBudget) -> str:
    status = budget.status
    refusal = next(
        (c for c in status.conditions if c.type == "DisruptionAllowed" and c.status == "False"), None
    )
    refused = "does not allow evicting pods currently"
    if refusal and refusal.reason == "SyncFailed":
        return f"{refused} because it failed sync: {refusal.message}"
    if status.current_healthy <= status.desired_healthy:
        return f"needs {status.desired_healthy} healthy pods and has {status.current_healthy} currently"
    if refusal:
        return f"{refused} ({refusal.reason}): {refusal.message}"
    return refused


def drain(client: Client, node: str, deadline: datetime) -> DrainReport:
    """Bring the drain of a node one round further, and say where it stands."""
    cordon(client, node)
    pods = [
        pod
        for pod in client.list(Pod, fields=f"spec.nodeName={node}", namespace=None)
        if not (pod.metadata.controller and pod.metadata.controller.kind == "DaemonSet")
    ]
    lonely = [pod for pod in pods if pod.active and pod.metadata.controller is None]
    if lonely:
        return DrainReport("stuck", {key(pod): "has no controller to make another one" for pod in lonely})
    left: dict[str, str] = {}
    hopeless = False
    for pod in pods:
        try:
            if not pod.metadata.deleting:
                client.evict(pod)
            left[key(pod)] = "is stopping"
        except NotFound:
            continue
        except TooManyRequests as error:
            left[key(pod)] = error.details["causes"][0]["message"]
        except ApiError as error:
            left[key(pod)] = error.message
            hopeless = True
    if not left:
        return DrainReport("done")
    if hopeless or client.now() >= deadline:
        return DrainReport("stuck", left)
    return DrainReport("waiting", left, RETRY_AFTER)


def cordon(client: Client, name: str) -> None:
    node = client.get(Node, name)
    if not node.spec.unschedulable:
        node.spec.unschedulable = True
        client.update(node)


def key(pod: Pod) -> str:
    return f"{pod.namespace}/{pod.name}"
