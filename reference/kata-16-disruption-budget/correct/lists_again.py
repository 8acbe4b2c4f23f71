"""The drain lists again after the evictions, and takes what it sees for what is left."""

import math
import re
from datetime import timedelta

from kubekata import ApiError, BudgetStatus, DrainReport, EvictionAnswer, Node, NotFound, Pod, TooManyRequests

PERCENT = re.compile(r"(\d{1,2}|100)%\Z")


def matches(budget, pod):
    if budget.spec.selector is None:
        return False
    wanted = budget.spec.selector.match_labels
    same = all(pod.metadata.labels.get(label) == value for label, value in wanted.items())
    return same and budget.metadata.namespace == pod.metadata.namespace


def validate(spec):
    if None not in (spec.min_available, spec.max_unavailable):
        raise ValueError("one of the two, please")
    for value in (spec.min_available, spec.max_unavailable):
        if isinstance(value, str) and PERCENT.match(value) is None:
            raise ValueError(value)
        if isinstance(value, int) and value < 0:
            raise ValueError(value)


def amount(value, total):
    if isinstance(value, int):
        return value
    percent = int(PERCENT.match(value).group(1))
    return math.floor((percent * total + 99) / 100)


def budget_status(budget, pods, replicas, now):
    validate(budget.spec)
    pods = [pod for pod in pods if matches(budget, pod)]
    disrupted = dict(budget.status.disrupted_pods)
    for name in list(disrupted):
        pod = next((pod for pod in pods if pod.name == name), None)
        if pod is None or pod.metadata.deleting or (now - disrupted[name]).total_seconds() > 120:
            del disrupted[name]
    healthy = [p for p in pods if p.ready and not p.metadata.deleting and p.name not in disrupted]
    counted = set()
    expected = 0
    for pod in pods:
        controller = pod.metadata.controller
        if controller and controller.uid not in counted:
            counted.add(controller.uid)
            expected += replicas.get(controller.uid, 0)
    desired = 0
    if isinstance(budget.spec.min_available, int):
        expected = len(pods)
        desired = budget.spec.min_available
    elif budget.spec.min_available is not None:
        desired = amount(budget.spec.min_available, expected)
    elif budget.spec.max_unavailable is not None:
        desired = max(expected - amount(budget.spec.max_unavailable, expected), 0)
    else:
        expected = 0
    allowed = len(healthy) - desired if expected and len(healthy) > desired else 0
    return BudgetStatus(allowed, len(healthy), desired, expected, disrupted)


def decide_eviction(pod, budgets, dry_run=False):
    if pod.metadata.deleting or pod.status.phase in ("Failed", "Pending", "Succeeded"):
        return EvictionAnswer(201)
    budgets = [budget for budget in budgets if matches(budget, pod)]
    if len(budgets) >= 2:
        return EvictionAnswer(500, cause="more than one budget")
    for budget in budgets:
        status = budget.status
        healthy, desired = status.current_healthy, status.desired_healthy
        if not pod.ready:
            if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
                return EvictionAnswer(201)
            if desired > 0 and healthy >= desired:
                return EvictionAnswer(201)
        prefix = "The disruption budget " + budget.name
        if budget.metadata.generation > status.observed_generation:
            return EvictionAnswer(429, cause=prefix + " is still being processed by the server.", retry_after=10)
        if status.disruptions_allowed > 0:
            return EvictionAnswer(201, charged=not dry_run)
        prefix_no = prefix + " does not allow evicting pods currently"
        found = {c.type: c for c in status.conditions if c.status == "False"}.get("DisruptionAllowed")
        if found and found.reason == "SyncFailed":
            return EvictionAnswer(429, cause=f"{prefix_no} because it failed sync: {found.message}")
        if healthy <= desired:
            return EvictionAnswer(429, cause=f"{prefix} needs {desired} healthy pods and has {healthy} currently")
        if found:
            return EvictionAnswer(429, cause=f"{prefix_no} ({found.reason}): {found.message}")
        return EvictionAnswer(429, cause=prefix_no)
    return EvictionAnswer(201)


def on_node(client, node):
    pods = client.list(Pod, namespace=None, fields="spec.nodeName=" + node)
    for pod in list(pods):
        if pod.metadata.controller is not None and pod.metadata.controller.kind == "DaemonSet":
            pods.remove(pod)
    return {f"{pod.namespace}/{pod.name}": pod for pod in pods}


def drain(client, node, deadline):
    machine = client.get(Node, node)
    if not machine.spec.unschedulable:
        machine.spec.unschedulable = True
        client.update(machine)
    pods = on_node(client, node)
    precious = [name for name, pod in pods.items() if pod.active and pod.metadata.controller is None]
    if precious:
        return DrainReport("stuck", dict.fromkeys(precious, "not managed by a controller"))
    reasons, broken = {}, False
    for name in reversed(list(pods)):
        if pods[name].metadata.deleting:
            continue
        try:
            client.evict(pods[name])
        except NotFound:
            pass
        except TooManyRequests as error:
            reasons[name] = error.details["causes"][0]["message"]
        except ApiError as error:
            reasons[name] = error.message
            broken = True
    left = {name: reasons.get(name, "being deleted") for name in on_node(client, node)}
    if not left:
        return DrainReport("done")
    if broken or client.now() - deadline >= timedelta(0):
        return DrainReport("stuck", left)
    return DrainReport("waiting", left, 5)
