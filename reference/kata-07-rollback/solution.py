"""Reference solution of kata 07: revisions of a Deployment, a way back, and a limit to the history."""

import copy
import hashlib
import re

import msgspec

from kubekata import (
    Client,
    Deployment,
    DeploymentPausedError,
    NotFound,
    ObjectMeta,
    PodTemplateSpec,
    ReplicaSet,
    Request,
    RevisionNotFoundError,
)

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
HASH = "pod-template-hash"


def record_revision(client: Client, request: Request) -> int:
    """Make sure that the Deployment's present template has its ReplicaSet, with the newest revision.

    Returns the number of that revision.
    """
    deployment, owned = read(client, request)
    current = current_of(deployment, owned)
    newest = max((revision_of(rs) or 0 for rs in owned if rs is not current), default=0) + 1
    if current is None:
        current = client.create(new_replica_set(deployment, newest))
    elif (revision_of(current) or 0) < newest:
        annotations = current.metadata.annotations
        if REVISION in annotations:
            annotations[HISTORY] = ",".join(filter(None, (annotations.get(HISTORY), annotations[REVISION])))
        annotations[REVISION] = str(newest)
        current = client.update(current)

    number = current.metadata.annotations[REVISION]
    if deployment.metadata.annotations.get(REVISION) != number:
        deployment.metadata.annotations[REVISION] = number
        client.update(deployment)
    return int(number)


def rollback(client: Client, request: Request, to_revision: int = 0) -> int:
    """Give the Deployment the template of an earlier revision; 0 means the previous one.

    Returns the revision's new number, as record_revision does.

    Raises RevisionNotFoundError when there is no such revision, DeploymentPausedError when the Deployment is paused.
    """
    deployment, owned = read(client, request)
    history = {number: rs for rs in owned if (number := revision_of(rs)) is not None}
    numbers = sorted(history)
    wanted = to_revision or (numbers[-2] if len(numbers) > 1 else None)
    if wanted not in history:
        asked = f"revision {to_revision}" if to_revision else "a previous revision"
        raise RevisionNotFoundError(f"cannot find {asked}; there are: {', '.join(map(str, numbers))}")
    if deployment.spec.paused:
        raise DeploymentPausedError("a paused deployment is not rolled back: resume it first")

    # The template first: whatever fails after it, recording makes up for.
    template = without_hash(history[wanted].spec.template)
    if deployment.spec.template != template:
        deployment.spec.template = template
        client.update(deployment)
    return record_revision(client, request)


def prune_history(client: Client, request: Request) -> None:
    """Delete the oldest ReplicaSets beyond spec.revisionHistoryLimit."""
    deployment, owned = read(client, request)
    if not (deployment.spec.paused or is_complete(deployment)):
        return
    current = current_of(deployment, owned)
    old = [rs for rs in owned if rs is not current and not rs.metadata.deleting]
    candidates = sorted(old, key=lambda rs: revision_of(rs) or 0)
    excess = max(0, len(candidates) - deployment.spec.revision_history_limit)
    for rs in candidates[:excess]:
        if is_empty(rs):
            try:
                client.delete(rs)
            except NotFound:
                continue


def read(client: Client, request: Request) -> tuple[Deployment, list[ReplicaSet]]:
    """Return the Deployment and its ReplicaSets, oldest first."""
    deployment = client.get(Deployment, request.name, request.namespace)
    owned = client.list(ReplicaSet, owner=deployment, namespace=request.namespace)
    return deployment, sorted(owned, key=lambda rs: (rs.metadata.creation_timestamp, rs.name))


def current_of(deployment: Deployment, owned: list[ReplicaSet]) -> ReplicaSet | None:
    """Return the oldest ReplicaSet that has the Deployment's template, or None."""
    wanted = without_hash(deployment.spec.template)
    return next((rs for rs in owned if without_hash(rs.spec.template) == wanted), None)


def revision_of(replica_set: ReplicaSet) -> int | None:
    """Return a ReplicaSet's revision, or None if its annotation is not a number."""
    text = replica_set.metadata.annotations.get(REVISION, "0")
    return int(text) if re.fullmatch(r"\d+", text) else None


def without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    """Return a copy of a template without the label that ReplicaSets put on it."""
    plain = copy.deepcopy(template)
    plain.metadata.labels.pop(HASH, None)
    return plain


def new_replica_set(deployment: Deployment, number: int) -> ReplicaSet:
    """Return the ReplicaSet of the Deployment's present template, without any pods yet."""
    value = hash_of(deployment.spec.template)
    rs = ReplicaSet(metadata=ObjectMeta(name=f"{deployment.name}-{value}", namespace=deployment.namespace))
    rs.spec.replicas = 0
    rs.spec.template = copy.deepcopy(deployment.spec.template)
    rs.spec.template.metadata.labels[HASH] = value
    rs.spec.selector = copy.deepcopy(deployment.spec.selector)
    rs.spec.selector.match_labels[HASH] = value
    rs.metadata.labels = dict(rs.spec.template.metadata.labels)
    rs.metadata.annotations = {REVISION: str(number)}
    rs.metadata.owner_references = [deployment.owner_reference()]
    return rs


def hash_of(template: PodTemplateSpec) -> str:
    """Return a short text that is the same for the same template, and for no other."""
    return hashlib.sha256(msgspec.json.encode(template, order="deterministic")).hexdigest()[:10]


def is_complete(deployment: Deployment) -> bool:
    """Tell whether every pod is a new one and available, as far as the controller has seen the newest spec."""
    status, replicas = deployment.status, deployment.spec.replicas
    counts = (status.updated_replicas, status.replicas, status.available_replicas)
    return status.observed_generation >= deployment.metadata.generation and set(counts) == {replicas}


def is_empty(replica_set: ReplicaSet) -> bool:
    """Tell whether a ReplicaSet has no pods, wants none, and knows it."""
    seen = replica_set.status.observed_generation >= replica_set.metadata.generation
    return seen and replica_set.spec.replicas == 0 and replica_set.status.replicas == 0
