"""Writes the status before the Job, and lets sets of uids do the collecting."""

from kubekata import *

FLASH = "{}-flash-{}"


def reconcile(client, request):
    try:
        node = client.get(RackNode, name=request.name, namespace=request.namespace)
    except NotFound:
        return Result()
    except (TooManyRequests, ServerTimeout) as error:
        return Result(requeue_after=error.retry_after or 7)
    generation = node.metadata.generation
    over = {("Ready", generation), ("Failed", generation)}
    if node.metadata.deletion_timestamp or (node.status.phase, node.status.observed_generation) in over:
        return Result()
    try:
        return proceed(client, node, FLASH.format(node.name, generation))
    except NotFound:
        return Result(requeue_after=0.1)
    except ApiError as error:
        if error.reason in ("AlreadyExists", "Conflict", "ServerTimeout", "TooManyRequests"):
            return Result(requeue_after=error.retry_after or 7)
        raise


def proceed(client, node, name):
    in_the_way = 0
    for job in client.list(Job, namespace=node.namespace):
        controller = job.metadata.controller
        if controller is None or controller.uid != node.uid or job.name == name or state(job) != "Flashing":
            continue
        in_the_way += 1
        if job.metadata.finalizers and job.metadata.deletion_timestamp:
            continue
        if not job.metadata.deletion_timestamp:
            try:
                client.delete(Job, job.name, node.namespace, propagation_policy="Foreground")
            except NotFound:
                pass
    if in_the_way:
        return Result(requeue_after=7)

    held = [job for job in client.list(Job, fields=f"metadata.name={name}", namespace=node.namespace) if job.name == name]
    for job in held:
        controller = job.metadata.controller
        if controller is not None and controller.uid != node.uid:
            announce(client, node, "Blocked")
            return Result(requeue_after=7)
        if job.metadata.deletion_timestamp:
            return Result(requeue_after=7)
        if controller is None:
            job.metadata.owner_references.append(node.owner_reference())
            client.update(job)
        announce(client, node, state(job))
        return Result()
    announce(client, node, "Flashing")
    job = Job(metadata=ObjectMeta(name=name, namespace=node.namespace))
    job.metadata.owner_references = [node.owner_reference()]
    job.spec = JobSpec(template=PodTemplateSpec(spec=PodSpec(restart_policy="Never")))
    job.spec.template.spec.containers.append(Container(name="f", image="flasher:%s" % node.spec.desired_firmware))
    client.create(job)
    return Result()


def state(job):
    for kind, phase in (("Complete", "Ready"), ("Failed", "Failed")):
        if any((c.type, c.status) == (kind, "True") for c in job.status.conditions):
            return phase
    return "Flashing"


def announce(client, node, phase):
    status = node.status
    old = (status.phase, status.firmware, status.observed_generation)
    status.phase, status.observed_generation = phase, node.metadata.generation
    status.firmware = node.spec.desired_firmware if phase == "Ready" else status.firmware
    if old != (status.phase, status.firmware, status.observed_generation):
        node.metadata.resource_version = client.update_status(node).metadata.resource_version


def collect_garbage(objects):
    everything = {o.uid: o for o in objects}
    waiting = {u for u, o in everything.items() if o.metadata.deletion_timestamp and "foregroundDeletion" in o.metadata.finalizers}
    pairs = [(o.uid, r.uid, bool(r.block_owner_deletion)) for o in objects for r in o.metadata.owner_references]
    real = [
        (child, owner, block)
        for child, owner, block in pairs
        if owner in everything and everything[owner].namespace in ("", everything[child].namespace)
    ]
    untouchable = {
        child
        for child, owner, _ in pairs
        if owner in everything and everything[owner].namespace and not everything[child].namespace
    }
    dependent = {child for child, _, _ in pairs}
    kept = {child for child, owner, _ in real if owner not in waiting}
    half_kept = {child for child, owner, _ in real if owner in waiting}
    parents = {owner for _, owner, _ in real}
    blocked = {owner for child, owner, block in real if block and child not in kept}
    going = {u for u, o in everything.items() if o.metadata.deletion_timestamp}
    orphaning = {u for u, o in everything.items() if "orphan" in o.metadata.finalizers}
    marked = {u for u, o in everything.items() if "foregroundDeletion" in o.metadata.finalizers}

    garbage = dependent - kept - untouchable - going
    foreground = garbage & half_kept & parents
    answers = {
        ("delete", "Foreground"): foreground | (garbage & marked),
        ("delete", "Orphan"): (garbage & orphaning) - foreground,
        ("delete", "Background"): garbage - foreground - orphaning - marked,
        ("finish", "Foreground"): waiting - blocked,
        ("finish", "Orphan"): going & orphaning,
    }
    return [
        Deletion(everything[u].kind, everything[u].namespace, everything[u].name, *step)
        for step, uids in answers.items()
        for u in sorted(uids)
    ]
