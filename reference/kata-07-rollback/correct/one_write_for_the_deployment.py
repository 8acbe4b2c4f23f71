"""Writes template and number of the Deployment at once, and recurses."""

import copy
import zlib

import kubekata
from kubekata import Deployment, ReplicaSet

REVISION = "deployment.kubernetes.io/revision"


def same(a, b):
    def bare(t):
        t = copy.deepcopy(t)
        t.metadata.labels.pop("pod-template-hash", "")
        return t

    return bare(a) == bare(b)


def look(client, request):
    deployment = client.get(Deployment, request.name, request.namespace)
    sets = client.list(ReplicaSet, owner=deployment, namespace=request.namespace)
    sets.sort(key=lambda rs: (rs.metadata.creation_timestamp, rs.name))
    fits = [same(rs.spec.template, deployment.spec.template) for rs in sets]
    current = sets.pop(fits.index(True)) if True in fits else None
    return deployment, current, sets


def rev(rs):
    value = rs.metadata.annotations.get(REVISION, "0")
    return int(value) if value.isdigit() else None


def record_revision(client, request):
    deployment, current, old = look(client, request)
    target = max([rev(rs) or 0 for rs in old], default=0) + 1
    if current is not None and (rev(current) or 0) >= target:
        target = rev(current)
    if deployment.metadata.annotations.get(REVISION) != f"{target}":
        deployment.metadata.annotations[REVISION] = f"{target}"
        deployment = client.update(deployment)
    if current is None:
        create(client, deployment, target)
    elif current.metadata.annotations.get(REVISION) != f"{target}":
        renumber(client, current, target)
    return target


def create(client, deployment, number):
    tag = f"{zlib.adler32(repr(deployment.spec.template).encode()):08x}"
    extra = {"pod-template-hash": tag}
    rs = ReplicaSet(
        metadata=kubekata.ObjectMeta(name=f"{deployment.name}-rev-{tag}", namespace=deployment.namespace)
    )
    rs.metadata.owner_references.append(deployment.owner_reference())
    rs.metadata.annotations[REVISION] = str(number)
    rs.spec = kubekata.ReplicaSetSpec(
        replicas=0,
        template=copy.deepcopy(deployment.spec.template),
        selector=copy.deepcopy(deployment.spec.selector),
    )
    rs.spec.template.metadata.labels |= extra
    rs.spec.selector.match_labels |= extra
    rs.metadata.labels |= rs.spec.template.metadata.labels
    client.create(rs)


def renumber(client, rs, number):
    notes = rs.metadata.annotations
    if rev(rs) is not None and REVISION in notes:
        notes[REVISION + "-history"] = notes.get(REVISION + "-history", "") + "," + notes[REVISION]
        notes[REVISION + "-history"] = notes[REVISION + "-history"].strip(",")
    notes[REVISION] = str(number)
    client.update(rs)


def rollback(client, request, to_revision=0):
    deployment, current, old = look(client, request)
    everything = old + [current] if current else old
    there = sorted(rev(rs) for rs in everything if rev(rs) is not None)
    if to_revision == 0 and len(there) > 1:
        wanted = there[-2]
    elif to_revision != 0 and to_revision in there:
        wanted = to_revision
    else:
        raise kubekata.RevisionNotFoundError(f"there are only: {there}")
    if deployment.spec.paused:
        raise kubekata.DeploymentPausedError("please resume")
    found = [rs for rs in everything if rev(rs) == wanted][-1]
    if found is not current:
        deployment.spec.template = copy.deepcopy(found.spec.template)
        deployment.spec.template.metadata.labels.pop("pod-template-hash", None)
        deployment.metadata.annotations[REVISION] = str(there[-1] + 1)
        client.update(deployment)
    return record_revision(client, request)


def prune_history(client, request):
    deployment, _current, old = look(client, request)
    status = deployment.status
    counts = {status.replicas, status.updated_replicas, status.available_replicas, deployment.spec.replicas}
    ready = len(counts) == 1 and not status.observed_generation < deployment.metadata.generation
    if not (ready or deployment.spec.paused):
        return
    queue = sorted((rs for rs in old if not rs.metadata.deleting), key=lambda rs: rev(rs) or 0)
    while len(queue) > deployment.spec.revision_history_limit:
        rs = queue.pop(0)
        busy = (
            rs.spec.replicas or rs.status.replicas or rs.status.observed_generation < rs.metadata.generation
        )
        if not busy:
            try:
                client.delete(rs, precondition_uid=rs.uid)
            except kubekata.NotFound:
                pass
