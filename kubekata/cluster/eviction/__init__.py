"""The eviction subresource of pods: a deletion that asks the disruption budgets first.

Decisions and wording are those of ``pkg/registry/core/pod/storage/eviction.go``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubekata.cluster.api import ApiRequest, DeleteOptions
from kubekata.cluster.clock import timestamp
from kubekata.cluster.errors import ApiError, Forbidden, TooManyRequests
from kubekata.cluster.selectors import dig, selector_matches

if TYPE_CHECKING:
    from kubekata.cluster.apiserver import ApiServer

Manifest = dict[str, Any]

_BUDGETS = "poddisruptionbudgets.policy"
_MOST_DISRUPTED_PODS = 2000
_RETRY_SECONDS = 10
_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_EVICTED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def evict(api: ApiServer, request: ApiRequest) -> Manifest:
    """Delete a pod if the budget over it allows that, and charge the budget.

    Raises:
        NotFound: no such pod.
        TooManyRequests: the budget is used up, or not yet computed (then with a time to retry after).
        Forbidden: the budget's status makes no sense.
        ApiError: more than one budget matches (500).
    """
    resource = api.resource("v1", "Pod")
    pod = api.get(resource, request.namespace, request.name)
    budget = _budget_to_ask(api, pod)
    if budget is not None:
        _charge(api, budget, pod, dry_run=request.dry_run)
    uid = pod["metadata"]["uid"]
    asked = dig(request.body, "deleteOptions", "gracePeriodSeconds")
    options = DeleteOptions(uid=uid, grace_period_seconds=asked)
    api.delete(resource, request.namespace, request.name, options, dry_run=request.dry_run)
    return dict(_EVICTED)


def _budget_to_ask(api: ApiServer, pod: Manifest) -> Manifest | None:
    if dig(pod, "status", "phase") in ("Pending", "Succeeded", "Failed"):
        return None
    if pod["metadata"].get("deletionTimestamp"):
        return None
    namespace, labels = pod["metadata"]["namespace"], pod["metadata"].get("labels") or {}
    budgets = [
        budget
        for budget in api.store.list(_BUDGETS, namespace=namespace)
        if selector_matches(dig(budget, "spec", "selector"), labels)
    ]
    if len(budgets) > 1:
        raise ApiError(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
    if not budgets or (not _is_ready(pod) and _lets_unready_go(budgets[0])):
        return None
    return budgets[0]


def _lets_unready_go(budget: Manifest) -> bool:
    if dig(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    desired = status.get("desiredHealthy") or 0
    return desired > 0 and (status.get("currentHealthy") or 0) >= desired


def _charge(api: ApiServer, budget: Manifest, pod: Manifest, *, dry_run: bool) -> None:
    """Take one disruption off the budget, so that parallel drains cannot overspend it."""
    status = budget.get("status") or {}
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        raise _too_many(budget, "is still being processed by the server.", retry_after=_RETRY_SECONDS)
    allowed, disrupted = status.get("disruptionsAllowed") or 0, status.get("disruptedPods") or {}
    if allowed < 0:
        raise _forbidden(budget, "pdb disruptions allowed is negative")
    if len(disrupted) > _MOST_DISRUPTED_PODS:
        raise _forbidden(
            budget, "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        )
    if allowed == 0:
        raise _too_many(budget, _why_used_up(status))
    if dry_run:
        return
    disrupted = {**disrupted, pod["metadata"]["name"]: timestamp(api.now())}
    charged = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}
    metadata = budget["metadata"]
    resource = api.resource("policy/v1", "PodDisruptionBudget")
    body = {**budget, "status": charged}
    api.update(resource, metadata["namespace"], metadata["name"], body, subresource="status")


def _why_used_up(status: Manifest) -> str:
    healthy, desired = status.get("currentHealthy") or 0, status.get("desiredHealthy") or 0
    conditions = status.get("conditions") or ()
    allowed: Manifest = next((c for c in conditions if c["type"] == "DisruptionAllowed"), {})
    refused = allowed.get("status") == "False"
    if refused and allowed.get("reason") == "SyncFailed":
        return f"does not allow evicting pods currently because it failed sync: {allowed.get('message', '')}"
    if healthy <= desired:
        return f"needs {desired} healthy pods and has {healthy} currently"
    if refused and allowed.get("reason"):
        return f"does not allow evicting pods currently ({allowed['reason']}): {allowed.get('message', '')}"
    return "does not allow evicting pods currently"


def _too_many(budget: Manifest, why: str, *, retry_after: int = 0) -> TooManyRequests:
    message = f"The disruption budget {budget['metadata']['name']} {why}"
    details: Manifest = {"causes": [{"reason": "DisruptionBudget", "message": message}]}
    if retry_after:
        details["retryAfterSeconds"] = retry_after
    return TooManyRequests(_REFUSED, details=details)


def _forbidden(budget: Manifest, why: str) -> Forbidden:
    name = budget["metadata"]["name"]
    return Forbidden(
        f'poddisruptionbudgets.policy "{name}" is forbidden: {why}',
        details={"name": name, "group": "policy", "kind": "poddisruptionbudgets"},
    )


def _is_ready(pod: Manifest) -> bool:
    conditions = dig(pod, "status", "conditions") or ()
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
