"""Preparing a cluster for a grade, and leaving it as it was."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from kubekata.bonus.api import Api
from kubekata.bonus.backends import Session
from kubekata.bonus.errors import BackendError
from kubekata.cluster.errors import ApiError

Manifest = dict[str, Any]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RACKNODES = "/apis/rack.example.com/v1"
_MARK = {"app.kubernetes.io/managed-by": "kubekata"}
_SECONDS = 30.0
_POLL_SECONDS = 0.1


@contextmanager
def prepared(api: Api, session: Session, definition: Path) -> Iterator[str]:
    """Give a namespace of our own with RackNodes served; yields its name.

    What an earlier run has left (namespaces of ours, finalizers that nobody answers any more) goes first.

    Raises:
        BackendError: the cluster does not let us.
    """
    manifest: Manifest = yaml.safe_load(definition.read_text(encoding="utf-8"))
    try:
        made = _define(api, manifest)
        _clear_leftovers(api)
        namespace = f"kubekata-{secrets.token_hex(3)}"
        api.create(
            "/api/v1/namespaces",
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": namespace, "labels": _MARK},
            },
        )
    except ApiError as error:
        raise BackendError(f"the cluster refuses: {error.message}") from None
    try:
        yield namespace
    finally:
        # A cluster that has gone away has nothing left to clear.
        with suppress(ApiError, BackendError):
            _clear(api, namespace, wait=session.ends_namespaces and session.shared)
            if made and session.shared:
                api.delete(f"{DEFINITIONS}/{manifest['metadata']['name']}")


def _define(api: Api, manifest: Manifest) -> bool:
    """Make the definition be there as it should; returns whether it was not there before."""
    name = manifest["metadata"]["name"]
    found = api.find(f"{DEFINITIONS}/{name}")
    if found is not None and found["metadata"].get("deletionTimestamp"):
        # It is waiting for RackNodes whose operator is gone.
        _release_all(api)
        _wait(lambda: api.find(f"{DEFINITIONS}/{name}") is None, "an earlier definition does not go")
        found = None
    if found is None:
        api.create(DEFINITIONS, manifest)
    elif _schema(found) != _schema(manifest):
        api.merge(f"{DEFINITIONS}/{name}", {"spec": manifest["spec"]})

    def is_served() -> bool:
        with suppress(ApiError):
            api.get(f"{RACKNODES}/racknodes?limit=1")
            return True
        return False

    _wait(is_served, "the definition is not served")
    return found is None


def _schema(definition: Manifest) -> str:
    versions = definition["spec"]["versions"]
    return json.dumps([version["schema"] for version in versions], sort_keys=True)


def _clear_leftovers(api: Api) -> None:
    selector = "app.kubernetes.io%2Fmanaged-by%3Dkubekata"
    for item in api.get(f"/api/v1/namespaces?labelSelector={selector}")["items"]:
        _clear(api, item["metadata"]["name"], wait=False)


def _clear(api: Api, namespace: str, *, wait: bool) -> None:
    _release_all(api, namespace)
    api.delete(f"/api/v1/namespaces/{namespace}")
    if wait:
        with suppress(BackendError):
            _wait(lambda: api.find(f"/api/v1/namespaces/{namespace}") is None, "")


def _release_all(api: Api, namespace: str = "") -> None:
    """Take the finalizers off RackNodes, since their operator will not come back, and delete them."""
    place = f"{RACKNODES}/namespaces/{namespace}/racknodes" if namespace else f"{RACKNODES}/racknodes"
    found = api.find(place)
    for item in (found or {}).get("items", ()):
        metadata = item["metadata"]
        path = f"{RACKNODES}/namespaces/{metadata['namespace']}/racknodes/{metadata['name']}"
        with suppress(ApiError):
            if metadata.get("finalizers"):
                api.merge(path, {"metadata": {"finalizers": None}})
            api.delete(path)


def _wait(holds: Any, problem: str) -> None:
    end = time.monotonic() + _SECONDS
    while not holds():
        if time.monotonic() > end:
            raise BackendError(f"{problem} within {_SECONDS:.0f} s.")
        time.sleep(_POLL_SECONDS)
