"""Values of the scheduling katas: where a pod goes, or why it stays Pending."""

from __future__ import annotations

from dataclasses import dataclass

from kubekata.cluster.values.registered import value


@value
@dataclass(frozen=True)
class Placement:
    """The scheduler's answer for one pod.

    node: the name of the node that the pod goes to, or None while it stays Pending.
    message: empty for a pod that goes somewhere; otherwise why it stays, as the PodScheduled condition tells it.
    """

    node: str | None
    message: str = ""
