"""The `kubernetes` Python client works on the served cluster unchanged."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.serve.conftest import ROOT

kubernetes = pytest.importorskip("kubernetes")

GROUP, VERSION, PLURAL = "rack.example.com", "v1", "racknodes"
WHERE = (GROUP, VERSION, "default", PLURAL)


@pytest.fixture(scope="module")
def client(kubeconfig: Path) -> Iterator[Any]:
    """An API client for the cluster, with RackNodes defined."""
    api_client = kubernetes.config.new_client_from_config(config_file=str(kubeconfig))
    with (ROOT / "kind" / "racknode-crd.yaml").open() as file:
        definition = yaml.safe_load(file)
    kubernetes.client.ApiextensionsV1Api(api_client).create_custom_resource_definition(definition)
    yield api_client
    api_client.close()


def rack_node(name: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "RackNode",
        "metadata": {"name": name},
        "spec": {"desiredFirmware": "2.1.0"},
    }


def test_custom_objects(client: Any) -> None:
    """Create, get, list, patch, replace, status, delete."""
    custom = kubernetes.client.CustomObjectsApi(client)
    created = custom.create_namespaced_custom_object(*WHERE, rack_node("a"))
    assert created["spec"]["power"] == "On"
    custom.patch_namespaced_custom_object(*WHERE, "a", {"spec": {"slots": 2}})
    found = custom.get_namespaced_custom_object(*WHERE, "a")
    assert found["metadata"]["generation"] == 2
    found["spec"]["slots"] = 3
    custom.replace_namespaced_custom_object(*WHERE, "a", found)
    with pytest.raises(kubernetes.client.ApiException) as refused:
        custom.replace_namespaced_custom_object(*WHERE, "a", found)
    assert refused.value.status == 409
    custom.patch_namespaced_custom_object_status(*WHERE, "a", {"status": {"phase": "Ready"}})
    listed = custom.list_cluster_custom_object(GROUP, VERSION, PLURAL)
    assert [item["status"]["phase"] for item in listed["items"]] == ["Ready"]
    custom.delete_namespaced_custom_object(*WHERE, "a")
    with pytest.raises(kubernetes.client.ApiException) as gone:
        custom.get_namespaced_custom_object(*WHERE, "a")
    assert gone.value.status == 404


def test_typed_kinds(client: Any) -> None:
    """Typed objects decode: namespaces, a Deployment and its pods, a Job, nodes."""
    core, apps = kubernetes.client.CoreV1Api(client), kubernetes.client.AppsV1Api(client)
    assert "default" in [namespace.metadata.name for namespace in core.list_namespace().items]
    assert core.list_node().items[0].status.conditions[-1].type
    labels = {"app": "py"}
    apps.create_namespaced_deployment(
        "default",
        kubernetes.client.V1Deployment(
            metadata=kubernetes.client.V1ObjectMeta(name="py"),
            spec=kubernetes.client.V1DeploymentSpec(
                replicas=2,
                selector=kubernetes.client.V1LabelSelector(match_labels=labels),
                template=kubernetes.client.V1PodTemplateSpec(
                    metadata=kubernetes.client.V1ObjectMeta(labels=labels),
                    spec=kubernetes.client.V1PodSpec(
                        containers=[kubernetes.client.V1Container(name="app", image="app:1")]
                    ),
                ),
            ),
        ),
    )
    end = time.monotonic() + 10
    while apps.read_namespaced_deployment("py", "default").status.ready_replicas != 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    pods = core.list_namespaced_pod("default", label_selector="app=py").items
    assert {pod.status.phase for pod in pods} == {"Running"}
    scale = apps.read_namespaced_deployment_scale("py", "default")
    scale.spec.replicas = 0
    apps.replace_namespaced_deployment_scale("py", "default", scale)
    assert apps.read_namespaced_deployment("py", "default").spec.replicas == 0
    definitions = kubernetes.client.ApiextensionsV1Api(client).list_custom_resource_definition()
    assert definitions.items[0].status.conditions[0].status == "True"


def test_watch(client: Any) -> None:
    """The client's watch sees a list's objects, then the changes, and ends at its timeout."""
    custom = kubernetes.client.CustomObjectsApi(client)
    custom.create_namespaced_custom_object(*WHERE, rack_node("w"))

    def change() -> None:
        custom.patch_namespaced_custom_object(*WHERE, "w", {"spec": {"slots": 1}})
        custom.delete_namespaced_custom_object(*WHERE, "w")

    timer = threading.Timer(0.5, change)
    timer.start()
    seen = [
        (event["type"], event["object"]["metadata"]["name"])
        for event in kubernetes.watch.Watch().stream(
            custom.list_namespaced_custom_object, *WHERE, timeout_seconds=2
        )
    ]
    timer.join()
    assert seen == [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")]


def test_dynamic_client(client: Any) -> None:
    """The dynamic client finds resources by discovery, and applies server-side."""
    dynamic = kubernetes.dynamic.DynamicClient(client)
    racknodes = dynamic.resources.get(api_version="rack.example.com/v1", kind="RackNode")
    racknodes.server_side_apply(
        body=rack_node("d"), name="d", namespace="default", field_manager="me", force_conflicts=True
    )
    assert racknodes.get(name="d", namespace="default").spec.desiredFirmware == "2.1.0"
    racknodes.delete(name="d", namespace="default")
