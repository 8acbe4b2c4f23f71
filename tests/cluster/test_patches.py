"""The patch formats, field ownership, JSONPath and Go's JSON errors, free of any transport."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubekata.cluster import gojson, jsonpath
from kubekata.cluster.errors import BadRequest, Conflict, Invalid
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.managedfields import Manager, after_apply, after_update, managers_of, to_entries
from kubekata.cluster.patches import json_patch, merge_patch, strategic_merge

Manifest = dict[str, Any]

SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text("abc", min_size=1, max_size=2), VALUES, max_size=4)
WITHOUT_NULLS = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3),
    max_leaves=8,
)


class TestMergePatch:
    """RFC 7386."""

    @pytest.mark.parametrize(
        ("document", "patch", "result"),
        [
            ({"a": "b"}, {"a": "c"}, {"a": "c"}),
            ({"a": "b"}, {"a": None}, {}),
            ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": "foo"}, "bar", "bar"),
            ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
            ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ],
    )
    def test_the_examples_of_the_rfc(self, document: Any, patch: Any, result: Any) -> None:
        """As printed there."""
        assert merge_patch(document, patch) == result

    @given(OBJECTS, OBJECTS)
    def test_twice_is_once(self, document: Manifest, patch: Manifest) -> None:
        """And neither argument is changed."""
        before = copy.deepcopy((document, patch))
        once = merge_patch(document, patch)
        assert merge_patch(once, patch) == once
        assert (document, patch) == before


class TestJsonPatch:
    """RFC 6902."""

    def test_all_or_nothing(self) -> None:
        """An operation that fails leaves the document as it was."""
        document = {"a": 1}
        operations = [{"op": "add", "path": "/b", "value": 2}, {"op": "test", "path": "/b", "value": 3}]
        with pytest.raises(Invalid):
            json_patch(document, operations)
        assert document == {"a": 1}

    @given(VALUES)
    @settings(max_examples=50)
    def test_anything_else_is_refused(self, operations: Any) -> None:
        """Refused, or carried out; never another exception."""
        with contextlib.suppress(Invalid, BadRequest):
            json_patch({"a": [1, {"b": 2}]}, operations)


class TestStrategicMerge:
    """kubectl's own format, for built-in kinds."""

    POD: Manifest = {
        "spec": {
            "containers": [{"name": "a", "image": "1", "args": ["x"]}, {"name": "b", "image": "1"}],
            "tolerations": [{"key": "k"}],
        },
        "metadata": {"finalizers": ["f/1", "f/2"]},
    }

    def merged(self, patch: Manifest) -> Manifest:
        result: Manifest = strategic_merge(self.POD, patch, ListKeys("Pod"))
        return result

    def test_by_key(self) -> None:
        """An item is found by its name; what the patch does not name stays."""
        spec = self.merged({"spec": {"containers": [{"name": "b", "image": "2"}]}})["spec"]
        assert spec["containers"] == [self.POD["spec"]["containers"][0], {"name": "b", "image": "2"}]

    def test_lists_without_a_key_are_replaced(self) -> None:
        """Tolerations, and arguments."""
        spec = self.merged({"spec": {"tolerations": [], "containers": [{"name": "a", "args": ["y"]}]}})[
            "spec"
        ]
        assert spec["tolerations"] == []
        assert spec["containers"][0]["args"] == ["y"]

    @pytest.mark.parametrize(
        ("patch", "names"),
        [
            ([{"name": "a", "$patch": "delete"}], ["b"]),
            ([{"name": "c"}, {"$patch": "replace"}], ["c"]),
            ([{"name": "c"}], ["a", "b", "c"]),
        ],
    )
    def test_directives(self, patch: list[Manifest], names: list[str]) -> None:
        """Delete an item, replace the list, or add to it."""
        containers = self.merged({"spec": {"containers": patch}})["spec"]["containers"]
        assert [container["name"] for container in containers] == names

    def test_order_and_primitive_lists(self) -> None:
        """The order that the client wants, and values taken out of a list of values."""
        patch = {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": []}}
        assert [c["name"] for c in self.merged(patch)["spec"]["containers"]] == ["b", "a"]
        patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["f/1"], "finalizers": ["f/3"]}}
        assert self.merged(patch)["metadata"]["finalizers"] == ["f/2", "f/3"]

    def test_retain_keys(self) -> None:
        """What the client's version of a union no longer has goes."""
        document = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}
        patch = {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}
        assert strategic_merge(document, patch, ListKeys("Deployment")) == {"strategy": {"type": "Recreate"}}

    @pytest.mark.parametrize("patch", [{"spec": {"containers": [{"image": "x"}]}}, {"$patch": "explode"}])
    def test_refused(self, patch: Manifest) -> None:
        """An item without its key, and a directive that does not exist."""
        with pytest.raises(BadRequest):
            self.merged(patch)


def applied(manager: str, config: Manifest, live: Manifest, *, force: bool = False) -> Manifest:
    """Return the live object after a server-side apply, managedFields included."""
    own = Manager(manager, "Apply", "v1", time="now")
    merged, managers = after_apply(config, live, own, ListKeys("ConfigMap"), force=force)
    return {**merged, "metadata": {**merged.get("metadata", {}), "managedFields": to_entries(managers)}}


def updated(manager: str, new: Manifest, live: Manifest) -> Manifest:
    """Return the live object after an update."""
    own = Manager(manager, "Update", "v1", time="now")
    managers = after_update(new, live, own, ListKeys("ConfigMap"))
    return {**new, "metadata": {**new.get("metadata", {}), "managedFields": to_entries(managers)}}


def data(manifest: Manifest) -> Any:
    return manifest.get("data", {})


class TestOwnership:
    """Server-side apply."""

    def test_agreeing_managers_share(self) -> None:
        """The same value is no conflict; the field goes when the last of its owners lets go."""
        live = applied("one", {"data": {"a": 1, "b": 1}}, {})
        live = applied("two", {"data": {"a": 1}}, live)
        live = applied("one", {"data": {"b": 1}}, live)
        assert data(live) == {"a": 1, "b": 1}
        live = applied("two", {}, live)
        assert data(live) == {"b": 1}

    def test_several_conflicts_in_one_message(self) -> None:
        """By manager, each with its fields."""
        live = applied("one", {"data": {"a": 1}}, {})
        live = updated("two", {**live, "data": {"a": 1, "b": 1, "c": 1}}, live)
        with pytest.raises(Conflict) as refused:
            applied("three", {"data": {"a": 2, "b": 2, "c": 2}}, live)
        assert refused.value.message == (
            'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n'
            'conflicts with "two" using v1:\n- .data.b\n- .data.c'
        )
        assert [cause["field"] for cause in refused.value.details["causes"]] == [
            ".data.a",
            ".data.b",
            ".data.c",
        ]

    def test_force_takes_over(self) -> None:
        """And the former owner's next apply is the one in conflict."""
        live = applied("one", {"data": {"a": 1}}, {})
        live = applied("two", {"data": {"a": 2}}, live, force=True)
        assert [entry.name for entry in managers_of(live) if entry.fields] == ["two"]
        with pytest.raises(Conflict):
            applied("one", {"data": {"a": 1}}, live)

    def test_an_update_takes_what_it_changes(self) -> None:
        """Only that."""
        live = applied("one", {"data": {"a": 1, "b": 1}}, {})
        live = updated("two", {**live, "data": {"a": 2, "b": 1}}, live)
        with pytest.raises(Conflict) as refused:
            applied("one", {"data": {"a": 1, "b": 1}}, live)
        assert '"two" using v1: .data.a' in refused.value.message

    @given(WITHOUT_NULLS, WITHOUT_NULLS)
    def test_apply_then_apply_nothing(self, first: Any, second: Any) -> None:
        """A manager's second apply leaves exactly what it says, if nobody else is there."""
        live = applied("one", {"data": {"x": first}}, {})
        assert data(live) == {"x": first}
        assert applied("one", {"data": {"x": first}}, live) == live
        assert data(applied("one", {"data": {"y": second}}, live)) == {"y": second}

    @given(WITHOUT_NULLS)
    def test_entries_are_read_as_they_were_written(self, value: Any) -> None:
        """FieldsV1 there and back."""
        live = updated("one", {"data": {"x": value}}, {})
        entries = live["metadata"]["managedFields"]
        assert to_entries(managers_of(live)) == entries
        assert json.loads(json.dumps(entries)) == entries


class TestJsonPath:
    """What printer columns may say."""

    OBJECT: Manifest = {
        "a": {"b": [1, 2, {"c": 3}], "x.y": 4, "z": None},
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Old", "status": "False"}],
    }

    @pytest.mark.parametrize(
        ("path", "found"),
        [
            (".a.b[0]", [1]),
            (".a.b[-1].c", [3]),
            (".a.b[*]", [1, 2, {"c": 3}]),
            (".a['x.y']", [4]),
            (r".a.x\.y", [4]),
            (".a.z", [None]),
            (".a.none", []),
            (".a.b.c", []),
            (".a.b[9]", []),
            ('.conditions[?(@.type=="Ready")].status', ["True"]),
            ('.conditions[?(@.type!="Ready")].status', ["False"]),
            ("{.a.b[1]}", [2]),
            ("$.a.b[1]", [2]),
        ],
    )
    def test_paths(self, path: str, found: list[Any]) -> None:
        """Each kind of step."""
        assert jsonpath.find(self.OBJECT, path) == found

    @pytest.mark.parametrize("path", [".a[", ".a[x]", ".a[?(]", ".a]", ".a..b"])
    def test_not_paths(self, path: str) -> None:
        """What cannot be read."""
        with pytest.raises(ValueError, match="JSONPath"):
            jsonpath.compile_path(path)


class TestGoJson:
    """Go's own words for what is not JSON."""

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{nope", "invalid character 'n' looking for beginning of object key string"),
            ('{"a"}', "invalid character '}' after object key"),
            ('{"a":1 "b"}', "invalid character '\"' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("1 2", "invalid character '2' after top-level value"),
            ("nul", "unexpected end of JSON input"),
            ("nulx", "invalid character 'x' in literal null (expecting 'l')"),
            ('"a\nb"', "invalid character '\\n' in string literal"),
            ('"\\x"', "invalid character 'x' in string escape code"),
            ('"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1ex", "invalid character 'x' in exponent of numeric literal"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
        ],
    )
    def test_sentences(self, text: str, says: str) -> None:
        """Where, and what was looked for."""
        with pytest.raises(gojson.JsonError) as error:
            gojson.decode(text)
        assert str(error.value) == says

    @given(VALUES)
    def test_what_is_json(self, value: Any) -> None:
        """Is read as it is, also with a field that stands twice."""
        assert gojson.decode(json.dumps(value)) == value

    def test_fields_that_stand_twice(self) -> None:
        """The last one counts, and the path is told."""
        decoded = gojson.decode('{"a": [{"b": 1, "b": 2}], "c": 1, "c": 2}')
        assert decoded == {"a": [{"b": 2}], "c": 2}
        assert gojson.repeated_fields(decoded) == ["c", "a[0].b"]

    @given(st.text('{}[]",:0123.eE+-truefalsn\\ ', max_size=12))
    @settings(max_examples=300)
    def test_anything(self, text: str) -> None:
        """Read, or refused in a sentence."""
        try:
            json.loads(text)
        except ValueError:
            with pytest.raises(gojson.JsonError, match=r"unexpected end|invalid character"):
                gojson.decode(text)
