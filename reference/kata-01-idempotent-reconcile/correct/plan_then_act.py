"""A pure plan, and an executor that knows nothing about ReplicaSets."""

from dataclasses import dataclass, field
from functools import partial

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result


@dataclass
class Plan:
    create: list = field(default_factory=list)
    delete: list = field(default_factory=list)
    keep: list = field(default_factory=list)


def plan(rs, pods):
    # Ready pods first, so that the ones that go are the ones that serve nobody.
    ranked = sorted(pods, key=lambda p: (not p.ready, p.name))
    want = rs.spec.replicas
    fresh = [from_template(rs) for _ in range(max(0, want - len(pods)))]
    return Plan(create=fresh, delete=ranked[want:], keep=ranked[:want])


def from_template(rs):
    t = rs.spec.template
    meta = ObjectMeta(
        generate_name=f"{rs.name}-pod-",
        namespace=rs.namespace,
        labels={**t.metadata.labels},
        annotations={"made-by": "plan"},
        owner_references=[rs.owner_reference()],
    )
    return Pod(metadata=meta, spec=t.spec)


def attempt(action, ignore=()):
    try:
        return action()
    except ignore:
        return None


def reconcile(client, request):
    rs = attempt(partial(client.get, ReplicaSet, request.name, request.namespace), NotFound)
    if rs is None:
        return Result()
    todo = plan(rs, client.list(Pod, owner=rs, namespace=request.namespace))
    for pod in todo.delete:
        attempt(partial(client.delete, pod), NotFound)
    there = todo.keep + [client.create(pod) for pod in todo.create]

    ready = [pod for pod in there if pod.ready]
    if [rs.status.replicas, rs.status.ready_replicas] != [len(there), len(ready)]:
        rs.status.replicas = len(there)
        rs.status.ready_replicas = len(ready)
        try:
            attempt(partial(client.update_status, rs), NotFound)
        except Conflict:
            return Result(requeue_after=1.5)
    return Result()
