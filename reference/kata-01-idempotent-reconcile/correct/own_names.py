"""Numbers its pods, and skips the numbers that somebody holds."""

from kubekata import AlreadyExists, Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result


def reconcile(client, request):
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
    except NotFound:
        return Result()

    mine = sorted(client.list(Pod, owner=rs, namespace=request.namespace), key=lambda p: p.name, reverse=True)
    number = 0
    while len(mine) < rs.spec.replicas:
        pod = Pod(metadata=ObjectMeta(name=f"{rs.name}-{number}", namespace=rs.namespace), spec=rs.spec.template.spec)
        pod.metadata.labels = rs.spec.template.metadata.labels
        pod.metadata.owner_references = [rs.owner_reference(block_owner_deletion=False)]
        try:
            mine.append(client.create(pod))
        except AlreadyExists:
            pass
        number += 1

    while len(mine) > rs.spec.replicas:
        victim = mine.pop(0)
        try:
            client.delete(victim, precondition_uid=victim.uid)
        except NotFound:
            continue

    numbers = dict(replicas=len(mine), ready_replicas=len([p for p in mine if p.ready]))
    if all(getattr(rs.status, key) == value for key, value in numbers.items()):
        return Result()
    for key, value in numbers.items():
        setattr(rs.status, key, value)
    try:
        client.update_status(rs)
    except NotFound:
        pass
    except Conflict:
        return Result(requeue_after=5)
    return Result()
