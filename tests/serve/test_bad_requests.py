"""Bad requests get the API's own kind of answer, never a 500 and never a traceback."""

from __future__ import annotations

import copy
import json
import logging
import random
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from kubekata.serve.cluster import LiveCluster
from tests.serve.conftest import ROOT
from tests.serve.serving import Answer, ServedCluster, served_cluster

RACKNODES = "/apis/rack.example.com/v1/namespaces/default/racknodes"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}

RACK_NODE: dict[str, Any] = {
    "apiVersion": "rack.example.com/v1",
    "kind": "RackNode",
    "metadata": {"name": "r", "labels": {"a": "b"}, "finalizers": ["example.com/x"]},
    "spec": {"desiredFirmware": "2.1.0", "slots": 2},
}
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"a": "b"}},
    "spec": {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "resources": {"requests": {"cpu": "1"}},
                "ports": [{"containerPort": 1}],
            }
        ],
        "tolerations": [{"key": "k", "operator": "Exists"}],
    },
}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"a": "b"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    },
}
OTHERS = [
    ("/api/v1/nodes", "v1", "Node", {"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}),
    ("/api/v1/namespaces", "v1", "Namespace", {"spec": {"finalizers": ["kubernetes"]}}),
    ("/api/v1/namespaces/default/configmaps", "v1", "ConfigMap", {"data": {"a": "b"}}),
    (
        "/api/v1/namespaces/default/events",
        "v1",
        "Event",
        {"involvedObject": {"kind": "Pod", "name": "p"}, "reason": "R", "message": "m", "count": 1},
    ),
    (
        "/apis/batch/v1/namespaces/default/jobs",
        "batch/v1",
        "Job",
        {"spec": {"completions": 1, "template": {"spec": {"containers": [{"name": "c"}]}}}},
    ),
    (
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        "policy/v1",
        "PodDisruptionBudget",
        {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}},
    ),
    (
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "coordination.k8s.io/v1",
        "Lease",
        {"spec": {"holderIdentity": "me", "renewTime": "2026-01-01T00:00:00.000000Z"}},
    ),
]
EVERYTHING = [
    (RACKNODES, RACK_NODE),
    (PODS, POD),
    (DEPLOYMENTS, DEPLOYMENT),
    *(
        (path, {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "labels": {"a": "b"}}, **rest})
        for path, version, kind, rest in OTHERS
    ),
]
NONSENSE: list[Any] = [
    None,
    0,
    -1,
    1.5,
    True,
    "",
    "x",
    "\u0000",
    "9" * 400,
    [],
    [None],
    [[]],
    {},
    {"": None},
    {"a": {"b": []}},
]


@pytest.fixture(scope="module")
def server() -> Iterator[ServedCluster]:
    live = LiveCluster(seed=3)
    live.add_nodes(1)
    with served_cluster(live) as running:
        with (ROOT / "kind" / "racknode-crd.yaml").open() as file:
            assert running.call("POST", DEFINITIONS, yaml.safe_load(file)).status == 201
        yield running


@pytest.fixture(autouse=True)
def no_failure_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The server logs what it did not expect, and there has to be nothing of the kind."""
    with caplog.at_level(logging.ERROR):
        yield
    assert [record.getMessage() for record in caplog.records] == []


def refused(answer: Answer, *codes: int) -> str:
    """Check that an answer is a refusal in the API's own form; returns its message."""
    assert answer.status in codes, (answer.status, answer.body)
    assert answer.body["kind"] == "Status"
    assert answer.body["code"] == answer.status
    assert answer.body["status"] == "Failure"
    return str(answer.body["message"])


def civil(answer: Answer) -> None:
    """Any answer but a failure of ours."""
    known = "resourceVersion should not be set on objects to be created"
    assert answer.status < 500 or answer.status == 504 or answer.body.get("message") == known, answer


@pytest.mark.parametrize(
    ("body", "content_type", "status", "says"),
    [
        (
            b"{nope",
            "application/json",
            400,
            "invalid character 'n' looking for beginning of object key string ({nope)",
        ),
        (b"", "application/json", 400, "unexpected end of JSON input"),
        (b'{"a": 1,}', "application/json", 400, "invalid character '}' looking for beginning of object key"),
        (b'{"a" 1}', "application/json", 400, "invalid character '1' after object key"),
        (b'{"a": tru}', "application/json", 400, "invalid character '}' in literal true (expecting 'e')"),
        (b"[1, 2", "application/json", 400, "unexpected end of JSON input"),
        (b"[]", "application/json", 400, "cannot unmarshal array"),
        (b'{"spec": {}}', "application/json", 400, "Object 'Kind' is missing"),
        (b"a: [", "application/yaml", 400, "couldn't get version/kind"),
        (b"k8s\x00\xff\xff\xff", "application/vnd.kubernetes.protobuf", 400, "unexpected EOF"),
        (b"not protobuf", "application/vnd.kubernetes.protobuf", 400, "does not appear to be a protobuf"),
        (b"a: 1", "text/plain", 415, "unknown format"),
        (b"[" * 5000, "application/json", 400, "json parse error"),
        (b"\xff\xfe", "application/json", 400, "couldn't get version/kind"),
    ],
)
def test_unreadable_bodies(
    server: ServedCluster, body: bytes, content_type: str, status: int, says: str
) -> None:
    """What cannot be read is a bad request, with Go's own words about where."""
    answer = server.call("POST", RACKNODES, body, {"Content-Type": content_type})
    assert says in refused(answer, status)


def test_too_large(server: ServedCluster) -> None:
    """Three megabytes are the limit."""
    manifest = copy.deepcopy(RACK_NODE)
    manifest["metadata"]["annotations"] = {"a": "x" * 3_200_000}
    refused(server.call("POST", RACKNODES, manifest), 413)


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("limit=abc", (400,)),
        ("continue=%%%", (400,)),
        ("continue=abc", (400,)),
        ("resourceVersion=abc", (422,)),
        ("resourceVersion=-1", (422,)),
        ("resourceVersion=99999999", (504,)),
        ("resourceVersionMatch=Exact", (422,)),
        ("resourceVersion=1&resourceVersionMatch=Nearly", (422,)),
        ("resourceVersion=0&resourceVersionMatch=Exact", (422,)),
        ("labelSelector=%3D%3D", (400,)),
        ("labelSelector=a+in+(", (400,)),
        ("labelSelector=a%3Db%2C", (400,)),
        ("labelSelector=-a-%3Db", (200, 400)),
        ("fieldSelector=spec.power%3DOn", (400,)),
        ("fieldSelector=metadata.name", (400,)),
        ("watch=1&fieldSelector=nope%3D1", (400,)),
        ("watch=1&resourceVersion=abc", (422,)),
        ("watch=1&resourceVersionMatch=Exact", (422,)),
        ("watch=1&timeoutSeconds=x", (400,)),
        ("sendInitialEvents=true", (422,)),
    ],
)
def test_bad_list_options(server: ServedCluster, query: str, codes: tuple[int, ...]) -> None:
    """Options that cannot be read, or make no sense together."""
    answer = server.call("GET", f"{RACKNODES}?{query}")
    if answer.status != 200:
        refused(answer, *codes)


@pytest.mark.parametrize("query", ["dryRun=Some", "fieldValidation=Maybe", f"fieldManager={'m' * 200}"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_bad_write_options(server: ServedCluster, query: str, method: str) -> None:
    """Options of a write are checked before anything else is."""
    path = RACKNODES if method == "POST" else f"{RACKNODES}/r"
    headers = MERGE if method == "PATCH" else {}
    refused(server.call(method, f"{path}?{query}", RACK_NODE, headers), 422)


@pytest.mark.parametrize(
    "body",
    [
        {"propagationPolicy": "Sideways"},
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        {"gracePeriodSeconds": "soon"},
        {"preconditions": []},
        {"dryRun": ["Some"]},
    ],
)
def test_bad_delete_options(server: ServedCluster, body: dict[str, Any]) -> None:
    """A DELETE whose options make no sense deletes nothing."""
    server.call("POST", RACKNODES, RACK_NODE)
    refused(server.call("DELETE", f"{RACKNODES}/r", body), 400, 422)
    assert server.call("GET", f"{RACKNODES}/r").status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/nope", 404),
        ("/api/v2", 404),
        ("/apis/none.example.com", 404),
        ("/apis/none.example.com/v1", 404),
        ("/apis/apps/v9/deployments", 404),
        ("/api/v1/nothing", 404),
        ("/api/v1/pods/p", 404),
        ("/api/v1/namespaces/default/nodes", 404),
        ("/api/v1//pods", 404),
        ("/api/v1/namespaces/default/pods/p/nope", 404),
        ("/api/v1/namespaces/default/pods/p/status/more", 404),
        ("/openapi/v3/apis/none.example.com/v1", 404),
        ("/openapi/v3/nope", 404),
        ("/openapi/v2", 200),
        ("/openapi/v3", 200),
        ("/openapi/v3/api/v1", 200),
        ("/healthz", 200),
        ("/api/v1/namespaces/default/pods/..%2f..%2fx", 404),
        ("/api/v1/namespaces/%00/pods", 200),
    ],
)
def test_paths(server: ServedCluster, path: str, status: int) -> None:
    """Paths that lead somewhere, and those that do not."""
    assert server.call("GET", path).status == status


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"{RACKNODES}/r"),
        ("PUT", RACKNODES),
        ("PATCH", RACKNODES),
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/namespaces"),
        ("DELETE", f"{RACKNODES}/r/status"),
        ("POST", "/version"),
        ("PUT", f"{PODS}/p/eviction"),
        ("OPTIONS", RACKNODES),
    ],
)
def test_methods(server: ServedCluster, method: str, path: str) -> None:
    """A method that a path does not have."""
    answer = server.call(method, path, RACK_NODE, MERGE if method == "PATCH" else {})
    refused(answer, 405)


def test_what_cannot_be_accepted(server: ServedCluster) -> None:
    """A client that takes only what this server does not make."""
    refused(server.call("GET", RACKNODES, headers={"Accept": "text/html"}), 406)
    assert server.call("GET", RACKNODES, headers={"Accept": "text/html, */*"}).status == 200
    answer = server.call("GET", RACKNODES, headers={"Accept": "application/yaml"})
    assert yaml.safe_load(answer.body)["kind"] == "RackNodeList"


@pytest.mark.parametrize("header", [None, "Bearer", "Bearer wrong", "Basic abc", "Bearer \u00e9"])
def test_who_are_you(server: ServedCluster, header: str | None) -> None:
    """Without the token nothing is answered; what everybody may see is."""
    headers = {"Authorization": header} if header is not None else {"Authorization": ""}
    refused(server.call("GET", RACKNODES, headers=headers), 401)
    if header is None:
        assert server.call("GET", "/version", headers=headers).status == 200


@pytest.mark.parametrize(
    ("patch", "headers"),
    [
        (b"{", MERGE),
        (b"[]", MERGE),
        (b'"x"', MERGE),
        (b"{}", JSON_PATCH),
        (b'[{"op":"jump","path":"/spec"}]', JSON_PATCH),
        (b'[{"op":"remove","path":"/spec/none"}]', JSON_PATCH),
        (b'[{"op":"replace","path":"","value":3}]', JSON_PATCH),
        (b'[{"op":"add","path":"spec","value":3}]', JSON_PATCH),
        (b'[{"op":"add","path":"/spec/slots/0/x","value":3}]', JSON_PATCH),
        (b"[3]", JSON_PATCH),
        (b'[{"path":"/spec"}]', JSON_PATCH),
        (b'[{"op":"move","from":"/spec","path":"/spec/x"}]', JSON_PATCH),
        (b'{"metadata":{"name":"other"}}', MERGE),
        (b'{"metadata":{"namespace":"other"}}', MERGE),
        (b'{"metadata":{"uid":"other"}}', MERGE),
        (b'{"metadata":3}', MERGE),
        (b'{"metadata":null}', MERGE),
        (b'{"kind":"Pod"}', MERGE),
        (b'{"apiVersion":"v1"}', MERGE),
        (b'{"spec":null}', MERGE),
        (b'{"metadata":{"labels":{"a":3}}}', MERGE),
        (b'{"metadata":{"ownerReferences":[{}]}}', MERGE),
        (b'{"metadata":{"ownerReferences":{}}}', MERGE),
        (b'{"metadata":{"finalizers":[3]}}', MERGE),
        (b"a: [", APPLY),
        (b"[]", APPLY),
        (b"{}", APPLY),
        (json.dumps(RACK_NODE).encode(), APPLY),
        (b'{"spec":{"slots":5}}', STRATEGIC),
        (b'{"spec":{"slots":5}}', {"Content-Type": "application/json"}),
    ],
)
def test_bad_patches(server: ServedCluster, patch: bytes, headers: dict[str, str]) -> None:
    """Patches that cannot be read, do not fit, or lead to something invalid."""
    server.call("POST", RACKNODES, RACK_NODE)
    before = server.call("GET", f"{RACKNODES}/r").body
    refused(server.call("PATCH", f"{RACKNODES}/r", patch, headers), 400, 409, 415, 422)
    assert server.call("GET", f"{RACKNODES}/r").body == before


def test_apply_with_managed_fields(server: ServedCluster) -> None:
    """An applied configuration must not say who owns what."""
    manifest = copy.deepcopy(RACK_NODE)
    manifest["metadata"]["managedFields"] = []
    path = f"{RACKNODES}/r?fieldManager=me"
    message = refused(server.call("PATCH", path, manifest, APPLY), 400)
    assert message == "metadata.managedFields must be nil"


def _spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _spots(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _spots(item, (*path, index))


def _with(manifest: dict[str, Any], spot: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    at: Any = changed
    for step in spot[:-1]:
        at = at[step]
    at[spot[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "manifest"),
    EVERYTHING,
    ids=[manifest["kind"] for _, manifest in EVERYTHING],
)
def test_nonsense_anywhere(server: ServedCluster, path: str, manifest: dict[str, Any]) -> None:
    """Any field replaced by anything: created, refused, but never an internal error."""
    random_ = random.Random(7)
    spots = list(_spots(manifest))
    for number in range(75):
        spot, value = random_.choice(spots), random_.choice(NONSENSE)
        bad = _with(manifest, spot, value)
        civil(server.call("POST", f"{path}?dryRun=All", bad))
        if number % 3 == 0:
            civil(server.call("POST", path, bad))
            name = manifest["metadata"]["name"]
            civil(server.call("PUT", f"{path}/{name}", bad))
            civil(server.call("PUT", f"{path}/{name}/status", bad))
            for headers in (MERGE, STRATEGIC):
                civil(server.call("PATCH", f"{path}/{name}", bad, headers))
            civil(server.call("PATCH", f"{path}/{name}?fieldManager=m&force=true", bad, APPLY))
    civil(server.call("GET", path, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}))
    civil(server.call("DELETE", path))


def test_nonsense_in_a_definition(server: ServedCluster) -> None:
    """A CustomResourceDefinition with any field replaced by anything, and what it then serves."""
    with (ROOT / "kind" / "racknode-crd.yaml").open() as file:
        definition = yaml.safe_load(file)
    definition["metadata"]["name"] = "things.rack.example.com"
    definition["spec"]["names"] = {"kind": "Thing", "plural": "things", "singular": "thing"}
    random_ = random.Random(11)
    spots = list(_spots(definition))
    things = "/apis/rack.example.com/v1/namespaces/default/things"
    for _ in range(120):
        bad = _with(definition, random_.choice(spots), random_.choice(NONSENSE))
        made = server.call("POST", DEFINITIONS, bad)
        civil(made)
        if made.status == 201:
            name = made.body["metadata"]["name"]
            thing = {**RACK_NODE, "kind": "Thing", "metadata": {"name": "t"}}
            civil(server.call("POST", things, thing))
            civil(
                server.call("GET", things, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
            )
            civil(server.call("GET", "/openapi/v3/apis/rack.example.com/v1"))
            civil(server.call("DELETE", f"{DEFINITIONS}/{name}"))
    civil(server.call("GET", DEFINITIONS))
