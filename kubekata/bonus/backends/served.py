"""The project's own control plane, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kubekata.bonus.backends.base import Session
from kubekata.bonus.background import Background
from kubekata.bonus.errors import BackendError
from kubekata.serve.kubeconfig import write_kubeconfig
from kubekata.serve.server import serve


@dataclass(frozen=True)
class ServedBackend:
    """No cluster, no Docker: it is there in a second."""

    because: str
    name: str = "served"

    @contextmanager
    def session(self, folder: Path) -> Iterator[Session]:
        """Serve a fresh cluster on a free loopback port."""
        try:
            background = Background(serve())
            background.__enter__()
        except OSError as error:
            raise BackendError(f"the control plane cannot be served: {error}") from None
        try:
            path = folder / "kubeconfig"
            write_kubeconfig(path, background.value.kubeconfig)
            yield Session(path)
        finally:
            background.__exit__(None, None, None)
