"""Fields that Go's encoder writes even when they are zero, and that typed clients insist on."""

from __future__ import annotations

from typing import Any

Manifest = dict[str, Any]

# By kind: where the fields stand, and what they are when nobody has set them.
_FIELDS: dict[str, tuple[tuple[str, ...], Manifest]] = {
    "ReplicaSet": (("status",), {"replicas": 0}),
    "StatefulSet": (("status",), {"replicas": 0, "availableReplicas": 0}),
    "DaemonSet": (
        ("status",),
        {
            "currentNumberScheduled": 0,
            "desiredNumberScheduled": 0,
            "numberMisscheduled": 0,
            "numberReady": 0,
        },
    ),
    "PodDisruptionBudget": (
        ("status",),
        {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0},
    ),
    "Pod": (
        ("status", "containerStatuses"),
        {"image": "", "imageID": "", "ready": False, "restartCount": 0},
    ),
}


def with_zeros(manifest: Manifest) -> Manifest:
    """Return an object with the fields that are never left out; the stored object stays as it is."""
    path, zeros = _FIELDS.get(str(manifest.get("kind")), ((), {}))
    return _filled(manifest, path, zeros) if path else manifest


def _filled(value: Any, path: tuple[str, ...], zeros: Manifest) -> Any:
    if isinstance(value, list):
        return [_filled(item, path, zeros) for item in value]
    if not isinstance(value, dict):
        return value
    if not path:
        return value if zeros.keys() <= value.keys() else {**zeros, **value}
    if path[0] not in value:
        return value
    return {**value, path[0]: _filled(value[path[0]], path[1:], zeros)}
