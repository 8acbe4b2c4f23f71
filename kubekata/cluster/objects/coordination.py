"""The coordination group: Lease."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import msgspec

from kubekata.cluster.objects.meta import Part, Resource


class LeaseSpec(Part):
    """Who holds it, for how many seconds, since when."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: datetime | None = None
    renew_time: datetime | None = None
    lease_transitions: int | None = None


class Lease(Resource):
    """A lock with an expiry; nodes renew one as their heartbeat."""

    api_version: ClassVar[str] = "coordination.k8s.io/v1"
    kind: ClassVar[str] = "Lease"
    plural: ClassVar[str] = "leases"

    spec: LeaseSpec = msgspec.field(default_factory=LeaseSpec)
