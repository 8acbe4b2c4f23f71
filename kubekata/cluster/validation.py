"""Validation of metadata, and how field errors become one answer.

Rules and wording are those of apimachinery's ``pkg/api/validation`` and ``util/validation/field``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kubekata.cluster.errors import Invalid

Manifest = dict[str, Any]

GC_FINALIZERS = ("orphan", "foregroundDeletion")
_KUBERNETES_FINALIZERS = (*GC_FINALIZERS, "kubernetes")

_LARGEST_ANNOTATIONS = 256 * 1024
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN_SAYS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_SAYS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_NAME_PART_SAYS = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_LABEL_VALUE_SAYS = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@dataclass(frozen=True, slots=True)
class FieldError:
    """One broken rule. ``reason`` is the cause's reason, for example ``FieldValueInvalid``."""

    field: str
    reason: str
    message: str


def invalid(field: str, value: Any, why: str) -> FieldError:
    """The field holds a value that is not allowed."""
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {shown(value)}: {why}")


def required(field: str, why: str = "") -> FieldError:
    """The field must be given."""
    return FieldError(field, "FieldValueRequired", f"Required value: {why}" if why else "Required value")


def forbidden(field: str, why: str) -> FieldError:
    """The field may not be set like this."""
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {why}")


def not_supported(field: str, value: Any, supported: Sequence[str]) -> FieldError:
    """The field holds none of the values that are possible."""
    values = ", ".join(shown(item) for item in supported)
    return FieldError(
        field, "FieldValueNotSupported", f"Unsupported value: {shown(value)}: supported values: {values}"
    )


def shown(value: Any) -> str:
    """Return a value as Kubernetes' messages quote it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def invalid_object(qualified_kind: str, name: str, errors: Sequence[FieldError]) -> Invalid:
    """Return the answer for an object that breaks rules."""
    sentences = list(dict.fromkeys(f"{error.field}: {error.message}" for error in errors))
    summary = sentences[0] if len(sentences) == 1 else f"[{', '.join(sentences)}]"
    kind, _, group = qualified_kind.partition(".")
    details: Manifest = {"name": name} if name else {}
    if group:
        details["group"] = group
    details["kind"] = kind
    details["causes"] = [
        {"reason": error.reason, "message": error.message, "field": error.field} for error in errors
    ]
    return Invalid(f'{qualified_kind} "{name}" is invalid: {summary}', details=details)


def validate_metadata(
    metadata: Manifest, *, name_is_label: bool = False, any_finalizer: bool = False
) -> list[FieldError]:
    """Check an object's metadata (``ValidateObjectMeta``).

    Args:
        name_is_label: the name has to be a DNS label, as a namespace's.
        any_finalizer: finalizers need no domain; so it is outside the core API's own validation.
    """
    errors: list[FieldError] = []
    name, base = metadata.get("name", ""), metadata.get("generateName", "")
    if base:
        # What is generated is appended, so that a base may end in a dash.
        checked = f"{base[:-1]}a" if base.endswith("-") else base
        wrong = _validate_name("metadata.generateName", checked, name_is_label)
        errors += [
            replace(error, message=error.message.replace(shown(checked), shown(base))) for error in wrong
        ]
    if not name:
        errors.append(required("metadata.name", "name or generateName is required"))
    else:
        errors += _validate_name("metadata.name", name, name_is_label)
    errors += _validate_labels(metadata.get("labels") or {})
    errors += _validate_annotations(metadata.get("annotations") or {})
    errors += validate_finalizers(metadata.get("finalizers") or [], any_name=any_finalizer)
    errors += validate_owner_references(metadata.get("ownerReferences") or [])
    return errors


def _validate_name(field: str, name: str, name_is_label: bool) -> list[FieldError]:
    limit, pattern, says = (63, _LABEL, _LABEL_SAYS) if name_is_label else (253, _SUBDOMAIN, _SUBDOMAIN_SAYS)
    if len(name) > limit:
        return [invalid(field, name, f"must be no more than {limit} bytes")]
    if pattern.fullmatch(name) is None:
        return [invalid(field, name, says)]
    return []


def _validate_labels(labels: dict[str, str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, value in labels.items():
        errors += [invalid("metadata.labels", key, why) for why in qualified_name_problems(key)]
        if not isinstance(value, str):
            errors.append(invalid("metadata.labels", value, "must be a string"))
        else:
            errors += [invalid("metadata.labels", value, why) for why in label_value_problems(value)]
    return errors


def label_value_problems(value: str) -> list[str]:
    """Return what is wrong with a label's value."""
    if len(value) > 63:
        return ["must be no more than 63 bytes"]
    if value and _QUALIFIED_NAME.fullmatch(value) is None:
        return [_LABEL_VALUE_SAYS]
    return []


def _validate_annotations(annotations: dict[str, str]) -> list[FieldError]:
    field = "metadata.annotations"
    errors = [invalid(field, key, why) for key in annotations for why in qualified_name_problems(key.lower())]
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in annotations.items())
    if size > _LARGEST_ANNOTATIONS:
        why = f"Too long: may not be more than {_LARGEST_ANNOTATIONS} bytes"
        errors.append(FieldError(field, "FieldValueTooLong", why))
    return errors


def qualified_name_problems(name: str) -> list[str]:
    """Return what is wrong with ``name`` or ``prefix/name`` as a label key or finalizer."""
    prefix, slash, last = name.rpartition("/")
    problems: list[str] = []
    if slash and _SUBDOMAIN.fullmatch(prefix) is None:
        problems.append(f"prefix part {_SUBDOMAIN_SAYS}" if prefix else "prefix part must be non-empty")
    if not last:
        problems.append("name part must be non-empty")
    elif len(last) > 63:
        problems.append("name part must be no more than 63 bytes")
    if last and _QUALIFIED_NAME.fullmatch(last) is None:
        problems.append(_NAME_PART_SAYS)
    return problems


def validate_finalizers(finalizers: list[str], *, any_name: bool = False) -> list[FieldError]:
    """Check finalizer names; at most one of the garbage collector's own may be set.

    Args:
        any_name: a name without a domain need not be one of Kubernetes' own.
    """
    field = "metadata.finalizers"
    errors: list[FieldError] = []
    for name in finalizers:
        problems = qualified_name_problems(name)
        if not problems and not any_name and "/" not in name and name not in _KUBERNETES_FINALIZERS:
            problems = ["name is neither a standard finalizer name nor is it fully qualified"]
        errors += [invalid(field, name, why) for why in problems]
    if all(name in finalizers for name in GC_FINALIZERS):
        why = "finalizer foregroundDeletion and orphan cannot be both set"
        errors.append(invalid(field, finalizers, why))
    return errors


def validate_owner_references(references: list[Manifest]) -> list[FieldError]:
    """Check owner references: complete, none an Event, at most one controller."""
    field = "metadata.ownerReferences"
    errors: list[FieldError] = []
    controllers: list[str] = []
    for reference in references:
        for key, says in (
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ):
            if not reference.get(key):
                errors.append(invalid(f"{field}.{key}", reference.get(key, ""), says))
        if reference.get("apiVersion") in ("v1", "events.k8s.io/v1") and reference.get("kind") == "Event":
            group_version = f"{reference['apiVersion']}, Kind=Event"
            errors.append(invalid(field, reference, f"{group_version} is disallowed from being an owner"))
        if reference.get("controller"):
            controllers.append(f"{reference.get('kind')}/{reference.get('name')}")
    if len(controllers) > 1:
        why = (
            "Only one reference can have Controller set to true. "
            f'Found "true" in references for {controllers[0]} and {controllers[1]}'
        )
        errors.append(invalid(field, references, why))
    return errors


def validate_metadata_update(new: Manifest, old: Manifest) -> list[FieldError]:
    """Check a change of metadata (``ValidateObjectMetaUpdate``).

    While an object is being deleted its finalizers may only be removed, and nothing can call the
    deletion off.
    """
    errors = _validate_labels(new.get("labels") or {})
    errors += validate_owner_references(new.get("ownerReferences") or [])
    if old.get("deletionTimestamp"):
        added = [f for f in new.get("finalizers") or [] if f not in (old.get("finalizers") or [])]
        if added:
            listed = ", ".join(f'"{name}"' for name in added)
            why = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{listed}}}"
            )
            errors.append(forbidden("metadata.finalizers", why))
    fixed = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
    changed = [key for key in fixed if new.get(key) != old.get(key)]
    return errors + [invalid(f"metadata.{key}", new.get(key), "field is immutable") for key in changed]
