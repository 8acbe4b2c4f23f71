"""Deleting: finalizers, grace periods, and what an update may do meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubekata import ConfigMap, Conflict, Invalid, NotFound, ObjectMeta, OwnerReference, Pod, RackNode
from kubekata.cluster.clock import EPOCH, parse_timestamp, timestamp
from kubekata.cluster.deletion import finalizers_for_delete, finishes_deletion, mark_deleting
from kubekata.cluster.validation import (
    validate_finalizers,
    validate_metadata_update,
    validate_owner_references,
)
from kubekata.cluster.world import World
from kubekata.testing import pod, rack_node
from tests.cluster.vectors import each

Given = dict[str, Any]
_NOW = EPOCH


def _deleting(grace: int, since: int) -> Given:
    return {
        "metadata": {
            "deletionTimestamp": timestamp(_NOW + timedelta(seconds=since)),
            "deletionGracePeriodSeconds": grace,
        }
    }


@each("gc_finalizers", "shorten_grace")
def test_a_later_delete_only_shortens_the_grace(given: Given, expect: Given) -> None:
    grace = max(given["object_grace"], 0) or (1 if given["object_grace"] < 0 else 0)
    manifest = _deleting(grace, given.get("deletion_offset", grace))
    asked = given["option_grace"]
    mark_deleting(manifest, 1 if asked < 0 else asked, _NOW)
    metadata = manifest["metadata"]
    assert metadata["deletionGracePeriodSeconds"] == expect["grace"]
    if "offset" in expect:
        assert parse_timestamp(metadata["deletionTimestamp"]) == _NOW + timedelta(seconds=expect["offset"])


def test_the_first_delete_stamps_and_moves_the_generation_once() -> None:
    manifest: Given = {"metadata": {"generation": 1}}
    mark_deleting(manifest, 0, _NOW)
    mark_deleting(manifest, 0, _NOW + timedelta(seconds=5))
    assert manifest["metadata"] == {
        "generation": 2,
        "deletionTimestamp": timestamp(_NOW),
        "deletionGracePeriodSeconds": 0,
    }


@each("gc_finalizers", "deletion_finalizers")
def test_propagation_policy_becomes_a_finalizer(given: Given, expect: Given) -> None:
    if given["default"] == "Unsupported" or (given["default"] == "Orphan" and not given.get("policy")):
        pytest.skip("every kind here defaults to Background and takes part in garbage collection")
    policy = given.get("policy")
    if given.get("orphan_dependents") is not None:
        policy = "Orphan" if given["orphan_dependents"] else "Background"
    assert finalizers_for_delete(given["finalizers"], policy) == expect["finalizers"]
    assert (not expect["finalizers"]) is expect["removed_now"]


@each("gc_finalizers", "update_finishes_delete")
def test_the_update_that_empties_the_finalizers_removes_the_object(given: Given, expect: Given) -> None:
    old: Given = {"metadata": {"finalizers": ["foo.com/x"]}}
    if given["old_deleting"]:
        old["metadata"] |= {
            "deletionTimestamp": timestamp(_NOW),
            "deletionGracePeriodSeconds": given["old_grace"],
        }
    new = {"metadata": {**old["metadata"], "finalizers": given["new_finalizers"]}}
    assert finishes_deletion(new, old) is expect["deleted"]


@each("gc_finalizers", "validate_finalizers")
def test_finalizers_may_only_go_while_deleting(given: Given, expect: Given) -> None:
    stamp = {"deletionTimestamp": timestamp(_NOW)} if given["deleting"] else {}
    old = {"finalizers": given["old"], **stamp}
    new = {"finalizers": given["new"], **stamp}
    errors = validate_finalizers(given["new"]) + validate_metadata_update(new, old)
    assert (not errors) is expect["valid"]


@each("gc_finalizers", "validate_owner_refs")
def test_owner_references_are_complete_and_have_one_controller(given: Given, expect: Given) -> None:
    assert (not validate_owner_references(given["refs"])) is expect["valid"]


@each("gc_finalizers", "update_meta")
def test_deletion_fields_are_the_servers(given: Given, expect: Given) -> None:
    old, new = given["old"], given["new"]
    if expect["invalid"] == ["resourceVersion"]:
        pytest.skip("checked where the request is, not where the metadata is")
    fields = [error.field for error in validate_metadata_update(new, old)]
    assert fields == [f"metadata.{name}" for name in expect["invalid"]]


def test_orphan_and_foreground_together_are_invalid() -> None:
    assert validate_finalizers(["orphan", "foregroundDeletion"])


@each("gc_finalizers", "delete_then_update")
def test_delete_then_update(given: Given, expect: Given) -> None:
    world = World()
    client = world.client()
    client.create(rack_node("n", finalizers=given["finalizers"]))
    errors = 0
    for step, *arguments in given["steps"]:
        if step == "delete":
            client.delete(RackNode, "n")
            continue
        node = client.get(RackNode, "n")
        node.metadata.finalizers = arguments[0]
        try:
            client.update(node)
        except Invalid:
            errors += 1
    found = world.get(RackNode, "n")
    assert errors == expect["errors"]
    assert (found is not None) is expect["exists"]
    if found is not None:
        assert found.metadata.deleting is expect["deleting"]
        assert found.metadata.finalizers == expect["finalizers"]
        assert found.metadata.generation == expect["generation"]


class TestPods:
    """Pods have a grace period; only their kubelet ends it."""

    def test_a_running_pod_stays_for_its_grace_period(self) -> None:
        world = World()
        world.add(pod("web", node="node-1", phase="Running"))
        world.client().delete(Pod, "web")
        found = world.get(Pod, "web")
        assert found is not None
        assert found.metadata.deletion_timestamp == world.now() + timedelta(seconds=30)
        assert found.metadata.deletion_grace_period_seconds == 30

    @pytest.mark.parametrize(
        "gone", [pod("web"), pod("web", node="node-1", phase="Succeeded")], ids=["unassigned", "finished"]
    )
    def test_a_pod_that_no_kubelet_runs_goes_at_once(self, gone: Pod) -> None:
        world = World()
        world.add(gone)
        world.client().delete(Pod, "web")
        assert world.get(Pod, "web") is None

    def test_no_grace_is_at_once(self) -> None:
        world = World()
        world.add(pod("web", node="node-1", phase="Running"))
        world.client().delete(Pod, "web", grace_period_seconds=0)
        assert world.get(Pod, "web") is None


def test_preconditions_protect_another_object_of_the_same_name() -> None:
    world = World()
    client = world.client()
    first = client.create(ConfigMap(metadata=ObjectMeta(name="a")))
    client.delete(first)
    client.create(ConfigMap(metadata=ObjectMeta(name="a")))
    with pytest.raises(Conflict):
        client.delete(ConfigMap, "a", precondition_uid=first.uid)
    with pytest.raises(NotFound):
        client.delete(ConfigMap, "b")


def test_an_owner_reference_needs_a_uid() -> None:
    reference = OwnerReference(api_version="v1", kind="ConfigMap", name="a", uid="")
    child = ConfigMap(metadata=ObjectMeta(name="b", owner_references=[reference]))
    with pytest.raises(Invalid, match=r"metadata\.ownerReferences\.uid"):
        World().client().create(child)
