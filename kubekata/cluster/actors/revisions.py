"""Revisions of a Deployment (``pkg/controller/deployment/util/deployment_util.go``).

Each ReplicaSet carries the number of its revision in an annotation. A rollback gives the old set a new
number, and the former one moves to its history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kubekata.cluster.objects import Deployment, ReplicaSet
from kubekata.cluster.scheme import copy_manifest, to_manifest

Manifest = dict[str, Any]

REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
HASH_LABEL = "pod-template-hash"

_OF_THE_SET_ITSELF = {
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
}
_HISTORY_CHARACTERS = 2000
_SAFE = "bcdfghjklmnpqrstvwxz2456789"
_UNLIMITED = 2**31 - 1


def template_of(obj: Deployment | ReplicaSet) -> Manifest:
    """Return a copy of the pod template's manifest without its hash label."""
    template: Manifest = copy_manifest(to_manifest(obj)["spec"].get("template") or {})
    labels = template.get("metadata", {}).get("labels", {})
    labels.pop(HASH_LABEL, None)
    return template


def template_hash(template: Manifest, collisions: int = 0) -> str:
    """Return a short name for a template (FNV-1a; the real one hashes Go's view of it, so it differs)."""
    value = 2166136261
    for byte in f"{json.dumps(template, sort_keys=True)}{collisions or ''}".encode():
        value = (value ^ byte) * 16777619 % 2**32
    return "".join(_SAFE[ord(digit) % len(_SAFE)] for digit in str(value))


def oldest_first(sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """Sort by creation time, then by name."""
    return sorted(sets, key=lambda rs: (str(rs.metadata.creation_timestamp), rs.name))


def find_new_set(deployment: Deployment, sets: Iterable[ReplicaSet]) -> ReplicaSet | None:
    """Return the oldest set whose template is the Deployment's, or None."""
    wanted = template_of(deployment)
    return next((rs for rs in oldest_first(sets) if template_of(rs) == wanted), None)


def revision_of(replica_set: ReplicaSet) -> int:
    """Return a set's revision; 0 if it has none that can be read."""
    text = replica_set.metadata.annotations.get(REVISION, "0")
    return int(text) if re.fullmatch(r"-?\d+", text) else 0


def annotate_new_set(deployment: Deployment, new: ReplicaSet, old: Iterable[ReplicaSet]) -> bool:
    """Give the new set the next revision and the Deployment's annotations; True if anything changed."""
    annotations, before = new.metadata.annotations, dict(new.metadata.annotations)
    inherited = deployment.metadata.annotations.items()
    annotations.update({k: v for k, v in inherited if k not in _OF_THE_SET_ITSELF})
    revision = max((revision_of(rs) for rs in old), default=0) + 1
    if revision_of(new) < revision:
        former = annotations.get(REVISION)
        annotations[REVISION] = str(revision)
        if former is not None:
            annotations[REVISION_HISTORY] = extend_history(annotations.get(REVISION_HISTORY, ""), former)
    return annotations != before


def extend_history(history: str, former: str, limit: int = _HISTORY_CHARACTERS) -> str:
    """Append a number to a comma-separated history, dropping the oldest ones where it grows too long."""
    entries = [*filter(None, history.split(",")), former]
    while len(",".join(entries)) > limit and len(entries) > 1:
        entries.pop(0)
    return ",".join(entries)


def beyond_history_limit(deployment: Deployment, old: Sequence[ReplicaSet]) -> list[ReplicaSet]:
    """Return the old sets to delete: the lowest revisions beyond the limit.

    One that still has pods, or that its controller has not seen yet, is passed over and not made up for.
    """
    limit = deployment.spec.revision_history_limit
    if limit == _UNLIMITED:
        return []
    candidates = sorted((rs for rs in old if not rs.metadata.deleting), key=revision_of)
    excess = candidates[: max(0, len(candidates) - limit)]
    return [
        rs
        for rs in excess
        if rs.spec.replicas == 0
        and rs.status.replicas == 0
        and rs.metadata.generation <= rs.status.observed_generation
    ]
