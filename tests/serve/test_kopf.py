"""A real `kopf run` process works on the served cluster unchanged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.serve.conftest import ROOT
from tests.serve.serving import ServedCluster

RACKNODES = "/apis/rack.example.com/v1/namespaces/default/racknodes"

OPERATOR = """
import kopf

@kopf.on.startup()
def configure(settings, **_):
    settings.persistence.finalizer = "rack.example.com/kept"

@kopf.on.create("racknodes.rack.example.com")
@kopf.on.update("racknodes.rack.example.com", field="spec")
def converge(body, spec, patch, retry, **_):
    if spec["desiredFirmware"] == "9.9.9" and retry < 2:
        raise kopf.TemporaryError("not yet", delay=0.2)
    patch.status["phase"] = "Ready"
    patch.status["firmware"] = spec["desiredFirmware"]
    kopf.info(body, reason="Converged", message=spec["desiredFirmware"])

@kopf.on.delete("racknodes.rack.example.com")
def leave(name, **_):
    print("left", name, flush=True)

@kopf.timer("racknodes.rack.example.com", interval=0.3)
def look(patch, status, **_):
    patch.status["retries"] = status.get("retries", 0) + 1 if status.get("retries", 0) < 2 else 2
"""


def until(holds: Callable[[], Any], seconds: float = 10) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("it did not come to hold")


@pytest.fixture(scope="module")
def operator(
    cluster: ServedCluster, kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A running operator; yields the file that holds what it printed."""
    with (ROOT / "kind" / "racknode-crd.yaml").open() as file:
        definition = yaml.safe_load(file)
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert cluster.call("POST", definitions, definition).status == 201
    folder = tmp_path_factory.mktemp("kopf")
    source, log = folder / "op.py", folder / "log"
    source.write_text(OPERATOR)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "kopf", "run", str(source), "--all-namespaces"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "KUBECONFIG": str(kubeconfig), "PYTHONUNBUFFERED": "1"},
        )
    try:
        yield log
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) in (0, -signal.SIGINT), log.read_text()


def create(cluster: ServedCluster, name: str, firmware: str = "2.1.0") -> None:
    made = cluster.call(
        "POST",
        RACKNODES,
        {
            "apiVersion": "rack.example.com/v1",
            "kind": "RackNode",
            "metadata": {"name": name},
            "spec": {"desiredFirmware": firmware},
        },
    )
    assert made.status == 201


def status_of(cluster: ServedCluster, name: str) -> dict[str, Any]:
    answer = cluster.call("GET", f"{RACKNODES}/{name}")
    return (answer.body.get("status") or {}) if answer.status == 200 else {}


def test_create_and_update(cluster: ServedCluster, operator: Path) -> None:
    """Handlers run, status is written through its subresource, and the finalizer is put on."""
    create(cluster, "made")
    until(lambda: status_of(cluster, "made").get("firmware") == "2.1.0")
    body = cluster.call("GET", f"{RACKNODES}/made").body
    assert body["metadata"]["finalizers"] == ["rack.example.com/kept"]
    merge = {"Content-Type": "application/merge-patch+json"}
    cluster.call("PATCH", f"{RACKNODES}/made", {"spec": {"desiredFirmware": "2.2.0"}}, merge)
    until(lambda: status_of(cluster, "made").get("firmware") == "2.2.0")


def test_timers_events_and_retries(cluster: ServedCluster, operator: Path) -> None:
    """TemporaryError comes back, timers tick, events arrive."""
    create(cluster, "flaky", "9.9.9")
    until(lambda: status_of(cluster, "flaky").get("phase") == "Ready")
    until(lambda: status_of(cluster, "flaky").get("retries") == 2)
    events = cluster.call("GET", "/api/v1/namespaces/default/events").body["items"]
    assert any(e["reason"] == "Converged" and e["involvedObject"]["name"] == "flaky" for e in events)


def test_delete_runs_the_handler_first(cluster: ServedCluster, operator: Path) -> None:
    """The delete handler has run when the object goes."""
    create(cluster, "leaver")
    until(lambda: status_of(cluster, "leaver").get("phase") == "Ready")
    cluster.call("DELETE", f"{RACKNODES}/leaver")
    until(lambda: cluster.call("GET", f"{RACKNODES}/leaver").status == 404)
    assert "left leaver" in operator.read_text()


def test_nothing_went_wrong(operator: Path) -> None:
    """kopf found nothing to complain about."""
    assert "Traceback" not in operator.read_text()
