"""Faults between a client and the API server."""

from __future__ import annotations

import pytest

from kubekata import ConfigMap, Conflict, Expired, NotFound, ObjectMeta, Pod, ReplicaSet, ServerTimeout
from kubekata.cluster.actors import ReplicaSetController
from kubekata.cluster.world import World
from kubekata.testing import pod, replica_set


def _config(name: str = "a", **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def test_the_nth_call_of_a_verb_fails() -> None:
    world = World()
    world.faults.fail(ServerTimeout(), "create", nth=2)
    client = world.client()
    client.create(_config("a"))
    with pytest.raises(ServerTimeout):
        client.create(_config("b"))
    client.create(_config("c"))
    assert [c.name for c in world.list(ConfigMap)] == ["a", "c"]


def test_a_fault_can_last_and_be_narrow() -> None:
    world = World()
    world.faults.fail(ServerTimeout(), "create", ConfigMap, name="a", times=2)
    client = world.client()
    for _ in range(2):
        client.create(_config(f"other-{_}"))
        with pytest.raises(ServerTimeout):
            client.create(_config("a"))
    client.create(_config("a"))
    client.create(pod("a"))


def test_a_lost_answer_is_not_a_lost_write() -> None:
    world = World()
    world.faults.fail_after(ServerTimeout(), "create")
    client = world.client()
    with pytest.raises(ServerTimeout):
        client.create(_config("a"))
    assert world.get(ConfigMap, "a") is not None
    (call,) = world.log.calls(user="submission")
    assert call.after is not None
    assert isinstance(call.error, ServerTimeout)


def test_status_only() -> None:
    world = World()
    world.add(replica_set("web"))
    world.faults.fail(Conflict(), "update", ReplicaSet, subresource="status")
    client = world.client()
    web = client.get(ReplicaSet, "web")
    web.spec.replicas = 5
    web = client.update(web)
    with pytest.raises(Conflict):
        client.update_status(web)


def test_another_writer_between_read_and_write() -> None:
    world = World()
    world.client("other").create(_config("a"))

    def interfere() -> None:
        theirs = world.client("other").get(ConfigMap, "a")
        theirs.data = {"theirs": "1"}
        world.client("other").update(theirs)

    world.faults.before(interfere, "update")
    client = world.client()
    mine = client.get(ConfigMap, "a")
    mine.data = {"mine": "1"}
    with pytest.raises(Conflict, match="please apply your changes to the latest version and try again"):
        client.update(mine)
    mine = client.get(ConfigMap, "a")
    assert mine.data == {"theirs": "1"}
    mine.data["mine"] = "1"
    client.update(mine)


def test_a_stale_read_shows_the_past_and_its_version_conflicts() -> None:
    world = World()
    client = world.client()
    first = client.create(_config("a", v="1"))
    version = world.api.store.version
    first.data = {"v": "2"}
    client.update(first)
    client.create(_config("b"))
    world.faults.stale_reads(version, "get", times=2)
    world.faults.stale_reads(version, "list")
    stale = client.get(ConfigMap, "a")
    assert stale.data == {"v": "1"}
    with pytest.raises(NotFound):
        client.get(ConfigMap, "b")
    assert [c.name for c in client.list(ConfigMap)] == ["a"]
    with pytest.raises(Conflict):
        client.update(stale)
    assert client.get(ConfigMap, "a").data == {"v": "2"}


def test_the_past_is_not_remembered_for_ever() -> None:
    world = World()
    version = world.api.store.version
    world.client().create(_config("a"))
    world.api.store.compact()
    with pytest.raises(Expired):
        world.api.as_of(version)


def test_a_slow_call_takes_time_in_which_the_world_goes_on() -> None:
    world = World()
    world.start(ReplicaSetController(world))
    world.client("other").create(replica_set("web", 2))
    world.faults.slow(7, "list")
    before = world.now()
    assert len(world.client().list(Pod)) == 2
    assert (world.now() - before).total_seconds() == 7


def test_faults_meet_one_user_only() -> None:
    world = World()
    world.faults.fail(ServerTimeout(), times=float("inf"))
    world.client("other").create(_config("a"))
    with pytest.raises(ServerTimeout):
        world.client().get(ConfigMap, "a")
    world.faults.clear()
    world.client().get(ConfigMap, "a")


def test_the_log_says_who_did_what_with_before_and_after() -> None:
    world = World()
    client = world.client()
    made = client.create(_config("a", v="1"))
    made.data = {"v": "2"}
    client.update(made)
    client.update(client.get(ConfigMap, "a"))
    client.delete(made)
    with pytest.raises(NotFound):
        client.delete(made)
    created, updated, idle, deleted = world.log.writes(user="submission")
    assert (created.before, created.after and created.after["data"]) == (None, {"v": "1"})
    assert [state and state["data"] for state in (updated.before, updated.after)] == [{"v": "1"}, {"v": "2"}]
    assert updated.changed
    assert not idle.changed
    assert deleted.after is None
    assert deleted.changed
