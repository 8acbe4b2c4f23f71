"""Questions in a table, answered in order."""

from collections import Counter
from decimal import ROUND_CEILING, Decimal

from kubekata import ApiError, BudgetStatus, DrainReport, EvictionAnswer, Node, Pod


def selected(budget, pods):
    chosen = budget.spec.selector
    return [
        pod for pod in pods if chosen and budget.namespace == pod.namespace and chosen.matches(pod.metadata.labels)
    ]


def parsed(value):
    """(absolute, percent) with one of them None."""
    if value is None:
        return None, None
    if isinstance(value, int):
        if value < 0:
            raise ValueError(value)
        return value, None
    number, sign, rest = value.partition("%")
    if not sign or rest or not number.isdecimal() or int(number) > 100:
        raise ValueError(value)
    return None, Decimal(number)


def of(percent, total):
    return int((percent * total / 100).to_integral_value(rounding=ROUND_CEILING))


def budget_status(budget, pods, replicas, now):
    least, least_percent = parsed(budget.spec.min_available)
    most, most_percent = parsed(budget.spec.max_unavailable)
    if budget.spec.min_available is not None and budget.spec.max_unavailable is not None:
        raise ValueError("mutually exclusive")
    mine = selected(budget, pods)
    controllers = Counter(pod.metadata.controller.uid for pod in mine if pod.metadata.controller)
    total = sum(replicas[uid] for uid in controllers)
    cases = [
        (least is not None, lambda: (len(mine), least)),
        (least_percent is not None, lambda: (total, of(least_percent, total))),
        (most is not None, lambda: (total, total - most)),
        (most_percent is not None, lambda: (total, total - of(most_percent, total))),
        (True, lambda: (0, 0)),
    ]
    expected, desired = next(answer() for holds, answer in cases if holds)
    desired = max(desired, 0)
    here = {pod.name for pod in mine} - {pod.name for pod in mine if pod.metadata.deleting}
    disrupted = {
        name: granted
        for name, granted in sorted(budget.status.disrupted_pods.items())
        if name in here and (now - granted).total_seconds() <= 120
    }
    healthy = len(here & {pod.name for pod in mine if pod.ready} - set(disrupted))
    return BudgetStatus(max(healthy - desired, 0) if expected else 0, healthy, desired, expected, disrupted)


def decide_eviction(pod, budgets, dry_run=False):
    asked = [budget for budget in budgets if selected(budget, [pod])]
    first = asked[0] if asked else None
    status = first.status if first else None
    questions = [
        (lambda: pod.metadata.deleting, lambda: EvictionAnswer(201)),
        (lambda: pod.status.phase in ("Pending", "Succeeded", "Failed"), lambda: EvictionAnswer(201)),
        (lambda: len(asked) > 1, lambda: EvictionAnswer(500)),
        (lambda: first is None, lambda: EvictionAnswer(201)),
        (
            lambda: not pod.ready and first.spec.unhealthy_pod_eviction_policy == "AlwaysAllow",
            lambda: EvictionAnswer(201),
        ),
        (
            lambda: not pod.ready and status.current_healthy >= status.desired_healthy and status.desired_healthy,
            lambda: EvictionAnswer(201),
        ),
        (
            lambda: status.observed_generation < first.metadata.generation,
            lambda: EvictionAnswer(
                429, cause=f"The disruption budget {first.name} is still being processed by the server.", retry_after=10
            ),
        ),
        (lambda: status.disruptions_allowed == 0, lambda: EvictionAnswer(429, cause=cause(first))),
        (lambda: True, lambda: EvictionAnswer(201, charged=not dry_run)),
    ]
    return next(answer() for holds, answer in questions if holds())


def cause(budget):
    status = budget.status
    conditions = [c for c in status.conditions if c.type == "DisruptionAllowed" and c.status == "False"]
    reason, message = (conditions[0].reason, conditions[0].message) if conditions else ("", "")
    no = "does not allow evicting pods currently"
    texts = {
        f"{no} because it failed sync: {message}": reason == "SyncFailed",
        f"needs {status.desired_healthy} healthy pods and has {status.current_healthy} currently": (
            status.current_healthy <= status.desired_healthy
        ),
        f"{no} ({reason}): {message}": bool(conditions),
        no: True,
    }
    return f"The disruption budget {budget.name} " + next(text for text, holds in texts.items() if holds)


STUCK, WAITING = "stuck", "waiting"


def drain(client, node, deadline):
    now = client.now()
    machine = client.get(Node, node)
    if not machine.spec.unschedulable:
        machine.spec.unschedulable = True
        client.update(machine)
    groups = {"stopping": [], "stays": [], "lonely": [], "goes": []}
    for pod in client.list(Pod, fields=f"spec.nodeName={node}", namespace=None):
        controller = pod.metadata.controller
        if controller and controller.kind == "DaemonSet":
            group = "stays"
        elif pod.metadata.deleting:
            group = "stopping"
        elif not controller and pod.active:
            group = "lonely"
        else:
            group = "goes"
        groups[group].append(pod)
    if groups["lonely"]:
        return DrainReport(STUCK, {name(pod): "has no controller" for pod in groups["lonely"]})
    left = {name(pod): "stopping" for pod in groups["stopping"]}
    codes = set()
    for pod in groups["goes"]:
        code, why = attempt(client, pod)
        codes.add(code)
        if code != 404:
            left[name(pod)] = why
    if not left:
        return DrainReport("done")
    if codes - {201, 404, 429} or now >= deadline:
        return DrainReport(STUCK, left)
    return DrainReport(WAITING, left, 2.5)


def name(pod):
    return "/".join((pod.namespace, pod.name))


def attempt(client, pod):
    try:
        client.evict(pod)
    except ApiError as error:
        causes = error.details.get("causes")
        return error.code, causes[0]["message"] if causes else str(error)
    return 201, "evicted"
