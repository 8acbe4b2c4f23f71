"""Every branch of `kind/run-kind.sh`, with stand-ins for docker, kind and kubectl on PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "kind" / "run-kind.sh"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

_STAND_IN = """#!/bin/sh
echo "{name} $*" >> "{log}"
case "{name} $*" in
{cases}
esac
exit 0
"""


class Tools:
    """A PATH on which only the stand-ins and the shell's own tools are."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "calls.log"
        for tool in ("bash", "dirname", "basename", "grep", "sh"):
            found = shutil.which(tool)
            assert found is not None
            (self.bin / tool).symlink_to(found)

    def install(self, name: str, answers: dict[str, str] | None = None) -> None:
        """Put a stand-in on PATH; ``answers`` are shell commands by how the call begins."""
        cases = "\n".join(f'  "{name} {call}"*) {command} ;;' for call, command in (answers or {}).items())
        path = self.bin / name
        path.write_text(_STAND_IN.format(name=name, log=self.log, cases=cases))
        path.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / "bash"), str(SCRIPT), *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": str(self.bin)},
            timeout=20,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def _all_there(tools: Tools, *, clusters: str = "") -> None:
    tools.install("docker")
    tools.install("kind", {"get clusters": f"echo {clusters}"})
    tools.install("kubectl")


@pytest.mark.parametrize("arguments", [(), ("sideways",), ("up", "down"), ("--help",)])
def test_wrong_usage(tools: Tools, arguments: tuple[str, ...]) -> None:
    """Anything but one of the three words is wrong usage."""
    done = tools.run(*arguments)
    assert done.returncode == 2
    assert "usage: run-kind.sh up|down|status" in done.stderr


@pytest.mark.parametrize("command", ["up", "status"])
def test_everything_missing_is_named_at_once(tools: Tools, command: str) -> None:
    """All missing tools are named, each with where to get it."""
    done = tools.run(command)
    assert done.returncode == 3
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["docker", "kind", "kubectl"]
    assert done.stderr.count("https://") == 3


@pytest.mark.parametrize("missing", ["docker", "kind", "kubectl"])
def test_one_tool_missing(tools: Tools, missing: str) -> None:
    """Only what is missing is named."""
    for name in {"docker", "kind", "kubectl"} - {missing}:
        tools.install(name)
    done = tools.run("up")
    assert done.returncode == 3
    assert done.stderr.startswith(f"missing: {missing} (")
    assert done.stderr.count("missing") == 1


def test_down_needs_no_kubectl(tools: Tools) -> None:
    """A cluster can be deleted without kubectl."""
    tools.install("docker")
    tools.install("kind", {"get clusters": "echo kubekata"})
    assert tools.run("down").returncode == 0


def test_docker_does_not_run(tools: Tools) -> None:
    """A docker that is installed and does not run is another problem, and said so."""
    _all_there(tools)
    tools.install("docker", {"info": "exit 1"})
    done = tools.run("up")
    assert done.returncode == 3
    assert "a running docker daemon" in done.stderr
    assert not any(call.startswith("kind") for call in tools.calls)


def test_up_creates_and_defines(tools: Tools) -> None:
    """The cluster is created from the configuration, and RackNodes are defined on its own context."""
    _all_there(tools)
    done = tools.run("up")
    assert done.returncode == 0, done.stderr
    assert any(call.startswith("kind create cluster --config") for call in tools.calls)
    kubectl = [call for call in tools.calls if call.startswith("kubectl")]
    assert all(call.startswith("kubectl --context kind-kubekata ") for call in kubectl)
    assert any("apply -f" in call and call.endswith("racknode-crd.yaml") for call in kubectl)
    assert "cluster kubekata: created" in done.stdout


def test_up_again_creates_nothing(tools: Tools) -> None:
    """A second up finds the cluster and only makes sure of the rest."""
    _all_there(tools, clusters="kubekata")
    done = tools.run("up")
    assert done.returncode == 0
    assert "already up" in done.stdout
    assert not any("create cluster" in call for call in tools.calls)
    assert any("export kubeconfig" in call for call in tools.calls)


def test_a_cluster_with_a_similar_name_is_not_ours(tools: Tools) -> None:
    """kubekata-2 is somebody else's."""
    _all_there(tools, clusters="kubekata-2")
    done = tools.run("up")
    assert any("create cluster" in call for call in tools.calls), done.stdout


@pytest.mark.parametrize(
    ("broken", "answers", "says"),
    [
        ("kind", {"create cluster": "exit 1"}, "could not create the cluster"),
        ("kubectl", {"--context kind-kubekata apply": "exit 1"}, "could not be applied"),
        ("kubectl", {"--context kind-kubekata wait": "exit 1"}, "does not serve RackNodes"),
    ],
)
def test_up_fails(tools: Tools, broken: str, answers: dict[str, str], says: str) -> None:
    """Each step that fails is named, and the rest is not tried."""
    _all_there(tools)
    tools.install(broken, answers)
    done = tools.run("up")
    assert done.returncode == 1
    assert says in done.stderr


def test_up_cannot_write_the_kubeconfig(tools: Tools) -> None:
    """An existing cluster whose kubeconfig cannot be exported is of no use."""
    _all_there(tools)
    tools.install("kind", {"get clusters": "echo kubekata", "export kubeconfig": "exit 1"})
    done = tools.run("up")
    assert done.returncode == 1
    assert "kubeconfig" in done.stderr


def test_down_deletes(tools: Tools) -> None:
    """Down deletes the cluster by its name."""
    _all_there(tools, clusters="kubekata")
    done = tools.run("down")
    assert done.returncode == 0
    assert "kind delete cluster --name kubekata" in tools.calls


def test_down_of_nothing(tools: Tools) -> None:
    """Down without a cluster is done already."""
    _all_there(tools)
    done = tools.run("down")
    assert done.returncode == 0
    assert "not there" in done.stdout
    assert not any("delete" in call for call in tools.calls)


def test_down_fails(tools: Tools) -> None:
    """A cluster that cannot be deleted is an error."""
    _all_there(tools)
    tools.install("kind", {"get clusters": "echo kubekata", "delete cluster": "exit 1"})
    done = tools.run("down")
    assert done.returncode == 1
    assert "could not delete" in done.stderr


@pytest.mark.parametrize(
    ("clusters", "kubectl", "status", "says"),
    [
        ("", {}, 1, "not there"),
        ("kubekata", {"--context kind-kubekata version": "exit 1"}, 1, "does not answer"),
        ("kubekata", {"--context kind-kubekata get crd": "exit 1"}, 1, "not defined"),
        ("kubekata", {"--context kind-kubekata get racknodes": "echo node-00"}, 0, "node-00"),
    ],
)
def test_status(tools: Tools, clusters: str, kubectl: dict[str, str], status: int, says: str) -> None:
    """Status says how far it is, and succeeds only if all is there."""
    _all_there(tools, clusters=clusters)
    tools.install("kubectl", kubectl)
    done = tools.run("status")
    assert done.returncode == status, done.stderr
    assert says in done.stdout


def test_shellcheck() -> None:
    """The script is clean under shellcheck."""
    beside = Path(sys.executable).with_name("shellcheck")
    program = str(beside) if beside.exists() else shutil.which("shellcheck")
    if program is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run([program, str(SCRIPT)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
