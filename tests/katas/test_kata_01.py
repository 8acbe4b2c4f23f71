"""Kata 01's reference against the rows of real Kubernetes that fall into its scope."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import Pod, ReplicaSet, Request, Result
from kubekata.testing import World, pod, replica_set

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "tests/vectors/replicaset.json").read_text(encoding="utf-8"))
# One row is left out: at most 500 pods in one sync.
PLANS = [row for row in ROWS if "/plan/" in row["id"] and row["given"]["desired"] <= row["given"]["burst"]]
REQUEST = Request("web")

reconcile = runpy.run_path(str(ROOT / "reference/kata-01-idempotent-reconcile/solution.py"))["reconcile"]


def world_with(replicas: int, pods: int) -> World:
    world = World()
    wanted = replica_set("web", replicas)
    wanted.status.replicas = pods
    owner = world.add(wanted)
    for number in range(pods):
        world.add(pod(f"web-{number}", labels={"app": "web"}, owner=owner))
    return world


def test_rows_in_scope() -> None:
    assert len(PLANS) == 3


@pytest.mark.parametrize("row", PLANS, ids=lambda row: row["id"])
def test_plan(row: dict[str, Any]) -> None:
    world = world_with(row["given"]["desired"], row["given"]["active"])
    reconcile(world.client(), REQUEST)
    verbs = [call.verb for call in world.writes() if call.kind == "Pod"]
    expected = row["expect"]
    assert verbs == [expected["action"]] * expected["count"]


def test_as_played_on_a_real_control_plane() -> None:
    """The moments of the recorded self-heal scenario: converged, a pod deleted by hand, idle, scaled to zero."""
    world = world_with(3, 0)
    reconcile(world.client(), REQUEST)
    assert len(world.list(Pod)) == 3

    somebody = world.client("somebody")
    somebody.delete(world.list(Pod)[0])
    reconcile(world.client(), REQUEST)
    assert len(world.list(Pod)) == 3

    before = world.get(ReplicaSet, "web")
    assert reconcile(world.client(), REQUEST) == Result()
    assert world.get(ReplicaSet, "web") == before

    web = somebody.get(ReplicaSet, "web")
    web.spec.replicas = 0
    somebody.update(web)
    reconcile(world.client(), REQUEST)
    assert world.list(Pod) == []
    assert somebody.get(ReplicaSet, "web").status.replicas == 0
