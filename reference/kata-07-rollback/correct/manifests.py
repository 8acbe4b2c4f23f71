"""Works on manifests, as kubectl output looks."""

import copy
import json
from hashlib import sha1

from kubekata import Deployment, DeploymentPausedError, NotFound, ReplicaSet, RevisionNotFoundError
from kubekata.cluster.scheme import from_manifest, to_manifest

REV = "deployment.kubernetes.io/revision"


def template(obj):
    found = copy.deepcopy(to_manifest(obj)["spec"]["template"])
    found.get("metadata", {}).get("labels", {}).pop("pod-template-hash", None)
    return found


def everything(client, request):
    d = client.get(Deployment, request.name, request.namespace)
    sets = client.list(ReplicaSet, owner=d, namespace=request.namespace)
    sets.sort(key=lambda rs: (rs.metadata.creation_timestamp.isoformat(), rs.name))
    current = None
    for rs in reversed(sets):
        if template(rs) == template(d):
            current = rs
    return d, sets, current


def as_number(rs, missing=0):
    text = rs.metadata.annotations.get(REV, str(missing))
    try:
        return int(text, 10)
    except ValueError:
        return None


def record_revision(client, request):
    d, sets, current = everything(client, request)
    top = 0
    for rs in sets:
        if rs is not current and as_number(rs) is not None and as_number(rs) > top:
            top = as_number(rs)
    if current is None:
        code = "h" + sha1(json.dumps(template(d), sort_keys=True).encode()).hexdigest()[:8]
        m = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{d.name}-{code}",
                "namespace": request.namespace,
                "annotations": {REV: str(top + 1)},
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "kind": "Deployment",
                        "name": d.name,
                        "uid": d.uid,
                        "controller": True,
                        "blockOwnerDeletion": True,
                    }
                ],
            },
            "spec": {
                "replicas": 0,
                "template": template(d),
                "selector": copy.deepcopy(to_manifest(d)["spec"]["selector"]),
            },
        }
        m["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = code
        m["spec"]["selector"]["matchLabels"]["pod-template-hash"] = code
        m["metadata"]["labels"] = m["spec"]["template"]["metadata"]["labels"]
        current = client.create(from_manifest(m, ReplicaSet))
    elif not (as_number(current) or 0) > top:
        a = current.metadata.annotations
        if as_number(current) is not None and REV in a:
            a[f"{REV}-history"] = ",".join(
                ([a[f"{REV}-history"]] if a.get(f"{REV}-history") else []) + [a[REV]]
            )
        a[REV] = str(top + 1)
        current = client.update(current)
    number = current.metadata.annotations[REV]
    if d.metadata.annotations.get(REV) != number:
        d.metadata.annotations[REV] = number
        client.update(d)
    return int(number)


def rollback(client, request, to_revision=0):
    d, sets, current = everything(client, request)
    numbers = [as_number(rs) for rs in sets]
    usable = sorted(n for n in numbers if n is not None)
    if to_revision:
        index = numbers.index(to_revision) if to_revision in usable else -1
    else:
        index = numbers.index(usable[-2]) if len(usable) >= 2 else -1
    if index < 0:
        raise RevisionNotFoundError("no such revision, there are: " + ", ".join(map(str, usable)))
    if d.spec.paused:
        raise DeploymentPausedError("paused")
    if template(sets[index]) != template(d):
        d.spec.template = copy.deepcopy(sets[index].spec.template)
        del d.spec.template.metadata.labels["pod-template-hash"]
        client.update(d)
    return record_revision(client, request)


def prune_history(client, request):
    d, sets, current = everything(client, request)
    s = d.status
    over = (
        s.observed_generation >= d.metadata.generation
        and [s.updated_replicas, s.replicas, s.available_replicas] == [d.spec.replicas] * 3
    )
    if not over and not d.spec.paused:
        return
    rest = [rs for rs in sets if rs is not current and not rs.metadata.deletion_timestamp]
    rest.sort(key=lambda rs: as_number(rs) or 0)
    number_to_go = len(rest) - d.spec.revision_history_limit
    for position, rs in enumerate(rest):
        if position >= number_to_go:
            break
        empty = rs.spec.replicas == 0 and rs.status.replicas == 0
        if empty and rs.metadata.generation <= rs.status.observed_generation:
            try:
                client.delete(ReplicaSet, rs.name, request.namespace)
            except NotFound:
                pass
