"""What is served, as clients ask for it: plainly, and aggregated into one document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubekata.cluster.resources import ResourceTable, ResourceType

Manifest = dict[str, Any]

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_READ_WRITE = ["get", "patch", "update"]
_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
_CREATE_ONLY = {"selfsubjectaccessreviews"}
_NO_COLLECTION_DELETE = {"namespaces"}


class Subresource(NamedTuple):
    """A subresource; ``group``, ``version`` and ``kind`` are of what it exchanges, empty for the resource's own."""

    name: str
    verbs: list[str]
    kind: str = ""
    group: str = ""
    version: str = ""


_OF_PODS = (
    Subresource("attach", ["create", "get"], "PodAttachOptions"),
    Subresource("binding", ["create"], "Binding"),
    Subresource("ephemeralcontainers", _READ_WRITE),
    Subresource("eviction", ["create"], "Eviction", "policy", "v1"),
    Subresource("exec", ["create", "get"], "PodExecOptions"),
    Subresource("log", ["get"]),
    Subresource("portforward", ["create", "get"], "PodPortForwardOptions"),
    Subresource("proxy", ["create", "delete", "get", "patch", "update"], "PodProxyOptions"),
    Subresource("resize", _READ_WRITE),
)


def subresources(resource: ResourceType) -> list[Subresource]:
    """Return the subresources of a resource, sorted by name."""
    found: list[Subresource] = []
    if resource.kind == "Pod" and not resource.group:
        found += _OF_PODS
    if resource.kind == "Namespace" and not resource.group:
        found.append(Subresource("finalize", ["update"]))
    if resource.has_scale:
        found.append(Subresource("scale", _READ_WRITE, "Scale", "autoscaling", "v1"))
    if resource.has_status:
        found.append(Subresource("status", _READ_WRITE))
    return sorted(found)


def verbs(resource: ResourceType) -> list[str]:
    """Return what can be done with a resource."""
    if resource.plural in _CREATE_ONLY:
        return ["create"]
    if resource.plural in _NO_COLLECTION_DELETE:
        return [verb for verb in _VERBS if verb != "deletecollection"]
    return _VERBS


def group_versions(resources: ResourceTable) -> dict[str, list[str]]:
    """Return the served versions of each group, the preferred one first."""
    found: dict[str, set[str]] = {}
    for resource in resources:
        found.setdefault(resource.group, set()).add(resource.version)
    return {group: sorted(found[group], key=_version_rank) for group in sorted(found)}


def api_versions(address: str) -> Manifest:
    """Return ``/api``."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def api_group(group: str, versions: Iterable[str]) -> Manifest:
    """Return ``/apis/<group>``."""
    listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": group,
        "versions": listed,
        "preferredVersion": listed[0],
    }


def api_group_list(resources: ResourceTable) -> Manifest:
    """Return ``/apis``."""
    groups = []
    for group, versions in group_versions(resources).items():
        if group:
            entry = api_group(group, versions)
            del entry["kind"], entry["apiVersion"]
            groups.append(entry)
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def api_resource_list(group_version: str, resources: Iterable[ResourceType]) -> Manifest:
    """Return ``/apis/<group>/<version>``."""
    entries: list[Manifest] = []
    for resource in sorted(resources, key=lambda r: r.plural):
        entry: Manifest = {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": verbs(resource),
        }
        if resource.short_names:
            entry["shortNames"] = list(resource.short_names)
        if resource.categories:
            entry["categories"] = list(resource.categories)
        entries.append(entry)
        for sub in subresources(resource):
            part: Manifest = {
                "name": f"{resource.plural}/{sub.name}",
                "singularName": "",
                "namespaced": resource.namespaced,
                "kind": sub.kind or resource.kind,
                "verbs": sub.verbs,
            }
            if sub.group:
                part |= {"group": sub.group, "version": sub.version}
            entries.append(part)
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": entries,
    }


def aggregated(resources: ResourceTable, *, core: bool, version: str) -> Manifest:
    """Return everything about the core group, or about all the others, in one document."""
    items: list[Manifest] = []
    for group, served in group_versions(resources).items():
        if core is bool(group):
            continue
        versions = [
            {
                "version": name,
                "resources": list(_aggregated_resources(r for r in resources if _is_in(r, group, name))),
                "freshness": "Current",
            }
            for name in served
        ]
        items.append({"metadata": {"name": group} if group else {}, "versions": versions})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "items": items,
    }


def _aggregated_resources(resources: Iterable[ResourceType]) -> Iterator[Manifest]:
    for resource in sorted(resources, key=lambda r: r.plural):
        # In the core group, as in every aggregated document, a kind's own group stands as it is registered.
        own = {"group": resource.group, "version": resource.version if resource.group else ""}
        entry: Manifest = {
            "resource": resource.plural,
            "responseKind": {**own, "kind": resource.kind},
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "singularResource": resource.singular,
            "verbs": verbs(resource),
        }
        if resource.short_names:
            entry["shortNames"] = list(resource.short_names)
        if resource.categories:
            entry["categories"] = list(resource.categories)
        parts = subresources(resource)
        if parts:
            entry["subresources"] = [
                {
                    "subresource": part.name,
                    "responseKind": {"group": part.group, "version": part.version, "kind": part.kind}
                    if part.kind
                    else {**own, "kind": resource.kind},
                    "verbs": part.verbs,
                }
                for part in parts
            ]
        yield entry


def _is_in(resource: ResourceType, group: str, version: str) -> bool:
    return (resource.group, resource.version) == (group, version)


def _version_rank(version: str) -> tuple[Any, ...]:
    """Stable before beta before alpha, higher numbers first, then whatever is no version, by name."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (1, 0, 0, 0, version)
    stage = {None: 0, "beta": 1, "alpha": 2}[match[2]]
    return (0, stage, -int(match[1]), -int(match[3] or 0), version)
