"""Steps as generators; the first result ends the call."""

import itertools

from kubekata import (
    AlreadyExists, Conflict, Container, Deletion, Job, JobSpec, NotFound, ObjectMeta, PodSpec, PodTemplateSpec,
    RackNode, Result, ServerTimeout, TooManyRequests,
)  # fmt: skip

SOON = Result(requeue_after=0.5)
DONE = Result()


def reconcile(client, request):
    try:
        return next(steps(client, request))
    except NotFound:
        return DONE
    except (AlreadyExists, Conflict, ServerTimeout, TooManyRequests) as e:
        return Result(requeue_after=float(e.retry_after or 0.5))


def steps(client, request):
    node = client.get(RackNode, request.name, request.namespace)
    g = node.metadata.generation
    if node.metadata.deleting:
        yield DONE
    if node.status.observed_generation == g and node.status.phase != "" and node.status.phase in "Ready Failed".split():
        yield DONE
    name = f"{request.name}-flash-{g}"

    jobs = client.list(Job, namespace=request.namespace)
    still = False
    for job in jobs:
        if job.name != name and boss(job) == node.uid and not ended(job):
            still = True
            if job.metadata.deletion_timestamp is None:
                try:
                    client.delete(job, propagation_policy="Foreground")
                except NotFound:
                    continue
    if still:
        yield SOON

    by_name = {job.name: job for job in jobs}
    if name not in by_name:
        pods = PodSpec(containers=[Container(image=f"flasher:{node.spec.desired_firmware}", name="x")], restart_policy="Never")
        client.create(
            Job(
                metadata=ObjectMeta(name=name, namespace=request.namespace, owner_references=[node.owner_reference()]),
                spec=JobSpec(template=PodTemplateSpec(spec=pods)),
            )
        )
        # Look at it once more, like at any other Job.
        by_name[name] = client.get(Job, name, request.namespace)
    job = by_name[name]
    if boss(job) not in (None, node.uid):
        tell(client, node, "Blocked")
        yield SOON
    if job.metadata.deletion_timestamp is not None:
        yield SOON
    if boss(job) is None:
        job.metadata.owner_references.append(node.owner_reference())
        job = client.update(job)
    tell(client, node, ended(job) or "Flashing")
    yield DONE


def boss(job):
    return next((ref.uid for ref in job.metadata.owner_references if ref.controller), None)


def ended(job):
    for condition, phase in itertools.product(job.status.conditions, ("Ready", "Failed")):
        if condition.status == "True" and condition.type == {"Ready": "Complete"}.get(phase, phase):
            return phase


def tell(client, node, phase):
    fresh = client.get(RackNode, node.name, node.namespace)
    if fresh.uid != node.uid or fresh.metadata.generation != node.metadata.generation:
        raise Conflict("the RackNode changed meanwhile")
    old = (fresh.status.phase, fresh.status.observed_generation, fresh.status.firmware)
    new = (phase, node.metadata.generation, node.spec.desired_firmware if phase == "Ready" else fresh.status.firmware)
    if old != new:
        fresh.status.phase, fresh.status.observed_generation, fresh.status.firmware = new
        client.update_status(fresh)


def collect_garbage(objects):
    return list(itertools.chain(dying(objects), losing(objects)))


def edges(objects):
    """Triples of dependent, reference, owner (None if absent, the dependent itself if it cannot be looked up)."""
    for dependent in objects:
        for ref in dependent.metadata.owner_references:
            owner = next((o for o in objects if o.uid == ref.uid), None)
            if owner is not None and owner.namespace and owner.namespace != dependent.namespace:
                owner = dependent if not dependent.namespace else None
            yield dependent, ref, owner


def waiting(obj):
    return obj is not None and obj.metadata.deletion_timestamp is not None and "foregroundDeletion" in obj.metadata.finalizers


def kept(obj, graph):
    return any(d is obj and o is not None and o is not obj and not waiting(o) for d, _, o in graph)


def dying(objects):
    graph = list(edges(objects))
    for obj in objects:
        if obj.metadata.deletion_timestamp is None:
            continue
        if "orphan" in obj.metadata.finalizers:
            yield step(obj, "finish", "Orphan")
        elif waiting(obj):
            if not any(o is obj and d is not obj and r.block_owner_deletion and not kept(d, graph) for d, r, o in graph):
                yield step(obj, "finish", "Foreground")


def losing(objects):
    graph = list(edges(objects))
    for obj in objects:
        mine = [owner for dependent, _, owner in graph if dependent is obj]
        if obj.metadata.deletion_timestamp is not None or not mine or obj in mine or kept(obj, graph):
            continue
        deep = any(map(waiting, mine)) and any(owner is obj for _, _, owner in graph)
        own = [p for f, p in (("orphan", "Orphan"), ("foregroundDeletion", "Foreground")) if f in obj.metadata.finalizers]
        yield step(obj, "delete", "Foreground" if deep else (own or ["Background"])[0])


def step(obj, action, policy):
    return Deletion(obj.kind, obj.metadata.namespace, obj.metadata.name, action, policy)
