"""Reads everything again before it reports, and retries a conflict on the spot."""

import copy

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result


def owned(client, rs):
    pods = client.list(Pod, namespace=rs.namespace)
    return [p for p in pods for ref in p.metadata.owner_references if ref.uid == rs.uid]


def reconcile(client, request):
    for _attempt in range(5):
        try:
            once(client, request)
        except Conflict:
            continue
        except NotFound:
            try:
                client.get(ReplicaSet, request.name, request.namespace)
            except NotFound:
                return Result()
            continue
        return Result()
    return Result(requeue_after=10)


def once(client, request):
    rs = client.get(ReplicaSet, request.name, request.namespace)
    pods = owned(client, rs)
    surplus = len(pods) - rs.spec.replicas
    if surplus > 0:
        for pod in pods[-surplus:]:
            try:
                client.delete(pod)
            except NotFound:
                pass
    if surplus < 0:
        template = rs.spec.template
        for _ in range(-surplus):
            metadata = copy.deepcopy(template.metadata)
            metadata.generate_name = f"{rs.name}-"
            metadata.owner_references.append(rs.owner_reference())
            metadata.namespace = rs.namespace
            client.create(Pod(metadata=metadata, spec=copy.deepcopy(template.spec)))

    rs = client.get(ReplicaSet, request.name, request.namespace)
    pods = owned(client, rs)
    fresh = copy.deepcopy(rs.status)
    fresh.replicas = len(pods)
    fresh.ready_replicas = sum(map(lambda p: p.ready, pods))
    if fresh != rs.status:
        rs.status = fresh
        client.update_status(rs)
