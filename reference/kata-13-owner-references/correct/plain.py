"""Everything spelled out, one question after the other."""

from kubekata import (
    AlreadyExists,
    Conflict,
    Container,
    Deletion,
    Job,
    JobSpec,
    NotFound,
    ObjectMeta,
    OwnerReference,
    PodSpec,
    PodTemplateSpec,
    RackNode,
    Result,
    ServerTimeout,
    TooManyRequests,
)


def reconcile(client, request):
    try:
        return work(client, request)
    except NotFound:
        return Result()
    except AlreadyExists:
        return Result(requeue_after=1)
    except Conflict:
        return Result(requeue_after=1)
    except (ServerTimeout, TooManyRequests) as error:
        if error.retry_after is None:
            return Result(requeue_after=15)
        return Result(requeue_after=error.retry_after + 1)


def work(client, request):
    node = client.get(RackNode, request.name, request.namespace)
    if node.metadata.deletion_timestamp is not None:
        return Result()
    if node.status.observed_generation == node.metadata.generation:
        if node.status.phase == "Ready" or node.status.phase == "Failed":
            return Result()
    wanted_name = node.name + "-flash-" + str(node.metadata.generation)

    must_wait = False
    for job in client.list(Job, owner=node, namespace=node.namespace):
        ours = False
        for ref in job.metadata.owner_references:
            if ref.uid == node.uid and ref.controller:
                ours = True
        if not ours or job.name == wanted_name:
            continue
        if phase_of(job) != "Flashing":
            continue
        must_wait = True
        if job.metadata.deletion_timestamp is None:
            try:
                client.delete(job, propagation_policy="Foreground", precondition_uid=job.uid)
            except NotFound:
                pass
    if must_wait:
        return Result(requeue_after=30)

    try:
        job = client.get(Job, wanted_name, node.namespace)
    except NotFound:
        reference = OwnerReference(
            api_version=node.api_version,
            kind=node.kind,
            name=node.name,
            uid=node.uid,
            controller=True,
            block_owner_deletion=True,
        )
        container = Container(name="flasher", image="flasher:" + node.spec.desired_firmware)
        job = Job(
            metadata=ObjectMeta(name=wanted_name, namespace=node.namespace, owner_references=[reference]),
            spec=JobSpec(
                backoff_limit=0,
                template=PodTemplateSpec(spec=PodSpec(containers=[container], restart_policy="Never")),
            ),
        )
        client.create(job)
        write(client, node, "Flashing")
        return Result()

    controller = None
    for ref in job.metadata.owner_references:
        if ref.controller:
            controller = ref
    if controller is not None and controller.uid != node.uid:
        write(client, node, "Blocked")
        return Result(requeue_after=60)
    if job.metadata.deletion_timestamp is not None:
        return Result(requeue_after=5)
    if controller is None:
        job.metadata.owner_references.append(node.owner_reference())
        client.update(job)
    write(client, node, phase_of(job))
    return Result()


def phase_of(job):
    for condition in job.status.conditions:
        if condition.type == "Complete" and condition.status == "True":
            return "Ready"
    for condition in job.status.conditions:
        if condition.type == "Failed" and condition.status == "True":
            return "Failed"
    return "Flashing"


def write(client, node, phase):
    firmware = node.status.firmware
    if phase == "Ready":
        firmware = node.spec.desired_firmware
    changed = False
    if node.status.phase != phase:
        node.status.phase = phase
        changed = True
    if node.status.firmware != firmware:
        node.status.firmware = firmware
        changed = True
    if node.status.observed_generation != node.metadata.generation:
        node.status.observed_generation = node.metadata.generation
        changed = True
    if changed:
        client.update_status(node)


def collect_garbage(objects):
    result = []
    for thing in objects:
        if thing.metadata.deletion_timestamp is not None:
            if "orphan" in thing.metadata.finalizers:
                result.append(Deletion(thing.kind, thing.namespace, thing.name, "finish", "Orphan"))
            if "foregroundDeletion" in thing.metadata.finalizers:
                free = True
                for other in objects:
                    if has_present_owner(other, objects):
                        continue
                    for ref in other.metadata.owner_references:
                        if ref.block_owner_deletion and owner_of(ref, other, objects) is thing:
                            free = False
                if free:
                    result.append(Deletion(thing.kind, thing.namespace, thing.name, "finish", "Foreground"))
            continue
        if len(thing.metadata.owner_references) == 0:
            continue
        if is_unresolvable(thing, objects) or has_present_owner(thing, objects):
            continue
        someone_waits = False
        for ref in thing.metadata.owner_references:
            if owner_of(ref, thing, objects) is not None:
                someone_waits = True
        has_dependents = False
        for other in objects:
            for ref in other.metadata.owner_references:
                if owner_of(ref, other, objects) is thing:
                    has_dependents = True
        if someone_waits and has_dependents:
            policy = "Foreground"
        elif "orphan" in thing.metadata.finalizers:
            policy = "Orphan"
        elif "foregroundDeletion" in thing.metadata.finalizers:
            policy = "Foreground"
        else:
            policy = "Background"
        result.append(Deletion(thing.kind, thing.namespace, thing.name, "delete", policy))
    return result


def owner_of(ref, obj, objects):
    for candidate in objects:
        if candidate.uid == ref.uid and candidate.namespace in ("", obj.namespace):
            return candidate
    return None


def is_unresolvable(obj, objects):
    if obj.namespace != "":
        return False
    for ref in obj.metadata.owner_references:
        for candidate in objects:
            if candidate.uid == ref.uid and candidate.namespace != "":
                return True
    return False


def has_present_owner(obj, objects):
    for ref in obj.metadata.owner_references:
        owner = owner_of(ref, obj, objects)
        if owner is None:
            continue
        if owner.metadata.deletion_timestamp is not None and "foregroundDeletion" in owner.metadata.finalizers:
            continue
        return True
    return False
