"""kubekata: graded katas about the control loops inside Kubernetes.

Everything that a kata's stub needs is importable from here.
"""

from kubekata.cluster.client import Client
from kubekata.cluster.controller import Request, Result
from kubekata.cluster.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Gone,
    InternalError,
    Invalid,
    NotFound,
    ServerTimeout,
    TooManyRequests,
)
from kubekata.cluster.hardware import (
    Machine,
    MachineNotFound,
    PermanentError,
    Rack,
    RackError,
    TransientError,
)
from kubekata.cluster.objects import *  # noqa: F403 - the kinds, one list, kept in cluster.objects
from kubekata.cluster.objects import __all__ as _kinds
from kubekata.cluster.quantity import milli, parse_quantity, whole
from kubekata.cluster.values import *  # noqa: F403 - the values of the algorithm katas, likewise
from kubekata.cluster.values import __all__ as _values

__version__ = "0.1.0"

__all__ = [
    "AlreadyExists",
    "ApiError",
    "BadRequest",
    "Client",
    "Conflict",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "Machine",
    "MachineNotFound",
    "NotFound",
    "PermanentError",
    "Rack",
    "RackError",
    "Request",
    "Result",
    "ServerTimeout",
    "TooManyRequests",
    "TransientError",
    "__version__",
    "milli",
    "parse_quantity",
    "whole",
]
__all__ += [*_kinds, *_values]  # noqa: PLE0604 - both are lists of names
