"""Misconception: AlreadyExists means that our Job is there.

Fails: races
"""

from kubekata import (
    AlreadyExists,
    Conflict,
    Container,
    Deletion,
    Job,
    JobSpec,
    NotFound,
    ObjectMeta,
    PodSpec,
    PodTemplateSpec,
    RackNode,
    Result,
    ServerTimeout,
    TooManyRequests,
)

AGAIN = 5


def reconcile(client, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        return step(client, node)
    except NotFound:
        return Result()
    except (AlreadyExists, Conflict, ServerTimeout, TooManyRequests) as error:
        return Result(requeue_after=error.retry_after or AGAIN)


def step(client, node):
    generation = node.metadata.generation
    if node.metadata.deleting:
        return Result()
    if node.status.observed_generation == generation and node.status.phase in ("Ready", "Failed"):
        return Result()

    name = f"{node.name}-flash-{generation}"
    waiting = False
    for job in client.list(Job, namespace=node.namespace):
        if job.name != name and is_mine(job, node) and not ended(job):
            waiting = True
            if not job.metadata.deleting:
                try:
                    client.delete(job, propagation_policy="Foreground")
                except NotFound:
                    pass
    if waiting:
        return Result(requeue_after=AGAIN)

    try:
        job = client.get(Job, name, node.namespace)
    except NotFound:
        try:
            job = client.create(make_job(node, name))
        except AlreadyExists:
            tell(client, node, "Flashing")
            return Result()
    controller = job.metadata.controller
    if controller is not None and controller.uid != node.uid:
        tell(client, node, "Blocked")
        return Result(requeue_after=AGAIN)
    if job.metadata.deleting:
        return Result(requeue_after=AGAIN)
    if controller is None:
        job.metadata.owner_references.append(node.owner_reference())
        job = client.update(job)
    tell(client, node, ended(job) or "Flashing")
    return Result()


def is_mine(job, node):
    controller = job.metadata.controller
    return controller is not None and controller.uid == node.uid


def ended(job):
    for condition in job.status.conditions:
        if condition.status == "True" and condition.type == "Complete":
            return "Ready"
        if condition.status == "True" and condition.type == "Failed":
            return "Failed"
    return None


def make_job(node, name):
    pod = PodSpec(
        containers=[Container(name="flash", image="flasher:" + node.spec.desired_firmware)],
        restart_policy="Never",
    )
    return Job(
        metadata=ObjectMeta(name=name, namespace=node.namespace, owner_references=[node.owner_reference()]),
        spec=JobSpec(template=PodTemplateSpec(spec=pod)),
    )


def tell(client, node, phase):
    status = node.status
    before = (status.phase, status.firmware, status.observed_generation)
    status.phase = phase
    status.observed_generation = node.metadata.generation
    if phase == "Ready":
        status.firmware = node.spec.desired_firmware
    if before != (status.phase, status.firmware, status.observed_generation):
        client.update_status(node)


def collect_garbage(objects):
    by_uid = {obj.uid: obj for obj in objects}
    answer = []
    for obj in objects:
        finalizers = obj.metadata.finalizers
        owners = {look_up(ref, obj, by_uid) for ref in obj.metadata.owner_references}
        if obj.metadata.deleting:
            if "orphan" in finalizers:
                answer.append(deletion(obj, "finish", "Orphan"))
            elif "foregroundDeletion" in finalizers and not blocked(obj, objects, by_uid):
                answer.append(deletion(obj, "finish", "Foreground"))
        elif owners and not owners & {"present", "unresolvable"}:
            if "waiting" in owners and dependents(obj, objects, by_uid):
                policy = "Foreground"
            elif "orphan" in finalizers:
                policy = "Orphan"
            elif "foregroundDeletion" in finalizers:
                policy = "Foreground"
            else:
                policy = "Background"
            answer.append(deletion(obj, "delete", policy))
    return answer


def look_up(ref, obj, by_uid):
    owner = by_uid.get(ref.uid)
    if owner is None:
        return "absent"
    if owner.namespace:
        if not obj.namespace:
            return "unresolvable"
        if owner.namespace != obj.namespace:
            return "absent"
    if owner.metadata.deleting and "foregroundDeletion" in owner.metadata.finalizers:
        return "waiting"
    return "present"


def dependents(owner, objects, by_uid):
    return [
        (ref, obj)
        for obj in objects
        for ref in obj.metadata.owner_references
        if ref.uid == owner.uid and look_up(ref, obj, by_uid) in ("waiting", "present")
    ]


def blocked(owner, objects, by_uid):
    for ref, obj in dependents(owner, objects, by_uid):
        kept = any(look_up(other, obj, by_uid) == "present" for other in obj.metadata.owner_references)
        if ref.block_owner_deletion and not kept:
            return True
    return False


def deletion(obj, action, policy):
    return Deletion(obj.kind, obj.namespace, obj.name, action, policy)
