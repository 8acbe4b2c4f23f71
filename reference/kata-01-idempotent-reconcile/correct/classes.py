"""A controller object per call, with one method per duty."""

from kubekata import ApiError, Conflict, NotFound, ObjectMeta, OwnerReference, Pod, ReplicaSet, Result


class Deleted(Exception):
    """The ReplicaSet went away."""


class Controller:
    def __init__(self, client, request):
        self.client = client
        self.request = request
        try:
            self.set = client.get(ReplicaSet, request.name, namespace=request.namespace)
        except NotFound as error:
            raise Deleted from error
        self.pods = {p.uid: p for p in client.list(Pod, owner=self.set, namespace=request.namespace)}

    @property
    def gap(self):
        return self.set.spec.replicas - len(self.pods)

    def grow(self):
        while self.gap > 0:
            made = self.client.create(self.blueprint())
            self.pods[made.uid] = made

    def shrink(self):
        while self.gap < 0:
            uid, pod = self.pods.popitem()
            try:
                self.client.delete(Pod, pod.name, pod.namespace)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise

    def blueprint(self):
        owner = OwnerReference(
            api_version=ReplicaSet.api_version,
            kind=ReplicaSet.kind,
            name=self.set.name,
            uid=self.set.uid,
            controller=True,
        )
        meta = ObjectMeta(generate_name="p-", owner_references=[owner], labels=dict(self.set.spec.template.metadata.labels))
        meta.namespace = self.request.namespace
        return Pod(metadata=meta, spec=self.set.spec.template.spec)

    def report(self):
        status = self.set.status
        before = (status.replicas, status.ready_replicas)
        status.replicas = len(self.pods)
        status.ready_replicas = sum(1 for p in self.pods.values() if p.ready)
        if before != (status.replicas, status.ready_replicas):
            try:
                self.client.update_status(self.set)
            except NotFound as error:
                raise Deleted from error


def reconcile(client, request):
    try:
        controller = Controller(client, request)
        controller.grow()
        controller.shrink()
        controller.report()
    except Deleted:
        return Result()
    except Conflict:
        return Result(requeue_after=0.2)
    return Result()
