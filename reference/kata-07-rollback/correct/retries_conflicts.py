"""Reads again and retries whenever somebody else was faster."""

import copy
import functools
import hashlib

from kubekata import (
    Conflict,
    Deployment,
    DeploymentPausedError,
    NotFound,
    ReplicaSet,
    RevisionNotFoundError,
    ServerTimeout,
)

REV, HIST, HASH = (
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "pod-template-hash",
)


def retried(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        for _ in range(5):
            try:
                return function(*args, **kwargs)
            except (Conflict, ServerTimeout) as error:
                last = error
        raise last

    return call


def strip(template):
    result = copy.deepcopy(template)
    if HASH in result.metadata.labels:
        del result.metadata.labels[HASH]
    return result


def number_of(rs):
    text = rs.metadata.annotations.get(REV) or "0"
    return int(text) if all(c in "0123456789" for c in text) else None


def load(client, request):
    d = client.get(Deployment, request.name, request.namespace)
    sets = client.list(ReplicaSet, owner=d, namespace=request.namespace)
    same = [rs for rs in sets if strip(rs.spec.template) == strip(d.spec.template)]
    current = min(same, key=lambda rs: (rs.metadata.creation_timestamp, rs.name), default=None)
    return d, sets, current


@retried
def show(client, request, number):
    d = client.get(Deployment, request.name, request.namespace)
    if d.metadata.annotations.get(REV) != str(number):
        d.metadata.annotations[REV] = str(number)
        client.update(d)
    return number


@retried
def number_current(client, request):
    d, sets, current = load(client, request)
    others = [number_of(rs) or 0 for rs in sets if current is None or rs.uid != current.uid]
    needed = max(others, default=0) + 1
    if current is None:
        tag = hashlib.md5(repr(d.spec.template).encode()).hexdigest()[:9]
        new = ReplicaSet()
        new.metadata.name, new.metadata.namespace = f"{d.name}.{tag}", request.namespace
        new.metadata.annotations = {REV: str(needed)}
        new.metadata.owner_references = [d.owner_reference(block_owner_deletion=False)]
        new.spec.replicas = 0
        new.spec.template = copy.deepcopy(d.spec.template)
        new.spec.template.metadata.labels = {**d.spec.template.metadata.labels, HASH: tag}
        new.metadata.labels = {**d.spec.template.metadata.labels, HASH: tag}
        new.spec.selector = copy.deepcopy(d.spec.selector)
        new.spec.selector.match_labels[HASH] = tag
        client.create(new)
        return needed
    have = number_of(current)
    if have is not None and have >= needed:
        return have
    notes = current.metadata.annotations
    if have is not None and REV in notes:
        notes[HIST] = f"{notes[HIST]},{have}" if HIST in notes else str(have)
    notes[REV] = str(needed)
    client.update(current)
    return needed


def record_revision(client, request):
    return show(client, request, number_current(client, request))


@retried
def set_template(client, request, to_revision):
    d, sets, current = load(client, request)
    available = {}
    for rs in sets:
        if number_of(rs) is not None:
            available[number_of(rs)] = rs
    order = sorted(available)
    if to_revision == 0 and len(order) >= 2:
        to_revision = order[-2]
        chosen = available[to_revision]
    else:
        chosen = available.get(to_revision) if to_revision != 0 else None
    if chosen is None:
        raise RevisionNotFoundError(f"there are {order}")
    if d.spec.paused:
        raise DeploymentPausedError(d.name)
    if strip(chosen.spec.template) != d.spec.template:
        d.spec.template = strip(chosen.spec.template)
        client.update(d)


def rollback(client, request, to_revision=0):
    set_template(client, request, to_revision)
    return record_revision(client, request)


def prune_history(client, request):
    d, sets, current = load(client, request)
    s, n = d.status, d.spec.replicas
    complete = (s.replicas, s.updated_replicas, s.available_replicas) == (n, n, n)
    seen = s.observed_generation >= d.metadata.generation
    if not ((complete and seen) or d.spec.paused):
        return None
    old = [rs for rs in sets if rs is not current and not rs.metadata.deleting]
    old.sort(key=lambda rs: (number_of(rs) or 0, rs.metadata.creation_timestamp, rs.name), reverse=True)
    for rs in reversed(old[d.spec.revision_history_limit :]):
        if (
            rs.spec.replicas == rs.status.replicas == 0
            and rs.status.observed_generation >= rs.metadata.generation
        ):
            try:
                client.delete(rs)
            except NotFound:
                pass
