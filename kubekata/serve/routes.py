"""What a URL path means: which resource, which object, which subresource."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from kubekata.cluster.resources import ResourceTable, ResourceType


class PageNotFound(Exception):
    """Nothing is served at this path; the answer is plain text, as a real server's is."""


@dataclass(frozen=True)
class Target:
    """What a request is about. ``namespace`` is empty for all namespaces and for cluster-scoped resources."""

    resource: ResourceType
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def find_target(path: str, resources: ResourceTable) -> Target:
    """Return what a resource path, such as ``/apis/apps/v1/namespaces/default/deployments/web``, is about.

    Raises:
        PageNotFound: it leads nowhere.
    """
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise PageNotFound
    if not all(rest):
        raise PageNotFound
    namespace = ""
    # /namespaces/x/status is about the namespace itself, and /namespaces/x/pods about its pods.
    if rest[0] == "namespaces" and len(rest) > 2 and resources.find_plural(group, version, rest[2]):
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3:
        raise PageNotFound
    resource = resources.find_plural(group, version, rest[0])
    if resource is None or bool(namespace) > resource.namespaced:
        raise PageNotFound
    name, subresource = (*rest[1:], "", "")[:2]
    if name and resource.namespaced and not namespace:
        raise PageNotFound
    return Target(resource, namespace, name, subresource)
