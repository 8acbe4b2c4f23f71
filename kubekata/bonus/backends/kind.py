"""A kind cluster of our name, as `kind/run-kind.sh up` makes it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kubekata.bonus.backends.base import Session
from kubekata.bonus.backends.tools import run_tool
from kubekata.bonus.errors import BackendError

CLUSTER = "kubekata"
_TIMEOUT = 15


def kind_is_up() -> bool:
    """Whether a kind cluster of our name exists; False if kind or Docker cannot say."""
    if shutil.which("kind") is None:
        return False
    try:
        return CLUSTER in run_tool("kind", "get", "clusters", timeout=_TIMEOUT).split()
    except BackendError:
        return False


@dataclass(frozen=True)
class KindBackend:
    """Real Kubernetes, in a container."""

    because: str
    name: str = "kind"

    @contextmanager
    def session(self, folder: Path) -> Iterator[Session]:
        """Use the cluster that is up.

        Raises:
            BackendError: it is not.
        """
        if CLUSTER not in run_tool("kind", "get", "clusters", timeout=_TIMEOUT).split():
            raise BackendError(f"no kind cluster named {CLUSTER} is up: run `kind/run-kind.sh up` first.")
        path = folder / "kubeconfig"
        path.touch(mode=0o600)
        path.write_text(run_tool("kind", "get", "kubeconfig", "--name", CLUSTER), encoding="utf-8")
        yield Session(path, patience=3)
