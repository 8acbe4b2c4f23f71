"""Lists in pages: the continue tokens of the API server (``apiserver/pkg/storage/continue.go``)."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from kubekata.cluster import gojson
from kubekata.cluster.errors import BadRequest, Expired

Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list: ``remaining`` and ``continue_token`` are set when there is more."""

    items: list[Manifest]
    resource_version: str
    continue_token: str = ""
    remaining: int = 0


def page_of(items: list[Manifest], limit: int, token: str, *, version: int, oldest_version: int) -> Page:
    """Return the items that a list answers with, from the place that ``token`` names.

    Args:
        items: everything that matches, sorted by namespace and name.
        limit: 0 for no limit.
        token: from the page before, or empty.
        version: the store's resource version now; later pages keep that of the first.
        oldest_version: tokens from before it have expired.

    Raises:
        BadRequest: a token that cannot be read.
        Expired: a token that is too old.
    """
    if token:
        version, start = read_token(token, oldest_version)
        items = [item for item in items if _sort_key(item) >= start]
    if not limit or len(items) <= limit:
        return Page(items, str(version))
    following = "\0".join(_sort_key(items[limit - 1])) + "\0"
    payload = {"v": "meta.k8s.io/v1", "rv": version, "start": following}
    text = base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip("=")
    return Page(items[:limit], str(version), text, len(items) - limit)


def read_token(token: str, oldest_version: int) -> tuple[int, tuple[str, str]]:
    """Return the version at which a list began, and the (namespace, name) from which it goes on.

    Raises:
        BadRequest: a token that cannot be read.
        Expired: a token that is too old.
    """
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode(errors="replace")
        payload = gojson.decode(text)
        version, (namespace, name) = int(payload["rv"]), payload["start"].split("\0", 1)
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(f"invalid continue token: continue key is not valid: {error}") from None
    if version < oldest_version:
        raise Expired(
            "The provided continue parameter is too old to display a consistent list result. You can start "
            "a new list without the continue parameter."
        )
    return version, (namespace, name)


def _sort_key(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]
