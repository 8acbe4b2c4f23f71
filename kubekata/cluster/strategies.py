"""What each built-in kind adds to the generic rules: defaults, validation, what may not change.

In Kubernetes these are the ``Strategy`` types under ``pkg/registry`` and the defaults under ``pkg/apis``,
for the fields that the katas know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubekata.cluster.quantity import parse_quantity
from kubekata.cluster.racknode import RACK_NODE_SCHEMA
from kubekata.cluster.schemas.values import validate_value
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.selectors import dig
from kubekata.cluster.validation import FieldError, forbidden, invalid, not_supported, required, shown

Manifest = dict[str, Any]

DEFAULT_TOLERATION_SECONDS = 300
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"

_IMMUTABLE = "field is immutable"
_PERCENT = re.compile(r"[0-9]+%")
_POD_MAY_CHANGE = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)"
)


class Strategy:
    """The generic behaviour of a kind; a custom resource with a schema has a strategy of its own."""

    def default(self, manifest: Manifest) -> None:
        """Fill in what was left out; changes ``manifest``."""

    def unknown_fields(self, manifest: Manifest) -> list[str]:
        """Return the paths of fields that will not be stored."""
        return []

    def prepare_for_create(self, manifest: Manifest) -> None:
        """Reset what a creator may not decide; changes ``manifest``."""
        manifest.pop("status", None)

    def prepare_for_update(self, new: Manifest, old: Manifest) -> None:
        """Put back what an update of the main resource may not decide; changes ``new``."""

    def prepare_for_delete(self, manifest: Manifest) -> None:
        """Put on what has to hold the object until others have done their part; changes ``manifest``."""

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Return the rules that a new or changed object breaks."""
        return []

    def validate_update(self, new: Manifest, old: Manifest) -> list[FieldError]:
        """Return the rules that the change breaks."""
        return []


class NodeStrategy(Strategy):
    """A kubelet registers its node with the status filled in."""

    def prepare_for_create(self, manifest: Manifest) -> None:
        """Keep the status."""


class NamespaceStrategy(Strategy):
    """A namespace is born active, with the finalizer that its deletion waits for."""

    def prepare_for_create(self, manifest: Manifest) -> None:
        """Set finalizer, phase and the label that names it."""
        manifest["spec"] = {"finalizers": ["kubernetes"]}
        manifest["status"] = {"phase": "Active"}
        labels = manifest["metadata"].setdefault("labels", {})
        labels["kubernetes.io/metadata.name"] = manifest["metadata"].get("name", "")

    def prepare_for_update(self, new: Manifest, old: Manifest) -> None:
        """Only the finalize subresource changes the finalizers in the spec."""
        new["spec"] = old.get("spec", {})


class PodStrategy(Strategy):
    """Pods start Pending, and their spec is nearly frozen."""

    def default(self, manifest: Manifest) -> None:
        """Add the tolerations of the DefaultTolerationSeconds admission plugin, and the grace period."""
        spec = manifest.setdefault("spec", {})
        spec.setdefault("terminationGracePeriodSeconds", 30)
        spec.setdefault("restartPolicy", "Always")
        _default_ports(spec)
        tolerations = list(spec.get("tolerations") or ())
        for key in (NOT_READY, UNREACHABLE):
            if not any(_covers_no_execute(toleration, key) for toleration in tolerations):
                tolerations.append(
                    {
                        "key": key,
                        "operator": "Exists",
                        "effect": "NoExecute",
                        "tolerationSeconds": DEFAULT_TOLERATION_SECONDS,
                    }
                )
        spec["tolerations"] = tolerations

    def prepare_for_create(self, manifest: Manifest) -> None:
        """A new pod is Pending, whatever its creator says."""
        manifest["status"] = {"phase": "Pending"}

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check tolerations and requests."""
        spec = manifest.get("spec") or {}
        errors = validate_tolerations(spec.get("tolerations") or [], "spec.tolerations")
        for index, container in enumerate(spec.get("containers") or []):
            errors += _validate_requests(container, f"spec.containers[{index}]")
        return errors

    def validate_update(self, new: Manifest, old: Manifest) -> list[FieldError]:
        """Only images, added tolerations and the node of an unassigned pod may change."""
        # A scheduler assigns the node through the binding subresource; here a plain update may do it once.
        was, now = (self._frozen_part(m, keep_node=bool(dig(old, "spec", "nodeName"))) for m in (old, new))
        if was == now and _only_added(dig(old, "spec", "tolerations"), dig(new, "spec", "tolerations")):
            return []
        return [forbidden("spec", _POD_MAY_CHANGE)]

    @staticmethod
    def _frozen_part(manifest: Manifest, *, keep_node: bool) -> Manifest:
        spec = copy_manifest(manifest.get("spec") or {})
        spec.pop("tolerations", None)
        spec.pop("activeDeadlineSeconds", None)
        if not keep_node:
            spec.pop("nodeName", None)
        for container in [*spec.get("containers", ()), *spec.get("initContainers", ())]:
            container.pop("image", None)
        return dict(spec)


class EventStrategy(Strategy):
    """Events in the older format carry the newer one's fields too, empty."""

    def default(self, manifest: Manifest) -> None:
        """Fill in what Go writes for fields that are never left out."""
        manifest.setdefault("eventTime", None)
        manifest.setdefault("reportingComponent", "")
        manifest.setdefault("reportingInstance", "")


class _SelectorStrategy(Strategy):
    """Kinds with a selector that must match their own template and may not change."""

    def default(self, manifest: Manifest) -> None:
        """One replica unless said otherwise."""
        manifest.setdefault("spec", {}).setdefault("replicas", 1)
        _default_ports(dig(manifest, "spec", "template", "spec") or {})

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check replicas, selector and template."""
        spec = manifest.get("spec") or {}
        errors: list[FieldError] = []
        if spec.get("replicas", 1) < 0:
            why = "must be greater than or equal to 0"
            errors.append(invalid("spec.replicas", spec["replicas"], why))
        selector = spec.get("selector") or {}
        wanted = selector.get("matchLabels") or {}
        if not wanted and not selector.get("matchExpressions"):
            errors.append(required("spec.selector"))
        labels = dig(spec, "template", "metadata", "labels") or {}
        if any(labels.get(key) != value for key, value in wanted.items()):
            why = "`selector` does not match template `labels`"
            errors.append(invalid("spec.template.metadata.labels", labels, why))
        return errors

    def validate_update(self, new: Manifest, old: Manifest) -> list[FieldError]:
        """The selector may not change."""
        before, after = dig(old, "spec", "selector"), dig(new, "spec", "selector")
        return [] if before == after else [invalid("spec.selector", after, _IMMUTABLE)]


class DeploymentStrategy(_SelectorStrategy):
    """A Deployment's rollout settings."""

    def default(self, manifest: Manifest) -> None:
        """Fill in the defaults of apps/v1."""
        super().default(manifest)
        spec = manifest["spec"]
        strategy = spec.setdefault("strategy", {})
        strategy.setdefault("type", "RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")
        spec.setdefault("revisionHistoryLimit", 10)
        spec.setdefault("progressDeadlineSeconds", 600)

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check the strategy and the deadline (``ValidateDeploymentSpec``)."""
        errors = super().validate(manifest)
        spec = manifest.get("spec") or {}
        strategy = spec.get("strategy") or {}
        field = "spec.strategy"
        if strategy.get("type") not in ("RollingUpdate", "Recreate"):
            errors.append(not_supported(f"{field}.type", strategy.get("type"), ["Recreate", "RollingUpdate"]))
        elif strategy["type"] == "Recreate":
            if strategy.get("rollingUpdate") is not None:
                why = "may not be specified when strategy `type` is 'Recreate'"
                errors.append(forbidden(f"{field}.rollingUpdate", why))
        else:
            errors += _validate_rolling_update(strategy.get("rollingUpdate") or {}, f"{field}.rollingUpdate")
        deadline, min_ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
        if deadline is not None and deadline <= min_ready:
            errors.append(
                invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
            )
        return errors


class PodDisruptionBudgetStrategy(Strategy):
    """A budget names one bound."""

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check the two bounds (``ValidatePodDisruptionBudgetSpec``)."""
        spec = manifest.get("spec") or {}
        bounds = {key: spec[key] for key in ("minAvailable", "maxUnavailable") if spec.get(key) is not None}
        errors: list[FieldError] = []
        if len(bounds) == 2:
            errors.append(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        for key, value in bounds.items():
            errors += validate_int_or_percent(value, f"spec.{key}", at_most_100=True)
        return errors


class RackNodeStrategy(Strategy):
    """What the RackNode definition's schema asks; fields beyond it are kept."""

    def default(self, manifest: Manifest) -> None:
        """Machines are on unless said otherwise."""
        manifest.setdefault("spec", {}).setdefault("power", "On")

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check the object against the schema."""
        return validate_value(manifest, RACK_NODE_SCHEMA, is_object=True)


class JobStrategy(Strategy):
    """A job's work may not change under it."""

    def default(self, manifest: Manifest) -> None:
        """One completion, six retries."""
        spec = manifest.setdefault("spec", {})
        if spec.get("parallelism") is None:
            spec["parallelism"] = 1
            if spec.get("completions") is None:
                spec["completions"] = 1
        spec.setdefault("backoffLimit", 6)

    def validate_update(self, new: Manifest, old: Manifest) -> list[FieldError]:
        """The template may not change."""
        before, after = dig(old, "spec", "template"), dig(new, "spec", "template")
        return [] if before == after else [invalid("spec.template", after, _IMMUTABLE)]


def validate_tolerations(tolerations: list[Manifest], field: str) -> list[FieldError]:
    """Check tolerations (``ValidateTolerations``)."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        at = f"{field}[{index}]"
        operator = toleration.get("operator") or "Equal"
        if not toleration.get("key") and operator != "Exists":
            why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            errors.append(invalid(f"{at}.operator", operator, why))
        if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
            why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid(f"{at}.effect", toleration.get("effect", ""), why))
        if operator not in ("Equal", "Exists"):
            errors.append(not_supported(f"{at}.operator", operator, ["Equal", "Exists"]))
        if operator == "Exists" and toleration.get("value"):
            why = "value must be empty when `operator` is 'Exists'"
            errors.append(invalid(f"{at}.operator", toleration, why))
        effect = toleration.get("effect") or ""
        if effect not in ("", "NoSchedule", "PreferNoSchedule", "NoExecute"):
            known = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
            errors.append(not_supported(f"{at}.effect", effect, known))
    return errors


def validate_int_or_percent(value: Any, field: str, *, at_most_100: bool) -> list[FieldError]:
    """Check an int-or-percent field: not negative, and a percentage if text."""
    if isinstance(value, int):
        if value < 0:
            return [invalid(field, value, "must be greater than or equal to 0")]
        return []
    if _PERCENT.fullmatch(str(value)) is None:
        why = (
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
            "regex used for validation is '[0-9]+%')"
        )
        return [invalid(field, value, why)]
    if at_most_100 and int(value[:-1]) > 100:
        return [invalid(field, value, "must not be greater than 100%")]
    return []


def _validate_rolling_update(rolling: Manifest, field: str) -> list[FieldError]:
    surge, unavailable = rolling.get("maxSurge"), rolling.get("maxUnavailable")
    errors = validate_int_or_percent(unavailable, f"{field}.maxUnavailable", at_most_100=True)
    errors += validate_int_or_percent(surge, f"{field}.maxSurge", at_most_100=False)
    if not errors and surge in (0, "0%") and unavailable in (0, "0%"):
        errors.append(invalid(f"{field}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0"))
    return errors


def _validate_requests(container: Manifest, field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for resource, quantity in (dig(container, "resources", "requests") or {}).items():
        at = f"{field}.resources.requests[{resource}]"
        try:
            negative = parse_quantity(quantity) < 0
        except ValueError:
            errors.append(invalid(at, quantity, "must be a quantity"))
            continue
        if negative:
            errors.append(invalid(at, shown(quantity), "must be greater than or equal to 0"))
    return errors


def _default_ports(pod_spec: Manifest) -> None:
    # Ports are a field that the types here do not know, and so nobody has checked their shape.
    for container in pod_spec.get("containers") or ():
        ports = container.get("ports")
        for port in ports if isinstance(ports, list) else ():
            if isinstance(port, dict):
                port.setdefault("protocol", "TCP")


def _covers_no_execute(toleration: Manifest, key: str) -> bool:
    return toleration.get("key") in (key, None, "") and toleration.get("effect") in ("NoExecute", None, "")


def _only_added(before: list[Manifest] | None, after: list[Manifest] | None) -> bool:
    return all(toleration in (after or []) for toleration in before or [])


_FACTORIES: dict[str, Callable[[], Strategy]] = {
    "Node": NodeStrategy,
    "Namespace": NamespaceStrategy,
    "Pod": PodStrategy,
    "ReplicaSet": _SelectorStrategy,
    "Deployment": DeploymentStrategy,
    "PodDisruptionBudget": PodDisruptionBudgetStrategy,
    "RackNode": RackNodeStrategy,
    "Event": EventStrategy,
    "Job": JobStrategy,
}


def strategy_for(kind: str) -> Strategy:
    """Return the strategy of a built-in kind; the generic one where it has none of its own."""
    return _FACTORIES.get(kind, Strategy)()
