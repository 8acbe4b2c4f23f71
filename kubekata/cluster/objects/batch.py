"""The batch group: Job."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import msgspec

from kubekata.cluster.objects.core import PodTemplateSpec
from kubekata.cluster.objects.meta import Condition, LabelSelector, Part, Resource


class JobSpec(Part):
    """Work that ends. ``completions`` None makes it a work queue."""

    parallelism: int | None = None
    completions: int | None = None
    active_deadline_seconds: int | None = None
    backoff_limit: int | None = None
    selector: LabelSelector | None = None
    suspend: bool | None = None
    ttl_seconds_after_finished: int | None = None
    template: PodTemplateSpec = msgspec.field(default_factory=PodTemplateSpec)


class JobStatus(Part):
    """How far the work is."""

    active: int = 0
    ready: int | None = None
    succeeded: int = 0
    failed: int = 0
    start_time: datetime | None = None
    completion_time: datetime | None = None
    conditions: list[Condition] = []


class Job(Resource):
    """Runs pods until enough have succeeded."""

    api_version: ClassVar[str] = "batch/v1"
    kind: ClassVar[str] = "Job"
    plural: ClassVar[str] = "jobs"

    spec: JobSpec = msgspec.field(default_factory=JobSpec)
    status: JobStatus = msgspec.field(default_factory=JobStatus)
