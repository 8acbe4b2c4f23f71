"""Lists and watches: what clients build their caches on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from kubekata.serve.cluster import LiveCluster
from tests.serve.conftest import ROOT
from tests.serve.serving import ServedCluster, served_cluster

RACKNODES = "/apis/rack.example.com/v1/namespaces/default/racknodes"
MERGE = {"Content-Type": "application/merge-patch+json"}
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}


@pytest.fixture(scope="module")
def server() -> Iterator[ServedCluster]:
    with served_cluster(LiveCluster(seed=5)) as running:
        with (ROOT / "kind" / "racknode-crd.yaml").open() as file:
            path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
            assert running.call("POST", path, yaml.safe_load(file)).status == 201
        yield running


def create(server: ServedCluster, name: str, **labels: str) -> dict[str, Any]:
    manifest = {
        "apiVersion": "rack.example.com/v1",
        "kind": "RackNode",
        "metadata": {"name": name, "labels": labels},
        "spec": {"desiredFirmware": "2.1.0"},
    }
    answer = server.call("POST", RACKNODES, manifest)
    assert answer.status == 201
    body: dict[str, Any] = answer.body
    return body


def version(server: ServedCluster) -> str:
    found: str = server.call("GET", f"{RACKNODES}?limit=1").body["metadata"]["resourceVersion"]
    return found


def watch(server: ServedCluster, query: str, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    body = server.call("GET", f"{RACKNODES}?watch=1&{query}", headers=headers).body
    if not body:
        return []
    return body if isinstance(body, list) else [body]


def kinds(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


def test_from_a_version(server: ServedCluster) -> None:
    """A watch from a list's version tells what happened since, in order, even before it began."""
    since = version(server)
    create(server, "a1")
    server.call("PATCH", f"{RACKNODES}/a1", {"spec": {"slots": 1}}, MERGE)
    server.call("DELETE", f"{RACKNODES}/a1")
    events = watch(server, f"resourceVersion={since}&timeoutSeconds=1")
    assert kinds(events) == [("ADDED", "a1"), ("MODIFIED", "a1"), ("DELETED", "a1")]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("query", ["", "resourceVersion=0&"])
def test_without_a_version(server: ServedCluster, query: str) -> None:
    """It begins with what is there."""
    create(server, f"b{len(query)}")
    events = watch(server, f"{query}timeoutSeconds=1&fieldSelector=metadata.name%3Db{len(query)}")
    assert kinds(events) == [("ADDED", f"b{len(query)}")]


def test_a_selector_is_a_world_of_its_own(server: ServedCluster) -> None:
    """What comes to be selected is added, what no longer is, is deleted; the rest is silence."""
    since = version(server)
    create(server, "c1")
    for change in ({"a": "1"}, {"b": "2"}, {"a": "2"}, {"b": "3"}, {"a": "1"}):
        server.call("PATCH", f"{RACKNODES}/c1", {"metadata": {"labels": change}}, MERGE)
    server.call("DELETE", f"{RACKNODES}/c1")
    events = watch(server, f"resourceVersion={since}&labelSelector=a%3D1&timeoutSeconds=1")
    assert [kind for kind, _ in kinds(events)] == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
    left = events[2]["object"]["metadata"]
    assert left["labels"]["a"] == "1"
    assert int(left["resourceVersion"]) > int(events[1]["object"]["metadata"]["resourceVersion"])


def test_only_its_namespace(server: ServedCluster) -> None:
    """A watch of a namespace hears nothing of others; one of all namespaces hears everything."""
    server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "other"}})
    since = version(server)
    manifest = {"kind": "RackNode", "metadata": {"name": "d1"}, "spec": {"desiredFirmware": "1.0.0"}}
    other = "/apis/rack.example.com/v1/namespaces/other/racknodes"
    assert server.call("POST", other, manifest).status == 201
    assert watch(server, f"resourceVersion={since}&timeoutSeconds=1") == []
    everywhere = f"/apis/rack.example.com/v1/racknodes?watch=1&resourceVersion={since}&timeoutSeconds=1"
    assert server.call("GET", everywhere).body["type"] == "ADDED"


def test_bookmarks(server: ServedCluster) -> None:
    """A client that asks for bookmarks learns how far it has got, shortly before its watch ends."""
    events = watch(server, f"resourceVersion={version(server)}&allowWatchBookmarks=true&timeoutSeconds=3")
    assert [event["type"] for event in events] == ["BOOKMARK"]
    mark = events[0]["object"]
    assert (mark["kind"], mark["apiVersion"]) == ("RackNode", "rack.example.com/v1")
    assert mark["metadata"]["resourceVersion"] == version(server)


def test_a_version_that_is_too_old(server: ServedCluster) -> None:
    """After compaction: 410 in the stream, and the client lists again."""
    since = version(server)
    create(server, "e1")
    server.on_loop(server.cluster.api.store.compact)
    events = watch(server, f"resourceVersion={since}&timeoutSeconds=1")
    assert [event["type"] for event in events] == ["ERROR"]
    status = events[0]["object"]
    assert (status["reason"], status["code"]) == ("Expired", 410)
    assert status["message"].startswith(f"too old resource version: {since} (")


def test_it_ends_in_time(server: ServedCluster) -> None:
    """timeoutSeconds is kept."""
    start = time.monotonic()
    watch(server, f"resourceVersion={version(server)}&timeoutSeconds=1")
    assert 0.9 < time.monotonic() - start < 3


def test_as_tables(server: ServedCluster) -> None:
    """Rows as they change; the columns are told once."""
    since = version(server)
    create(server, "f1")
    server.call("PATCH", f"{RACKNODES}/f1", {"spec": {"desiredFirmware": "3.0.0"}}, MERGE)
    events = watch(server, f"resourceVersion={since}&timeoutSeconds=1", TABLE)
    tables = [event["object"] for event in events]
    assert [table["kind"] for table in tables] == ["Table", "Table"]
    assert [len(table["columnDefinitions"]) for table in tables] == [7, 0]
    assert [table["rows"][0]["cells"][3] for table in tables] == ["2.1.0", "3.0.0"]


def test_pages_are_of_one_moment(server: ServedCluster) -> None:
    """What happens between two pages changes neither of them."""
    for index in range(5):
        create(server, f"page-{index}", page="yes")
    first = server.call("GET", f"{RACKNODES}?limit=2&labelSelector=page").body
    server.call("DELETE", f"{RACKNODES}/page-3")
    create(server, "page-25", page="yes")
    names = [item["metadata"]["name"] for item in first["items"]]
    token = first["metadata"]["continue"]
    assert "remainingItemCount" not in first["metadata"]
    while token:
        page = server.call("GET", f"{RACKNODES}?limit=2&labelSelector=page&continue={token}").body
        assert page["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        names += [item["metadata"]["name"] for item in page["items"]]
        token = page["metadata"].get("continue", "")
    assert names == [f"page-{index}" for index in range(5)]


def test_a_page_that_comes_too_late(server: ServedCluster) -> None:
    """After compaction a continue token is gone."""
    create(server, "late-1")
    create(server, "late-2")
    token = server.call("GET", f"{RACKNODES}?limit=1").body["metadata"]["continue"]
    create(server, "late-3")
    server.on_loop(server.cluster.api.store.compact)
    answer = server.call("GET", f"{RACKNODES}?limit=1&continue={token}")
    assert (answer.status, answer.body["reason"]) == (410, "Expired")


def test_exactly_as_it_was(server: ServedCluster) -> None:
    """resourceVersionMatch=Exact shows the past."""
    create(server, "past")
    then = version(server)
    server.call("DELETE", f"{RACKNODES}/past")
    query = f"fieldSelector=metadata.name%3Dpast&resourceVersion={then}&resourceVersionMatch=Exact"
    assert len(server.call("GET", f"{RACKNODES}?{query}").body["items"]) == 1


def test_watches_end_with_their_definition(server: ServedCluster) -> None:
    """When a resource is no longer served, its objects are deleted first and its watch ends."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    definition = server.call("GET", f"{path}/racknodes.rack.example.com").body
    gadget = {
        "apiVersion": definition["apiVersion"],
        "kind": definition["kind"],
        "metadata": {"name": "gadgets.rack.example.com"},
        "spec": {**definition["spec"], "names": {"kind": "Gadget", "plural": "gadgets"}},
    }
    assert server.call("POST", path, gadget).status == 201
    gadgets = "/apis/rack.example.com/v1/namespaces/default/gadgets"
    manifest = {"kind": "Gadget", "metadata": {"name": "g"}, "spec": {"desiredFirmware": "1.0.0"}}
    assert server.call("POST", gadgets, manifest).status == 201
    seen: list[Any] = []
    thread = threading.Thread(
        target=lambda: seen.append(server.call("GET", f"{gadgets}?watch=1&timeoutSeconds=8").body)
    )
    thread.start()
    time.sleep(0.3)
    server.call("DELETE", f"{path}/gadgets.rack.example.com")
    thread.join(5)
    assert not thread.is_alive()
    assert kinds(seen[0]) == [("ADDED", "g"), ("DELETED", "g")], json.dumps(seen)
    assert server.call("GET", gadgets).status == 404
