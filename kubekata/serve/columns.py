"""The columns of built-in kinds (``pkg/printers/internalversion``), for the fields that this cluster has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubekata.cluster.clock import parse_timestamp
from kubekata.cluster.selectors import dig, format_labels
from kubekata.serve.durations import age, human_duration

Manifest = dict[str, Any]
Cell = Callable[[Manifest, datetime], Any]


@dataclass(frozen=True)
class BuiltInColumn:
    """One column; those of priority 1 are shown with ``-o wide``."""

    name: str
    cell: Cell
    type: str = "string"
    format: str = ""
    priority: int = 0
    description: str = ""


def _name(manifest: Manifest, _now: datetime) -> Any:
    return manifest["metadata"]["name"]


def _age(manifest: Manifest, now: datetime) -> Any:
    return age(manifest["metadata"].get("creationTimestamp"), now)


def _at(*path: str, otherwise: Any = "") -> Cell:
    def cell(manifest: Manifest, _now: datetime) -> Any:
        value = dig(manifest, *path)
        return otherwise if value is None else value

    return cell


def _pod_ready(pod: Manifest, _now: datetime) -> str:
    statuses = dig(pod, "status", "containerStatuses") or []
    total = len(dig(pod, "spec", "containers") or [])
    ready = sum(1 for status in statuses if status.get("ready"))
    if not statuses and _condition(pod, "Ready") == "True":
        ready = total
    return f"{ready}/{total}"


def _pod_status(pod: Manifest, _now: datetime) -> str:
    if pod["metadata"].get("deletionTimestamp"):
        lost = dig(pod, "status", "reason") == "NodeLost"
        return "Unknown" if lost else "Terminating"
    reason = dig(pod, "status", "reason")
    if reason:
        return str(reason)
    for status in dig(pod, "status", "containerStatuses") or []:
        state = status.get("state") or {}
        why = dig(state, "waiting", "reason") or dig(state, "terminated", "reason")
        if why:
            return str(why)
    phase = str(dig(pod, "status", "phase") or "")
    if phase == "Pending" and dig(pod, "spec", "nodeName"):
        return "ContainerCreating"
    return "Completed" if phase == "Succeeded" else phase


def _pod_restarts(pod: Manifest, _now: datetime) -> str:
    return str(sum(s.get("restartCount", 0) for s in dig(pod, "status", "containerStatuses") or []))


def _condition(manifest: Manifest, kind: str) -> str:
    conditions = dig(manifest, "status", "conditions") or []
    return next((str(c.get("status")) for c in conditions if c.get("type") == kind), "")


def _node_status(node: Manifest, _now: datetime) -> str:
    ready = _condition(node, "Ready")
    status = {"True": "Ready", "False": "NotReady"}.get(ready, "NotReady" if ready else "Unknown")
    return f"{status},SchedulingDisabled" if dig(node, "spec", "unschedulable") else status


def _node_roles(node: Manifest, _now: datetime) -> str:
    prefix = "node-role.kubernetes.io/"
    labels = node["metadata"].get("labels") or {}
    roles = sorted(key.removeprefix(prefix) for key in labels if key.startswith(prefix))
    return ",".join(roles) or "<none>"


def _ratio(have: tuple[str, ...], want: tuple[str, ...]) -> Cell:
    return lambda manifest, _now: f"{dig(manifest, *have) or 0}/{dig(manifest, *want) or 0}"


def _containers(*path: str, what: str) -> Cell:
    def cell(manifest: Manifest, _now: datetime) -> str:
        containers = dig(manifest, *path, "containers") or []
        return ",".join(str(container.get(what, "")) for container in containers)

    return cell


def _selector(manifest: Manifest, _now: datetime) -> str:
    return format_labels(dig(manifest, "spec", "selector", "matchLabels") or {}) or "<none>"


def _event_object(event: Manifest, _now: datetime) -> str:
    about = event.get("involvedObject") or {}
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def _event_last_seen(event: Manifest, now: datetime) -> str:
    series = dig(event, "series", "lastObservedTime")
    return age(series or event.get("lastTimestamp") or event.get("eventTime"), now)


def _job_status(job: Manifest, _now: datetime) -> str:
    for kind, word in (("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended")):
        if _condition(job, kind) == "True":
            return word
    return "Terminating" if job["metadata"].get("deletionTimestamp") else "Running"


def _job_completions(job: Manifest, _now: datetime) -> str:
    wanted = dig(job, "spec", "completions")
    return f"{dig(job, 'status', 'succeeded') or 0}/{1 if wanted is None else wanted}"


def _job_duration(job: Manifest, now: datetime) -> str:
    start, end = dig(job, "status", "startTime"), dig(job, "status", "completionTime")
    if not start:
        return ""
    finish = parse_timestamp(end) if end else now
    return human_duration((finish - parse_timestamp(start)).total_seconds())


def _budget(*path: str) -> Cell:
    return _at(*path, otherwise="N/A")


_NAME = BuiltInColumn(
    "Name",
    _name,
    format="name",
    description=(
        "Name must be unique within a namespace. Is required when creating resources, although some resources may "
        "allow a client to request the generation of an appropriate name automatically. Name is primarily intended "
        "for creation idempotence and configuration definition. Cannot be updated. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
    ),
)
_AGE = BuiltInColumn("Age", _age)
_POD_SPEC = ("spec", "template", "spec")
_WORKLOAD_WIDE = (
    BuiltInColumn("Containers", _containers(*_POD_SPEC, what="name"), priority=1),
    BuiltInColumn("Images", _containers(*_POD_SPEC, what="image"), priority=1),
    BuiltInColumn("Selector", _selector, priority=1),
)
_BY_KIND: dict[str, tuple[BuiltInColumn, ...]] = {
    "Pod": (
        _NAME,
        BuiltInColumn("Ready", _pod_ready),
        BuiltInColumn("Status", _pod_status),
        BuiltInColumn("Restarts", _pod_restarts),
        _AGE,
        BuiltInColumn("IP", _at("status", "podIP", otherwise="<none>"), priority=1),
        BuiltInColumn("Node", _at("spec", "nodeName", otherwise="<none>"), priority=1),
        BuiltInColumn("Nominated Node", _at("status", "nominatedNodeName", otherwise="<none>"), priority=1),
        BuiltInColumn("Readiness Gates", _at("spec", "readinessGates", otherwise="<none>"), priority=1),
    ),
    "Node": (
        _NAME,
        BuiltInColumn("Status", _node_status),
        BuiltInColumn("Roles", _node_roles),
        _AGE,
        BuiltInColumn("Version", _at("status", "nodeInfo", "kubeletVersion")),
    ),
    "Namespace": (_NAME, BuiltInColumn("Status", _at("status", "phase")), _AGE),
    "ConfigMap": (_NAME, BuiltInColumn("Data", lambda m, _: len(m.get("data") or {}), "integer"), _AGE),
    "Secret": (
        _NAME,
        BuiltInColumn("Type", _at("type")),
        BuiltInColumn("Data", lambda m, _: len(m.get("data") or {}), "integer"),
        _AGE,
    ),
    "Event": (
        BuiltInColumn("Last Seen", _event_last_seen),
        BuiltInColumn("Type", _at("type")),
        BuiltInColumn("Reason", _at("reason")),
        BuiltInColumn("Object", _event_object),
        BuiltInColumn("Source", _at("source", "component"), priority=1),
        BuiltInColumn("Message", lambda m, _: str(m.get("message") or "").strip()),
        BuiltInColumn("Count", _at("count", otherwise=1), "integer", priority=1),
        BuiltInColumn("Name", _name, format="name", priority=1),
    ),
    "ReplicaSet": (
        _NAME,
        BuiltInColumn("Desired", _at("spec", "replicas", otherwise=0), "integer"),
        BuiltInColumn("Current", _at("status", "replicas", otherwise=0), "integer"),
        BuiltInColumn("Ready", _at("status", "readyReplicas", otherwise=0), "integer"),
        _AGE,
        *_WORKLOAD_WIDE,
    ),
    "Deployment": (
        _NAME,
        BuiltInColumn("Ready", _ratio(("status", "readyReplicas"), ("spec", "replicas"))),
        BuiltInColumn("Up-to-date", _at("status", "updatedReplicas", otherwise=0), "integer"),
        BuiltInColumn("Available", _at("status", "availableReplicas", otherwise=0), "integer"),
        _AGE,
        *_WORKLOAD_WIDE,
    ),
    "StatefulSet": (
        _NAME,
        BuiltInColumn("Ready", _ratio(("status", "readyReplicas"), ("spec", "replicas"))),
        _AGE,
    ),
    "DaemonSet": (
        _NAME,
        BuiltInColumn("Desired", _at("status", "desiredNumberScheduled", otherwise=0), "integer"),
        BuiltInColumn("Ready", _at("status", "numberReady", otherwise=0), "integer"),
        _AGE,
    ),
    "Job": (
        _NAME,
        BuiltInColumn("Status", _job_status),
        BuiltInColumn("Completions", _job_completions),
        BuiltInColumn("Duration", _job_duration),
        _AGE,
    ),
    "PodDisruptionBudget": (
        _NAME,
        BuiltInColumn("Min Available", _budget("spec", "minAvailable")),
        BuiltInColumn("Max Unavailable", _budget("spec", "maxUnavailable")),
        BuiltInColumn("Allowed Disruptions", _at("status", "disruptionsAllowed", otherwise=0), "integer"),
        _AGE,
    ),
    "Lease": (_NAME, BuiltInColumn("Holder", _at("spec", "holderIdentity")), _AGE),
    "CustomResourceDefinition": (
        _NAME,
        BuiltInColumn("Created At", _at("metadata", "creationTimestamp"), "date"),
    ),
}
NAME_AND_AGE = (_NAME, _AGE)
NAME = _NAME


def built_in_columns(kind: str) -> tuple[BuiltInColumn, ...]:
    """Return the columns of a built-in kind; name and age for one without columns of its own."""
    return _BY_KIND.get(kind, NAME_AND_AGE)
