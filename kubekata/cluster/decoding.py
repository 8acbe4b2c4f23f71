"""Whether what was sent has the shape of its kind, in the words of the API server's decoder."""

from __future__ import annotations

import re
import typing
from typing import Any

import msgspec

from kubekata.cluster.errors import BadRequest
from kubekata.cluster.objects import ObjectMeta
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.scheme import KINDS
from kubekata.cluster.selectors import dig

Manifest = dict[str, Any]

_PROBLEM = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`(?: - at `\$(?P<path>.*)`)?")
_GO_TYPES = {
    "int": "int32",
    "str": "string",
    "bool": "bool",
    "object": "map[string]",
    "array": "[]",
    "float": "float64",
}
_JSON_TYPES = {"int": "number", "float": "number", "str": "string"}


class _Metadata(msgspec.Struct):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


def check_decodes(resource: ResourceType, manifest: Manifest) -> None:
    """Check that the fields of an object that this server knows have the right JSON types.

    Raises:
        BadRequest: one of them does not.
    """
    kind = None if resource.custom else KINDS.get((resource.api_version, resource.kind))
    try:
        # Null means absent everywhere in a manifest.
        msgspec.convert(_without_nulls(manifest), kind or _Metadata)
    except (msgspec.ValidationError, ValueError) as error:
        raise BadRequest(decoding_problem(resource, str(error))) from None


def normalize(resource: ResourceType, manifest: Manifest) -> Manifest:
    """Return an object as a typed decoder and encoder would leave it.

    For built-in kinds null is the same as absent, and so are a container's empty resources: clients that go
    through Go's types send both. Of a custom resource only the metadata has a type.
    """
    if resource.custom:
        return {**manifest, "metadata": _without_nulls(manifest.get("metadata") or {})}
    plain: Manifest = _without_nulls(manifest)
    for spec in _pod_specs(plain):
        for containers in (spec.get("containers"), spec.get("initContainers")):
            for container in containers if isinstance(containers, list) else ():
                if isinstance(container, dict) and container.get("resources") == {}:
                    del container["resources"]
    return plain


def _pod_specs(manifest: Manifest) -> list[Manifest]:
    spec = manifest.get("spec")
    found = [spec, dig(spec or {}, "template", "spec")] if isinstance(spec, dict) else []
    return [part for part in found if isinstance(part, dict)]


def decoding_problem(resource: ResourceType, problem: str) -> str:
    """Return the sentence of a decoder that could not make an object of what was sent."""
    kind = KINDS.get((resource.api_version, resource.kind), _Metadata)
    return (
        f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
        f"{_as_go_says(problem, kind)}"
    )


def _as_go_says(problem: str, kind: type[msgspec.Struct]) -> str:
    match = _PROBLEM.match(problem)
    if match is None:
        return f"json: {problem[:1].lower()}{problem[1:]}"
    wanted = match["wanted"].split(" | ")[0]
    got = _JSON_TYPES.get(match["got"], match["got"])
    path = re.sub(r"\[[^\]]*\]", "", match["path"] or "")
    place = f"{_struct_at(kind, path)}{path}"
    return (
        f"json: cannot unmarshal {got} into Go struct field {place} of type {_GO_TYPES.get(wanted, wanted)}"
    )


def _struct_at(kind: type[msgspec.Struct], path: str) -> str:
    """The name of the type that has the last field of a path: ``DeploymentSpec`` for ``.spec.replicas``."""
    for name in path.strip(".").split(".")[:-1]:
        hints = typing.get_type_hints(kind)
        field = next((f.name for f in msgspec.structs.fields(kind) if f.encode_name == name), "")
        parts = [hints.get(field), *typing.get_args(hints.get(field))]
        inner = next((p for p in parts if isinstance(p, type) and issubclass(p, msgspec.Struct)), None)
        if inner is None:
            break
        kind = inner
    return "" if kind is _Metadata else kind.__name__


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value
