"""Misconception: the highest revision is the largest annotation.

Fails: record
"""

import copy
import zlib

from kubekata import (
    Deployment,
    DeploymentPausedError,
    NotFound,
    ObjectMeta,
    ReplicaSet,
    RevisionNotFoundError,
)

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
HASH = "pod-template-hash"


def record_revision(client, request):
    deployment = client.get(Deployment, request.name, request.namespace)
    sets = my_sets(client, deployment)
    new = current_set(deployment, sets)
    highest = 0
    for rs in sets:
        if new is not None and rs.uid == new.uid:
            continue
        if revision(rs) is not None and rs.metadata.annotations.get(REVISION, "0") > str(highest):
            highest = revision(rs)

    if new is None:
        new = make_set(deployment, highest + 1)
        new = client.create(new)
    elif (revision(new) or 0) <= highest:
        former = new.metadata.annotations.get(REVISION)
        if former:
            past = new.metadata.annotations.get(HISTORY)
            new.metadata.annotations[HISTORY] = past + "," + former if past else former
        new.metadata.annotations[REVISION] = str(highest + 1)
        new = client.update(new)

    number = revision(new)
    if deployment.metadata.annotations.get(REVISION) != str(number):
        deployment.metadata.annotations[REVISION] = str(number)
        client.update(deployment)
    return number


def rollback(client, request, to_revision=0):
    deployment = client.get(Deployment, request.name, request.namespace)
    sets = my_sets(client, deployment)
    by_revision = {}
    for rs in sets:
        if revision(rs) is not None:
            by_revision[revision(rs)] = rs
    known = sorted(by_revision)

    if to_revision == 0:
        if len(known) < 2:
            raise RevisionNotFoundError(f"no previous revision, only {known}")
        target = by_revision[known[-2]]
    elif to_revision in by_revision:
        target = by_revision[to_revision]
    else:
        raise RevisionNotFoundError(f"no revision {to_revision}, only {known}")

    if deployment.spec.paused:
        raise DeploymentPausedError("resume it first")

    template = plain(target.spec.template)
    if deployment.spec.template != template:
        deployment.spec.template = template
        client.update(deployment)
    return record_revision(client, request)


def prune_history(client, request):
    deployment = client.get(Deployment, request.name, request.namespace)
    status = deployment.status
    complete = (
        status.observed_generation >= deployment.metadata.generation
        and status.updated_replicas == deployment.spec.replicas
        and status.replicas == deployment.spec.replicas
        and status.available_replicas == deployment.spec.replicas
    )
    if not complete and not deployment.spec.paused:
        return

    sets = my_sets(client, deployment)
    new = current_set(deployment, sets)
    old = [rs for rs in sets if new is None or rs.uid != new.uid]
    old = [rs for rs in old if rs.metadata.deletion_timestamp is None]
    old.sort(key=lambda rs: revision(rs) or 0)
    surplus = len(old) - deployment.spec.revision_history_limit
    if surplus <= 0:
        return
    for rs in old[:surplus]:
        if rs.spec.replicas != 0 or rs.status.replicas != 0:
            continue
        if rs.status.observed_generation < rs.metadata.generation:
            continue
        try:
            client.delete(rs)
        except NotFound:
            pass


def my_sets(client, deployment):
    sets = client.list(ReplicaSet, owner=deployment, namespace=deployment.namespace)
    return sorted(sets, key=lambda rs: (rs.metadata.creation_timestamp, rs.name))


def current_set(deployment, sets):
    for rs in sets:
        if plain(rs.spec.template) == plain(deployment.spec.template):
            return rs
    return None


def revision(rs):
    try:
        return int(rs.metadata.annotations.get(REVISION, "0"))
    except ValueError:
        return None


def plain(template):
    template = copy.deepcopy(template)
    template.metadata.labels.pop(HASH, None)
    return template


def make_set(deployment, number):
    code = format(zlib.crc32(repr(deployment.spec.template).encode()), "x")
    template = copy.deepcopy(deployment.spec.template)
    template.metadata.labels[HASH] = code
    selector = copy.deepcopy(deployment.spec.selector)
    selector.match_labels[HASH] = code
    rs = ReplicaSet(
        metadata=ObjectMeta(
            name=f"{deployment.name}-{code}",
            namespace=deployment.namespace,
            labels=dict(template.metadata.labels),
            annotations={REVISION: str(number)},
            owner_references=[deployment.owner_reference()],
        )
    )
    rs.spec.replicas = 0
    rs.spec.selector = selector
    rs.spec.template = template
    return rs
