"""What every backend gives."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Session:
    """A cluster that is there.

    Attributes:
        kubeconfig: a file whose current context is the cluster.
        collects_garbage: a garbage collector runs, so that what is owned goes with its owner.
        ends_namespaces: a namespace that is deleted really goes.
        shared: others use the cluster too: leave nothing behind, not even the definition.
        patience: how much longer things take here than on the served cluster.
    """

    kubeconfig: Path
    collects_garbage: bool = True
    ends_namespaces: bool = True
    shared: bool = False
    patience: float = 1.0


class Backend(Protocol):
    """One kind of cluster."""

    @property
    def name(self) -> str:
        """What ``--backend`` takes."""
        ...

    @property
    def because(self) -> str:
        """Why it was chosen."""
        ...

    def session(self, folder: Path) -> AbstractContextManager[Session]:
        """Bring the cluster up, or find it; ``folder`` is for files.

        Raises:
            BackendError: it cannot be used.
        """
        ...
