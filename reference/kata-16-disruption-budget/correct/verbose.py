"""Step by step, with a name for everything."""

from datetime import timedelta

from kubekata import BudgetStatus, DrainReport, EvictionAnswer, InternalError, Node, NotFound, Pod, TooManyRequests
from kubekata import ApiError


def pods_of_budget(budget, pods):
    result = []
    for pod in pods:
        if pod.metadata.namespace != budget.metadata.namespace:
            continue
        if budget.spec.selector is None:
            continue
        if budget.spec.selector.matches(pod.metadata.labels):
            result.append(pod)
    return result


def percent_of(text):
    if not text.endswith("%"):
        raise ValueError(f"{text} has no percent sign")
    try:
        number = int(text[:-1])
    except ValueError:
        raise ValueError(f"{text} is no percentage") from None
    if number < 0:
        raise ValueError(f"{text} is negative")
    if number > 100:
        raise ValueError(f"{text} is too much")
    return number


def percentage_rounded_up(percent, total):
    result = percent * total // 100
    if result * 100 < percent * total:
        result = result + 1
    return result


def sum_of_replicas(pods, replicas):
    seen = []
    total = 0
    for pod in pods:
        controller = pod.metadata.controller
        if controller is None:
            continue
        if controller.uid in seen:
            continue
        seen.append(controller.uid)
        total = total + replicas[controller.uid]
    return total


def budget_status(budget, pods, replicas, now):
    minimum = budget.spec.min_available
    maximum = budget.spec.max_unavailable
    if minimum is not None and maximum is not None:
        raise ValueError("both are set")
    for value in (minimum, maximum):
        if type(value) is str:
            percent_of(value)
        if type(value) is int and value < 0:
            raise ValueError("a negative number")

    covered = pods_of_budget(budget, pods)

    disrupted = {}
    for pod in covered:
        if pod.metadata.name not in budget.status.disrupted_pods:
            continue
        if pod.metadata.deletion_timestamp:
            continue
        granted = budget.status.disrupted_pods[pod.metadata.name]
        age = now - granted
        if age > timedelta(seconds=120):
            continue
        disrupted[pod.metadata.name] = granted

    healthy = 0
    for pod in covered:
        ready = False
        for condition in pod.status.conditions:
            if condition.type == "Ready" and condition.status == "True":
                ready = True
        if ready and not pod.metadata.deletion_timestamp and pod.metadata.name not in disrupted:
            healthy = healthy + 1

    if minimum is not None:
        if type(minimum) is int:
            expected = len(covered)
            desired = minimum
        else:
            expected = sum_of_replicas(covered, replicas)
            desired = percentage_rounded_up(percent_of(minimum), expected)
    elif maximum is not None:
        expected = sum_of_replicas(covered, replicas)
        if type(maximum) is int:
            allowance = maximum
        else:
            allowance = percentage_rounded_up(percent_of(maximum), expected)
        desired = expected - allowance
        if desired < 0:
            desired = 0
    else:
        expected = 0
        desired = 0

    allowed = healthy - desired
    if allowed < 0:
        allowed = 0
    if expected == 0:
        allowed = 0
    return BudgetStatus(
        disruptions_allowed=allowed,
        current_healthy=healthy,
        desired_healthy=desired,
        expected_pods=expected,
        disrupted_pods=disrupted,
    )


def decide_eviction(pod, budgets, dry_run=False):
    if pod.status.phase == "Pending":
        return EvictionAnswer(201)
    if pod.status.phase == "Succeeded" or pod.status.phase == "Failed":
        return EvictionAnswer(201)
    if pod.metadata.deletion_timestamp:
        return EvictionAnswer(201)

    asked = []
    for budget in budgets:
        if pods_of_budget(budget, [pod]):
            asked.append(budget)
    if len(asked) == 0:
        return EvictionAnswer(201)
    if len(asked) > 1:
        return EvictionAnswer(500)

    budget = asked[0]
    status = budget.status
    if not pod.ready:
        if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
            return EvictionAnswer(201)
        if status.desired_healthy > 0 and status.current_healthy >= status.desired_healthy:
            return EvictionAnswer(201)

    start = "The disruption budget " + budget.metadata.name + " "
    if status.observed_generation < budget.metadata.generation:
        return EvictionAnswer(429, cause=start + "is still being processed by the server.", retry_after=10)
    if status.disruptions_allowed > 0:
        if dry_run:
            return EvictionAnswer(201, charged=False)
        return EvictionAnswer(201, charged=True)

    refusing = None
    for condition in status.conditions:
        if condition.type == "DisruptionAllowed" and condition.status == "False":
            refusing = condition
    if refusing is not None and refusing.reason == "SyncFailed":
        cause = f"does not allow evicting pods currently because it failed sync: {refusing.message}"
    elif status.current_healthy <= status.desired_healthy:
        cause = f"needs {status.desired_healthy} healthy pods and has {status.current_healthy} currently"
    elif refusing is not None:
        cause = f"does not allow evicting pods currently ({refusing.reason}): {refusing.message}"
    else:
        cause = "does not allow evicting pods currently"
    return EvictionAnswer(429, cause=start + cause)


def drain(client, node, deadline):
    the_node = client.get(Node, node)
    if not the_node.spec.unschedulable:
        the_node.spec.unschedulable = True
        the_node = client.update(the_node)

    to_go = []
    for pod in client.list(Pod, namespace=None):
        if pod.spec.node_name != node:
            continue
        controller = pod.metadata.controller
        if controller is not None and controller.kind == "DaemonSet":
            continue
        to_go.append(pod)

    without_controller = {}
    for pod in to_go:
        finished = pod.status.phase in ("Succeeded", "Failed")
        if pod.metadata.controller is None and not finished and not pod.metadata.deletion_timestamp:
            without_controller[f"{pod.metadata.namespace}/{pod.metadata.name}"] = "no controller"
    if len(without_controller) > 0:
        return DrainReport(state="stuck", left=without_controller, retry_after=None)

    left = {}
    can_go_on = True
    for pod in to_go:
        name = f"{pod.metadata.namespace}/{pod.metadata.name}"
        if pod.metadata.deletion_timestamp:
            left[name] = "is being deleted"
            continue
        try:
            client.evict(pod)
            left[name] = "has been evicted"
        except NotFound:
            pass
        except TooManyRequests as error:
            left[name] = error.details["causes"][0]["message"]
        except InternalError as error:
            left[name] = error.message
            can_go_on = False
        except ApiError as error:
            left[name] = error.message
            can_go_on = False

    if len(left) == 0:
        return DrainReport(state="done", left={}, retry_after=None)
    if client.now() >= deadline or not can_go_on:
        return DrainReport(state="stuck", left=left, retry_after=None)
    remaining = (deadline - client.now()).total_seconds()
    return DrainReport(state="waiting", left=left, retry_after=min(5.0, remaining))
