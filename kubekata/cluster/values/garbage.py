"""Values of the owner-references kata: what a garbage collector does to one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class Deletion:
    """One step of a garbage collector.

    kind, namespace, name: the object; the namespace of a cluster-scoped object is "".
    action: "delete" asks the API server to delete the object; "finish" takes the collector's own finalizer
        off an object that is being deleted already.
    policy: what becomes of the object's dependents: the propagation policy of a "delete", or the one that
        the finalizer of a "finish" stands for.
    """

    kind: str
    namespace: str
    name: str
    action: Literal["delete", "finish"]
    policy: Literal["Background", "Foreground", "Orphan"]
