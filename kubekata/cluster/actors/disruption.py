"""The disruption controller: how many pods a budget can spare now (``pkg/controller/disruption``)."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import datetime, timedelta

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.objects import Condition, Pod, PodDisruptionBudget
from kubekata.cluster.selectors import dig, selector_matches
from kubekata.cluster.store import Manifest, StoreEvent

_BUDGETS = "poddisruptionbudgets.policy"
_SCALED = ("replicasets.apps", "deployments.apps", "statefulsets.apps")
_EVICTION_TAKES_AT_MOST = timedelta(minutes=2)


class DisruptionController(Controller):
    """Keeps the status of every PodDisruptionBudget, on which evictions are decided."""

    name = "disruption-controller"
    watches = frozenset({"pods", _BUDGETS, *_SCALED})

    def observe(self, event: StoreEvent) -> None:
        """Queue a budget, or those over a pod; a controller that was scaled touches all of its namespace."""
        if event.resource == _BUDGETS:
            self.enqueue(Key.of(_BUDGETS, event.obj))
            return
        states = [state for state in (event.obj, event.old) if state]
        scaled = event.resource in _SCALED
        if scaled and event.type == "MODIFIED" and _size(event.obj) == _size(states[-1]):
            return
        for budget in self.world.api.store.list(_BUDGETS, namespace=event.obj["metadata"]["namespace"]):
            selector = dig(budget, "spec", "selector")
            if scaled or any(
                selector_matches(selector, state["metadata"].get("labels") or {}) for state in states
            ):
                self.enqueue(Key.of(_BUDGETS, budget))

    def reconcile(self, key: Key) -> None:
        """Compute one budget's status, and write it if it changed."""
        budget = self.world.get(PodDisruptionBudget, key.name, key.namespace)
        if budget is None:
            return
        before, now = copy.deepcopy(budget.status), self.world.now()
        pods = self._pods(budget)
        status = budget.status
        status.disrupted_pods = self._still_leaving(key, budget, pods, now)
        healthy = sum(
            pod.ready and not pod.metadata.deleting and pod.name not in status.disrupted_pods for pod in pods
        )
        expected, desired = self._expected_and_desired(budget, pods)
        status.current_healthy, status.desired_healthy, status.expected_pods = healthy, desired, expected
        status.disruptions_allowed = max(0, healthy - desired) if expected > 0 else 0
        status.observed_generation = budget.metadata.generation
        _report_allowed(budget, now)
        if status != before:
            self.client.update_status(budget)

    def _pods(self, budget: PodDisruptionBudget) -> list[Pod]:
        if budget.spec.selector is None:
            return []
        return self.world.list(Pod, labels=budget.spec.selector, namespace=budget.namespace)

    def _still_leaving(
        self, key: Key, budget: PodDisruptionBudget, pods: Iterable[Pod], now: datetime
    ) -> dict[str, datetime]:
        """Evictions granted whose pods are not seen to go yet; after two minutes they are written off."""
        alive = {pod.name for pod in pods if not pod.metadata.deleting}
        leaving: dict[str, datetime] = {}
        for name, granted in budget.status.disrupted_pods.items():
            ends = granted + _EVICTION_TAKES_AT_MOST
            if name in alive and ends > now:
                leaving[name] = granted
                self.wake(key, ends)
        return leaving

    def _expected_and_desired(self, budget: PodDisruptionBudget, pods: list[Pod]) -> tuple[int, int]:
        """How many pods there should be, and how many of them must stay healthy."""
        at_least, at_most_away = budget.spec.min_available, budget.spec.max_unavailable
        if at_most_away is not None:
            expected = self._scale(pods)
            # A percentage rounds up here as well, in favour of whoever drains.
            return expected, max(0, expected - _share(at_most_away, expected))
        if at_least is None:
            return 0, 0
        if isinstance(at_least, int):
            return len(pods), at_least
        expected = self._scale(pods)
        return expected, _share(at_least, expected)

    def _scale(self, pods: Iterable[Pod]) -> int:
        """The sizes of the pods' controllers, each counted once; a pod without one adds nothing."""
        sizes: dict[str, int] = {}
        for pod in pods:
            controller = self._top_controller(pod)
            if controller is not None:
                sizes[controller["metadata"]["uid"]] = _size(controller)
        return sum(sizes.values())

    def _top_controller(self, pod: Pod) -> Manifest | None:
        reference = pod.metadata.controller
        found = self.world.api.store.by_uid(reference.uid) if reference else None
        if found is None or found[0] not in _SCALED:
            return None
        references = found[1]["metadata"].get("ownerReferences") or ()
        above = next((ref["uid"] for ref in references if ref.get("controller")), "")
        deployment = self.world.api.store.by_uid(above)
        return deployment[1] if deployment and deployment[0] == "deployments.apps" else found[1]


def _size(controller: Manifest) -> int:
    return dig(controller, "spec", "replicas") or 0


def _share(value: int | str, total: int) -> int:
    return value if isinstance(value, int) else -(-int(value.rstrip("%")) * total // 100)


def _report_allowed(budget: PodDisruptionBudget, now: datetime) -> None:
    allowed = budget.status.disruptions_allowed > 0
    reason = "SufficientPods" if allowed else "InsufficientPods"
    condition = next((c for c in budget.status.conditions if c.type == "DisruptionAllowed"), None)
    if condition is None:
        condition = Condition(type="DisruptionAllowed", status="Unknown")
        budget.status.conditions.append(condition)
    if (condition.status == "True") != allowed or condition.status == "Unknown":
        condition.last_transition_time = now
    condition.status, condition.reason = "True" if allowed else "False", reason
    condition.observed_generation = budget.metadata.generation
