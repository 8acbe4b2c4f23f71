"""Request bodies: JSON, YAML and protobuf, and what to say about those that cannot be read."""

from __future__ import annotations

from typing import Any

import yaml

from kubekata.cluster import gojson
from kubekata.cluster.errors import BadRequest, RequestEntityTooLarge
from kubekata.cluster.patching import unsupported
from kubekata.cluster.resources import ResourceType
from kubekata.serve import protobuf

Manifest = dict[str, Any]

LARGEST_BODY = 3 * 1024 * 1024
OBJECT_MEDIA_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]

_SHOWN_BYTES = 30


def check_size(body: bytes) -> None:
    """Refuse what is larger than etcd would take.

    Raises:
        RequestEntityTooLarge.
    """
    if len(body) > LARGEST_BODY:
        raise RequestEntityTooLarge(f"Request entity too large: limit is {LARGEST_BODY}")


def read_object(body: bytes, content_type: str, resource: ResourceType) -> Manifest:
    """Return the object in a request's body.

    Raises:
        BadRequest: it cannot be read as one.
        UnsupportedMediaType: its format is not read here.
    """
    check_size(body)
    media_type = content_type.split(";", maxsplit=1)[0].strip().lower() or OBJECT_MEDIA_TYPES[0]
    if media_type not in OBJECT_MEDIA_TYPES:
        raise unsupported(OBJECT_MEDIA_TYPES)
    try:
        value = _decode(body, media_type)
    except gojson.JsonError as error:
        problem = f"couldn't get version/kind; json parse error: {error}"
        raise BadRequest(_unrecognized(resource, problem, body)) from None
    except (yaml.YAMLError, protobuf.ProtobufError, UnicodeDecodeError) as error:
        problem = f"couldn't get version/kind; {str(error).splitlines()[0]}"
        raise BadRequest(_unrecognized(resource, problem, body)) from None
    if not isinstance(value, dict):
        problem = (
            "couldn't get version/kind; json parse error: json: cannot unmarshal "
            f"{_json_type(value)} into Go value of type struct {{ APIVersion string "
            '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        )
        raise BadRequest(_unrecognized(resource, problem, body))
    if resource.custom and not value.get("kind"):
        problem = f"Object 'Kind' is missing in '{body.decode(errors='replace')}'"
        raise BadRequest(_unrecognized(resource, problem, body))
    return value


def read_patch(body: bytes, *, is_yaml: bool) -> Any:
    """Return what a patch holds.

    Raises:
        BadRequest: it cannot be read.
    """
    check_size(body)
    try:
        return yaml.load(body, Loader=_PlainLoader) if is_yaml else gojson.decode(body.decode())
    except gojson.JsonError as error:
        raise BadRequest(f"error decoding patch: {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadRequest(f"error decoding YAML: {str(error).splitlines()[0]}") from None


def read_options(body: bytes, content_type: str) -> Any:
    """Return the DeleteOptions in a body; None if it is empty.

    Raises:
        BadRequest: it cannot be read.
    """
    check_size(body)
    if not body.strip():
        return None
    media_type = content_type.split(";", maxsplit=1)[0].strip().lower()
    try:
        value = _decode(body, media_type if media_type in OBJECT_MEDIA_TYPES else OBJECT_MEDIA_TYPES[0])
    except (ValueError, yaml.YAMLError) as error:
        problem = f"couldn't get version/kind; json parse error: {error}"
        summary = _summary(body)
        raise BadRequest(
            f"the object provided is unrecognized (must be of type DeleteOptions): {problem} ({summary})"
        ) from None
    return value


def _decode(body: bytes, media_type: str) -> Any:
    if media_type == OBJECT_MEDIA_TYPES[2]:
        return protobuf.decode_object(body)
    if media_type == OBJECT_MEDIA_TYPES[1]:
        try:
            return yaml.load(body, Loader=_PlainLoader)
        except (RecursionError, ValueError) as error:
            raise yaml.YAMLError(str(error)) from None
    return gojson.decode(body.decode())


class _PlainLoader(yaml.SafeLoader):
    """YAML as Kubernetes reads it: a time is text."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _unrecognized(resource: ResourceType, problem: str, body: bytes) -> str:
    return (
        f"the object provided is unrecognized (must be of type {resource.kind}): {problem} ({_summary(body)})"
    )


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    more = " ..." if len(body) > _SHOWN_BYTES else ""
    shown = body[:_SHOWN_BYTES]
    return (shown.decode(errors="replace") if body.startswith(b"{") else shown.hex()) + more


def _json_type(value: Any) -> str:
    match value:
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "bool"
    return "number"
