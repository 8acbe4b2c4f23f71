"""One small step, then the same question again."""

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Request, Result


def reconcile(client, request):
    try:
        rs = client.get(ReplicaSet, request.name, request.namespace)
        pods = client.list(Pod, owner=rs, namespace=request.namespace)
        return step(client, rs, pods)
    except NotFound:
        return Result()
    except Conflict:
        return reconcile(client, Request(request.name, request.namespace))


def step(client, rs, pods):
    match len(pods) - rs.spec.replicas:
        case 0:
            return report(client, rs, pods)
        case gap if gap < 0:
            pod = Pod(
                metadata=ObjectMeta(
                    generate_name="x",
                    namespace=rs.namespace,
                    labels=rs.spec.template.metadata.labels,
                    owner_references=[rs.owner_reference()],
                ),
                spec=rs.spec.template.spec,
            )
            return step(client, rs, [*pods, client.create(pod)])
        case _:
            first, *others = pods
            try:
                client.delete(first)
            except NotFound:
                pass
            return step(client, rs, others)


def report(client, rs, pods):
    counts = len(pods), sum(p.ready for p in pods)
    if counts != (rs.status.replicas, rs.status.ready_replicas):
        rs.status.replicas, rs.status.ready_replicas = counts
        client.update_status(rs)
    return Result()
