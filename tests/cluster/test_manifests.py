"""Real manifests go through the typed objects and the store without losing anything."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubekata import ContainerStatus, Deployment, Node, Pod, PodDisruptionBudget, RackNode
from kubekata.cluster.scheme import KINDS, SchemeError, from_manifest, kind_of, to_manifest
from kubekata.cluster.world import World

Manifest = dict[str, Any]

_FOLDER = Path(__file__).parent / "manifests"
_EXCHANGES = json.loads((Path(__file__).parent.parent / "data" / "apiserver_exchanges.json").read_text())


def _documents(name: str) -> list[Manifest]:
    return [doc for doc in yaml.safe_load_all((_FOLDER / name).read_text()) if doc]


_FULL = [doc for path in sorted(_FOLDER.glob("*.yaml")) for doc in _documents(path.name)]
_ANSWERED = [
    exchange["answer"]
    for exchange in _EXCHANGES
    if exchange["status"] < 300 and exchange["answer"]["kind"] in ("RackNode", "Namespace", "Event")
]


def _without_nulls(value: Any) -> Any:
    """A null in a manifest means that the field is absent."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def test_every_kind_has_a_manifest() -> None:
    assert {kind_of(doc) for doc in _FULL} == set(KINDS.values())


@pytest.mark.parametrize("manifest", _FULL, ids=[f"{doc['kind']}" for doc in _FULL])
def test_a_full_manifest_survives_the_typed_object(manifest: Manifest) -> None:
    before = copy.deepcopy(manifest)
    after = to_manifest(from_manifest(manifest))
    assert _without_nulls(after) == _without_nulls(before)
    assert manifest == before


@pytest.mark.parametrize("manifest", _ANSWERED)
def test_what_a_real_server_answered_survives(manifest: Manifest) -> None:
    assert _without_nulls(to_manifest(from_manifest(manifest))) == _without_nulls(manifest)


@pytest.mark.parametrize("manifest", _FULL, ids=[f"{doc['kind']}" for doc in _FULL])
def test_a_client_that_changes_one_thing_changes_nothing_else(manifest: Manifest) -> None:
    """Go's typed clients strip what they do not know; ours must not."""
    world = World()
    for namespace in ("shop", "racks", "kube-node-lease"):
        world.ensure_namespace(namespace)
    kind = kind_of(manifest)
    stored = world.api.load(manifest)
    before = copy.deepcopy(stored)
    client = world.client()
    obj = client.get(kind, stored["metadata"]["name"], stored["metadata"].get("namespace", ""))
    obj.metadata.annotations["touched"] = "yes"
    client.update(obj)
    resource = world.api.resource(kind.api_version, kind.kind)
    metadata = stored["metadata"]
    after = world.api.store.get(resource.qualified, metadata.get("namespace", ""), metadata["name"])
    assert after is not None
    assert after["metadata"]["annotations"].pop("touched") == "yes"
    for state in (before, after):
        state["metadata"].pop("resourceVersion")
        if not state["metadata"].get("annotations"):
            state["metadata"].pop("annotations", None)
    if kind is Deployment or kind is Pod:
        return  # defaults are filled in, which is checked where defaults are
    assert _without_nulls(after) == _without_nulls(before)


def test_typed_edits_land_where_they_belong() -> None:
    (manifest,) = _documents("pod.yaml")
    pod = from_manifest(manifest, Pod)
    pod.spec.containers[0].image = "registry.example.com/shop/web:4.3.0"
    pod.status.container_statuses = [s for s in pod.status.container_statuses if s.name == "web"]
    pod.status.container_statuses[0].restart_count = 3
    pod.status.container_statuses.append(ContainerStatus(name="new"))
    after = to_manifest(pod)
    web = after["spec"]["containers"][0]
    assert (web["image"], web["ports"][0]["containerPort"]) == ("registry.example.com/shop/web:4.3.0", 8080)
    statuses = after["status"]["containerStatuses"]
    assert [s["name"] for s in statuses] == ["web", "new"]
    assert statuses[0]["lastState"]["terminated"]["exitCode"] == 137
    assert statuses[0]["restartCount"] == 3
    assert "lastState" not in statuses[1]


def test_an_empty_selector_is_not_an_absent_one() -> None:
    budget = next(doc for doc in _FULL if doc["kind"] == "PodDisruptionBudget")
    typed = from_manifest(budget, PodDisruptionBudget)
    assert typed.spec.selector is not None
    assert to_manifest(typed)["spec"]["selector"] == {}
    typed.spec.selector = None
    assert "selector" not in to_manifest(typed)["spec"]


def test_values_that_only_just_exist_can_be_cleared() -> None:
    (manifest,) = _documents("node.yaml")
    node = from_manifest(manifest, Node)
    node.spec.unschedulable = False
    node.spec.taints = []
    after = to_manifest(node)["spec"]
    assert not after.get("unschedulable")
    assert not after.get("taints")
    assert after["podCIDR"] == "10.244.3.0/24"


def test_what_does_not_fit_names_the_field() -> None:
    with pytest.raises(SchemeError, match=r"spec\.slots"):
        from_manifest({"spec": {"slots": "many"}}, RackNode)
    with pytest.raises(SchemeError, match="no kind 'Widget'"):
        kind_of({"apiVersion": "example.com/v1", "kind": "Widget"})
