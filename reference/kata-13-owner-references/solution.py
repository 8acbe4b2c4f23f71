"""Reference solution of kata 13: a RackNode that owns its Jobs, and a collector that follows owner references."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum, auto

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
    OwnerReference,
    PodSpec,
    PodTemplateSpec,
    RackNode,
    Request,
    Resource,
    Result,
    ServerTimeout,
    TooManyRequests,
)

RETRY_SECONDS = 1.0
LOOK_AGAIN = Result(requeue_after=RETRY_SECONDS)


def reconcile(client: Client, request: Request) -> Result:
    """Do the next step towards one finished Job for the RackNode's generation."""
    try:
        return sync(client, request)
    except NotFound:
        return Result()
    except (AlreadyExists, Conflict, ServerTimeout, TooManyRequests) as refusal:
        return Result(requeue_after=refusal.retry_after or RETRY_SECONDS)


def sync(client: Client, request: Request) -> Result:
    """One look and what follows from it. Raises NotFound when something read has gone meanwhile."""
    node = client.get(RackNode, request.name, request.namespace)
    if node.metadata.deleting or is_over(node):
        return Result()
    jobs = client.list(Job, namespace=node.namespace)
    wanted = new_job(node)
    predecessors = [job for job in jobs if owns(node, job) and job.name != wanted.name and not outcome(job)]
    if predecessors:
        for job in predecessors:
            stop(client, job)
        return LOOK_AGAIN

    job = next((job for job in jobs if job.name == wanted.name), None)
    if job is None:
        job = client.create(wanted)
    elif job.metadata.controller and not owns(node, job):
        report(client, node, "Blocked")
        return LOOK_AGAIN
    elif job.metadata.deleting:
        return LOOK_AGAIN
    elif not job.metadata.controller:
        job.metadata.owner_references.append(node.owner_reference())
        client.update(job)
    report(client, node, outcome(job) or "Flashing")
    return Result()


def is_over(node: RackNode) -> bool:
    """True if this generation's Job has ended and the status says how; the Job itself may be gone by now."""
    status = node.status
    return status.observed_generation == node.metadata.generation and status.phase in ("Ready", "Failed")


def owns(node: RackNode, job: Job) -> bool:
    """True if the RackNode is the Job's controller: the same object, not one of the same name."""
    controller = job.metadata.controller
    return controller is not None and controller.uid == node.uid


def outcome(job: Job) -> str:
    """The phase that a finished Job leads to; empty while it is at work."""
    done = {condition.type for condition in job.status.conditions if condition.status == "True"}
    return "Ready" if "Complete" in done else "Failed" if "Failed" in done else ""


def stop(client: Client, job: Job) -> None:
    """Delete a Job in the foreground: it is there until its pods have stopped."""
    if not job.metadata.deleting:
        with suppress(NotFound):
            client.delete(job, propagation_policy="Foreground")


def new_job(node: RackNode) -> Job:
    """The Job of this generation. Its name follows from the RackNode, so that a second one cannot be made."""
    container = Container(name="flash", image=f"flasher:{node.spec.desired_firmware}")
    return Job(
        metadata=ObjectMeta(
            name=f"{node.name}-flash-{node.metadata.generation}",
            namespace=node.namespace,
            owner_references=[node.owner_reference()],
        ),
        spec=JobSpec(template=PodTemplateSpec(spec=PodSpec(containers=[container], restart_policy="Never"))),
    )


def report(client: Client, node: RackNode, phase: str) -> None:
    """Write phase, generation and, once flashed, the firmware, if that says anything new."""
    status = node.status
    firmware = node.spec.desired_firmware if phase == "Ready" else status.firmware
    news = (phase, firmware, node.metadata.generation)
    if (status.phase, status.firmware, status.observed_generation) != news:
        status.phase, status.firmware, status.observed_generation = news
        client.update_status(node)


class Owner(Enum):
    """What an owner reference finds."""

    PRESENT = auto()
    WAITING = auto()
    ABSENT = auto()
    UNRESOLVABLE = auto()


def collect_garbage(objects: Sequence[Resource]) -> list[Deletion]:
    """Judge every object on its own, from one snapshot of the cluster."""
    snapshot = Snapshot(objects)
    found = (finish(obj, snapshot) if obj.metadata.deleting else delete(obj, snapshot) for obj in objects)
    return [deletion for deletion in found if deletion]


def delete(obj: Resource, snapshot: "Snapshot") -> Deletion | None:
    """An object goes when it had owners and none of them is there to keep it (``attemptToDeleteItem``)."""
    owners = snapshot.owners(obj)
    if not owners or not owners <= {Owner.ABSENT, Owner.WAITING}:
        return None
    if Owner.WAITING in owners and snapshot.dependents(obj):
        return deletion(obj, "delete", "Foreground")
    return deletion(obj, "delete", policy_of(obj))


def finish(obj: Resource, snapshot: "Snapshot") -> Deletion | None:
    """An object under deletion goes when the collector's own work for it is done."""
    policy = policy_of(obj)
    if policy == "Background":
        return None
    if policy == "Foreground" and any(snapshot.blocks(ref, other) for ref, other in snapshot.dependents(obj)):
        return None
    return deletion(obj, "finish", policy)


def policy_of(obj: Resource) -> str:
    """The propagation policy that an object's finalizers stand for."""
    if "orphan" in obj.metadata.finalizers:
        return "Orphan"
    return "Foreground" if "foregroundDeletion" in obj.metadata.finalizers else "Background"


def deletion(obj: Resource, action: str, policy: str) -> Deletion:
    """Name the object in an answer."""
    return Deletion(obj.kind, obj.namespace, obj.name, action, policy)


class Snapshot:
    """All objects, found by uid, and who refers to whom."""

    def __init__(self, objects: Sequence[Resource]) -> None:
        self._by_uid = {obj.uid: obj for obj in objects}
        self._referring: dict[str, list[tuple[OwnerReference, Resource]]] = defaultdict(list)
        for obj in objects:
            for ref in obj.metadata.owner_references:
                self._referring[ref.uid].append((ref, obj))

    def owners(self, obj: Resource) -> set[Owner]:
        """What an object's owner references find, without repetition."""
        return {self._find(ref, obj) for ref in obj.metadata.owner_references}

    def dependents(self, owner: Resource) -> list[tuple[OwnerReference, Resource]]:
        """The objects whose references find ``owner``, each with that reference."""
        found = {Owner.PRESENT, Owner.WAITING}
        return [(ref, obj) for ref, obj in self._referring[owner.uid] if self._find(ref, obj) in found]

    def blocks(self, ref: OwnerReference, dependent: Resource) -> bool:
        """True if the owner has to wait for this dependent. One that another owner keeps will not go at all."""
        return bool(ref.block_owner_deletion) and Owner.PRESENT not in self.owners(dependent)

    def _find(self, ref: OwnerReference, obj: Resource) -> Owner:
        owner = self._by_uid.get(ref.uid)
        if owner is None:
            return Owner.ABSENT
        if owner.namespace and not obj.namespace:
            return Owner.UNRESOLVABLE
        if owner.namespace and owner.namespace != obj.namespace:
            return Owner.ABSENT
        waits = owner.metadata.deleting and policy_of(owner) == "Foreground"
        return Owner.WAITING if waits else Owner.PRESENT
