"""Which backend: the one that was asked for, or the best one that is there."""

from __future__ import annotations

from collections.abc import Callable

from kubekata.bonus.backends.base import Backend
from kubekata.bonus.backends.context import ContextBackend
from kubekata.bonus.backends.envtest import EnvtestBackend
from kubekata.bonus.backends.kind import CLUSTER, KindBackend, kind_is_up
from kubekata.bonus.backends.served import ServedBackend
from kubekata.bonus.errors import UnknownBackend

BACKENDS = ("served", "kind", "context", "envtest")

_ASKED = "asked for"


def choose(name: str | None, context: str | None) -> Backend:
    """Return a backend.

    Args:
        name: one of ``BACKENDS``; None for the best that is there.
        context: a kubeconfig context; it goes with the backend of that name.

    Raises:
        UnknownBackend: the two do not fit together.
    """
    if context is not None and name not in (None, "context"):
        raise UnknownBackend(f"--context goes with --backend context, not with {name}.")
    if name == "context" and context is None:
        raise UnknownBackend(
            "--backend context needs --context NAME: the current context is never used by accident."
        )
    if context is not None:
        return ContextBackend(context, _ASKED)
    if name is None:
        if kind_is_up():
            return KindBackend(f"a kind cluster named {CLUSTER} is up")
        return ServedBackend(f"no kind cluster named {CLUSTER} is up")
    makers: dict[str, Callable[[str], Backend]] = {
        "served": ServedBackend,
        "kind": KindBackend,
        "envtest": EnvtestBackend,
    }
    if name not in makers:
        raise UnknownBackend(f"no backend is called {name!r}: there are {', '.join(BACKENDS)}.")
    return makers[name](_ASKED)
