"""A decision as a match over a handful of facts, for both functions."""

from dataclasses import dataclass

from kubekata import (
    AlreadyExists,
    Client,
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
    Request,
    Resource,
    Result,
    ServerTimeout,
    TooManyRequests,
)


@dataclass
class Facts:
    held_by: str  # "", "us", "nobody", "another"
    going: bool = False
    phase: str = "Flashing"


def reconcile(client: Client, request: Request) -> Result:
    try:
        node = client.get(RackNode, request.name, request.namespace)
        match node:
            case RackNode(metadata=meta) if meta.deletion_timestamp is not None:
                return Result()
            case RackNode(status=status, metadata=meta) if status.observed_generation == meta.generation and status.phase in ("Ready", "Failed"):
                return Result()
        return decide(client, node)
    except NotFound:
        return Result()
    except (AlreadyExists, Conflict, ServerTimeout, TooManyRequests) as e:
        return Result(requeue_after=max(1, e.retry_after or 0))


def decide(client, node):
    name = f"{node.name}-flash-{node.metadata.generation}"
    facts, held = Facts(""), None
    predecessors = []
    for job in client.list(Job, namespace=node.namespace):
        seen = look(job, node)
        if job.name == name:
            facts, held = seen, job
        elif seen.held_by == "us" and seen.phase == "Flashing":
            predecessors.append((job, seen))
    for job, seen in predecessors:
        if not seen.going:
            try:
                client.delete(job, propagation_policy="Foreground", precondition_resource_version=job.metadata.resource_version)
            except NotFound:
                continue
    if predecessors:
        return Result(requeue_after=1)

    match facts:
        case Facts(held_by=""):
            client.create(job_for(node, name))
            return tell(client, node, "Flashing")
        case Facts(held_by="another"):
            tell(client, node, "Blocked")
            return Result(requeue_after=1)
        case Facts(going=True):
            return Result(requeue_after=1)
        case Facts(held_by="nobody"):
            held.metadata.owner_references.append(node.owner_reference())
            client.update(held)
    return tell(client, node, facts.phase)


def look(job, node):
    owner = job.metadata.controller
    held_by = "nobody" if owner is None else "us" if owner.uid == node.uid else "another"
    true = [c.type for c in job.status.conditions if c.status == "True"]
    phase = "Ready" if "Complete" in true else "Failed" if "Failed" in true else "Flashing"
    return Facts(held_by, job.metadata.deletion_timestamp is not None, phase)


def job_for(node, name):
    pod = PodSpec(containers=[Container(name="flash", image=f"flasher:{node.spec.desired_firmware}")], restart_policy="Never")
    meta = ObjectMeta(name=name, namespace=node.namespace, owner_references=[node.owner_reference()])
    return Job(metadata=meta, spec=JobSpec(template=PodTemplateSpec(spec=pod)))


def tell(client, node, phase):
    s = node.status
    said = s.phase, s.observed_generation, s.firmware
    s.phase, s.observed_generation = phase, node.metadata.generation
    if phase == "Ready":
        s.firmware = node.spec.desired_firmware
    if said != (s.phase, s.observed_generation, s.firmware):
        client.update_status(node)
    return Result()


def collect_garbage(objects: list[Resource]) -> list[Deletion]:
    return [step for step in (judge(obj, objects) for obj in reversed(objects)) if step is not None]


def judge(obj, objects):
    going = obj.metadata.deletion_timestamp is not None
    own = "Orphan" if "orphan" in obj.metadata.finalizers else "Foreground" if "foregroundDeletion" in obj.metadata.finalizers else "Background"
    owners = set(kinds_of_owners(obj, objects))
    match going, own:
        case True, "Background":
            return None
        case True, "Foreground" if any(block and "present" not in kinds_of_owners(child, objects) for child, block in children(obj, objects)):
            return None
        case True, policy:
            return Deletion(obj.kind, obj.namespace, obj.name, "finish", policy)
    if not owners or "present" in owners or "lost" in owners:
        return None
    if "waiting" in owners and list(children(obj, objects)):
        own = "Foreground"
    return Deletion(obj.kind, obj.namespace, obj.name, "delete", own)


def kinds_of_owners(obj, objects):
    found = []
    for ref in obj.metadata.owner_references:
        there = [o for o in objects if o.uid == ref.uid]
        if there and there[0].namespace != "" and obj.namespace == "":
            found.append("lost")
        elif not there or there[0].namespace not in ("", obj.namespace):
            found.append("absent")
        elif there[0].metadata.deletion_timestamp and "foregroundDeletion" in there[0].metadata.finalizers:
            found.append("waiting")
        else:
            found.append("present")
    return found


def children(owner, objects):
    for obj in objects:
        for ref, kind in zip(obj.metadata.owner_references, kinds_of_owners(obj, objects)):
            if ref.uid == owner.uid and kind in ("present", "waiting"):
                yield obj, ref.block_owner_deletion
