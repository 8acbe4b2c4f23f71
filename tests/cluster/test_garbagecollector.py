"""The garbage collector, against the recorded decisions and whole cascades."""

from __future__ import annotations

from typing import Any

from kubekata import ConfigMap, ObjectMeta, OwnerReference, RackNode
from kubekata.cluster.actors import GarbageCollector
from kubekata.cluster.actors.garbagecollector import Owner, classify_owner
from kubekata.cluster.api import PropagationPolicy
from kubekata.cluster.world import World
from kubekata.testing import node, pod, rack_node
from tests.cluster.vectors import each

Given = dict[str, Any]


def _object(
    name: str, owners: list[ConfigMap], *, block: bool = True, finalizers: tuple[str, ...] = ()
) -> ConfigMap:
    references = [o.owner_reference(controller=False, block_owner_deletion=block) for o in owners]
    metadata = ObjectMeta(
        name=name, namespace="default", owner_references=references, finalizers=list(finalizers)
    )
    return ConfigMap(metadata=metadata)


def _names(world: World) -> list[str]:
    return [obj.name for obj in world.list(ConfigMap)]


@each("gc_finalizers", "classify_owner")
def test_classify_owner(given: Given, expect: Given) -> None:
    live = given["live"]
    metadata: Given = {"uid": live["uid"], "finalizers": live.get("finalizers", [])}
    if live.get("deleting"):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    if expect["class"] == "error":
        assert _cluster_scoped_item_with_namespaced_owner_survives()
        return
    found = None if given.get("cached_absent") else {"metadata": metadata}
    assert classify_owner(given["ref_uid"], found) is Owner[expect["class"].upper()]


def _cluster_scoped_item_with_namespaced_owner_survives() -> bool:
    world = World()
    owner = world.add(_object("owner", []))
    item = node("node-1")
    item.metadata.owner_references = [owner.owner_reference()]
    world.add(item)
    world.start(GarbageCollector(world))
    world.client().delete(owner)
    world.settle()
    return world.get(type(item), "node-1") is not None


@each("gc_finalizers", "attempt_delete")
def test_attempt_delete(given: Given, expect: Given) -> None:
    """Owners of the given classes are set up, and the collector is looked at through its calls."""
    world = World()
    if "error" in given["owners"]:
        assert _cluster_scoped_item_with_namespaced_owner_survives()
        return
    owners = [_owner(world, f"owner-{i}", state) for i, state in enumerate(given["owners"])]
    item = _object("item", owners, finalizers=tuple(given["item"].get("finalizers", ())))
    if given["item"].get("deleting"):
        item.metadata.deletion_timestamp = world.now()
        item.metadata.deletion_grace_period_seconds = 0
    item = world.add(item)
    for index, _ in enumerate(given.get("dependents", [])):
        world.add(_object(f"dependent-{index}", [item]))
    collector = GarbageCollector(world)
    mark = len(world.log)
    collector.sync()
    calls = [call for call in world.log.calls(user="garbage-collector", since=mark) if call.name == "item"]
    match expect["action"]:
        case "none":
            assert calls == []
        case "remove_refs":
            stored = world.get(ConfigMap, "item")
            assert stored is not None
            kept = [ref.uid for ref in stored.metadata.owner_references]
            assert kept == [o.uid for o, s in zip(owners, given["owners"], strict=True) if s == "solid"]
        case "delete":
            assert [call.verb for call in calls] == ["delete"]
            after = calls[0].after
            finalizers = after["metadata"].get("finalizers", []) if after else []
            marks = {"Orphan": ["orphan"], "Foreground": ["foregroundDeletion"], "Background": []}
            assert finalizers == marks[expect["policy"]]
        case "process_dependents":
            assert world.get(ConfigMap, "item") is None


def _owner(world: World, name: str, state: str) -> ConfigMap:
    owner = _object(name, [], finalizers=("foregroundDeletion",) if state == "waiting" else ())
    if state == "waiting":
        owner.metadata.deletion_timestamp = world.now()
        owner.metadata.deletion_grace_period_seconds = 0
    owner = world.add(owner)
    if state == "dangling":
        world.api.remove(world.api.resource("v1", "ConfigMap"), "default", name)
    return owner


@each("gc_finalizers", "foreground_owner")
def test_a_foreground_owner_waits_for_blocking_dependents(given: Given, expect: Given) -> None:
    world = World()
    owner = _owner(world, "owner", "waiting")
    other = world.add(_object("other", []))
    for dependent in given["dependents"]:
        references = [
            (owner if ref["uid"] == "o" else other).owner_reference(
                controller=False, block_owner_deletion=ref.get("block", False)
            )
            for ref in dependent["refs"]
        ]
        # A foreign finalizer keeps the dependent in place, as a slow deletion would.
        metadata = ObjectMeta(
            name=dependent["name"],
            namespace="default",
            owner_references=references,
            finalizers=["example.com/slow"],
        )
        world.add(ConfigMap(metadata=metadata))
    world.start(GarbageCollector(world))
    world.settle()
    left = world.get(ConfigMap, "owner")
    if expect["action"] == "remove_finalizer":
        assert left is None
        return
    assert left is not None
    for name in expect["items"]:
        dependent = world.get(ConfigMap, name)
        assert dependent is not None
        assert dependent.metadata.deleting


@each("gc_finalizers", "cascade")
def test_cascade(given: Given, expect: Given) -> None:
    world = World()
    made: dict[str, ConfigMap] = {}
    for name, owners in given["objects"].items():
        made[name] = world.add(_object(name, [made[o["owner"]] for o in owners]))
    world.start(GarbageCollector(world))
    policy: PropagationPolicy = given["policy"]
    world.client().delete(made[given["root"]], propagation_policy=policy)
    world.settle()
    for name, result in expect["result"].items():
        assert (world.get(ConfigMap, name) is None) is (result == "deleted"), name
    for name in expect["refs_removed_from"]:
        kept = world.get(ConfigMap, name)
        assert kept is not None
        assert kept.metadata.owner_references == []


class TestAsRecordedLive:
    """The moments of a real cluster's garbage collection."""

    def test_one_of_two_owners_deleted_keeps_the_child(self) -> None:
        world = World()
        one, two = world.add(_object("one", [])), world.add(_object("two", []))
        world.add(_object("child", [one, two]))
        world.start(GarbageCollector(world))
        world.client().delete(one)
        world.settle()
        child = world.get(ConfigMap, "child")
        assert child is not None
        assert [ref.name for ref in child.metadata.owner_references] == ["two"]

    def test_an_owner_that_never_existed(self) -> None:
        world = World()
        world.start(GarbageCollector(world))
        ghost = OwnerReference(api_version="v1", kind="ConfigMap", name="ghost", uid="nobody")
        world.client().create(ConfigMap(metadata=ObjectMeta(name="child", owner_references=[ghost])))
        world.settle()
        assert _names(world) == []

    def test_foreground_with_a_child_held_by_a_finalizer(self) -> None:
        world = World()
        owner = world.add(_object("owner", []))
        world.add(_object("child", [owner], finalizers=("example.com/hold",)))
        world.start(GarbageCollector(world))
        client = world.client()
        client.delete(owner, propagation_policy="Foreground")
        world.settle()
        assert _names(world) == ["child", "owner"]
        child = client.get(ConfigMap, "child")
        assert child.metadata.deleting
        child.metadata.finalizers = []
        client.update(child)
        world.settle()
        assert _names(world) == []


def test_an_owner_in_another_namespace_looks_absent() -> None:
    world = World()
    world.ensure_namespace("other")
    foreign = ConfigMap(metadata=ObjectMeta(name="owner", namespace="other"))
    owner = world.add(foreign)
    world.start(GarbageCollector(world))
    world.client().create(_object("child", [owner]))
    world.settle()
    assert [(obj.namespace, obj.name) for obj in world.list(ConfigMap)] == [("other", "owner")]


def test_a_new_object_of_the_same_name_is_not_the_owner() -> None:
    world = World()
    client = world.client()
    owner = client.create(_object("owner", []))
    client.create(_object("child", [owner]))
    client.delete(owner)
    client.create(_object("owner", []))
    world.start(GarbageCollector(world))
    world.settle()
    assert _names(world) == ["owner"]


def test_a_circle_in_the_foreground_ends() -> None:
    world = World()
    client = world.client()
    one = client.create(_object("one", []))
    two = client.create(_object("two", [one]))
    one.metadata.owner_references = [two.owner_reference(controller=False)]
    client.update(one)
    world.start(GarbageCollector(world))
    client.delete(ConfigMap, "one", propagation_policy="Foreground")
    world.settle()
    assert _names(world) == []


def test_owners_of_other_kinds_and_unserved_kinds() -> None:
    world = World()
    machine = world.add(rack_node("machine"))
    child = pod("child")
    child.metadata.owner_references = [machine.owner_reference()]
    world.add(child)
    stranger = pod("stranger")
    stranger.metadata.owner_references = [
        OwnerReference(api_version="example.com/v1", kind="Unknown", name="x", uid="1")
    ]
    world.add(stranger)
    world.start(GarbageCollector(world))
    world.client().delete(RackNode, "machine")
    world.settle()
    assert [p.name for p in world.list(type(child))] == ["stranger"]
