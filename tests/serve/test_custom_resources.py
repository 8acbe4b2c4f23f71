"""Definitions through the API: served at once, versions, defaults, pruning, validation, scale, columns."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from kubekata.serve.cluster import LiveCluster
from tests.serve.serving import Answer, ServedCluster, served_cluster

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RACKS = "/apis/lab.example.com/v1/namespaces/default/racks"
MERGE = {"Content-Type": "application/merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "replicas": {"type": "integer", "minimum": 0, "default": 1},
                "port": {"x-kubernetes-int-or-string": True},
                "note": {"type": "string", "nullable": True, "maxLength": 5, "minLength": 2},
                "ratio": {"type": "number", "maximum": 1, "exclusiveMaximum": True, "multipleOf": 0.25},
                "when": {"type": "string", "format": "date-time"},
                "tags": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 2,
                    "x-kubernetes-list-type": "set",
                },
                "slots": {
                    "type": "array",
                    "minItems": 1,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "units": {"type": "integer", "default": 1},
                        },
                    },
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "limits": {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
                "choice": {
                    "type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                    "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                },
            },
        },
        "status": {
            "type": "object",
            "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}},
        },
    },
}


def definition(**spec: Any) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": copy.deepcopy(SCHEMA)},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "selectableFields": [{"jsonPath": ".spec.note"}],
        "additionalPrinterColumns": [
            {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
            {"name": "First", "type": "string", "jsonPath": '.spec.slots[?(@.name=="a")].units'},
            {"name": "When", "type": "date", "jsonPath": ".spec.when", "priority": 1},
        ],
    }
    beta = {
        "name": "v1beta1",
        "served": True,
        "storage": False,
        "deprecated": True,
        "schema": {"openAPIV3Schema": copy.deepcopy(SCHEMA)},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "racks.lab.example.com"},
        "spec": {
            "group": "lab.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Rack", "plural": "racks"},
            "versions": [beta, version],
            **spec,
        },
    }


@pytest.fixture(scope="module")
def server() -> Iterator[ServedCluster]:
    with served_cluster(LiveCluster(seed=9)) as running:
        made = running.call("POST", DEFINITIONS, definition())
        assert made.status == 201, made.body
        yield running


def create(server: ServedCluster, name: str, spec: dict[str, Any], query: str = "") -> Answer:
    manifest = {"apiVersion": "lab.example.com/v1", "kind": "Rack", "metadata": {"name": name}, "spec": spec}
    return server.call("POST", RACKS + query, manifest)


def test_names_that_follow_from_others(server: ServedCluster) -> None:
    """Singular, list kind, conversion and status are filled in."""
    body = server.call("GET", f"{DEFINITIONS}/racks.lab.example.com").body
    assert body["spec"]["names"] == {
        "kind": "Rack",
        "plural": "racks",
        "singular": "rack",
        "listKind": "RackList",
    }
    assert body["spec"]["conversion"] == {"strategy": "None"}
    assert body["status"]["storedVersions"] == ["v1"]
    assert {c["type"]: c["status"] for c in body["status"]["conditions"]} == {
        "NamesAccepted": "True",
        "Established": "True",
    }


def test_defaults_go_deep(server: ServedCluster) -> None:
    """Defaults reach into lists; null where null is not allowed counts as missing."""
    body = create(
        server, "deep", {"replicas": None, "slots": [{"name": "a"}, {"name": "b", "units": 2}]}
    ).body
    assert body["spec"]["replicas"] == 1
    assert [slot["units"] for slot in body["spec"]["slots"]] == [1, 2]


def test_pruning(server: ServedCluster) -> None:
    """Unknown fields go, unless the schema keeps them."""
    spec = {"free": {"anything": [1, {"x": 2}]}, "slots": [{"name": "a", "colour": "red"}], "nope": 1}
    answer = create(server, "pruned", spec)
    assert answer.body["spec"]["free"] == spec["free"]
    assert answer.body["spec"]["slots"] == [{"name": "a", "units": 1}]
    assert answer.headers["Warning"].count("unknown field") == 2
    strict = create(server, "strict", spec, "?fieldValidation=Strict")
    assert strict.body["message"].endswith(
        'strict decoding error: unknown field "spec.nope", unknown field "spec.slots[0].colour"'
    )


@pytest.mark.parametrize(
    ("spec", "reason", "field", "message"),
    [
        ({"replicas": -1}, "FieldValueInvalid", "spec.replicas", "should be greater than or equal to 0"),
        ({"replicas": 1.5}, "FieldValueTypeInvalid", "spec.replicas", 'must be of type integer: "number"'),
        ({"replicas": True}, "FieldValueTypeInvalid", "spec.replicas", 'must be of type integer: "boolean"'),
        ({"port": []}, "FieldValueTypeInvalid", "spec.port", 'must be of type integer,string: "array"'),
        ({"note": "toolong"}, "FieldValueTooLong", "spec.note", "Too long: may not be more than 5 bytes"),
        ({"note": "x"}, "FieldValueInvalid", "spec.note", "should be at least 2 chars long"),
        ({"ratio": 1}, "FieldValueInvalid", "spec.ratio", "should be less than 1"),
        ({"ratio": 0.3}, "FieldValueInvalid", "spec.ratio", "should be a multiple of 0.25"),
        ({"when": "soon"}, "FieldValueInvalid", "spec.when", 'must be of type date-time: "soon"'),
        (
            {"tags": ["a", "b", "c"]},
            "FieldValueTooMany",
            "spec.tags",
            "Too many: 3: must have at most 2 items",
        ),
        ({"tags": ["a", "a"]}, "FieldValueDuplicate", "spec.tags[1]", 'Duplicate value: "a"'),
        ({"slots": []}, "FieldValueInvalid", "spec.slots", "should have at least 1 items"),
        ({"slots": [{}]}, "FieldValueRequired", "spec.slots[0].name", "Required value"),
        (
            {"slots": [{"name": "a"}, {"name": "a"}]},
            "FieldValueDuplicate",
            "spec.slots[1]",
            'Duplicate value: {"name":"a"}',
        ),
        (
            {"limits": {"a": "b"}},
            "FieldValueTypeInvalid",
            "spec.limits.a",
            'must be of type integer: "string"',
        ),
        (
            {"limits": {"a": 1, "b": 2, "c": 3}},
            "FieldValueTooMany",
            "spec.limits",
            "must have at most 2 items",
        ),
        ({"choice": {}}, "FieldValueInvalid", "<nil>", "must validate one and only one schema (oneOf)"),
        ("x", "FieldValueTypeInvalid", "spec", 'spec in body must be of type object: "string"'),
    ],
)
def test_validation(server: ServedCluster, spec: Any, reason: str, field: str, message: str) -> None:
    """Each keyword, with the reason, field and sentence of a real server."""
    answer = create(server, "invalid", spec)
    assert answer.status == 422, answer.body
    cause = answer.body["details"]["causes"][0]
    assert (cause["reason"], cause["field"]) == (reason, field)
    assert message in cause["message"]


@pytest.mark.parametrize(
    "spec", [{"port": 80}, {"port": "http"}, {"note": None}, {"ratio": 0.5}, {"tags": []}]
)
def test_what_is_allowed(server: ServedCluster, spec: dict[str, Any]) -> None:
    """The other side of the same rules."""
    assert create(server, "fine", spec, "?dryRun=All").status == 201


def test_scale(server: ServedCluster) -> None:
    """The scale subresource reads and writes where the definition says."""
    create(server, "scaled", {"replicas": 2})
    path = f"{RACKS}/scaled"
    status = {"status": {"replicas": 1, "selector": "app=x"}}
    server.call("PATCH", f"{path}/status", status, MERGE)
    scale = server.call("GET", f"{path}/scale").body
    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert (scale["spec"], scale["status"]) == ({"replicas": 2}, {"replicas": 1, "selector": "app=x"})
    patched = server.call("PATCH", f"{path}/scale", {"spec": {"replicas": 4}}, MERGE).body
    assert patched["spec"] == {"replicas": 4}
    body = server.call("GET", path).body
    assert (body["spec"]["replicas"], body["metadata"]["generation"]) == (4, 2)
    scale["spec"]["replicas"] = 9
    assert server.call("PUT", f"{path}/scale", scale).status == 409
    assert server.call("PATCH", f"{path}/scale", {"spec": {"replicas": -1}}, MERGE).status == 422


def test_versions(server: ServedCluster) -> None:
    """One object, seen in every served version; a deprecated one says so."""
    create(server, "many", {"replicas": 3})
    beta = RACKS.replace("/v1/", "/v1beta1/")
    answer = server.call("GET", f"{beta}/many")
    assert answer.body["apiVersion"] == "lab.example.com/v1beta1"
    assert "is deprecated" in answer.headers["Warning"]
    group = server.call("GET", "/apis/lab.example.com").body
    assert [version["version"] for version in group["versions"]] == ["v1", "v1beta1"]
    assert group["preferredVersion"]["version"] == "v1"
    assert server.call("GET", f"{beta}/many/status").status == 404
    listed = server.call("GET", beta).body
    assert listed["kind"] == "RackList"
    assert {item["apiVersion"] for item in listed["items"]} == {"lab.example.com/v1beta1"}


def test_columns(server: ServedCluster) -> None:
    """Integers, JSONPath filters, dates; without columns of its own a version shows the age."""
    create(
        server, "shown", {"slots": [{"name": "b"}, {"name": "a", "units": 7}], "when": "2020-01-01T00:00:00Z"}
    )
    table = server.call("GET", f"{RACKS}/shown", headers=TABLE).body
    assert table["rows"][0]["cells"][:3] == ["shown", 1, "7"]
    assert table["rows"][0]["cells"][3].startswith("6y")
    assert [column["priority"] for column in table["columnDefinitions"]] == [0, 0, 0, 1]
    beta = server.call("GET", RACKS.replace("/v1/", "/v1beta1/"), headers=TABLE).body
    assert [column["name"] for column in beta["columnDefinitions"]] == ["Name", "Age"]


def test_selectable_fields(server: ServedCluster) -> None:
    """Field selectors on what the definition names."""
    create(server, "noted", {"note": "here"})
    found = server.call("GET", f"{RACKS}?fieldSelector=spec.note%3Dhere").body["items"]
    assert [item["metadata"]["name"] for item in found] == ["noted"]


def test_apply_merges_lists_by_their_keys(server: ServedCluster) -> None:
    """Two managers own items of one list, and each takes away only its own."""

    def apply(manager: str, *names: str) -> list[str]:
        manifest = {
            "apiVersion": "lab.example.com/v1",
            "kind": "Rack",
            "metadata": {"name": "shared"},
            "spec": {"slots": [{"name": name} for name in names]},
        }
        answer = server.call("PATCH", f"{RACKS}/shared?fieldManager={manager}", manifest, APPLY)
        assert answer.status in (200, 201), answer.body
        return [slot["name"] for slot in answer.body["spec"].get("slots", [])]

    assert apply("one", "a", "b") == ["a", "b"]
    assert apply("two", "b", "c") == ["a", "b", "c"]
    assert apply("one", "a") == ["a", "b", "c"]
    assert apply("two", "c") == ["a", "c"]
    managers = server.call("GET", f"{RACKS}/shared").body["metadata"]["managedFields"]
    assert [(entry["manager"], entry["operation"]) for entry in managers] == [
        ("one", "Apply"),
        ("two", "Apply"),
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"group": "lab"}, "should be a domain with at least one dot"),
        ({"scope": "Galaxy"}, 'supported values: "Cluster", "Namespaced"'),
        ({"scope": ""}, "spec.scope: Required value"),
        ({"names": {"kind": "Rack", "plural": "Racks"}}, "DNS-1035 label"),
        ({"versions": []}, "must have exactly one version marked as storage version"),
    ],
)
def test_bad_definitions(server: ServedCluster, change: dict[str, Any], says: str) -> None:
    """What a definition may not say."""
    bad = definition(**change)
    spec = bad["spec"]
    bad["metadata"]["name"] = f"{spec['names']['plural']}.{spec['group']}"
    if "group" not in change and "names" not in change:
        bad["metadata"]["name"] = "others.lab.example.com"
        spec["names"] = {"kind": "Other", "plural": "others"}
    answer = server.call("POST", DEFINITIONS, bad)
    assert answer.status == 422
    assert says in answer.body["message"]


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({}, "schemas are required"),
        ({"type": "string"}, 'Invalid value: "string": must be object at the root'),
        ({"properties": {}}, "must not be empty at the root"),
        ({"type": "object", "properties": {"a": {}}}, "must not be empty for specified object fields"),
        ({"type": "object", "properties": {"a": {"type": "list"}}}, "Unsupported value"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "properties[a].items: Required value"),
        (
            {"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}},
            'must be of type integer: "string"',
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
            "valid regular expression",
        ),
        ({"type": "object", "additionalProperties": False}, "additionalProperties cannot be set to false"),
        ({"type": "object", "$ref": "x"}, "$ref is not supported"),
    ],
)
def test_schemas_that_are_not_structural(server: ServedCluster, schema: dict[str, Any], says: str) -> None:
    """What a schema may not say."""
    bad = definition()
    bad["metadata"]["name"] = "others.lab.example.com"
    bad["spec"]["names"] = {"kind": "Other", "plural": "others"}
    for version in bad["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": schema}
        version.pop("subresources", None)
    answer = server.call("POST", DEFINITIONS, bad)
    assert answer.status == 422, answer.body
    assert says in answer.body["message"]


def test_what_may_not_change(server: ServedCluster) -> None:
    """Once served, group, scope and names stay; a schema may change, and counts at once."""
    path = f"{DEFINITIONS}/racks.lab.example.com"
    answer = server.call("PATCH", path, {"spec": {"scope": "Cluster"}}, MERGE)
    assert "spec.scope: Invalid value" in answer.body["message"]
    versions = server.call("GET", path).body["spec"]["versions"]
    versions[1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["replicas"]["maximum"] = 1
    assert server.call("PATCH", path, {"spec": {"versions": versions}}, MERGE).status == 200
    assert create(server, "more", {"replicas": 2}).status == 422
