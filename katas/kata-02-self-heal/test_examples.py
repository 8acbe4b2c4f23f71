"""Examples from the brief. They run in your own process: print and the debugger work."""

from datetime import timedelta

from kata import reconcile

from kubekata import Pod, ReplicaSet, Request, Result, TooManyRequests
from kubekata.testing import EPOCH, World, pod, replica_set

WEB = Request("web")
APP = {"app": "web"}


def running(
    world: World, name: str, owner: ReplicaSet | None, labels: dict[str, str] = APP, **about: object
) -> Pod:
    """Add a pod that runs on a node and is ready, unless told otherwise."""
    fields = {"labels": labels, "node": f"node-{name}", "phase": "Running", "ready": True, **about}
    return world.add(pod(name, owner=owner, **fields))


def active(world: World, owner: ReplicaSet) -> list[str]:
    """Names of the active pods that a ReplicaSet controls."""
    controlled = [
        p for p in world.list(Pod) if p.metadata.controller and p.metadata.controller.uid == owner.uid
    ]
    return [p.name for p in controlled if p.active]


def test_worked_example() -> None:
    world = World()
    web, canary = world.add(replica_set("web", 3)), world.add(replica_set("canary", 1, labels=APP))
    running(world, "a", web)
    running(world, "b", web, phase="Failed", ready=False)
    running(world, "c", web)
    world.client("a person").delete(Pod, "c")
    running(world, "d", None)
    running(world, "e", web, {"app": "debug"})
    running(world, "f", canary)

    reconcile(world.client(), WEB)

    names = active(world, web)
    assert len(names) == 3
    assert {"a", "d"} <= set(names)
    assert world.get(Pod, "e").metadata.owner_references == []
    assert active(world, canary) == ["f"]
    assert world.get(ReplicaSet, "web").status.replicas == 3

    before = len(world.log)
    assert reconcile(world.client(), WEB) == Result()
    assert [str(write) for write in world.writes(since=before)] == []


def test_the_pod_that_is_not_ready_goes() -> None:
    world = World()
    web = world.add(replica_set("web", 2))
    for name, ready in (("a", True), ("b", False), ("c", True)):
        running(world, name, web, ready=ready)
    reconcile(world.client(), WEB)
    assert active(world, web) == ["a", "c"]


def test_the_pod_that_became_ready_last_goes() -> None:
    world = World()
    web = world.add(replica_set("web", 2))
    for name, hours in (("a", 3), ("b", 2), ("c", 5)):
        running(world, name, web, ready_since=EPOCH - timedelta(hours=hours))
    reconcile(world.client(), WEB)
    assert active(world, web) == ["a", "c"]


def test_too_many_requests_is_no_crash() -> None:
    world = World()
    web = world.add(replica_set("web", 3))
    world.faults.fail(TooManyRequests("slow down", details={"retryAfterSeconds": 5}), "create", Pod, nth=2)
    assert reconcile(world.client(), WEB).requeue_after >= 5
    reconcile(world.client(), WEB)
    assert len(active(world, web)) == 3


def test_a_running_pod_takes_its_time_to_go() -> None:
    world = World()
    web = world.add(replica_set("web", 1))
    for name in ("a", "b"):
        running(world, name, web)
    reconcile(world.client(), WEB)
    assert len(active(world, web)) == 1
    assert len(world.list(Pod)) == 2
