"""Kata 07's reference against the tables and the live rollbacks of real Kubernetes.

Out of scope: `last_revision` where the old in-tree rollback and kubectl differ, `sync_revision` with a limit on the
history's length, `rollout_status` (kata 06's subject), `history_target` (StatefulSets).
"""

import json
import runpy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import Deployment, PodTemplateSpec, ReplicaSet, Request
from kubekata.testing import EPOCH, World, deployment, node, pod_template, replica_set

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
WEB = Request("web")

solution = runpy.run_path(str(ROOT / "reference/kata-07-rollback/solution.py"))
record_revision, rollback, prune_history = (
    solution[name] for name in ("record_revision", "rollback", "prune_history")
)
ROWS = json.loads((VECTORS / "rollback.json").read_text(encoding="utf-8"))
LIVE = json.loads((VECTORS / "live.json").read_text(encoding="utf-8"))


def table(operation: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["id"].split("/")[1] == operation]


IN_SCOPE = {
    "max_revision": 3,
    "last_revision": 2,
    "controller_rollback": 4,
    "kubectl_undo": 8,
    "sync_revision": 3,
    "templates_equal": 8,
    "find_new_rs": 3,
    "cleanup_history": 11,
    "history_after": 6,
}
TABLES = {name: table(name) for name in IN_SCOPE}
TABLES["last_revision"] = TABLES["last_revision"][:2]
TABLES["sync_revision"] = [row for row in TABLES["sync_revision"] if "limit_chars" not in row["given"]]


def rows(operation: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", TABLES[operation], ids=lambda row: row["id"])


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert {name: len(found) for name, found in TABLES.items()} == IN_SCOPE
    assert (len(LIVE["rollback"]), len(LIVE["stalled"])) == (3, 8)


def web(world: World, image: str, **settings: Any) -> Deployment:
    wanted = deployment("web", 2, image=image)
    for name, value in settings.items():
        setattr(wanted.spec, name, value)
    status = wanted.status
    status.observed_generation = 99
    status.replicas = status.updated_replicas = status.available_replicas = 2
    return world.add(wanted)


def past(
    world: World,
    owner: Deployment,
    image: str,
    revision: str | None,
    *,
    name: str,
    created: int = 0,
    template: PodTemplateSpec | None = None,
    history: str | None = None,
    spec: int = 0,
    status: int = 0,
) -> ReplicaSet:
    found = replica_set(
        name, spec, labels={"app": "web"}, template=template or pod_template({"app": "web"}, image=image)
    )
    found.metadata.creation_timestamp = EPOCH + timedelta(seconds=created)
    found.metadata.owner_references = [owner.owner_reference()]
    notes = {REVISION: revision, HISTORY: history}
    found.metadata.annotations = {key: text for key, text in notes.items() if text is not None}
    found.status.observed_generation = 1
    found.status.replicas = status
    return world.add(found)


def image(world: World) -> str:
    found = world.get(Deployment, "web")
    assert found is not None
    return found.spec.template.spec.containers[0].image


def image_of(rs: ReplicaSet) -> str:
    return rs.spec.template.spec.containers[0].image


def history(world: World, annotations: list[str | None], current: int, **settings: Any) -> None:
    """A Deployment with a ReplicaSet for each annotation; the one at ``current`` is the current one."""
    owner = web(world, f"a:{current}", **settings)
    for index, text in enumerate(annotations):
        past(world, owner, f"a:{index}", text, name=f"web-{'abcdef'[index]}", created=index)


@rows("max_revision")
def test_max_revision(row: dict[str, Any]) -> None:
    """A new template is one above the highest."""
    world = World()
    history(world, row["given"]["annotations"], 99)
    assert record_revision(world.client(), WEB) == row["expect"]["max"] + 1


@rows("last_revision")
def test_last_revision(row: dict[str, Any]) -> None:
    """The revision that an undo without a number goes to."""
    world, annotations = World(), row["given"]["annotations"]
    history(world, annotations, annotations.index("3"))
    rollback(world.client(), WEB)
    assert image(world) == f"a:{annotations.index(str(row['expect']['last']))}"


@rows("controller_rollback")
def test_controller_rollback(row: dict[str, Any]) -> None:
    """The old in-tree rollback reported by events; the kata raises, or writes nothing."""
    world, given = World(), row["given"]
    annotations = given["annotations"]
    history(world, annotations, len(annotations) - 1)
    match row["expect"]["event"]:
        case "DeploymentRollback":
            rollback(world.client(), WEB, given["to_revision"])
            assert image(world) == f"a:{annotations.index(str(row['expect']['revision']))}"
        case "DeploymentRollbackRevisionNotFound":
            with pytest.raises(LookupError):
                rollback(world.client(), WEB, given["to_revision"])
            assert not world.writes()
        case "DeploymentRollbackTemplateUnchanged":
            rollback(world.client(), WEB, given["to_revision"])
            assert [write.kind for write in world.writes()] == ["Deployment"]  # the annotation only
            assert image(world) == f"a:{len(annotations) - 1}"
        case other:
            pytest.fail(f"unknown event {other}")


@rows("kubectl_undo")
def test_kubectl_undo(row: dict[str, Any]) -> None:
    """kubectl rollout undo; its sentences are not the kata's."""
    world, given, expect = World(), row["given"], row["expect"]
    annotations = given["annotations"]
    current = annotations.index(str(given["current_template_revision"]))
    history(world, annotations, current, paused=given.get("paused", False))
    if "error" in expect:
        error = RuntimeError if "paused" in expect["error"] else LookupError
        with pytest.raises(error):
            rollback(world.client(), WEB, given["to_revision"])
        assert not world.writes()
        return
    rollback(world.client(), WEB, given["to_revision"])
    target = None if expect.get("to") == 0 else str(expect.get("to", given["current_template_revision"]))
    assert image(world) == f"a:{annotations.index(target)}"


@rows("sync_revision")
def test_sync_revision(row: dict[str, Any]) -> None:
    """The current ReplicaSet gets a number; the former one moves to its history."""
    world, given = World(), row["given"]
    owner = web(world, "a:1")
    past(world, owner, "a:1", given["rs_revision"], name="web-a", history=given["rs_history"])
    if given["new_revision"] > 1:
        past(world, owner, "a:2", str(given["new_revision"] - 1), name="web-b")
    record_revision(world.client(), WEB)
    found = world.get(ReplicaSet, "web-a")
    assert found is not None
    notes = found.metadata.annotations
    assert {"revision": notes.get(REVISION), "history": notes.get(HISTORY)} == row["expect"]


@rows("templates_equal")
def test_templates_equal(row: dict[str, Any]) -> None:
    """Equal templates share a ReplicaSet."""
    world = World()
    former, latter = (template_of(row["given"][name]) for name in ("former", "latter"))
    owner = deployment("web", 2)
    owner.spec.template = former
    past(world, world.add(owner), "", "1", name="web-a", template=latter)
    record_revision(world.client(), WEB)
    assert (len(world.list(ReplicaSet)) == 1) == row["expect"]["equal"]


def template_of(given: dict[str, Any]) -> PodTemplateSpec:
    found = pod_template({**given.get("labels", {}), "app": "web"}, image=given["spec"])
    found.metadata.annotations = given.get("annotations", {})
    return found


@rows("find_new_rs")
def test_find_new_rs(row: dict[str, Any]) -> None:
    """Which ReplicaSet is current; the new one of a row that has none is made."""
    world, given = World(), row["given"]
    owner = web(world, given["template"])
    for rs in given["replica_sets"]:
        past(world, owner, rs["template"], None, name=rs["name"], created=rs["created"])
    record_revision(world.client(), WEB)
    numbered = [rs.name for rs in world.list(ReplicaSet) if rs.metadata.annotations.get(REVISION)]
    known = {rs["name"] for rs in given["replica_sets"]}
    assert [name if name in known else None for name in numbered] == [row["expect"]["new"]]


@rows("cleanup_history")
def test_cleanup_history(row: dict[str, Any]) -> None:
    """Which old ReplicaSets go."""
    world, given = World(), row["given"]
    owner = web(world, "now", revision_history_limit=given["limit"])
    past(world, owner, "now", "9", name="foo-now", created=99)
    for rs in given["old_rs"]:
        sizes = {"spec": rs["spec"], "status": rs["status"], "created": rs.get("created", 0)}
        past(world, owner, rs["name"], rs.get("revision"), name=rs["name"], **sizes)
    before = {rs.name for rs in world.list(ReplicaSet)}
    prune_history(world.client(), WEB)
    gone = before - {rs.name for rs in world.list(ReplicaSet)}
    assert gone == set(row["expect"]["deleted"])


@rows("history_after")
def test_history_after(row: dict[str, Any]) -> None:
    """Whole histories of changes and undos."""
    world, expect = World(), row["expect"]
    first, *actions = row["given"]["actions"]
    world.client("person").create(deployment("web", 2, image=first))
    record_revision(world.client(), WEB)

    def act() -> None:
        for action in actions:
            if action.startswith("undo"):
                rollback(world.client(), WEB, int(action.removeprefix("undo").lstrip(":") or 0))
            else:
                change_image(world, action)
                record_revision(world.client(), WEB)

    if "error" in expect:
        with pytest.raises(LookupError):
            act()
        return
    act()
    numbers = {image_of(rs): int(rs.metadata.annotations[REVISION]) for rs in world.list(ReplicaSet)}
    assert (numbers, image(world)) == (expect["revisions"], expect["running"])


def change_image(world: World, wanted: str) -> None:
    person = world.client("person")
    found = person.get(Deployment, "web")
    found.spec.template.spec.containers[0].image = wanted
    person.update(found)


def live_sets(state: dict[str, Any]) -> set[tuple[Any, ...]]:
    return {(rs["image"], rs["revision"], rs["history"], rs["spec"]) for rs in state["replica_sets"]}


def sets_of(world: World) -> set[tuple[Any, ...]]:
    return {
        (
            image_of(rs),
            rs.metadata.annotations[REVISION],
            rs.metadata.annotations.get(HISTORY),
            rs.spec.replicas,
        )
        for rs in world.list(ReplicaSet)
    }


def running_world(replicas: int, limit: int, **strategy: Any) -> World:
    world = World()
    world.add(node("node-a"))
    world.start_control_plane(ready_after=1)
    wanted = deployment("web", replicas, image="a:1", **strategy)
    wanted.spec.revision_history_limit = limit
    world.client("person").create(wanted)
    world.advance(30)
    return world


def test_live_rollback_and_pruning() -> None:
    """Revisions and histories, moment by moment, with the Deployment controller rolling out."""
    world = running_world(2, 2)
    for wanted in ("a:2", "a:3"):
        change_image(world, wanted)
        world.advance(30)
    moments = [moment["state"] for moment in LIVE["rollback"]]
    assert sets_of(world) == live_sets(moments[0])

    rollback(world.client(), WEB, 1)
    world.advance(30)
    assert sets_of(world) == live_sets(moments[1])

    change_image(world, "a:4")
    record_revision(world.client(), WEB)
    world.advance(30)
    prune_history(world.client(), WEB)
    assert sets_of(world) == live_sets(moments[2])


def test_live_rollback_in_the_middle() -> None:
    """Out of a rollout whose pods never become ready."""
    world = World()
    world.add(node("node-a"))
    actors = world.start_control_plane(ready_after=1)
    actors.kubelet.set_ready_after(None, image="bad:1")
    world.client("person").create(deployment("web", 4, image="a:1"))
    world.advance(30)
    change_image(world, "bad:1")
    world.advance(30)
    states = {moment["moment"]: moment["state"] for moment in LIVE["stalled"]}
    assert sets_of(world) == live_sets(states["after the deadline"])

    rollback(world.client(), WEB)
    world.advance(30)
    assert sets_of(world) == live_sets(states["rolled back in the middle"])
