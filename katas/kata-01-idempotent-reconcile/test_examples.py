"""Examples from the brief. They run in your own process: print and the debugger work."""

from kata import reconcile

from kubekata import Pod, ReplicaSet, Request, Result
from kubekata.testing import World, pod, replica_set

WEB = Request("web")


def world_with(replicas: int, pods: int) -> World:
    """A cluster with the ReplicaSet "web" and this many pods that belong to it."""
    world = World()
    web = world.add(replica_set("web", replicas))
    for number in range(pods):
        world.add(pod(f"web-{number}", labels={"app": "web"}, owner=web))
    return world


def count(world: World) -> int:
    return len(world.list(Pod))


def test_makes_the_pods_that_are_missing() -> None:
    world = world_with(replicas=3, pods=1)
    reconcile(world.client(), WEB)
    assert count(world) == 3


def test_deletes_the_pods_that_are_too_many() -> None:
    world = world_with(replicas=1, pods=3)
    reconcile(world.client(), WEB)
    assert count(world) == 1


def test_a_new_pod_belongs_to_the_replica_set() -> None:
    world = world_with(replicas=1, pods=0)
    reconcile(world.client(), WEB)
    web = world.get(ReplicaSet, "web")
    (new,) = world.list(Pod)
    assert new.metadata.controller.uid == web.uid
    assert new.metadata.labels == {"app": "web"}


def test_says_in_the_status_how_many_there_are() -> None:
    world = world_with(replicas=3, pods=1)
    reconcile(world.client(), WEB)
    assert world.get(ReplicaSet, "web").status.replicas == 3


def test_a_second_call_writes_nothing() -> None:
    world = world_with(replicas=3, pods=1)
    reconcile(world.client(), WEB)
    before = len(world.log)
    assert reconcile(world.client(), WEB) == Result()
    assert [str(write) for write in world.writes(since=before)] == []


def test_a_replica_set_that_is_gone_is_no_error() -> None:
    world = World()
    assert reconcile(world.client(), WEB) == Result()
