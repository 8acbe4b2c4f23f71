"""What every Kubernetes object has: metadata, owners, conditions, label selectors.

All types here are msgspec Structs: mutable, keyword-only, ``snake_case`` in Python and ``camelCase`` in a
manifest. A misspelt attribute raises AttributeError.
"""

from __future__ import annotations

import copy
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

import msgspec

ConditionStatus = Literal["True", "False", "Unknown"]


class Part(msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel", gc=False):
    """A piece of an object. ``merge_key`` names the field that identifies a piece within a list."""

    merge_key: ClassVar[str] = ""


class OwnerReference(Part):
    """Says which object this one belongs to. Owners are matched by ``uid``, never by name."""

    merge_key: ClassVar[str] = "uid"

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Part):
    """Standard metadata. ``uid``, ``resource_version``, ``generation`` and the timestamps are the server's."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []

    @property
    def controller(self) -> OwnerReference | None:
        """The owner reference with ``controller: true``, or None (``metav1.GetControllerOf``)."""
        return next((ref for ref in self.owner_references if ref.controller), None)

    @property
    def deleting(self) -> bool:
        """True once a delete has been accepted, while finalizers or the grace period hold the object."""
        return self.deletion_timestamp is not None


class Condition(Part):
    """One observation about an object (``metav1.Condition``)."""

    merge_key: ClassVar[str] = "type"

    type: str
    status: ConditionStatus
    observed_generation: int | None = None
    last_transition_time: datetime | None = None
    reason: str = ""
    message: str = ""


class LabelSelectorRequirement(Part):
    """``key operator values``; operators are In, NotIn, Exists and DoesNotExist."""

    key: str
    operator: str
    values: list[str] = []


class LabelSelector(Part):
    """Labels and expressions that must all hold (``metav1.LabelSelector``)."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []

    def matches(self, labels: dict[str, str]) -> bool:
        """True if ``labels`` satisfy every requirement. An empty selector matches everything."""
        if any(labels.get(key) != value for key, value in self.match_labels.items()):
            return False
        return all(_holds(requirement, labels) for requirement in self.match_expressions)


def _holds(requirement: LabelSelectorRequirement, labels: dict[str, str]) -> bool:
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    msg = f"unknown label selector operator {requirement.operator!r}"
    raise ValueError(msg)


class Resource(Part, dict=True, gc=True):
    """Base of all kinds: ``metadata`` and, in each kind, ``spec`` and ``status``.

    Equality compares the typed fields. Fields of a loaded manifest that the type does not know are kept
    aside and written back by ``to_manifest``.
    """

    api_version: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    plural: ClassVar[str] = ""
    namespaced: ClassVar[bool] = True

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)

    @property
    def name(self) -> str:
        """Short for ``metadata.name``."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """Short for ``metadata.namespace``."""
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        """Short for ``metadata.uid``."""
        return self.metadata.uid

    def owner_reference(
        self, *, controller: bool = True, block_owner_deletion: bool = True
    ) -> OwnerReference:
        """Return a reference to this object, for a dependent's ``metadata.owner_references``."""
        return OwnerReference(
            api_version=self.api_version,
            kind=self.kind,
            name=self.metadata.name,
            uid=self.metadata.uid,
            controller=controller or None,
            block_owner_deletion=block_owner_deletion or None,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        # The instance dictionary exists for the manifest kept aside; a misspelt field must still fail.
        if name not in self.__struct_fields__:
            msg = f"{type(self).__name__} has no field {name!r}"
            raise AttributeError(msg)
        super().__setattr__(name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # msgspec's own copy leaves the instance dictionary behind.
        fields = {name: copy.deepcopy(getattr(self, name), memo) for name in self.__struct_fields__}
        duplicate = type(self)(**fields)
        duplicate.__dict__.update(self.__dict__)
        return duplicate

    def __copy__(self) -> Self:
        duplicate = type(self)(**{name: getattr(self, name) for name in self.__struct_fields__})
        duplicate.__dict__.update(self.__dict__)
        return duplicate
