"""How lists of objects merge: by a key, as a set, or only as a whole.

For built-in kinds this is the ``patchMergeKey`` and ``listMapKey`` markup of ``k8s.io/api``; for custom
resources the schema says it (``x-kubernetes-list-type``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]

_SET: tuple[str, ...] = ("",)
_METADATA: dict[str, tuple[str, ...]] = {"finalizers": _SET, "ownerReferences": ("uid",)}
_BUILT_IN: dict[str, tuple[str, ...]] = {
    **_METADATA,
    "addresses": ("type",),
    "conditions": ("type",),
    "containers": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "podIPs": ("ip",),
    "ports": ("containerPort", "protocol"),
    "secrets": ("name",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
_DEFAULTS = {"protocol": "TCP"}


@dataclass(frozen=True)
class ListKeys:
    """What identifies an item of the list at a place in an object.

    ``schema`` is the part of a custom resource's schema for this place; None means a built-in kind.
    """

    kind: str = ""
    schema: Schema | None = None
    name: str = field(default="", repr=False)
    in_metadata: bool = False

    def child(self, name: str) -> ListKeys:
        """Return the keys one step further down."""
        if self.in_metadata or name == "metadata":
            return ListKeys(self.kind, None, name, in_metadata=True)
        if self.schema is None:
            return ListKeys(self.kind, None, name)
        part = (self.schema.get("properties") or {}).get(name) or self.schema.get("additionalProperties")
        return ListKeys(self.kind, part if isinstance(part, dict) else {}, name)

    def item(self) -> ListKeys:
        """Return the keys inside an item of this list."""
        if self.schema is None:
            return self
        items = self.schema.get("items")
        return ListKeys(self.kind, items if isinstance(items, dict) else {}, self.name)

    @property
    def keys(self) -> tuple[str, ...]:
        """The fields that identify an item; empty if the list is replaced as a whole."""
        if self.in_metadata:
            return _METADATA.get(self.name, ())
        if self.schema is None:
            if self.name == "ports" and self.kind == "Service":
                return ("port", "protocol")
            return _BUILT_IN.get(self.name, ())
        match self.schema.get("x-kubernetes-list-type"):
            case "map":
                return tuple(self.schema.get("x-kubernetes-list-map-keys") or ())
            case "set":
                return _SET
        return ()

    @property
    def is_set(self) -> bool:
        """True for a list of plain values that merge one by one."""
        return self.keys == _SET

    @property
    def atomic_map(self) -> bool:
        """True for a map that is replaced as a whole."""
        return self.schema is not None and self.schema.get("x-kubernetes-map-type") == "atomic"

    def identify(self, item: Any) -> dict[str, Any]:
        """Return the key fields of an item, with their defaults."""
        if not isinstance(item, Mapping):
            return {}
        found = {key: item.get(key, _DEFAULTS.get(key)) for key in self.keys}
        return {key: value for key, value in found.items() if value is not None}
