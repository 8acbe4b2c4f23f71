"""Reports what it finds first, and reports again at the end if that has changed."""

import random

from kubekata import *


def count(client, rs):
    pods = client.list(Pod, owner=rs, namespace=rs.metadata.namespace, labels="")
    return pods, sum(any(c.type == "Ready" and c.status == "True" for c in p.status.conditions) for p in pods)


def tell(client, rs):
    pods, ready = count(client, rs)
    if rs.status.replicas == len(pods) and rs.status.ready_replicas == ready:
        return rs
    rs.status.replicas = len(pods)
    rs.status.ready_replicas = ready
    return client.update_status(rs)


def fresh_name(client, rs):
    taken = {p.name for p in client.list(Pod, namespace=rs.namespace)}
    while True:
        name = "%s-%06x" % (rs.name, random.randrange(16**6))
        if name not in taken:
            return name


def reconcile(client: Client, request: Request) -> Result:
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
    except NotFound:
        return Result(requeue_after=None)
    try:
        rs = tell(client, rs)
        pods, _ = count(client, rs)
        for _ in range(len(pods), rs.spec.replicas):
            pod = Pod()
            pod.metadata.name = fresh_name(client, rs)
            pod.metadata.namespace = rs.namespace
            pod.metadata.labels.update(rs.spec.template.metadata.labels)
            pod.metadata.owner_references.append(rs.owner_reference())
            pod.spec = rs.spec.template.spec
            client.create(pod)
        for i in range(rs.spec.replicas, len(pods)):
            try:
                client.delete(pods[i])
            except NotFound:
                pass
        tell(client, rs)
    except Conflict:
        return Result(requeue_after=3)
    except NotFound:
        pass
    return Result()
