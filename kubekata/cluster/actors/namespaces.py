"""The namespace lifecycle controller: what is in a namespace goes before it (``pkg/controller/namespace``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubekata.cluster.actors.base import Controller, Key
from kubekata.cluster.api import ApiRequest
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.store import StoreEvent

if TYPE_CHECKING:
    from kubekata.cluster.world import World

Manifest = dict[str, Any]

_NAMESPACES = "namespaces"


class NamespaceController(Controller):
    """Deletes the content of a namespace that is being deleted, then lets the namespace go."""

    name = "namespace-controller"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._transport = world.transport(self.name)

    def observe(self, event: StoreEvent) -> None:
        """Queue a namespace under deletion, also when something in it changed."""
        name = event.obj["metadata"].get("namespace") or event.obj["metadata"]["name"]
        namespace = self.world.api.store.get(_NAMESPACES, "", name)
        if namespace is not None and namespace["metadata"].get("deletionTimestamp"):
            self.enqueue(Key(_NAMESPACES, "", name))

    def reconcile(self, key: Key) -> None:
        """Delete what is left; once nothing is, remove the namespace's own finalizer."""
        namespace = self.world.api.store.get(*key)
        if namespace is None or not namespace["metadata"].get("deletionTimestamp"):
            return
        left = self._content(key.name)
        for resource, item in left:
            if not item["metadata"].get("deletionTimestamp"):
                self._call("delete", resource, item["metadata"]["name"], key.name)
        if not self._content(key.name):
            body = {**namespace, "spec": {"finalizers": []}}
            resource = self.world.api.resource("v1", "Namespace")
            self._call("update", resource, key.name, "", subresource="finalize", body=body)

    def _content(self, namespace: str) -> list[tuple[ResourceType, Manifest]]:
        return [
            (resource, item)
            for resource in self.world.api.resources
            if resource.namespaced
            for item in self.world.api.store.list(resource.qualified, namespace=namespace)
        ]

    def _call(self, verb: Any, resource: ResourceType, name: str, namespace: str, **fields: Any) -> None:
        self._transport.call(
            ApiRequest(
                verb=verb,
                api_version=resource.api_version,
                kind=resource.kind,
                namespace=namespace,
                name=name,
                **fields,
            )
        )
