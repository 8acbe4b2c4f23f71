"""Kata 13's collector against the rows of real Kubernetes that fall into its scope.

Out of scope: what the API server does with finalizers (the world's API server has tests of its own),
a remembered absence, and cutting references off objects that another owner keeps.
"""

import json
import runpy
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import ConfigMap, Deletion, Node, ObjectMeta, Resource
from kubekata.testing import EPOCH, World

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "tests/vectors/gc_finalizers.json").read_text(encoding="utf-8"))
FOREGROUND = "foregroundDeletion"
# What stands for an owner of each class.
GOING = {"waiting": [FOREGROUND]}

collect_garbage = runpy.run_path(str(ROOT / "reference/kata-13-owner-references/solution.py"))[
    "collect_garbage"
]


def rows(operation: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["id"].split("/")[1] == operation]


CLASSIFY = [row for row in rows("classify_owner") if "cached_absent" not in row["given"]]


def test_rows_in_scope() -> None:
    counts = Counter(
        classify_owner=len(CLASSIFY),
        attempt_delete=len(rows("attempt_delete")),
        foreground_owner=len(rows("foreground_owner")),
        cascade=len(rows("cascade")),
    )
    assert counts == {"classify_owner": 5, "attempt_delete": 9, "foreground_owner": 3, "cascade": 3}


def thing(
    name: str,
    *owners: tuple[Resource, bool],
    going: bool = False,
    finalizers: Any = (),
    kind: Any = ConfigMap,
) -> Any:
    namespace = "default" if kind.namespaced else ""
    made = kind(metadata=ObjectMeta(name=name, namespace=namespace, uid=name, finalizers=list(finalizers)))
    made.metadata.owner_references = [
        owner.owner_reference(controller=False, block_owner_deletion=block) for owner, block in owners
    ]
    if going:
        made.metadata.deletion_timestamp = EPOCH + timedelta(seconds=1)
    return made


def about(name: str, objects: list[Any]) -> list[tuple[str, str]]:
    """What is done to one object: actions with their policies."""
    return [(step.action, step.policy) for step in collect_garbage(objects) if step.name == name]


@pytest.mark.parametrize("row", CLASSIFY, ids=lambda row: row["id"])
def test_classify_owner(row: dict[str, Any]) -> None:
    live = row["given"]["live"]
    owner = thing(live["uid"], going=live.get("deleting", False), finalizers=live.get("finalizers", ()))
    kind = ConfigMap if row["given"].get("item_namespaced", True) else Node
    item = thing("item", (owner, True), kind=kind)
    collected = about("item", [owner, item])
    assert bool(collected) is (row["expect"]["class"] in ("waiting", "dangling"))


@pytest.mark.parametrize("row", rows("attempt_delete"), ids=lambda row: row["id"])
def test_attempt_delete(row: dict[str, Any]) -> None:
    given, expect = row["given"], row["expect"]
    present: list[Any] = []
    owners: list[tuple[Resource, bool]] = []
    kind = Node if "error" in given["owners"] else ConfigMap
    for number, state in enumerate(given["owners"]):
        owner = thing(f"owner-{number}", going=state in GOING, finalizers=GOING.get(state, ()))
        owners.append((owner, True))
        if state != "dangling":
            present.append(owner)
    about_item = given["item"]
    item = thing(
        "item",
        *owners,
        going=about_item.get("deleting", False),
        finalizers=about_item.get("finalizers", ()),
        kind=kind,
    )
    dependents = [
        thing(f"dependent-{number}", (item, True)) for number, _ in enumerate(given.get("dependents", ()))
    ]
    steps = about("item", [*present, item, *dependents])
    if expect["action"] == "delete":
        assert steps == [("delete", expect["policy"])]
    elif expect["action"] == "process_dependents":
        # It has no dependents, so processing them ends at once.
        assert steps == [("finish", "Foreground")]
    else:
        assert steps == []


@pytest.mark.parametrize("row", rows("foreground_owner"), ids=lambda row: row["id"])
def test_foreground_owner(row: dict[str, Any]) -> None:
    given, expect = row["given"], row["expect"]
    owner = thing(given["owner_uid"], going=True, finalizers=[FOREGROUND])
    objects: dict[str, Any] = {owner.name: owner}
    for entry in given["dependents"]:
        refs = []
        for ref in entry["refs"]:
            objects.setdefault(ref["uid"], thing(ref["uid"]))
            refs.append((objects[ref["uid"]], ref.get("block", False)))
        going = entry.get("deleting_dependents", False)
        objects[entry["name"]] = thing(
            entry["name"], *refs, going=going, finalizers=[FOREGROUND] if going else []
        )
    snapshot = list(objects.values())
    finished = about(owner.name, snapshot) == [("finish", "Foreground")]
    assert finished is (expect["action"] == "remove_finalizer")
    for name in expect.get("items", ()):
        assert about(name, snapshot) == [("delete", "Background")]


def carry_out(world: World, step: Deletion) -> None:
    collector = world.client("garbage-collector")
    found = collector.get(ConfigMap, step.name)
    if step.action == "delete":
        collector.delete(found, propagation_policy=step.policy)
        return
    if step.policy == "Orphan":
        for other in world.list(ConfigMap, owner=found):
            refs = other.metadata.owner_references
            other.metadata.owner_references = [ref for ref in refs if ref.uid != found.uid]
            collector.update(other)
    found = collector.get(ConfigMap, step.name)
    found.metadata.finalizers = [
        name for name in found.metadata.finalizers if name not in (FOREGROUND, "orphan")
    ]
    collector.update(found)


def play(world: World) -> None:
    """Carry out pass after pass, until there is nothing left to do."""
    while steps := collect_garbage(world.list(ConfigMap)):
        for step in steps:
            carry_out(world, step)


def add(world: World, name: str, *owners: ConfigMap, finalizers: Any = ()) -> ConfigMap:
    made = thing(name, *((owner, True) for owner in owners), finalizers=finalizers)
    return world.add(made)


@pytest.mark.parametrize("row", rows("cascade"), ids=lambda row: row["id"])
def test_cascade(row: dict[str, Any]) -> None:
    given, expect = row["given"], row["expect"]
    world = World()
    made: dict[str, ConfigMap] = {}
    for name, owners in given["objects"].items():
        made[name] = add(world, name, *(made[owner["owner"]] for owner in owners))
    world.client("person").delete(ConfigMap, given["root"], propagation_policy=given["policy"])
    play(world)
    left = {obj.name: obj for obj in world.list(ConfigMap)}
    assert {name: "kept" if name in left else "deleted" for name in made} == expect["result"]
    cut = [
        name for name, obj in left.items() if len(obj.metadata.owner_references) < len(given["objects"][name])
    ]
    assert cut == expect["refs_removed_from"]


class TestAsPlayedOnARealControlPlane:
    """The moments of the recorded garbage collection scenario."""

    def test_two_owners_one_deleted(self) -> None:
        world = World()
        one, two = add(world, "one"), add(world, "two")
        add(world, "child", one, two)
        world.client("person").delete(one)
        play(world)
        child = world.get(ConfigMap, "child")
        assert child is not None
        assert not child.metadata.deleting

    def test_an_owner_that_never_existed(self) -> None:
        world = World()
        add(world, "child", thing("nobody"))
        play(world)
        assert world.get(ConfigMap, "child") is None

    def test_foreground_with_a_child_that_a_finalizer_holds(self) -> None:
        world = World()
        person = world.client("person")
        add(world, "child", add(world, "fg"), finalizers=["example.com/hold"])
        person.delete(ConfigMap, "fg", propagation_policy="Foreground")
        play(world)
        owner, child = world.get(ConfigMap, "fg"), world.get(ConfigMap, "child")
        assert owner is not None
        assert owner.metadata.finalizers == [FOREGROUND]
        assert child is not None
        assert child.metadata.deleting

        child.metadata.finalizers = []
        person.update(child)
        play(world)
        assert world.list(ConfigMap) == []
