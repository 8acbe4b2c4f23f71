"""Reference solution of kata 01: bring a ReplicaSet's pods to spec.replicas, and say so in its status."""

from contextlib import suppress

from kubekata import Client, Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Request, Result

RETRY_SECONDS = 1.0


def reconcile(client: Client, request: Request) -> Result:
    """Look at the world as it is now, and write only the difference."""
    try:
        replica_set = client.get(ReplicaSet, request.name, request.namespace)
    except NotFound:
        return Result()

    pods = client.list(Pod, owner=replica_set, namespace=request.namespace)
    desired = replica_set.spec.replicas
    for _ in range(desired - len(pods)):
        pods.append(client.create(new_pod(replica_set)))
    for pod in pods[desired:]:
        delete(client, pod)
    return report(client, replica_set, pods[:desired])


def new_pod(replica_set: ReplicaSet) -> Pod:
    """A pod made from the template, which the ReplicaSet owns; the server chooses the rest of its name."""
    template = replica_set.spec.template
    return Pod(
        metadata=ObjectMeta(
            generate_name=f"{replica_set.name}-",
            namespace=replica_set.namespace,
            labels=template.metadata.labels,
            owner_references=[replica_set.owner_reference()],
        ),
        spec=template.spec,
    )


def delete(client: Client, pod: Pod) -> None:
    """See to it that a pod is gone; somebody else may have been quicker."""
    with suppress(NotFound):
        client.delete(pod)


def report(client: Client, replica_set: ReplicaSet, pods: list[Pod]) -> Result:
    """Write the counts into the status, if they differ from what stands there."""
    counts = (len(pods), sum(pod.ready for pod in pods))
    status = replica_set.status
    if (status.replicas, status.ready_replicas) == counts:
        return Result()
    status.replicas, status.ready_replicas = counts
    try:
        client.update_status(replica_set)
    except NotFound:
        return Result()
    except Conflict:
        return Result(requeue_after=RETRY_SECONDS)
    return Result()
