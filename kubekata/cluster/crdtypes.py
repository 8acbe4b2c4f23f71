"""The shape of a CustomResourceDefinition (``apiextensions.k8s.io/v1``), to check what is sent."""

from __future__ import annotations

from typing import Any

import msgspec


class _Part(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A piece of a CustomResourceDefinition."""


class Schema(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """``JSONSchemaProps``."""

    ref: str | None = msgspec.field(default=None, name="$ref")
    schema: str | None = msgspec.field(default=None, name="$schema")
    additional_items: Schema | bool | None = None
    additional_properties: Schema | bool | None = None
    all_of: list[Schema] | None = None
    any_of: list[Schema] | None = None
    default: Any = None
    definitions: dict[str, Schema] | None = None
    dependencies: dict[str, Any] | None = None
    description: str | None = None
    enum: list[Any] | None = None
    example: Any = None
    exclusive_maximum: bool | None = None
    exclusive_minimum: bool | None = None
    external_docs: dict[str, Any] | None = None
    format: str | None = None
    id: str | None = None
    items: Schema | list[Schema] | None = None
    max_items: int | None = None
    max_length: int | None = None
    max_properties: int | None = None
    maximum: float | None = None
    min_items: int | None = None
    min_length: int | None = None
    min_properties: int | None = None
    minimum: float | None = None
    multiple_of: float | None = None
    not_: Schema | None = msgspec.field(default=None, name="not")
    nullable: bool | None = None
    one_of: list[Schema] | None = None
    pattern: str | None = None
    pattern_properties: dict[str, Schema] | None = None
    properties: dict[str, Schema] | None = None
    required: list[str] | None = None
    title: str | None = None
    type: str | None = None
    unique_items: bool | None = None
    embedded_resource: bool | None = msgspec.field(default=None, name="x-kubernetes-embedded-resource")
    int_or_string: bool | None = msgspec.field(default=None, name="x-kubernetes-int-or-string")
    list_map_keys: list[str] | None = msgspec.field(default=None, name="x-kubernetes-list-map-keys")
    list_type: str | None = msgspec.field(default=None, name="x-kubernetes-list-type")
    map_type: str | None = msgspec.field(default=None, name="x-kubernetes-map-type")
    preserve_unknown_fields: bool | None = msgspec.field(
        default=None, name="x-kubernetes-preserve-unknown-fields"
    )
    validations: list[dict[str, Any]] | None = msgspec.field(default=None, name="x-kubernetes-validations")


class Names(_Part):
    """What the resource is called."""

    plural: str = ""
    singular: str = ""
    kind: str = ""
    list_kind: str = ""
    short_names: list[str] | None = None
    categories: list[str] | None = None


class VersionSchema(_Part):
    """The schema of a version."""

    open_apiv3_schema: Schema | None = msgspec.field(default=None, name="openAPIV3Schema")


class Scale(_Part):
    """Where the scale subresource finds its numbers (JSONPaths)."""

    spec_replicas_path: str = ""
    status_replicas_path: str = ""
    label_selector_path: str | None = None


class Subresources(_Part):
    """The subresources of a version."""

    status: dict[str, Any] | None = None
    scale: Scale | None = None


class Column(_Part):
    """A printer column."""

    name: str = ""
    type: str = ""
    format: str | None = None
    description: str | None = None
    priority: int | None = None
    json_path: str = msgspec.field(default="", name="jsonPath")


class SelectableField(_Part):
    """A field that a field selector may ask for."""

    json_path: str = msgspec.field(default="", name="jsonPath")


class Version(_Part):
    """One version of the resource."""

    name: str = ""
    served: bool = False
    storage: bool = False
    deprecated: bool | None = None
    deprecation_warning: str | None = None
    schema: VersionSchema | None = None
    subresources: Subresources | None = None
    additional_printer_columns: list[Column] | None = None
    selectable_fields: list[SelectableField] | None = None


class Spec(_Part):
    """What is to be served."""

    group: str = ""
    names: Names = msgspec.field(default_factory=Names)
    scope: str = ""
    versions: list[Version] | None = None
    conversion: dict[str, Any] | None = None
    preserve_unknown_fields: bool | None = None


class Definition(_Part):
    """A CustomResourceDefinition; its metadata and status are the server's business."""

    spec: Spec = msgspec.field(default_factory=Spec)
    metadata: dict[str, Any] = {}
    status: dict[str, Any] | None = None
