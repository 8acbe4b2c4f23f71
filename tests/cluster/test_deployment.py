"""The Deployment controller: arithmetic against the recordings, and whole rollouts as seen live."""

from __future__ import annotations

from typing import Any

import pytest

from kubekata import Deployment, Pod, ReplicaSet
from kubekata.cluster.actors import ControlPlane
from kubekata.cluster.actors.deployment_status import report_progress, set_condition
from kubekata.cluster.actors.revisions import extend_history
from kubekata.cluster.actors.rollout import (
    Fences,
    SetSize,
    min_available,
    new_set_size,
    old_set_sizes,
    resolve_fences,
    scale_in_proportion,
)
from kubekata.cluster.clock import EPOCH
from kubekata.cluster.objects import DeploymentStatus
from kubekata.cluster.world import World
from kubekata.testing import deployment, node
from tests.cluster.vectors import each

Given = dict[str, Any]


@each("rolling", "resolve_fenceposts")
def test_fences(given: Given, expect: Given) -> None:
    surge, unavailable = given.get("max_surge") or 0, given.get("max_unavailable") or 0
    if expect.get("error"):
        with pytest.raises(ValueError, match="invalid literal"):
            resolve_fences(surge, unavailable, given["desired"])
        return
    fences = resolve_fences(surge, unavailable, given["desired"])
    got = {"surge": fences.surge, "unavailable": fences.unavailable}
    assert {key: got[key] for key in expect if key in got} == {k: v for k, v in expect.items() if k in got}


@each("rolling", "reconcile_old")
def test_old_sets(given: Given, expect: Given) -> None:
    old = sorted(given["olds"], key=lambda row: row.get("created", 0))
    sizes = [SetSize(row["spec"], row["available"]) for row in old]
    fences = resolve_fences(given["max_surge"], given["max_unavailable"], given["desired"])
    new = SetSize(given["new_spec"], given["new_available"])
    assert old_set_sizes(given["desired"], fences, new, sizes) == expect["old_specs"]


@each("rolling", "scale_proportionally")
def test_scaling_in_the_middle_of_a_rollout(given: Given, expect: Given) -> None:
    def size(row: Given) -> SetSize:
        return SetSize(row["spec"], row["available"], row["max_ann"], row["created"])

    old = sorted(given["olds"], key=lambda row: int(row["created"]))
    new = given["new"]
    fences = Fences(given["max_surge"], given["max_unavailable"])
    new_size, sizes = scale_in_proportion(
        given["desired"], fences, size(new) if new else None, [size(row) for row in old]
    )
    got = {row["name"]: value for row, value in zip(old, sizes, strict=True)}
    if new:
        got[new["name"]] = new_size
    assert got == expect["sizes"]


@each("rolling", "progress_condition")
def test_progress(given: Given, expect: Given) -> None:
    world = World()
    rolling = deployment("web", given["desired"])
    rolling.spec.progress_deadline_seconds = given["deadline"] if given["deadline"] is not None else 2**31 - 1
    before, after = (_status(given[key]) for key in ("old_status", "new_status"))
    now = world.now()
    if given["current"] is not None:
        status, reason = given["current"]
        for each_status in (before, after):
            set_condition(each_status, "Progressing", status, reason=reason, message="", now=EPOCH)
        world.clock.advance(given["since_update"])
        now = world.now()
    rolling.status = before
    report_progress(rolling, after, None, now)
    got = [[c.status, c.reason] for c in after.conditions if c.type == "Progressing"]
    assert got == ([expect["condition"]] if expect["condition"] else [])


def _status(counts: list[int]) -> DeploymentStatus:
    replicas, updated, ready, available = counts
    return DeploymentStatus(
        replicas=replicas,
        updated_replicas=updated,
        ready_replicas=ready,
        available_replicas=available,
        observed_generation=1,
    )


@each("rollback", "sync_revision")
def test_a_former_revision_moves_to_the_history(given: Given, expect: Given) -> None:
    former = given["rs_revision"]
    if former is None:
        assert expect["history"] is None
        return
    limit = given.get("limit_chars", 2000)
    assert extend_history(given["rs_history"] or "", former, limit) == expect["history"]


def _cluster(ready_after: float | None = 0.0) -> tuple[World, ControlPlane]:
    world = World()
    for name in ("node-a", "node-b", "node-c"):
        world.add(node(name))
    return world, world.start_control_plane(ready_after)


def _roll_out(world: World, image: str, name: str = "web", *, settle: float = 1) -> None:
    client = world.client()
    rolling = client.get(Deployment, name)
    rolling.spec.template.spec.containers[0].image = image
    client.update(rolling)
    world.advance(settle)


def _revisions(world: World) -> list[tuple[str, str | None, str, int]]:
    prefix = "deployment.kubernetes.io/"
    found = [
        (
            rs.metadata.annotations[f"{prefix}revision"],
            rs.metadata.annotations.get(f"{prefix}revision-history"),
            rs.spec.template.spec.containers[0].image,
            rs.spec.replicas,
        )
        for rs in world.list(ReplicaSet)
    ]
    return sorted(found)


def _progress(world: World, name: str = "web") -> tuple[str, str]:
    found = world.get(Deployment, name)
    assert found is not None
    (condition,) = [c for c in found.status.conditions if c.type == "Progressing"]
    return condition.status, condition.reason


class TestAsRecordedLive:
    """The moments of a real cluster's Deployments, on the simulated one."""

    def test_converges_heals_and_rests(self) -> None:
        world, _ = _cluster()
        client = world.client()
        client.create(deployment("web", 3, image="a:1"))
        world.settle()
        status = client.get(Deployment, "web").status
        assert (status.replicas, status.updated_replicas, status.available_replicas) == (3, 3, 3)
        assert status.observed_generation == 1
        assert _progress(world) == ("True", "NewReplicaSetAvailable")
        client.delete(world.list(Pod)[0])
        world.advance(2)
        assert client.get(Deployment, "web").status.available_replicas == 3
        version = world.list(ReplicaSet)[0].metadata.resource_version
        world.advance(5)
        assert world.list(ReplicaSet)[0].metadata.resource_version == version

    def test_rollback_and_its_revision_numbers(self) -> None:
        world, _ = _cluster()
        rolling = deployment("web", 2, image="a:1")
        rolling.spec.revision_history_limit = 2
        world.client().create(rolling)
        world.advance(1)
        _roll_out(world, "a:2")
        _roll_out(world, "a:3")
        assert _revisions(world) == [("1", None, "a:1", 0), ("2", None, "a:2", 0), ("3", None, "a:3", 2)]
        _roll_out(world, "a:1")
        assert _revisions(world) == [("2", None, "a:2", 0), ("3", None, "a:3", 0), ("4", "1", "a:1", 2)]
        _roll_out(world, "a:4")
        assert _revisions(world) == [("3", None, "a:3", 0), ("4", "1", "a:1", 0), ("5", None, "a:4", 2)]

    def test_new_pods_that_never_become_ready(self) -> None:
        world, control_plane = _cluster()
        control_plane.kubelet.set_ready_after(None, image="bad:1")
        rolling = deployment("web", 4, image="a:1")
        rolling.spec.progress_deadline_seconds = 6
        world.client().create(rolling)
        world.advance(1)
        _roll_out(world, "bad:1")
        assert _revisions(world) == [("1", None, "a:1", 3), ("2", None, "bad:1", 2)]
        assert _progress(world) == ("True", "ReplicaSetUpdated")
        world.advance(10)
        assert _progress(world) == ("False", "ProgressDeadlineExceeded")
        _roll_out(world, "a:1")
        assert _revisions(world) == [("2", None, "bad:1", 0), ("3", "1", "a:1", 4)]
        assert _progress(world) == ("True", "NewReplicaSetAvailable")


@pytest.mark.parametrize(("surge", "unavailable"), [("25%", "25%"), (0, 1), (3, 0), ("100%", 0), (0, "30%")])
def test_a_rollout_stays_between_its_fences_and_ends(surge: int | str, unavailable: int | str) -> None:
    world, _ = _cluster(ready_after=5)
    world.client().create(deployment("web", 10, image="a:1", max_surge=surge, max_unavailable=unavailable))
    world.advance(30)
    fences = resolve_fences(surge, unavailable, 10)
    seen: list[tuple[int, int]] = []

    def look(*_: object) -> None:
        sets = world.list(ReplicaSet)
        ready = sum(p.ready and p.active for p in world.list(Pod))
        seen.append((ready, sum(rs.spec.replicas for rs in sets)))

    end = world.api.store.subscribe(look)
    _roll_out(world, "a:2", settle=200)
    end()
    assert min(ready for ready, _ in seen) >= min_available(10, fences)
    assert max(total for _, total in seen) <= 10 + fences.surge
    assert {p.spec.containers[0].image for p in world.list(Pod)} == {"a:2"}


def test_recreate_never_runs_two_versions() -> None:
    world, _ = _cluster(ready_after=5)
    rolling = deployment("web", 3, image="a:1")
    rolling.spec.strategy.type = "Recreate"
    rolling.spec.strategy.rolling_update = None
    world.client().create(rolling)
    world.advance(10)
    images: list[int] = []
    world.api.store.subscribe(
        lambda _: images.append(len({p.spec.containers[0].image for p in world.list(Pod)}))
    )
    _roll_out(world, "a:2", settle=30)
    assert max(images) == 1
    assert [p.spec.containers[0].image for p in world.list(Pod)] == ["a:2"] * 3


def test_a_paused_deployment_scales_but_does_not_roll() -> None:
    world, _ = _cluster()
    client = world.client()
    client.create(deployment("web", 2, image="a:1"))
    world.advance(1)
    rolling = client.get(Deployment, "web")
    rolling.spec.paused, rolling.spec.replicas = True, 3
    rolling.spec.template.spec.containers[0].image = "a:2"
    client.update(rolling)
    world.advance(1)
    assert [p.spec.containers[0].image for p in world.list(Pod)] == ["a:1"] * 3
    rolling = client.get(Deployment, "web")
    rolling.spec.paused = False
    client.update(rolling)
    world.advance(1)
    assert [p.spec.containers[0].image for p in world.list(Pod)] == ["a:2"] * 3


def test_scaling_while_a_rollout_is_stuck_keeps_the_shares() -> None:
    world, control_plane = _cluster()
    control_plane.kubelet.set_ready_after(None, image="bad:1")
    client = world.client()
    client.create(deployment("web", 10, image="a:1", max_surge=3, max_unavailable=2))
    world.advance(1)
    _roll_out(world, "bad:1")
    assert [size for *_, size in _revisions(world)] == [8, 5]
    rolling = client.get(Deployment, "web")
    rolling.spec.replicas = 15
    client.update(rolling)
    world.advance(1)
    assert [size for *_, size in _revisions(world)] == [11, 7]


def test_new_set_never_beyond_the_ceiling() -> None:
    assert new_set_size(10, Fences(3, 2), SetSize(0), [SetSize(10, 10)]) == 3
    assert new_set_size(10, Fences(3, 2), SetSize(12), []) == 10
