"""Small functions and expressions; the drain is a fold over answers."""

from datetime import timedelta
from functools import reduce

from kubekata import BudgetStatus, Conflict, DrainReport, EvictionAnswer, Node, NotFound, Pod, TooManyRequests
from kubekata import ApiError as Refused

GO = EvictionAnswer(201)


def covers(budget):
    return lambda pod: (
        budget.spec.selector is not None
        and (budget.namespace, True) == (pod.namespace, budget.spec.selector.matches(pod.metadata.labels))
    )


def rounded_up(text, total):
    whole, rest = divmod(int(text[:-1]) * total, 100)
    return whole + (rest > 0)


def sound(value):
    if value is None:
        return True
    if isinstance(value, int):
        return value >= 0
    return value[-1:] == "%" and value[:-1].isdigit() and 0 <= int(value[:-1]) <= 100


def budget_status(budget, pods, replicas, now):
    low, high = budget.spec.min_available, budget.spec.max_unavailable
    if not (sound(low) and sound(high)) or (low is not None and high is not None):
        raise ValueError(f"minAvailable {low}, maxUnavailable {high}")
    mine = list(filter(covers(budget), pods))
    staying = {pod.name: pod for pod in mine if pod.metadata.deletion_timestamp is None}
    young = now - timedelta(seconds=120)
    disrupted = {
        name: at for name, at in budget.status.disrupted_pods.items() if name in staying and at >= young
    }
    healthy = len([pod for name, pod in staying.items() if pod.ready and name not in disrupted])
    uids = {ref.uid for pod in mine for ref in pod.metadata.owner_references if ref.controller}
    scale = reduce(lambda total, uid: total + replicas[uid], uids, 0)
    if type(low) is int:
        expected, desired = len(mine), low
    elif low is not None:
        expected, desired = scale, rounded_up(low, scale)
    elif high is not None:
        away = high if type(high) is int else rounded_up(high, scale)
        expected, desired = scale, scale - min(away, scale)
    else:
        expected = desired = 0
    return BudgetStatus(
        (expected > 0) * max(healthy - desired, 0), healthy, desired, expected, disrupted_pods=disrupted
    )


def decide_eviction(pod, budgets, dry_run=False):
    if pod.metadata.deleting or pod.status.phase in {"Pending", "Succeeded", "Failed"}:
        return GO
    mine = [budget for budget in budgets if covers(budget)(pod)]
    match mine:
        case []:
            return GO
        case [budget]:
            return one_budget(pod, budget, dry_run)
    return EvictionAnswer(500)


def one_budget(pod, budget, dry_run):
    status = budget.status
    spared = budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow" or (
        0 < status.desired_healthy <= status.current_healthy
    )
    if spared and not pod.ready:
        return GO
    says = f"The disruption budget {budget.name} "
    if status.observed_generation < budget.metadata.generation:
        return EvictionAnswer(429, False, says + "is still being processed by the server.", 10)
    if status.disruptions_allowed:
        return EvictionAnswer(201, not dry_run)
    return EvictionAnswer(429, False, says + next(filter(None, lines(status))))


def lines(status):
    refusing = [c for c in status.conditions if (c.type, c.status) == ("DisruptionAllowed", "False")]
    text = "does not allow evicting pods currently"
    yield from (f"{text} because it failed sync: {c.message}" for c in refusing if c.reason == "SyncFailed")
    if status.current_healthy <= status.desired_healthy:
        yield f"needs {status.desired_healthy} healthy pods and has {status.current_healthy} currently"
    yield from (f"{text} ({c.reason}): {c.message}" for c in refusing)
    yield text


def drain(client, node, deadline):
    for _ in range(5):
        found = client.get(Node, node)
        if found.spec.unschedulable:
            break
        found.spec.unschedulable = True
        try:
            client.update(found)
        except Conflict:
            continue
    here = [
        pod
        for pod in client.list(Pod, fields=f"spec.nodeName={node}", namespace=None)
        if getattr(pod.metadata.controller, "kind", "") != "DaemonSet"
    ]
    orphans = {
        f"{p.namespace}/{p.name}": "it would not come back" for p in here if p.active and not p.metadata.controller
    }
    if orphans:
        return DrainReport("stuck", orphans)
    answers = {f"{pod.namespace}/{pod.name}": answer(client, pod) for pod in here}
    left = {name: why for name, (why, _) in answers.items() if why}
    if not left:
        return DrainReport("done", {}, None)
    ends = client.now() >= deadline or any(final for _, final in answers.values())
    return DrainReport("stuck", left) if ends else DrainReport("waiting", left, 1)


def answer(client, pod):
    if pod.metadata.deleting:
        return "stopping", False
    try:
        client.evict(pod)
    except NotFound:
        return "", False
    except TooManyRequests as refusal:
        return refusal.details["causes"][0]["message"], False
    except Refused as refusal:
        return str(refusal) or "refused", True
    return "evicted", False
