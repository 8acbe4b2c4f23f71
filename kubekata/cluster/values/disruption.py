"""Values of the disruption-budget kata: what a budget can spare, what an eviction gets, where a drain stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class BudgetStatus:
    """The numbers in the status of a PodDisruptionBudget.

    disruptions_allowed: how many more of its pods may be evicted now.
    current_healthy: pods that count as healthy.
    desired_healthy: pods that have to stay healthy.
    expected_pods: pods that there should be.
    disrupted_pods: evictions granted whose pods are not seen to go yet: pod name, and when it was granted.
    """

    disruptions_allowed: int
    current_healthy: int
    desired_healthy: int
    expected_pods: int
    disrupted_pods: dict[str, datetime] = field(default_factory=dict)


@value
@dataclass(frozen=True)
class EvictionAnswer:
    """What the API server answers to a request for an eviction.

    code: 201 the pod is deleted, 429 not now, 500 not like this.
    charged: whether a budget has one disruption less to give afterwards.
    cause: of a 429: which budget refuses, and why; otherwise empty.
    retry_after: of a 429: seconds after which the server asks to be tried again; 0 when it does not say.
    """

    code: Literal[201, 429, 500]
    charged: bool = False
    cause: str = ""
    retry_after: int = 0


@value
@dataclass(frozen=True)
class DrainReport:
    """Where the drain of a node stands.

    state: "done" when no pod that has to go is left, "waiting" when it is worth calling again, "stuck" when not.
    left: the pods that are left, as "namespace/name", each with the reason why it is still there.
    retry_after: seconds after which to call again while waiting, otherwise None.
    """

    state: Literal["done", "waiting", "stuck"]
    left: dict[str, str] = field(default_factory=dict)
    retry_after: float | None = None
