"""Misconception: a conflict means that somebody else has written a newer status.

Fails: races
"""

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result


def reconcile(client, request):
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
    except NotFound:
        return Result()
    pods = client.list(Pod, owner=rs, namespace=request.namespace)
    want = rs.spec.replicas
    while len(pods) < want:
        pods.append(client.create(make_pod(rs)))
    while len(pods) > want:
        remove(client, pods.pop())
    ready = len([p for p in pods if p.ready])
    if rs.status.replicas != len(pods) or rs.status.ready_replicas != ready:
        rs.status.replicas = len(pods)
        rs.status.ready_replicas = ready
        try:
            client.update_status(rs)
        except NotFound:
            pass
        except Conflict:
            pass
    return Result()


def make_pod(rs):
    return Pod(
        metadata=ObjectMeta(
            generate_name=rs.name + "-",
            namespace=rs.namespace,
            labels=rs.spec.template.metadata.labels,
            owner_references=[rs.owner_reference()],
        ),
        spec=rs.spec.template.spec,
    )


def remove(client, pod):
    try:
        client.delete(pod)
    except NotFound:
        pass
