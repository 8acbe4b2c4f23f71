"""CustomResourceDefinitions: served at once, and cleared away with their objects.

What apiextensions-apiserver does with its naming, establishing and finalizing controllers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kubekata.cluster import jsonpath
from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.clock import timestamp
from kubekata.cluster.crdstrategies import (
    CLEANUP_FINALIZER,
    DEFINITIONS,
    CustomResourceStrategy,
    DefinitionStrategy,
    is_established,
    schema_of,
)
from kubekata.cluster.resources import Column, ResourceType, ScalePaths
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.selectors import FieldGetter
from kubekata.cluster.store import StoreEvent

Manifest = dict[str, Any]

_AGE = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": (
        "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
        "guaranteed to be set in happens-before order across separate operations. Clients may not set this "
        "value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for "
        "lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/"
        "api-conventions.md#metadata"
    ),
}


class CustomResources:
    """Serves what the stored definitions define; an actor.

    It accepts names, marks definitions established, and on deletion clears away the objects first.
    """

    name = "custom resources"

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._serving: dict[str, list[ResourceType]] = {}
        self._dirty: set[str] = set()
        api.resources.add(DEFINITIONS)
        api.set_strategy(DEFINITIONS, DefinitionStrategy())
        api.store.subscribe(self._note)

    def next_wakeup(self) -> datetime | None:
        """Only changes matter here."""
        return None

    def sync(self) -> bool:
        """Bring what is served in line with the definitions."""
        dirty, self._dirty = self._dirty, set()
        wrote = [self._sync(name) for name in sorted(dirty)]
        return any(wrote)

    def _note(self, event: StoreEvent) -> None:
        if event.resource == DEFINITIONS.qualified:
            self._dirty.add(event.obj["metadata"]["name"])
        elif event.type == "DELETED" and event.resource in self._serving:
            self._dirty.add(event.resource)

    def _sync(self, name: str) -> bool:
        definition = self._api.store.get(DEFINITIONS.qualified, "", name)
        if definition is None:
            for resource in self._serving.pop(name, []):
                self._api.resources.remove(resource)
            return False
        if definition["metadata"].get("deletionTimestamp"):
            return self._finalize(definition)
        self._serve(definition)
        return self._establish(definition)

    def _serve(self, definition: Manifest) -> None:
        name = definition["metadata"]["name"]
        for resource in self._serving.get(name, []):
            self._api.resources.remove(resource)
        self._serving[name] = []
        for version in definition["spec"]["versions"]:
            if version.get("served"):
                resource = resource_type(definition, version)
                self._api.resources.add(resource)
                self._api.set_strategy(resource, CustomResourceStrategy(schema_of(version)))
                self._serving[name].append(resource)

    def _establish(self, definition: Manifest) -> bool:
        names = {key: value for key, value in definition["spec"]["names"].items() if key != "categories"}
        if definition["spec"]["names"].get("categories"):
            names["categories"] = definition["spec"]["names"]["categories"]
        status = definition.get("status") or {}
        if is_established(definition) and status.get("acceptedNames") == names:
            return False
        now = timestamp(self._api.now())
        conditions = [
            _condition("NamesAccepted", "True", "NoConflicts", "no conflicts found", now),
            _condition(
                "Established", "True", "InitialNamesAccepted", "the initial names have been accepted", now
            ),
        ]
        self._write_status(definition, {**status, "conditions": conditions, "acceptedNames": names})
        return True

    def _finalize(self, definition: Manifest) -> bool:
        name = definition["metadata"]["name"]
        served = self._serving.get(name)
        left = self._api.store.list(name)
        if left and served:
            before = self._api.store.version
            for item in left:
                if not item["metadata"].get("deletionTimestamp"):
                    metadata = item["metadata"]
                    self._api.delete(served[0], metadata.get("namespace", ""), metadata["name"])
            left = self._api.store.list(name)
            if left:
                self._say_terminating(definition)
                return self._api.store.version > before
        fresh = copy_manifest(self._api.store.get(DEFINITIONS.qualified, "", name))
        finalizers = fresh["metadata"].get("finalizers") or []
        if CLEANUP_FINALIZER not in finalizers:
            return False
        fresh["metadata"]["finalizers"] = [f for f in finalizers if f != CLEANUP_FINALIZER]
        self._api.update(DEFINITIONS, "", name, fresh)
        return True

    def _say_terminating(self, definition: Manifest) -> None:
        status = definition.get("status") or {}
        conditions = list(status.get("conditions") or [])
        if any(c["type"] == "Terminating" for c in conditions):
            return
        now = timestamp(self._api.now())
        why = "CustomResource deletion is in progress"
        conditions.append(_condition("Terminating", "True", "InstanceDeletionInProgress", why, now))
        self._write_status(definition, {**status, "conditions": conditions})

    def _write_status(self, definition: Manifest, status: Manifest) -> None:
        fresh = {**definition, "status": status}
        self._api.update(DEFINITIONS, "", definition["metadata"]["name"], fresh, subresource="status")


def resource_type(definition: Manifest, version: Manifest) -> ResourceType:
    """Return how one version of a definition is served."""
    spec, names = definition["spec"], definition["spec"]["names"]
    subresources: Manifest = version.get("subresources") or {}
    scale = subresources.get("scale")
    columns = version.get("additionalPrinterColumns") or [_AGE]
    deprecated = version.get("deprecated")
    default_warning = f"{spec['group']}/{version['name']} {names['kind']} is deprecated"
    return ResourceType(
        group=spec["group"],
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        singular=names["singular"],
        list_kind=names["listKind"],
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        has_status="status" in subresources,
        has_scale=scale is not None,
        scale=ScalePaths(
            scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath", "")
        )
        if scale
        else None,
        unconditional_update=False,
        fields={
            field["jsonPath"].removeprefix("."): _getter(field["jsonPath"])
            for field in version.get("selectableFields") or ()
        },
        custom=True,
        columns=tuple(
            Column(
                name=column["name"],
                type=column["type"],
                path=column["jsonPath"],
                format=column.get("format", ""),
                description=column.get("description")
                or f"Custom resource definition column (in JSONPath format): {column['jsonPath']}",
                priority=column.get("priority", 0),
            )
            for column in columns
        ),
        schema=schema_of(version),
        warning=(version.get("deprecationWarning") or default_warning) if deprecated else "",
    )


def _getter(path: str) -> FieldGetter:
    def get(manifest: Any) -> str:
        found = jsonpath.find(manifest, path)
        if not found:
            return ""
        return str(found[0]).lower() if isinstance(found[0], bool) else str(found[0])

    return get


def _condition(kind: str, status: str, reason: str, message: str, now: str) -> Manifest:
    return {
        "type": kind,
        "status": status,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }
