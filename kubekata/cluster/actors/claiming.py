"""How a controller finds its dependents (``pkg/controller/controller_ref_manager.go``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kubekata.cluster.client import Client, selector_text
from kubekata.cluster.objects import LabelSelector, Resource
from kubekata.cluster.scheme import from_manifest

if TYPE_CHECKING:
    from kubekata.cluster.world import World

R = TypeVar("R", bound=Resource)


def claim(world: World, client: Client, owner: Resource, kind: type[R], selector: LabelSelector) -> list[R]:
    """Return the dependents of ``owner``, by name, after adopting and releasing what has to be.

    Orphans that match are adopted, unless they are being deleted; dependents that match no longer are
    released. An owner under deletion does neither. Another controller's objects are left alone, whatever
    their labels: ownership goes by uid.
    """
    resource = world.api.resource(kind.api_version, kind.kind)
    owned = world.api.list(resource, owner_uid=owner.uid).items
    matching = world.api.list(resource, owner.namespace, label_selector=selector_text(selector)).items
    candidates = {manifest["metadata"]["uid"]: manifest for manifest in [*owned, *matching]}
    claimed: list[R] = []
    for manifest in sorted(candidates.values(), key=lambda manifest: manifest["metadata"]["name"]):
        obj = from_manifest(manifest, kind)
        controller, matches = obj.metadata.controller, selector.matches(obj.metadata.labels)
        if controller is not None and controller.uid != owner.uid:
            continue
        if controller is not None and matches:
            claimed.append(obj)
        elif owner.metadata.deleting:
            continue
        elif controller is not None:
            references = obj.metadata.owner_references
            obj.metadata.owner_references = [ref for ref in references if ref.uid != owner.uid]
            client.update(obj)
        elif matches and not obj.metadata.deleting:
            obj.metadata.owner_references.append(owner.owner_reference())
            claimed.append(client.update(obj))
    return claimed
