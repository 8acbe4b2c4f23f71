"""Reference."""

from kubekata import AlreadyExists, Client, ConfigMap, ObjectMeta, Request, Result


def reconcile(client: Client, request: Request) -> Result:
    try:
        client.create(
            ConfigMap(metadata=ObjectMeta(name=request.name), data={"at": client.now().isoformat()})
        )
    except AlreadyExists:
        return Result()
    return Result(requeue_after=30)
