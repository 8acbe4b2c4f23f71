"""The scale subresource: the same three numbers for everything that has replicas (``autoscaling/v1`` Scale)."""

from __future__ import annotations

from typing import Any

from kubekata.cluster import jsonpath
from kubekata.cluster.errors import BadRequest, NotFound
from kubekata.cluster.resources import ResourceType, ScalePaths
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.selectors import dig, format_labels
from kubekata.cluster.validation import invalid, invalid_object

Manifest = dict[str, Any]

_BUILT_IN = ScalePaths(".spec.replicas", ".status.replicas")
_FROM_THE_OBJECT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_OPERATORS = {"In": "in", "NotIn": "notin"}


def scale_of(resource: ResourceType, manifest: Manifest) -> Manifest:
    """Return the Scale of an object.

    Raises:
        NotFound: the resource has no scale subresource.
    """
    paths = _paths(resource)
    metadata = {key: manifest["metadata"][key] for key in _FROM_THE_OBJECT if key in manifest["metadata"]}
    status: Manifest = {"replicas": _number(manifest, paths.status_replicas)}
    selector = _selector(resource, manifest, paths)
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": _number(manifest, paths.spec_replicas)},
        "status": status,
    }


def with_scale(resource: ResourceType, manifest: Manifest, scale: Manifest) -> Manifest:
    """Return the object with the replicas that a Scale asks for.

    Raises:
        NotFound: the resource has no scale subresource.
        BadRequest: no number of replicas.
        Invalid: a negative one.
    """
    paths = _paths(resource)
    replicas = dig(scale, "spec", "replicas") or 0
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise BadRequest(
            'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal into Go struct field '
            "ScaleSpec.spec.replicas of type int32"
        )
    name = manifest["metadata"]["name"]
    if replicas < 0:
        error = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        refusal = invalid_object("Scale.autoscaling", name, [error])
        raise refusal
    changed: Manifest = copy_manifest(manifest)
    steps = [step["name"] for step in jsonpath.compile_path(paths.spec_replicas)]
    at = changed
    for step in steps[:-1]:
        at = at.setdefault(step, {})
    at[steps[-1]] = replicas
    given = dig(scale, "metadata", "resourceVersion")
    if given:
        changed["metadata"]["resourceVersion"] = given
    return changed


def _paths(resource: ResourceType) -> ScalePaths:
    if not resource.has_scale:
        raise NotFound("the server could not find the requested resource")
    return resource.scale or _BUILT_IN


def _number(manifest: Manifest, path: str) -> int:
    found = jsonpath.find(manifest, path)
    return found[0] if found and isinstance(found[0], int) else 0


def _selector(resource: ResourceType, manifest: Manifest, paths: ScalePaths) -> str:
    if resource.scale is not None:
        found = jsonpath.find(manifest, paths.selector) if paths.selector else []
        return str(found[0]) if found else ""
    selector = dig(manifest, "spec", "selector") or {}
    terms = [format_labels(selector.get("matchLabels") or {})]
    for expression in selector.get("matchExpressions") or ():
        key, operator = expression.get("key", ""), expression.get("operator", "")
        values = ",".join(sorted(expression.get("values") or ()))
        if operator in _OPERATORS:
            terms.append(f"{key} {_OPERATORS[operator]} ({values})")
        else:
            terms.append(key if operator == "Exists" else f"!{key}")
    return ",".join(term for term in terms if term)
