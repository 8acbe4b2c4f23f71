"""The API server's rules hold whatever is asked of it, in whatever order."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from kubekata import AlreadyExists, Client, Conflict, Deployment, Invalid, NotFound, ObjectMeta, RackNode
from kubekata.cluster.objects.rack import RackNodeSpec
from kubekata.cluster.store import Store
from kubekata.cluster.world import World
from kubekata.testing import deployment, node

Manifest = dict[str, Any]

_NODES = "racknodes.rack.example.com"
_names = st.sampled_from(["a", "b", "c"])
_finalizers = st.lists(st.sampled_from(["x.io/one", "x.io/two", "x.io/three"]), unique=True)
_labels = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["web", "db"]))


class ApiServerMachine(RuleBasedStateMachine):
    """Clients that read, keep what they read, and write it back at any time later."""

    read = Bundle("read")

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.client: Client = self.world.client()
        self.store: Store = self.world.api.store
        self.recorded = [(self.store.version, self._snapshot())]
        self.events = 0
        self.store.subscribe(self._on_event)

    @initialize(finalizers=_finalizers)
    def some_objects(self, finalizers: list[str]) -> None:
        for name in ("a", "b"):
            self.create(name, finalizers, {"app": "web"})

    def _snapshot(self) -> dict[str, Manifest]:
        return {m["metadata"]["name"]: copy.deepcopy(m) for m in self.store.list(_NODES)}

    def _on_event(self, event: Any) -> None:
        last_version, before = self.recorded[-1]
        assert event.resource_version == last_version + 1
        assert int(event.obj["metadata"]["resourceVersion"]) == event.resource_version
        name = event.obj["metadata"]["name"]
        assert (event.type == "ADDED") is (name not in before)
        if name in before:
            assert event.old == before[name], "a stored manifest was changed in place"
            self._check_step(before[name], event.obj)
        self.recorded.append((event.resource_version, self._snapshot()))
        self.events += 1

    @staticmethod
    def _check_step(old: Manifest, new: Manifest) -> None:
        """What must hold between any two states of one object."""
        was, now = old["metadata"], new["metadata"]
        assert now["uid"] == was["uid"]
        assert now["creationTimestamp"] == was["creationTimestamp"]
        spec_changed = old["spec"] != new["spec"]
        assert not (spec_changed and old.get("status") != new.get("status"))
        started = "deletionTimestamp" in now and "deletionTimestamp" not in was
        assert now["generation"] == was["generation"] + (spec_changed or started)
        if "deletionTimestamp" in was:
            assert now["deletionTimestamp"] == was["deletionTimestamp"]
            assert set(now.get("finalizers", [])) <= set(was.get("finalizers", []))

    @rule(target=read, name=_names, finalizers=_finalizers, labels=_labels)
    def create(self, name: str, finalizers: list[str], labels: dict[str, str]) -> Any:
        exists = self.store.get(_NODES, "default", name) is not None
        metadata = ObjectMeta(name=name, labels=labels, finalizers=finalizers)
        wanted = RackNode(metadata=metadata, spec=RackNodeSpec(desired_firmware="1.0.0"))
        wanted.status.phase = "Dreaming"
        try:
            made = self.client.create(wanted)
        except AlreadyExists:
            assert exists
            return multiple()
        assert not exists
        assert made.status.phase == ""
        assert made.metadata.generation == 1
        return made

    @rule(target=read, name=_names)
    def get(self, name: str) -> Any:
        try:
            found = self.client.get(RackNode, name)
        except NotFound:
            assert self.store.get(_NODES, "default", name) is None
            return multiple()
        assert found == self.client.get(RackNode, name)
        return found

    @rule(machine=consumes(read), slots=st.integers(0, 3), labels=_labels, finalizers=_finalizers)
    def update(self, machine: RackNode, slots: int, labels: dict[str, str], finalizers: list[str]) -> None:
        """Write what was read at some time, so that it may well be stale."""
        machine.spec.slots, machine.metadata.labels, machine.metadata.finalizers = slots, labels, finalizers
        machine.status.phase = "Never through update"
        self._write(machine, self.client.update, untouched=["status"])

    @rule(name=_names, slots=st.integers(0, 3), labels=_labels, finalizers=_finalizers)
    def read_and_update(self, name: str, slots: int, labels: dict[str, str], finalizers: list[str]) -> None:
        if self.store.get(_NODES, "default", name) is not None:
            self.update(self.client.get(RackNode, name), slots, labels, finalizers)

    @rule(machine=consumes(read), phase=st.sampled_from(["New", "Flashing", "Ready"]))
    def update_status(self, machine: RackNode, phase: str) -> None:
        machine.status.phase = phase
        machine.spec.slots = 40
        machine.metadata.labels = {"app": "never-through-status"}
        machine.metadata.finalizers = []
        self._write(machine, self.client.update_status, untouched=["spec", "metadata"])

    @rule(name=_names, phase=st.sampled_from(["New", "Flashing", "Ready"]))
    def read_and_update_status(self, name: str, phase: str) -> None:
        if self.store.get(_NODES, "default", name) is not None:
            self.update_status(self.client.get(RackNode, name), phase)

    def _write(self, machine: RackNode, write: Any, untouched: list[str]) -> None:
        stored = self.store.get(_NODES, "default", machine.name)
        mark = len(self.world.log)
        mine = machine.metadata
        try:
            write(machine)
        except NotFound:
            assert stored is None
        except Conflict:
            assert stored is not None
            theirs = stored["metadata"]
            assert (theirs["resourceVersion"], theirs["uid"]) != (mine.resource_version, mine.uid)
        except Invalid:
            assert stored is not None
            assert stored["metadata"].get("deletionTimestamp")
            assert set(mine.finalizers) - set(stored["metadata"].get("finalizers", []))
        else:
            assert stored is not None
            assert stored["metadata"]["resourceVersion"] == mine.resource_version
        (call,) = self.world.log.calls(since=mark)
        assert call.before == stored
        assert call.after == self.store.get(_NODES, "default", machine.name)
        if call.before is not None and call.after is not None:
            for part in untouched:
                assert _bare(call.after).get(part) == _bare(call.before).get(part)

    @rule(name=_names)
    def delete(self, name: str) -> None:
        self.world.advance(1)
        stored = self.store.get(_NODES, "default", name)
        try:
            self.client.delete(RackNode, name)
        except NotFound:
            assert stored is None
            return
        assert stored is not None
        left = self.store.get(_NODES, "default", name)
        assert (left is not None) is bool(stored["metadata"].get("finalizers"))
        assert left is None or left["metadata"]["deletionTimestamp"]

    @rule(machine=read)
    def scribble_on_a_copy(self, machine: RackNode) -> None:
        """Changing what was read must change nothing (the snapshots would tell)."""
        fresh = (
            self.client.get(RackNode, machine.name)
            if self.store.get(_NODES, "default", machine.name)
            else machine
        )
        fresh.metadata.labels["scribble"] = "yes"
        fresh.metadata.finalizers.append("x.io/scribble")
        fresh.status.conditions.clear()

    @invariant()
    def the_store_is_what_was_recorded(self) -> None:
        version, snapshot = self.recorded[-1]
        assert version == self.store.version
        assert snapshot == self._snapshot()

    @invariant()
    def nothing_stays_that_nothing_holds(self) -> None:
        for manifest in self.store.list(_NODES):
            metadata = manifest["metadata"]
            assert not metadata.get("deletionTimestamp") or metadata.get("finalizers")

    @invariant()
    def indexes_agree_with_a_scan(self) -> None:
        everything = self.store.list(_NODES)
        for label in (("app", "web"), ("app", "db"), ("tier", "web")):
            scan = [m for m in everything if m["metadata"].get("labels", {}).get(label[0]) == label[1]]
            assert self.store.list(_NODES, label=label) == scan
            listed = self.client.list(RackNode, labels={label[0]: label[1]})
            assert [n.name for n in listed] == [m["metadata"]["name"] for m in scan]
        assert self.store.list(_NODES, namespace="default") == everything
        for manifest in everything:
            assert self.store.by_uid(manifest["metadata"]["uid"]) == (_NODES, manifest)

    def teardown(self) -> None:
        """The past can be looked at, at every version since the beginning."""
        for version, snapshot in self.recorded:
            past = self.store.as_of(version)
            assert {m["metadata"]["name"]: m for m in past.list(_NODES)} == snapshot
            for manifest in past.list(_NODES):
                for label in manifest["metadata"].get("labels", {}).items():
                    assert manifest in past.list(_NODES, label=label)
        assert len(self.store.changes_since(self.recorded[0][0])) == self.events


def _bare(manifest: Manifest) -> Manifest:
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "resourceVersion"}
    return {**manifest, "metadata": metadata}


ApiServerMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestApiServer = ApiServerMachine.TestCase


def _busy_world(seed: int) -> World:
    world = World(seed)
    control_plane = world.start_control_plane(ready_after=3)
    for index in range(3):
        world.add(node(f"node-{index}", cpu="2"))
    client = world.client()
    client.create(deployment("web", 5, cpu="500m"))
    world.advance(10)
    control_plane.heartbeats.stop("node-0")
    rolling = client.get(Deployment, "web")
    rolling.spec.template.spec.containers[0].image = "app:2"
    client.update(rolling)
    world.advance(60)
    client.delete(rolling)
    world.advance(60)
    return world


def _story(world: World) -> list[str]:
    return [f"{call.at} {call.user} {call} {call.after}" for call in world.log.calls()]


def test_the_same_seed_gives_the_same_world() -> None:
    assert _story(_busy_world(1)) == _story(_busy_world(1))


def test_another_seed_gives_other_names() -> None:
    assert _story(_busy_world(1)) != _story(_busy_world(2))
