"""Which resources an API server serves, and how each behaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kubekata.cluster.objects import Resource
from kubekata.cluster.scheme import KINDS
from kubekata.cluster.selectors import FieldGetter, dig

Manifest = dict[str, Any]


def _metadata_field(key: str) -> FieldGetter:
    return lambda manifest: str(dig(manifest, "metadata", key) or "")


def _field(*path: str) -> FieldGetter:
    def get(manifest: Any) -> str:
        value = dig(manifest, *path)
        return "" if value is None else str(value)

    return get


_METADATA_FIELDS: dict[str, FieldGetter] = {
    "metadata.name": _metadata_field("name"),
    "metadata.namespace": _metadata_field("namespace"),
}


@dataclass(frozen=True)
class ScalePaths:
    """Where a resource keeps what its scale subresource shows (JSONPaths)."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


@dataclass(frozen=True)
class Column:
    """A column that people see; ``path`` is a JSONPath."""

    name: str
    type: str
    path: str
    format: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True)
class ResourceType:
    """One served resource.

    Attributes:
        has_generation: metadata.generation counts the changes of the spec.
        has_status: there is a status subresource, and the main resource leaves status alone.
        unconditional_update: an update without a resourceVersion is accepted.
        fields: what a field selector may ask for.
        custom: it is defined by a CustomResourceDefinition; ``columns``, ``schema`` and ``scale`` say more.
        warning: what a client is told with every answer, for a deprecated version.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_status: bool = True
    has_scale: bool = False
    has_generation: bool = True
    unconditional_update: bool = True
    fields: dict[str, FieldGetter] = field(default_factory=dict)
    list_kind: str = ""
    custom: bool = False
    columns: tuple[Column, ...] = ()
    schema: Manifest | None = None
    scale: ScalePaths | None = None
    warning: str = ""

    @property
    def api_version(self) -> str:
        """``group/version``, or the bare version for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """The plural with its group, as error messages name it: ``racknodes.rack.example.com``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def qualified_kind(self) -> str:
        """The kind with its group, as validation messages name it: ``Deployment.apps``."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def kind_of_list(self) -> str:
        """The kind of a list of them."""
        return self.list_kind or f"{self.kind}List"

    @property
    def selectable(self) -> dict[str, FieldGetter]:
        """Field selectors that this resource supports."""
        return _METADATA_FIELDS | self.fields


_SHORT_NAMES = {
    "Pod": ("po",),
    "Node": ("no",),
    "Namespace": ("ns",),
    "ConfigMap": ("cm",),
    "Event": ("ev",),
    "ReplicaSet": ("rs",),
    "Deployment": ("deploy",),
    "DaemonSet": ("ds",),
    "StatefulSet": ("sts",),
    "PodDisruptionBudget": ("pdb",),
    "RackNode": ("rn",),
}
_FIELDS: dict[str, dict[str, FieldGetter]] = {
    "Pod": {
        "spec.nodeName": _field("spec", "nodeName"),
        "spec.restartPolicy": _field("spec", "restartPolicy"),
        "status.phase": _field("status", "phase"),
        "status.podIP": _field("status", "podIP"),
    },
    "Node": {"spec.unschedulable": _field("spec", "unschedulable")},
    "Namespace": {"status.phase": _field("status", "phase")},
    "ReplicaSet": {"status.replicas": _field("status", "replicas")},
    "Job": {"status.successful": _field("status", "succeeded")},
    "Event": {
        "involvedObject.kind": _field("involvedObject", "kind"),
        "involvedObject.namespace": _field("involvedObject", "namespace"),
        "involvedObject.name": _field("involvedObject", "name"),
        "involvedObject.uid": _field("involvedObject", "uid"),
        "involvedObject.apiVersion": _field("involvedObject", "apiVersion"),
        "involvedObject.resourceVersion": _field("involvedObject", "resourceVersion"),
        "involvedObject.fieldPath": _field("involvedObject", "fieldPath"),
        "reason": _field("reason"),
        "source": _field("source", "component"),
        "type": _field("type"),
    },
}
_IN_ALL = {"Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job"}
_NO_STATUS = {"ConfigMap", "Event", "Lease"}
_NO_GENERATION = {"ConfigMap", "Event", "Lease", "Namespace", "Node"}
_SCALABLE = {"ReplicaSet", "Deployment", "StatefulSet"}


def built_in(kind: type[Resource]) -> ResourceType:
    """Return the resource type of a typed kind."""
    group, _, version = kind.api_version.rpartition("/")
    custom = "." in group and not group.endswith(".k8s.io")
    return ResourceType(
        group=group,
        version=version,
        kind=kind.kind,
        plural=kind.plural,
        singular=kind.kind.lower(),
        namespaced=kind.namespaced,
        short_names=_SHORT_NAMES.get(kind.kind, ()),
        categories=("all",) if kind.kind in _IN_ALL else (),
        has_status=kind.kind not in _NO_STATUS,
        has_scale=kind.kind in _SCALABLE,
        has_generation=kind.kind not in _NO_GENERATION,
        unconditional_update=not custom and kind.kind != "Lease",
        fields=_FIELDS.get(kind.kind, {}),
        custom=custom,
    )


class ResourceTable:
    """The resources an API server serves now; custom ones may come and go."""

    def __init__(self, types: Iterable[ResourceType] = ()) -> None:
        self._by_kind: dict[tuple[str, str], ResourceType] = {}
        for resource in types:
            self.add(resource)

    @classmethod
    def of_kinds(cls, wanted: Callable[[type[Resource]], bool] = lambda _: True) -> ResourceTable:
        """Return a table of the typed kinds for which ``wanted`` is true."""
        return cls(built_in(kind) for kind in KINDS.values() if wanted(kind))

    def add(self, resource: ResourceType) -> None:
        """Serve a resource, replacing one of the same kind."""
        self._by_kind[resource.api_version, resource.kind] = resource

    def remove(self, resource: ResourceType) -> None:
        """Stop serving a resource."""
        self._by_kind.pop((resource.api_version, resource.kind), None)

    def find(self, api_version: str, kind: str) -> ResourceType | None:
        """Return the resource of a kind, or None."""
        return self._by_kind.get((api_version, kind))

    def find_plural(self, group: str, version: str, plural: str) -> ResourceType | None:
        """Return the resource at a URL, or None."""
        return next(
            (r for r in self if (r.group, r.version, r.plural) == (group, version, plural)),
            None,
        )

    def __iter__(self) -> Iterator[ResourceType]:
        return iter(list(self._by_kind.values()))
