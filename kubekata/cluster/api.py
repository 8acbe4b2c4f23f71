"""What crosses between a client and the API server, free of any transport."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec

Verb = Literal["get", "list", "create", "update", "patch", "delete", "deletecollection"]
PropagationPolicy = Literal["Background", "Foreground", "Orphan"]


class DeleteOptions(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """How to delete (``metav1.DeleteOptions``)."""

    grace_period_seconds: int | None = None
    propagation_policy: PropagationPolicy | None = None
    uid: str | None = None
    resource_version: str | None = None


class ApiRequest(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One call. ``body`` is a manifest (or a patch); ``namespace`` empty means all or cluster-scoped."""

    verb: Verb
    api_version: str
    kind: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    body: Any = None
    label_selector: str = ""
    field_selector: str = ""
    owner_uid: str = ""
    options: DeleteOptions = DeleteOptions()
    dry_run: bool = False


class Transport(Protocol):
    """Carries requests to an API server: in process, over a pipe, or over a network."""

    def call(self, request: ApiRequest) -> dict[str, Any]:
        """Return a manifest, or a list manifest with ``items``.

        The caller must not change what it gets.

        Raises:
            ApiError: the server refused.
        """
        ...

    def now(self) -> datetime:
        """Return the cluster's time (aware, UTC)."""
        ...
