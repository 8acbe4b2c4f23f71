"""What a DELETE does to an object: which finalizers it gets, how long it may stay.

Rules of ``apiserver/pkg/registry/rest/delete.go`` and ``registry/generic/registry/store.go``.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from kubekata.cluster.api import PropagationPolicy
from kubekata.cluster.clock import parse_timestamp, timestamp
from kubekata.cluster.selectors import dig
from kubekata.cluster.validation import GC_FINALIZERS

Manifest = dict[str, Any]

ORPHAN, FOREGROUND = GC_FINALIZERS
_DEFAULT_GRACE_SECONDS = 30


def finalizers_for_delete(existing: list[str], policy: PropagationPolicy | None) -> list[str]:
    """Return an object's finalizers once its deletion is asked for with a propagation policy.

    Without a policy, what is already there decides. Foreign finalizers are left alone.
    """
    if policy is None:
        return existing
    others = [name for name in existing if name not in GC_FINALIZERS]
    wanted = {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(policy)
    if wanted is None:
        return others
    return existing if wanted in existing and len(existing) == len(others) + 1 else [*others, wanted]


def grace_seconds(manifest: Manifest, asked: int | None) -> int:
    """Return how long a pod may take to stop; 0 for everything else.

    A pod that no kubelet runs (unassigned or finished) goes at once.
    """
    if manifest.get("kind") != "Pod":
        return 0
    if not dig(manifest, "spec", "nodeName") or dig(manifest, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    if asked is None:
        asked = dig(manifest, "spec", "terminationGracePeriodSeconds")
    if asked is None:
        return _DEFAULT_GRACE_SECONDS
    return asked if asked >= 0 else 1


def mark_deleting(manifest: Manifest, grace: int, now: Any) -> None:
    """Stamp an object as being deleted; changes ``manifest``.

    The first time sets the timestamp and moves the generation; later calls can only shorten the grace,
    and never to a moment in the past.
    """
    metadata = manifest["metadata"]
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = timestamp(now + timedelta(seconds=grace))
        metadata["deletionGracePeriodSeconds"] = grace
        if metadata.get("generation", 0) > 0:
            metadata["generation"] += 1
        return
    current = metadata.get("deletionGracePeriodSeconds") or 0
    if current == 0 or grace >= current:
        return
    asked_at = parse_timestamp(metadata["deletionTimestamp"]) - timedelta(seconds=current)
    earlier = asked_at + timedelta(seconds=grace)
    metadata["deletionTimestamp"] = timestamp(max(earlier, now))
    metadata["deletionGracePeriodSeconds"] = grace if earlier >= now else max(grace and 1, 0)


def is_held(manifest: Manifest) -> bool:
    """True if finalizers keep an object; a namespace has some of its own in its spec."""
    return bool(manifest["metadata"].get("finalizers") or dig(manifest, "spec", "finalizers"))


def finishes_deletion(new: Manifest, old: Manifest) -> bool:
    """True if this update takes away the last thing that held an object under deletion."""
    metadata = old["metadata"]
    return (
        bool(metadata.get("deletionTimestamp"))
        and not metadata.get("deletionGracePeriodSeconds")
        and not is_held(new)
    )
