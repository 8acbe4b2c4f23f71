"""Real time, for a cluster that is watched by people and programs outside this process."""

from __future__ import annotations

from datetime import UTC, datetime

from kubekata.cluster.clock import Clock


class WallClock(Clock):
    """Follows the machine's clock, in whole seconds as Kubernetes' timestamps do."""

    def now(self) -> datetime:
        """Return the present second (aware, UTC)."""
        return datetime.now(UTC).replace(microsecond=0)
