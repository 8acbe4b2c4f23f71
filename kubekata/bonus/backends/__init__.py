"""Where the operator runs: four kinds of API server, and how one of them is chosen."""

from kubekata.bonus.backends.base import Backend, Session
from kubekata.bonus.backends.choose import BACKENDS, choose

__all__ = ["BACKENDS", "Backend", "Session", "choose"]
