"""The status in a single pass over the pods; the drain asks in order of urgency and leaves a Conflict to the caller."""

from dataclasses import replace
from datetime import timedelta

from kubekata import ApiError, BudgetStatus, DrainReport, EvictionAnswer, Node, NotFound, Pod

EMPTY = BudgetStatus(0, 0, 0, 0, {})
LIMIT = timedelta(minutes=2)


def budget_status(budget, pods, replicas, now):
    field, value = setting(budget.spec)
    seen, status = set(), EMPTY
    count = healthy = scale = 0
    disrupted = {}
    for pod in pods:
        if not covered(pod, budget):
            continue
        count += 1
        controller = pod.metadata.controller
        if controller and controller.uid not in seen:
            seen.add(controller.uid)
            scale += replicas[controller.uid]
        if pod.metadata.deleting:
            continue
        granted = budget.status.disrupted_pods.get(pod.name)
        if granted and granted + LIMIT >= now:
            disrupted[pod.name] = granted
        elif pod.ready:
            healthy += 1
    if field == "min" and isinstance(value, int):
        status = replace(status, expected_pods=count, desired_healthy=value)
    elif field == "min":
        status = replace(status, expected_pods=scale, desired_healthy=up(value, scale))
    elif field == "max":
        away = value if isinstance(value, int) else up(value, scale)
        status = replace(status, expected_pods=scale, desired_healthy=max(0, scale - away))
    spare = healthy - status.desired_healthy
    if status.expected_pods > 0 and spare > 0:
        status = replace(status, disruptions_allowed=spare)
    return replace(status, current_healthy=healthy, disrupted_pods=disrupted)


def setting(spec):
    given = [("min", spec.min_available), ("max", spec.max_unavailable)]
    given = [(field, value) for field, value in given if value is not None]
    if len(given) > 1:
        raise ValueError("both")
    if not given:
        return "", None
    field, value = given[0]
    if isinstance(value, str) and value not in {f"{percent}%" for percent in range(101)}:
        raise ValueError(value)
    if isinstance(value, int) and value < 0:
        raise ValueError(value)
    return field, value


def up(value, total):
    return (int(value.strip("%")) * total + 99) // 100


def covered(pod, budget):
    selector = budget.spec.selector
    if selector is None or pod.namespace != budget.namespace:
        return False
    return set(selector.match_labels.items()) <= set(pod.metadata.labels.items())


def decide_eviction(pod, budgets, dry_run=False):
    serving = pod.status.phase not in ("Pending", "Succeeded", "Failed") and not pod.metadata.deleting
    mine = [budget for budget in budgets if serving and covered(pod, budget)]
    if not mine:
        return EvictionAnswer(201)
    budget, *more = mine
    if more:
        return EvictionAnswer(500)
    numbers, text = budget.status, f"The disruption budget {budget.name} "
    short = numbers.current_healthy < numbers.desired_healthy or numbers.desired_healthy == 0
    if not pod.ready and (budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow" or not short):
        return EvictionAnswer(201)
    if numbers.observed_generation < budget.metadata.generation:
        return EvictionAnswer(429, cause=text + "is still being processed by the server.", retry_after=10)
    if numbers.disruptions_allowed >= 1:
        return EvictionAnswer(201, charged=dry_run is False)
    reason = message = None
    for condition in numbers.conditions:
        if condition.type == "DisruptionAllowed" and condition.status == "False":
            reason, message = condition.reason, condition.message
    if reason != "SyncFailed" and numbers.current_healthy <= numbers.desired_healthy:
        text += f"needs {numbers.desired_healthy} healthy pods and has {numbers.current_healthy} currently"
        return EvictionAnswer(429, cause=text)
    text += "does not allow evicting pods currently"
    if reason == "SyncFailed":
        text += f" because it failed sync: {message}"
    elif reason is not None:
        text += f" ({reason}): {message}"
    return EvictionAnswer(429, cause=text)


def drain(client, node, deadline):
    cordoned = client.get(Node, node)
    if not cordoned.spec.unschedulable:
        cordoned.spec.unschedulable = True
        client.update(cordoned)
    left, alone, final = {}, {}, False
    pods = client.list(Pod, fields=f"spec.nodeName={node}", namespace=None)
    pods = [pod for pod in pods if not any(o.controller and o.kind == "DaemonSet" for o in pod.metadata.owner_references)]
    for pod in pods:
        if pod.active and pod.metadata.controller is None:
            alone[f"{pod.namespace}/{pod.name}"] = "alone"
    for pod in sorted(pods, key=lambda pod: pod.ready) if not alone else ():
        why = "stopping"
        if not pod.metadata.deleting:
            try:
                client.evict(pod)
            except NotFound:
                continue
            except ApiError as error:
                final = final or error.code != 429
                why = error.details["causes"][0]["message"] if error.code == 429 else error.message
        left[f"{pod.namespace}/{pod.name}"] = why
    if alone or left and (final or client.now() >= deadline):
        return DrainReport("stuck", alone or left)
    return DrainReport("waiting", left, 3) if left else DrainReport("done")
