"""Any cluster, by the name of its kubeconfig context; never the current one by accident."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kubekata.bonus.backends.base import Session
from kubekata.bonus.backends.tools import run_tool
from kubekata.bonus.errors import UnknownBackend


@dataclass(frozen=True)
class ContextBackend:
    """A cluster that belongs to somebody: a namespace of our own, and nothing stays behind."""

    context: str
    because: str
    name: str = "context"

    @contextmanager
    def session(self, folder: Path) -> Iterator[Session]:
        """Use the context's cluster.

        Raises:
            UnknownBackend: there is no such context.
            BackendError: kubectl is missing or fails.
        """
        known = run_tool("kubectl", "config", "get-contexts", "-o", "name").split()
        if self.context not in known:
            close = difflib.get_close_matches(self.context, known, n=3) or known[:5]
            listed = f"there are {', '.join(close)}" if close else "there are none"
            raise UnknownBackend(f"no kubeconfig context is called {self.context!r}: {listed}.")
        path = folder / "kubeconfig"
        path.touch(mode=0o600)
        only = ("--raw", "--minify", "--flatten", f"--context={self.context}")
        path.write_text(run_tool("kubectl", "config", "view", *only), encoding="utf-8")
        yield Session(path, shared=True, patience=3)
