"""Kata 02's reference against the tables and recordings of real Kubernetes that fall into its scope.

Out of scope, as the brief says: related pods of other ReplicaSets, sidecars, batches and the limit of 500,
expectations, available pods, and conditions.
"""

import json
import runpy
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import ContainerStatus, ObjectMeta, Pod, PodCondition, PodSpec, PodStatus, ReplicaSet, Request
from kubekata.testing import EPOCH, World, replica_set

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
COST = "controller.kubernetes.io/pod-deletion-cost"
APP = {"app": "web"}
SOLUTION = runpy.run_path(str(ROOT / "reference/kata-02-self-heal/solution.py"))

RECORDED = [
    json.loads(line) for line in (VECTORS / "replicaset_rank.jsonl").read_text(encoding="utf-8").splitlines()
]
OTHER_REPLICA_SETS = ("/07-", "/10-")
SIDECAR = "lowerSidecarContainerRestartCount"


def rows(operation: str) -> list[dict[str, Any]]:
    table = json.loads((VECTORS / "replicaset.json").read_text(encoding="utf-8"))
    return [row for row in table if row["id"].split("/")[1] == operation]


LESS = [row for row in rows("less") if "sidecar" not in row["id"]]
DELETE_ORDER = [
    row for row in rows("delete_order") if not any(mark in row["id"] for mark in OTHER_REPLICA_SETS)
]
PLAN = [row for row in rows("plan") if row["given"]["desired"] <= row["given"]["burst"]]
CLAIM = [row for row in rows("claim") if row["given"]["controller"]["namespace"]]
STATUS = [row for row in rows("status") if "replicas" in row["expect"]]
SYNC_GATE = [row for row in rows("sync_gate") if row["given"]["expectations_satisfied"]]


def test_rows_in_scope() -> None:
    counts = Counter(
        less=len(LESS),
        delete_order=len(DELETE_ORDER),
        plan=len(PLAN),
        is_active=len(rows("is_active")),
        claim=len(CLAIM),
        status=len(STATUS),
        deletion_cost=len(rows("deletion_cost")),
        sync_gate=len(SYNC_GATE),
        recorded=len(RECORDED),
    )
    assert counts == {
        "less": 17,
        "delete_order": 7,
        "plan": 3,
        "is_active": 5,
        "claim": 7,
        "status": 5,
        "deletion_cost": 7,
        "sync_gate": 2,
        "recorded": 800,
    }


class Scene:
    """A world with one ReplicaSet, called web."""

    def __init__(self, replicas: int, **spec: Any) -> None:
        self.world = World()
        wanted = replica_set("web", replicas, **spec)
        wanted.metadata.uid = "u1"
        self.web = self.world.add(wanted)

    def add(self, name: str, **about: Any) -> Pod:
        return self.world.add(described(name, owner=self.web, **about))

    def delete_owner(self) -> None:
        person = self.world.client("person")
        web = person.get(ReplicaSet, "web")
        web.metadata.finalizers = ["example.com/hold"]
        person.update(web)
        person.delete(web)

    def reconcile(self) -> None:
        SOLUTION["reconcile"](self.world.client(), Request("web"))

    @property
    def status(self) -> Any:
        web = self.world.get(ReplicaSet, "web")
        assert web is not None
        return web.status

    def pod_writes(self) -> list[tuple[str, str]]:
        return [(call.verb, call.name) for call in self.world.writes() if call.kind == "Pod"]


def described(name: str, owner: ReplicaSet | None = None, **about: Any) -> Pod:
    """A pod in the words of the tables; ages are seconds before now, None is no time."""
    age, ready_age = about.get("age", 0), about.get("ready_age")
    ready = about.get("ready", False)
    since = None if ready_age is None else EPOCH - timedelta(seconds=ready_age)
    cost = about.get("cost")
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=about.get("uid", f"uid-{name}"),
            labels=APP,
            annotations={} if cost is None else {COST: str(cost)},
            owner_references=[owner.owner_reference()] if owner else [],
            creation_timestamp=EPOCH - timedelta(seconds=age),
        ),
        spec=PodSpec(node_name=about.get("node", "")),
        status=PodStatus(
            phase=about.get("phase", "Running"),
            conditions=[PodCondition(type="Ready", status=str(bool(ready)), last_transition_time=since)],
            container_statuses=[ContainerStatus(name="main", restart_count=about.get("restarts", 0))],
        ),
    )


def fillers(node: str, rank: int) -> list[Pod]:
    """Pods that make a node as crowded as a rank says, and that are the last to go themselves."""
    costly = {"node": node, "ready": True, "ready_age": 9e6, "age": 9e6, "cost": 2**31 - 1}
    return [described(f"filler-{node}-{number}", **costly) for number in range(rank - 1)]


@pytest.mark.parametrize("row", LESS, ids=lambda row: row["id"])
def test_less(row: dict[str, Any]) -> None:
    given = {key: dict(row["given"][key]) for key in ("a", "b")}
    crowd: list[Pod] = []
    for key, about in given.items():
        about.setdefault("uid", "same")
        if about["node"]:
            # Ranks are counted from the pods on a node, so each pod needs a node of its own.
            about["node"] += f"-of-{key}"
            crowd += fillers(about["node"], about.get("rank", 1))
    a, b = (described(key, **about) for key, about in given.items())

    def first(one: Pod, other: Pod) -> str:
        return SOLUTION["deletion_order"]([one, other, *crowd], EPOCH)[0].name

    if row["expect"]["less"]:
        assert first(a, b) == first(b, a) == "a"
    elif row["id"].endswith("-reversed"):
        assert first(a, b) == first(b, a) == "b"
    else:
        # Equal but for the uid, which is the same in the table: whichever is smaller goes first.
        b.metadata.uid = "other"
        assert first(a, b) == first(b, a) == "b"
        b.metadata.uid = "the same"
        assert first(a, b) == first(b, a) == "a"


@pytest.mark.parametrize("row", DELETE_ORDER, ids=lambda row: row["id"])
def test_delete_order(row: dict[str, Any]) -> None:
    # One pod of one row differs in its sidecar alone.
    pods = [pod for pod in row["given"]["pods"] if pod["name"] != SIDECAR]
    expected = [name for name in row["expect"]["delete"] if name != SIDECAR]
    scene = Scene(replicas=len(pods) - len(expected))
    for number, about in enumerate(pods):
        scene.add(f"{about['name'].lower()}-{number}", **{k: v for k, v in about.items() if k != "name"})
    scene.reconcile()
    deleted = [name.rsplit("-", 1)[0] for verb, name in scene.pod_writes() if verb == "delete"]
    wanted = [name.lower() for name in expected]
    assert sorted(deleted) == sorted(wanted)
    if len(expected) < len(pods) and len(set(wanted)) == len(wanted):
        assert deleted == wanted


def recorded_pod(about: dict[str, Any], owner: ReplicaSet | None = None) -> Pod:
    return described(
        about["name"],
        owner,
        uid=about["name"],
        node=about["node"],
        phase=about["phase"],
        ready=about["ready"],
        ready_age=about["ready_seconds"],
        age=about["age_seconds"],
        restarts=about["restarts"],
        cost=about["deletion_cost"],
    )


def test_recorded_orders() -> None:
    for row in RECORDED:
        pods = [recorded_pod(about) for about in row["given"]["pods"]]
        order = [pod.name for pod in SOLUTION["deletion_order"](pods, EPOCH)]
        assert order == row["expect"]["deletion_order"], row


def test_recorded_orders_through_reconcile() -> None:
    for number, row in enumerate(RECORDED):
        pods, order = row["given"]["pods"], row["expect"]["deletion_order"]
        count = 1 + number % max(1, len(pods) - 1)
        scene = Scene(replicas=len(pods) - count)
        for about in pods:
            scene.world.add(recorded_pod(about, scene.web))
        scene.reconcile()
        deleted = [name for verb, name in scene.pod_writes() if verb == "delete"]
        assert deleted == order[:count], row


@pytest.mark.parametrize("row", PLAN, ids=lambda row: row["id"])
def test_plan(row: dict[str, Any]) -> None:
    scene = Scene(row["given"]["desired"])
    for number in range(row["given"]["active"]):
        scene.add(f"pod-{number}")
    scene.reconcile()
    verbs = [verb for verb, _ in scene.pod_writes()]
    assert verbs == [row["expect"]["action"]] * row["expect"]["count"]


@pytest.mark.parametrize("row", rows("is_active"), ids=lambda row: row["id"])
def test_is_active(row: dict[str, Any]) -> None:
    scene = Scene(1)
    pod = described("pod", scene.web, phase=row["given"]["phase"])
    if row["given"]["deleting"]:
        pod.metadata.deletion_timestamp = EPOCH
    scene.world.add(pod)
    scene.reconcile()
    assert bool(scene.pod_writes()) is not row["expect"]["active"]


@pytest.mark.parametrize("row", CLAIM, ids=lambda row: row["id"])
def test_claim(row: dict[str, Any]) -> None:
    given, expect = row["given"], row["expect"]
    scene = Scene(replicas=len(expect["claimed"]))
    for about in given["pods"]:
        pod = described(about["name"], scene.web if about["owner"] == "u1" else None)
        pod.spec.restart_policy, pod.spec.termination_grace_period_seconds = "Always", 30
        pod.metadata.namespace = about.get("namespace", "default")
        if about["owner"] not in ("u1", None):
            other = replica_set("other")
            other.metadata.uid = about["owner"]
            pod.metadata.owner_references = [other.owner_reference()]
        if not about["matches"]:
            pod.metadata.labels = {"app": "other"}
        if about.get("deleting"):
            pod.metadata.deletion_timestamp = EPOCH
        scene.world.add(pod)
    if given["controller"].get("deleting"):
        scene.delete_owner()
    scene.reconcile()

    patches = [
        ["adopt" if call.after["metadata"].get("ownerReferences") else "release", call.name]
        for call in scene.world.writes()
        if call.verb == "update" and call.kind == "Pod" and call.after
    ]
    assert patches == expect["patches"]
    active = {about["name"] for about in given["pods"] if not about.get("deleting")}
    assert scene.status.replicas >= len(active & set(expect["claimed"]))


@pytest.mark.parametrize("row", STATUS, ids=lambda row: row["id"])
def test_status(row: dict[str, Any]) -> None:
    # The table counts without managing; a ReplicaSet under deletion does the same.
    scene = Scene(row["given"]["desired"])
    for number, about in enumerate(row["given"]["pods"]):
        scene.add(f"pod-{number}", ready=about["ready"], ready_age=about["ready_age"])
    scene.delete_owner()
    scene.reconcile()
    assert scene.status.replicas == row["expect"]["replicas"]
    assert scene.status.ready_replicas == row["expect"]["ready"]


@pytest.mark.parametrize("row", rows("deletion_cost"), ids=lambda row: row["id"])
def test_deletion_cost(row: dict[str, Any]) -> None:
    annotation = row["given"]["annotation"]
    assert SOLUTION["deletion_cost"](described("pod", cost=annotation)) == row["expect"]["cost"]


@pytest.mark.parametrize("row", SYNC_GATE, ids=lambda row: row["id"])
def test_sync_gate(row: dict[str, Any]) -> None:
    given, expect = row["given"], row["expect"]
    scene = Scene(given["desired"])
    for number in range(given["active"]):
        scene.add(f"pod-{number}")
    if given["deleting"]:
        scene.delete_owner()
    scene.reconcile()
    assert bool(scene.pod_writes()) is expect["manage"]
    assert (scene.status.replicas == len(scene.world.list(Pod))) is expect["status_updated"]
