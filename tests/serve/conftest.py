"""Clusters for the tests with real clients: one for all tests of a module, TLS and token as in real use."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubekata.serve.cluster import LiveCluster
from kubekata.serve.kubeconfig import write_kubeconfig
from tests.serve.serving import ServedCluster, served_cluster

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cluster() -> Iterator[ServedCluster]:
    """A served cluster with two nodes, whose pods are ready at once."""
    live = LiveCluster(ready_after=0.0)
    live.add_nodes(2)
    with served_cluster(live, tls=True) as running:
        yield running


@pytest.fixture(scope="module")
def kubeconfig(cluster: ServedCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kubeconfig for it."""
    path = tmp_path_factory.mktemp("kube") / "config"
    write_kubeconfig(path, cluster.served.kubeconfig)
    return path


class Kubectl:
    """Runs the real kubectl; every call is bounded."""

    def __init__(self, kubeconfig: Path, home: Path) -> None:
        # A home of its own: kubectl caches discovery by address, and ports come round again.
        self.environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HOME": str(home)}
        self.environment.pop("DEBUG", None)

    def __call__(
        self, *arguments: str, status: int | None = 0, stdin: str = "", timeout: float = 20, **extra: str
    ) -> str:
        """Return what it prints, both streams; ``status`` is the exit status that it has to end with."""
        done = subprocess.run(
            ["kubectl", *arguments],
            capture_output=True,
            text=True,
            env={**self.environment, **extra},
            input=stdin,
            timeout=timeout,
            check=False,
        )
        output = done.stdout + done.stderr
        assert status is None or done.returncode == status, output
        return output

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it and return the process."""
        return subprocess.Popen(
            ["kubectl", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )


@pytest.fixture(scope="module")
def kubectl(kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """The real kubectl, with RackNodes defined."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    run = Kubectl(kubeconfig, tmp_path_factory.mktemp("home"))
    run("apply", "-f", str(ROOT / "kind" / "racknode-crd.yaml"))
    run("wait", "--for=condition=Established", "crd/racknodes.rack.example.com", "--timeout=5s")
    return run
