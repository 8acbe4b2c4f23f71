"""A budget object that knows its pods; fractions instead of integer tricks."""

from collections import OrderedDict
from datetime import timedelta
from fractions import Fraction
from math import ceil

from kubekata import ApiError, BudgetStatus, DrainReport, EvictionAnswer, Node, Pod


class Amount:
    def __init__(self, raw):
        self.raw = raw
        self.relative = isinstance(raw, str)
        if self.relative:
            digits = raw.removesuffix("%")
            if digits == raw or not (digits.isascii() and digits.isdigit()):
                raise ValueError(raw)
            self.part = Fraction(int(digits), 100)
            if self.part > 1:
                raise ValueError(raw)
        elif raw < 0:
            raise ValueError(raw)

    def of(self, total):
        return ceil(self.part * total) if self.relative else self.raw


class Budget:
    def __init__(self, raw):
        self.raw = raw
        self.minimum = None if raw.spec.min_available is None else Amount(raw.spec.min_available)
        self.maximum = None if raw.spec.max_unavailable is None else Amount(raw.spec.max_unavailable)
        if self.minimum and self.maximum:
            raise ValueError("only one of minAvailable and maxUnavailable")

    def is_about(self, pod):
        return is_about(self.raw, pod)

    def scale(self, pods, replicas):
        sizes = {}
        for pod in pods:
            for reference in pod.metadata.owner_references:
                if reference.controller:
                    sizes[reference.uid] = replicas[reference.uid]
        return sum(sizes.values())

    def wants(self, pods, replicas):
        if self.minimum and not self.minimum.relative:
            return len(pods), self.minimum.raw
        scale = self.scale(pods, replicas)
        if self.minimum:
            return scale, self.minimum.of(scale)
        if self.maximum:
            return scale, max(scale - self.maximum.of(scale), 0)
        return 0, 0


def is_about(raw, pod):
    if raw.spec.selector is None or raw.metadata.namespace != pod.metadata.namespace:
        return False
    return raw.spec.selector.matches(pod.metadata.labels)


def budget_status(budget, pods, replicas, now):
    wrapped = Budget(budget)
    covered = OrderedDict((pod.metadata.name, pod) for pod in pods if wrapped.is_about(pod))
    disrupted = {}
    for name, moment in budget.status.disrupted_pods.items():
        pod = covered.get(name)
        if pod is None or pod.metadata.deletion_timestamp is not None:
            continue
        if moment + timedelta(minutes=2) < now:
            continue
        disrupted[name] = moment
    healthy = 0
    for name, pod in covered.items():
        if name in disrupted or pod.metadata.deletion_timestamp is not None:
            continue
        if pod.ready:
            healthy += 1
    expected, desired = wrapped.wants(list(covered.values()), replicas)
    allowed = healthy - desired
    if expected <= 0 or allowed < 0:
        allowed = 0
    return BudgetStatus(
        disruptions_allowed=allowed,
        current_healthy=healthy,
        desired_healthy=desired,
        expected_pods=expected,
        disrupted_pods=disrupted,
    )


class Refusal:
    def __init__(self, budget):
        self.budget = budget
        self.status = budget.status

    @property
    def behind(self):
        return self.budget.metadata.generation > self.status.observed_generation

    @property
    def condition(self):
        for condition in self.status.conditions:
            if condition.type == "DisruptionAllowed" and condition.status == "False":
                return condition
        return None

    def __str__(self):
        return f"The disruption budget {self.budget.metadata.name} " + self.text()

    def text(self):
        if self.behind:
            return "is still being processed by the server."
        no, condition = "does not allow evicting pods currently", self.condition
        if condition is not None and condition.reason == "SyncFailed":
            return no + " because it failed sync: " + condition.message
        if not self.status.current_healthy > self.status.desired_healthy:
            return (
                f"needs {self.status.desired_healthy} healthy pods "
                f"and has {self.status.current_healthy} currently"
            )
        return no if condition is None else no + f" ({condition.reason}): {condition.message}"


def decide_eviction(pod, budgets, dry_run=False):
    granted = EvictionAnswer(code=201)
    if pod.metadata.deletion_timestamp is not None:
        return granted
    if pod.status.phase not in ("Running", "Unknown"):
        return granted
    covering = list(filter(lambda budget: is_about(budget, pod), budgets))
    if not covering:
        return granted
    if len(covering) != 1:
        return EvictionAnswer(code=500)
    budget = covering[0]
    if not pod.ready:
        enough = budget.status.desired_healthy > 0
        enough = enough and budget.status.desired_healthy <= budget.status.current_healthy
        if enough or budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
            return granted
    refusal = Refusal(budget)
    if refusal.behind:
        return EvictionAnswer(code=429, cause=str(refusal), retry_after=10)
    if budget.status.disruptions_allowed <= 0:
        return EvictionAnswer(code=429, cause=str(refusal))
    return EvictionAnswer(code=201, charged=bool(not dry_run))


class Drainer:
    def __init__(self, client, node):
        self.client = client
        self.node = node
        self.left = {}
        self.final = False

    def close_node(self):
        found = self.client.get(Node, self.node)
        if found.spec.unschedulable is False:
            found.spec.unschedulable = True
            self.client.update(found)

    def candidates(self):
        for pod in self.client.list(Pod, namespace=None):
            if pod.spec.node_name != self.node:
                continue
            controller = pod.metadata.controller
            if controller is None or controller.kind != "DaemonSet":
                yield pod

    def note(self, pod, why):
        self.left[pod.metadata.namespace + "/" + pod.metadata.name] = why

    def ask(self, pod):
        if pod.metadata.deletion_timestamp is not None:
            self.note(pod, "on its way out")
            return
        try:
            self.client.evict(pod)
        except ApiError as error:
            if error.code == 404:
                return
            if error.code == 429:
                self.note(pod, "; ".join(cause["message"] for cause in error.details["causes"]))
            else:
                self.final = True
                self.note(pod, str(error))
        else:
            self.note(pod, "evicted just now")


def drain(client, node, deadline):
    drainer = Drainer(client, node)
    drainer.close_node()
    pods = list(drainer.candidates())
    for pod in pods:
        if pod.active and not pod.metadata.controller:
            drainer.note(pod, "nobody would start another one")
    if drainer.left:
        return DrainReport(state="stuck", left=drainer.left)
    for pod in pods:
        drainer.ask(pod)
    if not drainer.left:
        return DrainReport(state="done")
    if drainer.final or not client.now() < deadline:
        return DrainReport(state="stuck", left=drainer.left)
    return DrainReport(state="waiting", left=drainer.left, retry_after=10)
