"""Examples from the brief. They run in your own process: print and the debugger work."""

from datetime import UTC, datetime

from kata import collect_garbage, reconcile

from kubekata import (
    Condition,
    Deletion,
    Deployment,
    Job,
    ObjectMeta,
    Pod,
    RackNode,
    ReplicaSet,
    Request,
    Result,
)
from kubekata.testing import World, rack_node

R1 = Request("r1")


def jobs(world: World) -> list[str]:
    return [job.name for job in world.list(Job)]


def test_the_first_generation_gets_its_job() -> None:
    world = World()
    node = world.add(rack_node("r1", "2.1.0"))
    reconcile(world.client(), R1)
    (job,) = world.list(Job)
    assert job.name == "r1-flash-1"
    assert [c.image for c in job.spec.template.spec.containers] == ["flasher:2.1.0"]
    assert job.metadata.controller.uid == node.uid
    assert world.get(RackNode, "r1").status.phase == "Flashing"


def test_a_finished_job_makes_it_ready() -> None:
    world = World()
    node = world.add(rack_node("r1", "2.1.0"))
    job = Job(metadata=ObjectMeta(name="r1-flash-1", owner_references=[node.owner_reference()]))
    job.status.conditions = [Condition(type="Complete", status="True")]
    world.add(job)
    assert reconcile(world.client(), R1) == Result()
    status = world.get(RackNode, "r1").status
    assert (status.phase, status.firmware, status.observed_generation) == ("Ready", "2.1.0", 1)


def test_the_earlier_job_has_to_stop_first() -> None:
    world = World()
    node = rack_node("r1", "2.2.0")
    node.metadata.generation = 2
    node = world.add(node)
    world.add(Job(metadata=ObjectMeta(name="r1-flash-1", owner_references=[node.owner_reference()])))
    assert reconcile(world.client(), R1).requeue_after > 0
    assert jobs(world) == ["r1-flash-1"]
    assert world.get(Job, "r1-flash-1").metadata.deleting


def obj(kind: type, name: str, owner: object = None, *, waiting: bool = False):
    """An object of a snapshot; ``waiting`` means that it is being deleted in the foreground."""
    made = kind(metadata=ObjectMeta(name=name, namespace="default", uid=f"uid-{name}"))
    if owner is not None:
        made.metadata.owner_references = [owner.owner_reference()]
    if waiting:
        made.metadata.deletion_timestamp = datetime(2026, 1, 1, tzinfo=UTC)
        made.metadata.finalizers = ["foregroundDeletion"]
    return made


def test_worked_example() -> None:
    shop = obj(Deployment, "shop", waiting=True)
    web = obj(ReplicaSet, "web", shop)
    pod = obj(Pod, "web-1", web)
    assert collect_garbage([shop, web, pod]) == [
        Deletion("ReplicaSet", "default", "web", "delete", "Foreground")
    ]

    web = obj(ReplicaSet, "web", shop, waiting=True)
    assert collect_garbage([shop, web, pod]) == [Deletion("Pod", "default", "web-1", "delete", "Background")]
    assert collect_garbage([shop, web]) == [Deletion("ReplicaSet", "default", "web", "finish", "Foreground")]
    assert collect_garbage([shop]) == [Deletion("Deployment", "default", "shop", "finish", "Foreground")]


def test_a_dependent_whose_owner_is_gone() -> None:
    gone = obj(ReplicaSet, "web")
    kept = obj(Pod, "kept")
    garbage = obj(Pod, "garbage", gone)
    assert collect_garbage([kept, garbage]) == [Deletion("Pod", "default", "garbage", "delete", "Background")]
