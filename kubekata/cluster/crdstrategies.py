"""What a CustomResourceDefinition may say, and what its schema then asks of the objects.

The rules of apiextensions-apiserver's ``pkg/apis/apiextensions/validation`` and of its two strategies.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from kubekata.cluster import jsonpath
from kubekata.cluster.crdtypes import Definition
from kubekata.cluster.decoding import decoding_problem
from kubekata.cluster.errors import BadRequest
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.schemas import apply_defaults, prune, schema_errors, validate_value
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.strategies import Strategy
from kubekata.cluster.validation import FieldError, invalid, not_supported, required

Manifest = dict[str, Any]

CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
DEFINITIONS = ResourceType(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    singular="customresourcedefinition",
    namespaced=False,
    short_names=("crd", "crds"),
    categories=("api-extensions",),
)

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DNS_1035_SAYS = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"]
_FIXED = ("group", "scope")
_FIXED_NAMES = ("kind", "plural")


class CustomResourceStrategy(Strategy):
    """Rules of one version of a custom resource: its schema."""

    def __init__(self, schema: Manifest) -> None:
        self._schema = schema

    def default(self, manifest: Manifest) -> None:
        """Prune unknown fields, then fill in defaults."""
        prune(manifest, self._schema)
        apply_defaults(manifest, self._schema)

    def unknown_fields(self, manifest: Manifest) -> list[str]:
        """Return the paths of fields that would be pruned."""
        return prune(copy_manifest(manifest), self._schema)

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check the object against the schema."""
        return validate_value(manifest, self._schema, is_object=True)


class DefinitionStrategy(Strategy):
    """Rules of CustomResourceDefinitions themselves."""

    def default(self, manifest: Manifest) -> None:
        """Fill in the names that follow from others, and the conversion.

        Raises:
            BadRequest: a field of the wrong type.
        """
        check_shape(manifest)
        spec = manifest.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = names.get("kind") or ""
        if kind:
            if not names.get("singular"):
                names["singular"] = kind.lower()
            if not names.get("listKind"):
                names["listKind"] = f"{kind}List"
        spec.setdefault("conversion", {"strategy": "None"})
        if spec.get("preserveUnknownFields") is False:
            del spec["preserveUnknownFields"]

    def prepare_for_create(self, manifest: Manifest) -> None:
        """A new definition is not served yet."""
        versions = manifest["spec"].get("versions") or []
        stored = [v["name"] for v in versions if v.get("storage") and v.get("name")]
        manifest["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored,
        }

    def prepare_for_delete(self, manifest: Manifest) -> None:
        """The objects go before their definition does."""
        finalizers = manifest["metadata"].setdefault("finalizers", [])
        if CLEANUP_FINALIZER not in finalizers:
            finalizers.append(CLEANUP_FINALIZER)

    def validate(self, manifest: Manifest) -> list[FieldError]:
        """Check names, versions and schemas (``ValidateCustomResourceDefinition``)."""
        spec: Manifest = manifest.get("spec") or {}
        names: Manifest = spec.get("names") or {}
        errors: list[FieldError] = []
        expected = f"{names.get('plural', '')}.{spec.get('group', '')}"
        name = manifest["metadata"].get("name", "")
        if name != expected:
            errors.append(invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
        return (
            errors
            + _group_errors(manifest)
            + _scope_errors(spec)
            + _name_errors(names)
            + _version_errors(spec)
        )

    def validate_update(self, new: Manifest, old: Manifest) -> list[FieldError]:
        """Group, scope, kind and plural may not change once the resource is served."""
        if not is_established(old):
            return []
        errors = [
            invalid(f"spec.{key}", new["spec"].get(key), "field is immutable")
            for key in _FIXED
            if new["spec"].get(key) != old["spec"].get(key)
        ]
        return errors + [
            invalid(f"spec.names.{key}", new["spec"]["names"].get(key), "field is immutable")
            for key in _FIXED_NAMES
            if new["spec"]["names"].get(key) != old["spec"]["names"].get(key)
        ]


def check_shape(manifest: Manifest) -> None:
    """Check that every field of a definition has the right type.

    Raises:
        BadRequest: in the words of the API server's decoder.
    """
    try:
        msgspec.convert(manifest, Definition)
    except msgspec.ValidationError as error:
        raise BadRequest(decoding_problem(DEFINITIONS, str(error))) from None


def schema_of(version: Manifest) -> Manifest:
    """Return the schema of one version of a definition."""
    schema: Manifest = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    return schema


def is_established(definition: Manifest) -> bool:
    """True once the resource is served for good."""
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Established" and c.get("status") == "True" for c in conditions)


def _group_errors(manifest: Manifest) -> list[FieldError]:
    group = (manifest.get("spec") or {}).get("group") or ""
    if not group:
        return [required("spec.group")]
    if not all(_LABEL.fullmatch(part) for part in group.split(".")):
        return [invalid("spec.group", group, "must be a lowercase RFC 1123 subdomain")]
    if "." not in group:
        return [invalid("spec.group", group, "should be a domain with at least one dot")]
    annotations = manifest["metadata"].get("annotations") or {}
    protected = group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")
    if protected and "api-approved.kubernetes.io" not in annotations:
        why = 'protected groups must have approval annotation "api-approved.kubernetes.io", see '
        why += "https://github.com/kubernetes/enhancements/pull/1111"
        return [required("metadata.annotations[api-approved.kubernetes.io]", why)]
    return []


def _scope_errors(spec: Manifest) -> list[FieldError]:
    scope = spec.get("scope") or ""
    if not scope:
        return [required("spec.scope")]
    if scope not in ("Cluster", "Namespaced"):
        return [not_supported("spec.scope", scope, ["Cluster", "Namespaced"])]
    return []


def _name_errors(names: Manifest) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in ("plural", "singular", "kind", "listKind"):
        value = names.get(key) or ""
        lowered = value.lower() if key in ("kind", "listKind") else value
        field = f"spec.names.{key}"
        if not value:
            errors.append(required(field))
        elif _DNS_1035.fullmatch(lowered) is None or len(lowered) > 63:
            why = f"may have mixed case, but should otherwise match: {_DNS_1035_SAYS}"
            errors.append(invalid(field, value, why if lowered != value else _DNS_1035_SAYS))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        errors.append(
            invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same")
        )
    for index, short in enumerate(names.get("shortNames") or ()):
        if _DNS_1035.fullmatch(short) is None:
            errors.append(invalid(f"spec.names.shortNames[{index}]", short, _DNS_1035_SAYS))
    return errors


def _version_errors(spec: Manifest) -> list[FieldError]:
    versions: list[Manifest] = spec.get("versions") or []
    errors: list[FieldError] = []
    if sum(1 for version in versions if version.get("storage")) != 1:
        why = "must have exactly one version marked as storage version"
        errors.append(invalid("spec.versions", versions, why))
    names = [version.get("name") or "" for version in versions]
    if len(set(names)) != len(names):
        errors.append(invalid("spec.versions", versions, "must contain unique version names"))
    # One schema for all versions is kept, and reported, as the definition's own (``spec.validation``).
    schemas = [schema_of(version) for version in versions]
    shared = bool(schemas) and all(schema == schemas[0] for schema in schemas)
    for index, version in enumerate(versions):
        at = f"spec.versions[{index}]"
        if not version.get("name") or _DNS_1035.fullmatch(version["name"]) is None:
            errors.append(invalid(f"{at}.name", version.get("name") or "", _DNS_1035_SAYS))
        errors += _column_errors(version, at)
        if not schemas[index]:
            errors.append(required(f"{at}.schema.openAPIV3Schema", "schemas are required"))
        elif not shared:
            errors += schema_errors(schemas[index], f"{at}.schema.openAPIV3Schema")
    if shared and schemas[0]:
        errors += schema_errors(schemas[0], "spec.validation.openAPIV3Schema")
    return errors


def _column_errors(version: Manifest, at: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        field = f"{at}.additionalPrinterColumns[{index}]"
        if not column.get("name"):
            errors.append(required(f"{field}.name"))
        if not column.get("type"):
            errors.append(required(f"{field}.type", f"must be one of {','.join(_COLUMN_TYPES)}"))
        elif column["type"] not in _COLUMN_TYPES:
            why = f"must be one of {','.join(_COLUMN_TYPES)}"
            errors.append(invalid(f"{field}.type", column["type"], why))
        errors += _path_errors(column.get("jsonPath") or "", f"{field}.jsonPath")
    scale = (version.get("subresources") or {}).get("scale")
    if scale is not None:
        for key, root in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
            path = scale.get(key) or ""
            field = f"{at}.subresources.scale.{key}"
            if not path:
                errors.append(required(field))
            elif not path.startswith(f"{root}."):
                errors.append(invalid(field, path, f"should be a json path under {root}"))
            else:
                errors += _path_errors(path, field)
    for index, selectable in enumerate(version.get("selectableFields") or ()):
        errors += _path_errors(selectable.get("jsonPath") or "", f"{at}.selectableFields[{index}].jsonPath")
    return errors


def _path_errors(path: str, field: str) -> list[FieldError]:
    if not path:
        return [required(field)]
    if not path.startswith("."):
        return [invalid(field, path, "must be a simple json path starting with .")]
    try:
        jsonpath.compile_path(path)
    except ValueError:
        return [invalid(field, path, "is an invalid jsonpath")]
    return []
