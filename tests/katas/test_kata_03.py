"""Kata 03's reference against the tables and the live node failure of real Kubernetes.

Out of scope: nodes that never posted a status or are excluded by label, Leases (`probe_refresh`), taints of other
conditions, timers that outlive a change of a pod's tolerations (`eviction_timeline`), and what admission and the
DaemonSet controller add to pods.
"""

import json
import runpy
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kubekata import Node, NodeCondition, Pod, Request, Result, Taint, Toleration
from kubekata.testing import EPOCH, World, deployment, node, pod

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
NODE_A = Request("node-a")
NOW = 100_000_000
UNREACHABLE = "node.kubernetes.io/unreachable"
OURS = ("node.kubernetes.io/not-ready", UNREACHABLE)

solution = runpy.run_path(str(ROOT / "reference/kata-03-node-eviction/solution.py"))
reconcile = solution["reconcile"]
ROWS = json.loads((VECTORS / "node_eviction.json").read_text(encoding="utf-8"))
LIVE = {
    moment["moment"]: moment["state"]
    for moment in json.loads((VECTORS / "live.json").read_text(encoding="utf-8"))["node_eviction"]
}

IN_SCOPE = {
    "zone_state": 5,
    "zone_states": 5,
    "eviction_rate": 4,
    "disruption_transition": 2,
    "node_health": 5,
    "condition_taints": 2,
    "no_execute_action": 4,
    "min_toleration": 6,
    "eviction_delay": 11,
    "eviction_timeline": 4,
}


LIMITS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "zone_state": lambda row: row["given"]["ready"] + row["given"]["not_ready"] > 0,
    "zone_states": lambda row: not any(excluded for _, _, excluded in row["given"]["nodes"]),
    "disruption_transition": lambda row: row["expect"]["mode"] != "unchanged",
    "node_health": lambda row: row["given"]["ready"] is not None,
    "condition_taints": lambda row: (
        row["given"]["conditions"]["Ready"] != "True" and not row["given"].get("unschedulable")
    ),
    # Changes of the taints, not of the tolerations that a timer was started with.
    "eviction_timeline": lambda row: not any(word in row["id"] for word in ("lengthening", "shortening")),
}


def table(operation: str) -> list[dict[str, Any]]:
    is_meant = LIMITS.get(operation, lambda row: True)
    return [row for row in ROWS if row["id"].split("/")[1] == operation and is_meant(row)]


TABLES = {name: table(name) for name in IN_SCOPE}


def rows(operation: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", TABLES[operation], ids=lambda row: row["id"])


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert {name: len(found) for name, found in TABLES.items()} == IN_SCOPE
    assert len(LIVE) == 5


def at(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def machine(
    world: World,
    name: str,
    *,
    ready: Any = "True",
    heard: float = NOW,
    zone: str = "z1",
    taints: list[Taint] | None = None,
) -> Node:
    found = node(name, labels={"topology.kubernetes.io/zone": zone})
    condition = found.status.conditions[0]
    condition.status, condition.last_heartbeat_time = ready, at(heard)
    found.spec.taints = taints or []
    return world.add(found)


def world_now(seconds: float = NOW) -> World:
    world = World()
    world.clock.set(at(seconds))
    return world


def look(world: World, name: str = "node-a") -> Result:
    found: Result = reconcile(world.client(), Request(name))
    return found


def taints_of(world: World, name: str = "node-a") -> dict[str, list[Taint]]:
    found = world.get(Node, name)
    assert found is not None
    by_effect: dict[str, list[Taint]] = {"NoSchedule": [], "NoExecute": []}
    for taint in found.spec.taints:
        by_effect[taint.effect].append(taint)
    return by_effect


def executes(world: World, name: str = "node-a") -> bool:
    return bool(taints_of(world, name)["NoExecute"])


def state_of(world: World, zone: str, size: int) -> str:
    """A zone's state, as seen from outside: by the pace at which nodes are tainted, with another zone that is well."""
    nodes = [
        found for found in world.list(Node) if found.metadata.labels["topology.kubernetes.io/zone"] == zone
    ]
    pace = solution["pace_of"](nodes, world.now())
    assert len(nodes) == size
    down = sum(not found.ready for found in nodes)
    if pace is None:
        return "PartialDisruption"
    return "FullDisruption" if down == size else "Normal"


@rows("zone_state")
def test_zone_state(row: dict[str, Any]) -> None:
    """By numbers; a large zone slows down where a small one stops."""
    world, given = world_now(), row["given"]
    size = given["ready"] + given["not_ready"]
    for number in range(size):
        machine(world, f"node-{number:03}", ready="False" if number < given["not_ready"] else "True")
    pace = solution["pace_of"](world.list(Node), world.now())
    if row["expect"]["state"] == "PartialDisruption":
        assert pace is None if size <= 50 else pace == timedelta(seconds=100)
    else:
        assert pace == timedelta(seconds=10)


@rows("zone_states")
def test_zone_states(row: dict[str, Any]) -> None:
    """By nodes."""
    world, nodes = world_now(), row["given"]["nodes"]
    for number, (zone, ready, _) in enumerate(nodes):
        machine(world, f"node-{number}", ready="True" if ready else "Unknown", zone=zone)
    for zone, state in row["expect"]["zones"].items():
        assert state_of(world, zone, sum(name == zone for name, _, _ in nodes)) == state


@rows("eviction_rate")
def test_eviction_rate(row: dict[str, Any]) -> None:
    """Nodes a second, as the wait after a node of the zone was tainted just now."""
    world, given = world_now(), row["given"]
    share = {"Normal": 0.0, "PartialDisruption": 0.8, "FullDisruption": 1.0}[given["state"]]
    last = [Taint(key=UNREACHABLE, effect="NoExecute", time_added=at(NOW))]
    machine(world, "node-a", ready="Unknown", heard=0)
    machine(world, "node-b", ready="Unknown", heard=0, taints=last)
    for number in range(given["zone_size"] - 2):
        dead = number < share * given["zone_size"]
        machine(world, f"peer-{number:03}", ready="Unknown" if dead else "True", heard=0 if dead else NOW)
    if not given.get("all_zones_full"):
        machine(world, "elsewhere", zone="z2")
    qps = row["expect"]["qps"]
    assert look(world) == Result(requeue_after=1 / qps if qps else None)


@rows("disruption_transition")
def test_disruption_transition(row: dict[str, Any]) -> None:
    """What happens to a node's NoExecute taint when the states of the zones change."""
    world, given = world_now(), row["given"]
    taint = Taint(key=UNREACHABLE, effect="NoExecute", time_added=at(NOW - 100))
    for zone, state in given["new"].items():
        dead = {"Normal": 0.0, "PartialDisruption": 0.8, "FullDisruption": 1.0}[state] * given["sizes"][zone]
        for number in range(given["sizes"][zone]):
            ready = "Unknown" if number < dead else "True"
            machine(
                world, f"{zone}-{number:02}", ready=ready, heard=0 if ready == "Unknown" else NOW, zone=zone
            )
    machine(world, "a-00", ready="Unknown", heard=0, zone="a", taints=[taint])
    look(world, "a-00")
    assert executes(world, "a-00") != row["expect"]["remove_taints"]
    result = look(world, "a-01")
    assert (executes(world, "a-01"), result.requeue_after) == (False, None)


@rows("node_health")
def test_node_health(row: dict[str, Any]) -> None:
    """What the Ready condition says after a silence."""
    world, given, expect = world_now(), row["given"], row["expect"]
    machine(world, "node-a", ready=given["ready"], heard=NOW - given["seconds_since_probe"])
    machine(world, "node-b")
    look(world)
    found = world.get(Node, "node-a")
    assert found is not None
    condition = found.status.conditions[0]
    assert condition.status == expect["ready"]
    written = [write for write in world.writes() if write.subresource == "status"]
    assert bool(written) == expect["rewritten"]
    assert condition.reason == expect.get("reason", condition.reason)


@rows("condition_taints")
def test_condition_taints(row: dict[str, Any]) -> None:
    """NoSchedule taints of the Ready condition; the other conditions are not this controller's."""
    world, conditions = world_now(), row["given"]["conditions"]
    found = machine(world, "node-a", ready=conditions.pop("Ready"))
    found.status.conditions += [
        NodeCondition(type=name, status=status) for name, status in conditions.items()
    ]
    world.add(found)
    machine(world, "node-b")
    look(world)
    assert [taint.key for taint in taints_of(world)["NoSchedule"]] == row["expect"]["no_schedule"]


@rows("no_execute_action")
def test_no_execute_action(row: dict[str, Any]) -> None:
    """What comes and what goes, in a zone that has just used its turn: only a new taint has to wait."""
    world, given, expect = world_now(), row["given"], row["expect"]
    taints = [Taint(key=key, effect="NoExecute", time_added=at(NOW - 5)) for key in given["current"]]
    last = [Taint(key=UNREACHABLE, effect="NoExecute", time_added=at(NOW - 1))]
    machine(world, "node-a", ready=given["ready"], taints=taints)
    machine(world, "node-b", ready="Unknown", heard=0, taints=last)
    for number in range(4):
        machine(world, f"peer-{number}")
    look(world)
    keys = [taint.key for taint in taints_of(world)["NoExecute"]]
    match expect["action"]:
        case "queue":
            assert keys == []
            world.clock.set(at(NOW + 9))
            look(world)
            assert [taint.key for taint in taints_of(world)["NoExecute"]] == [expect["add"]]
        case "swap_now":
            assert keys == [expect["add"]]
        case "remove":
            assert keys == []
        case "none":
            assert keys == given["current"]


def delay_of(tolerations: list[Toleration], taints: list[Taint]) -> float | None:
    """How long a pod may stay on a node that was tainted just now; None for ever."""
    world = world_now()
    silent = any(taint.key in OURS for taint in taints)
    machine(world, "node-a", ready="Unknown" if silent else "True", heard=0 if silent else NOW, taints=taints)
    machine(world, "node-b")
    resident = world.add(pod("web", node="node-a", phase="Running", tolerations=tolerations))
    look(world)
    if any(write.verb == "delete" for write in world.writes()):
        return 0
    found = world.get(Node, "node-a")
    assert found is not None
    due: datetime | None = solution["due_of"](resident, found)
    return None if due is None else (due - at(NOW)).total_seconds()


@rows("min_toleration")
def test_min_toleration(row: dict[str, Any]) -> None:
    """One taint for each toleration; -1 in the table is for ever."""
    seconds = row["given"]["seconds"]
    keys = [f"taint-{number}" for number in range(len(seconds))]
    tolerations = [
        Toleration(key=key, operator="Exists", effect="NoExecute", toleration_seconds=limit)
        for key, limit in zip(keys, seconds, strict=True)
    ]
    taints = [Taint(key=key, effect="NoExecute", time_added=at(NOW)) for key in keys]
    wanted = row["expect"]["seconds"]
    assert delay_of(tolerations, taints) == (None if wanted < 0 else wanted)


def toleration(given: dict[str, Any]) -> Toleration:
    named = {name: value for name, value in given.items() if name != "seconds"}
    return Toleration(**named, toleration_seconds=given.get("seconds"))


def taint(given: dict[str, Any], since: float = NOW) -> Taint:
    return Taint(**given, time_added=at(since) if given["effect"] == "NoExecute" else None)


@rows("eviction_delay")
def test_eviction_delay(row: dict[str, Any]) -> None:
    """Tolerations against taints."""
    given = row["given"]
    delay = delay_of(list(map(toleration, given["tolerations"])), list(map(taint, given["taints"])))
    assert delay == row["expect"]["delay"]


@rows("eviction_timeline")
def test_eviction_timeline(row: dict[str, Any]) -> None:
    """Taints that come and go."""
    world = World()
    machine(world, "node-a", heard=0)
    machine(world, "node-b", heard=0)
    since: dict[str, float] = {}
    events = row["given"]["events"]
    looked: list[float] = []
    horizon = events[-1][0] + 1000
    deleted_at = None
    for index, (moment, tolerations, taints) in enumerate(events):
        since = {given["key"]: since.get(given["key"], moment) for given in taints}
        world.clock.set(at(moment))
        machine(world, "node-a", heard=moment, taints=[taint(given, since[given["key"]]) for given in taints])
        if deleted_at is None:
            world.add(pod("web", node="node-a", phase="Running", tolerations=map(toleration, tolerations)))
        until = events[index + 1][0] if index + 1 < len(events) else horizon
        while deleted_at is None:
            after = look(world).requeue_after
            if any(write.verb == "delete" for write in world.writes()):
                deleted_at = (world.now() - EPOCH).total_seconds()
            looked.append((world.now() - EPOCH).total_seconds())
            if after is None or looked[-1] + after >= until:
                break
            world.clock.set(at(looked[-1] + after))
            beat(world)
    assert deleted_at == row["expect"]["deleted_at"]


def beat(world: World) -> None:
    """Both nodes are well; only their taints matter here."""
    for found in world.list(Node):
        found.status.conditions[0].last_heartbeat_time = world.now()
        world.add(found)


def test_live_node_failure() -> None:
    """A node stops its heartbeat; its pod goes after 5 seconds; the heartbeat comes back."""
    world = World()
    for name in ("node-a", "node-b", "node-c"):
        world.add(node(name, cpu="4"))
    actors = world.start_control_plane()
    wanted = deployment("ev", 3, cpu="1500m")
    wanted.spec.template.spec.tolerations = [
        Toleration(key=key, operator="Exists", effect="NoExecute", toleration_seconds=5) for key in OURS
    ]
    world.client("person").create(wanted)
    world.advance(20)
    world.add(pod("patient", node="node-a", phase="Running", tolerations=default_tolerations()))

    actors.heartbeats.stop("node-a")
    stages = LIVE["node-a stops its heartbeat (grace period set to 40 s here)"]
    silent, tainted, evicted = stages[0], stages[1], stages[2]
    assert shown(world) == (silent["ready"], sorted(map(tuple, silent["taints"])))

    look(world)
    world.advance(49)
    result = look(world)
    assert result.requeue_after is not None
    world.advance(result.requeue_after)
    result = look(world)
    assert shown(world) == (tainted["ready"], sorted(map(tuple, tainted["taints"])))
    assert result == Result(requeue_after=5)

    world.advance(5)
    look(world)
    deleting = {found.name for found in world.list(Pod) if found.metadata.deleting}
    replaced = [found for found in world.list(Pod, labels={"app": "ev"}) if found.spec.node_name == "node-a"]
    assert deleting == {found.name for found in replaced}
    assert shown(world) == (evicted["ready"], sorted(map(tuple, evicted["taints"])))

    world.advance(20)
    assert all(
        found.spec.node_name != "node-a" for found in world.list(Pod, labels={"app": "ev"}) if found.active
    )
    actors.heartbeats.resume("node-a")
    world.advance(11)
    look(world)
    assert shown(world) == ("True", sorted(map(tuple, LIVE["heartbeat back"]["taints"])))
    patient = world.get(Pod, "patient")
    assert patient is not None
    assert patient.active


def default_tolerations() -> list[Toleration]:
    return [
        toleration(
            {"key": given["key"], "operator": given["operator"], "effect": given["effect"], "seconds": 300}
        )
        for given in LIVE["tolerations that admission gave a pod without any"]
    ]


def shown(world: World) -> tuple[str, list[tuple[str, str]]]:
    found = world.get(Node, "node-a")
    assert found is not None
    ready = next(c for c in found.status.conditions if c.type == "Ready")
    return ready.status, sorted((taint.key, taint.effect) for taint in found.spec.taints)
