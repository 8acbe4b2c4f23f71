"""Reading Kubernetes' protobuf, which kubectl sends for some built-in kinds (``kubectl create namespace``).

Only what kubectl creates that way is known here; answers are always JSON, which every client also takes.
The field numbers are those of the ``generated.proto`` files in ``k8s.io/api`` and ``k8s.io/apimachinery``.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

Manifest = dict[str, Any]

_MAGIC = b"k8s\x00"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIGN_BIT = 1 << 63

# Field number: name and type. A type is a scalar, a message's name, or one of those with "*" (a list) or "%"
# (a map from text) before it.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "ObjectMeta": {
        1: ("name", "str"),
        2: ("generateName", "str"),
        3: ("namespace", "str"),
        5: ("uid", "str"),
        6: ("resourceVersion", "str"),
        7: ("generation", "int"),
        8: ("creationTimestamp", "Time"),
        11: ("labels", "%str"),
        12: ("annotations", "%str"),
        13: ("ownerReferences", "*OwnerReference"),
        14: ("finalizers", "*str"),
    },
    "OwnerReference": {
        1: ("kind", "str"),
        3: ("name", "str"),
        4: ("uid", "str"),
        5: ("apiVersion", "str"),
        6: ("controller", "bool"),
        7: ("blockOwnerDeletion", "bool"),
    },
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "int"),
        2: ("preconditions", "Preconditions"),
        3: ("orphanDependents", "bool"),
        4: ("propagationPolicy", "str"),
        5: ("dryRun", "*str"),
    },
    "Preconditions": {1: ("uid", "str"), 2: ("resourceVersion", "str")},
    "LabelSelector": {1: ("matchLabels", "%str"), 2: ("matchExpressions", "*Requirement")},
    "Requirement": {1: ("key", "str"), 2: ("operator", "str"), 3: ("values", "*str")},
    "Namespace": {1: ("metadata", "ObjectMeta"), 2: ("spec", "NamespaceSpec")},
    "NamespaceSpec": {1: ("finalizers", "*str")},
    "ConfigMap": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "%str"),
        3: ("binaryData", "%bytes"),
        4: ("immutable", "bool"),
    },
    "Secret": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "%bytes"),
        3: ("type", "str"),
        4: ("stringData", "%str"),
        5: ("immutable", "bool"),
    },
    "ServiceAccount": {1: ("metadata", "ObjectMeta"), 4: ("automountServiceAccountToken", "bool")},
    "Eviction": {1: ("metadata", "ObjectMeta"), 2: ("deleteOptions", "DeleteOptions")},
    "Pod": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "PodTemplateSpec": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "PodSpec": {
        2: ("containers", "*Container"),
        3: ("restartPolicy", "str"),
        4: ("terminationGracePeriodSeconds", "int"),
        5: ("activeDeadlineSeconds", "int"),
        6: ("dnsPolicy", "str"),
        7: ("nodeSelector", "%str"),
        8: ("serviceAccountName", "str"),
        10: ("nodeName", "str"),
        16: ("hostname", "str"),
        19: ("schedulerName", "str"),
        20: ("initContainers", "*Container"),
        22: ("tolerations", "*Toleration"),
        24: ("priorityClassName", "str"),
    },
    "Toleration": {
        1: ("key", "str"),
        2: ("operator", "str"),
        3: ("value", "str"),
        4: ("effect", "str"),
        5: ("tolerationSeconds", "int"),
    },
    "Container": {
        1: ("name", "str"),
        2: ("image", "str"),
        3: ("command", "*str"),
        4: ("args", "*str"),
        5: ("workingDir", "str"),
        6: ("ports", "*ContainerPort"),
        7: ("env", "*EnvVar"),
        8: ("resources", "ResourceRequirements"),
        14: ("imagePullPolicy", "str"),
    },
    "ContainerPort": {
        1: ("name", "str"),
        2: ("hostPort", "int"),
        3: ("containerPort", "int"),
        4: ("protocol", "str"),
    },
    "EnvVar": {1: ("name", "str"), 2: ("value", "str")},
    "ResourceRequirements": {1: ("limits", "%Quantity"), 2: ("requests", "%Quantity")},
    "Deployment": {1: ("metadata", "ObjectMeta"), 2: ("spec", "DeploymentSpec")},
    "DeploymentSpec": {
        1: ("replicas", "int"),
        2: ("selector", "LabelSelector"),
        3: ("template", "PodTemplateSpec"),
        4: ("strategy", "DeploymentStrategy"),
        5: ("minReadySeconds", "int"),
        6: ("revisionHistoryLimit", "int"),
        7: ("paused", "bool"),
        9: ("progressDeadlineSeconds", "int"),
    },
    "DeploymentStrategy": {1: ("type", "str"), 2: ("rollingUpdate", "RollingUpdate")},
    "RollingUpdate": {1: ("maxUnavailable", "IntOrString"), 2: ("maxSurge", "IntOrString")},
    "Job": {1: ("metadata", "ObjectMeta"), 2: ("spec", "JobSpec")},
    "JobSpec": {
        1: ("parallelism", "int"),
        2: ("completions", "int"),
        3: ("activeDeadlineSeconds", "int"),
        4: ("selector", "LabelSelector"),
        6: ("template", "PodTemplateSpec"),
        7: ("backoffLimit", "int"),
        8: ("ttlSecondsAfterFinished", "int"),
        9: ("completionMode", "str"),
        10: ("suspend", "bool"),
    },
    "PodDisruptionBudget": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodDisruptionBudgetSpec")},
    "PodDisruptionBudgetSpec": {
        1: ("minAvailable", "IntOrString"),
        2: ("selector", "LabelSelector"),
        3: ("maxUnavailable", "IntOrString"),
    },
    "Service": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ServiceSpec")},
    "ServiceSpec": {
        1: ("ports", "*ServicePort"),
        2: ("selector", "%str"),
        3: ("clusterIP", "str"),
        4: ("type", "str"),
        10: ("externalName", "str"),
    },
    "ServicePort": {
        1: ("name", "str"),
        2: ("protocol", "str"),
        3: ("port", "int"),
        4: ("targetPort", "IntOrString"),
        5: ("nodePort", "int"),
    },
    "Role": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "ClusterRole": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "PolicyRule": {
        1: ("verbs", "*str"),
        2: ("apiGroups", "*str"),
        3: ("resources", "*str"),
        4: ("resourceNames", "*str"),
        5: ("nonResourceURLs", "*str"),
    },
    "RoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "ClusterRoleBinding": {
        1: ("metadata", "ObjectMeta"),
        2: ("subjects", "*Subject"),
        3: ("roleRef", "RoleRef"),
    },
    "Subject": {1: ("kind", "str"), 2: ("apiGroup", "str"), 3: ("name", "str"), 4: ("namespace", "str")},
    "RoleRef": {1: ("apiGroup", "str"), 2: ("kind", "str"), 3: ("name", "str")},
    "PriorityClass": {
        1: ("metadata", "ObjectMeta"),
        2: ("value", "int"),
        3: ("globalDefault", "bool"),
        4: ("description", "str"),
        5: ("preemptionPolicy", "str"),
    },
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "SelfSubjectAccessReviewSpec")},
    "SelfSubjectAccessReviewSpec": {1: ("resourceAttributes", "ResourceAttributes")},
    "ResourceAttributes": {
        1: ("namespace", "str"),
        2: ("verb", "str"),
        3: ("group", "str"),
        4: ("version", "str"),
        5: ("resource", "str"),
        6: ("subresource", "str"),
        7: ("name", "str"),
    },
}
_NOT_OMITTED_WHEN_ZERO = {"replicas", "backoffLimit", "terminationGracePeriodSeconds", "gracePeriodSeconds"}


class ProtobufError(ValueError):
    """Not a message that can be read here."""


def decode_object(data: bytes) -> Manifest:
    """Return the object in an enveloped message (``runtime.Unknown``).

    Raises:
        ProtobufError: damaged, or of a kind that is not known here.
    """
    if not data.startswith(_MAGIC):
        raise ProtobufError("provided data does not appear to be a protobuf message")
    api_version = kind = ""
    raw = b""
    for number, value in _fields(data[len(_MAGIC) :]):
        if number == 1 and isinstance(value, bytes):
            names = {n: v.decode(errors="replace") for n, v in _fields(value) if isinstance(v, bytes)}
            api_version, kind = names.get(1, ""), names.get(2, "")
        elif number == 2 and isinstance(value, bytes):
            raw = value
    if kind not in _MESSAGES:
        raise ProtobufError(f"no protobuf decoding for {kind!r} here: send JSON")
    return {"apiVersion": api_version, "kind": kind, **_message(raw, kind)}


def _message(data: bytes, kind: str) -> Manifest:
    result: Manifest = {}
    for number, value in _fields(data):
        name, form = _MESSAGES[kind].get(number, ("", ""))
        if not name:
            continue
        if form.startswith("*"):
            result.setdefault(name, []).append(_value(value, form[1:]))
        elif form.startswith("%"):
            entry = dict(_fields(_bytes(value)))
            key = _bytes(entry.get(1, b"")).decode(errors="replace")
            result.setdefault(name, {})[key] = _value(entry.get(2, b""), form[1:])
        else:
            decoded = _value(value, form)
            # Go writes empty scalars too; in JSON they are left out.
            if decoded not in ("", 0, False, None) or name in _NOT_OMITTED_WHEN_ZERO:
                result[name] = decoded
    return result


def _value(value: int | bytes, form: str) -> Any:  # noqa: PLR0911 - one line per type
    match form:
        case "str":
            return _bytes(value).decode(errors="replace")
        case "bytes":
            return base64.b64encode(_bytes(value)).decode()
        case "bool":
            return bool(value)
        case "int":
            return value - 2 * _SIGN_BIT if isinstance(value, int) and value >= _SIGN_BIT else value
        case "Time":
            seconds = dict(_fields(_bytes(value))).get(1, 0)
            if not isinstance(seconds, int) or not 0 < seconds < _SIGN_BIT:
                return None
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
        case "Quantity":
            return _bytes(dict(_fields(_bytes(value))).get(1, b"")).decode(errors="replace")
        case "IntOrString":
            parts = dict(_fields(_bytes(value)))
            return _bytes(parts.get(3, b"")).decode(errors="replace") if parts.get(1) else parts.get(2, 0)
    return _message(_bytes(value), form)


def _bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ProtobufError("wrong wire type")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise ProtobufError(f"illegal wire type {wire}")
        if at + size > len(data):
            raise ProtobufError("unexpected EOF")
        yield number, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ProtobufError("unexpected EOF")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
