"""How a controller finds its dependents (``pkg/controller/controller_ref_manager.go``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kubekata.cluster.client import Client
from kubekata.cluster.objects import LabelSelector, Resource

if TYPE_CHECKING:
    from kubekata.cluster.world import World

R = TypeVar("R", bound=Resource)


def claim(world: World, client: Client, owner: Resource, kind: type[R], selector: LabelSelector) -> list[R]:
    """Return the dependents of ``owner``, by name, after adopting and releasing what has to be.

    Orphans that match are adopted, unless they are being deleted; dependents that match no longer are
    released. An owner under deletion does neither. Another controller's objects are left alone, whatever
    their labels: ownership goes by uid.
    """
    candidates = {obj.uid: obj for obj in world.list(kind, owner=owner)}
    for obj in world.list(kind, labels=selector, namespace=owner.namespace):
        candidates.setdefault(obj.uid, obj)
    claimed: list[R] = []
    for obj in sorted(candidates.values(), key=lambda obj: obj.name):
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
