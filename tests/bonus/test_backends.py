"""Which backend is chosen, and what each makes of stand-ins for the programs that it needs."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubekata.bonus.api import Api
from kubekata.bonus.backends import choose
from kubekata.bonus.backends.envtest import EnvtestBackend
from kubekata.bonus.errors import BackendError, UnknownBackend

STAND_IN = Path(__file__).with_name("stand_in_apiserver.py")
ROOT = Path(__file__).resolve().parents[2]


class Path_:  # noqa: N801 - a PATH, not a path
    """A PATH with nothing on it but stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, script: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path_:
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "cat", "echo", "sleep"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return Path_(folder)


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """KUBEBUILDER_ASSETS with stand-ins that note their process ids; afterwards none of them runs."""
    folder = tmp_path / "assets"
    folder.mkdir()
    etcd, server = folder / "etcd", folder / "kube-apiserver"
    etcd.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 60\n")
    server.write_text(
        f'#!/bin/sh\necho $$ >> {tmp_path}/pids\nPYTHONPATH={ROOT} exec {sys.executable} {STAND_IN} "$@"\n'
    )
    for path in (etcd, server):
        path.chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    yield folder
    pids = tmp_path / "pids"
    for pid in pids.read_text().split() if pids.exists() else ():
        assert not _runs(int(pid))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class TestChoosing:
    """The one that was asked for, or the best that is there."""

    def test_without_kind(self, on_path: Path_) -> None:
        """Without kind it is the served one, and it says why."""
        backend = choose(None, None)
        assert (backend.name, backend.because) == ("served", "no kind cluster named kubekata is up")

    @pytest.mark.parametrize(
        ("script", "name"),
        [
            ("echo kubekata", "kind"),
            ("echo other; echo kubekata", "kind"),
            ("echo kubekata-2", "served"),
            ("exit 1", "served"),
        ],
    )
    def test_with_kind(self, on_path: Path_, script: str, name: str) -> None:
        """A cluster of exactly our name is the default; a broken kind is no reason to fail."""
        on_path.add("kind", script)
        assert choose(None, None).name == name

    def test_a_context_is_asked_for_by_name(self, on_path: Path_) -> None:
        """Never the current one by accident."""
        assert choose(None, "prod").name == "context"
        with pytest.raises(UnknownBackend, match="needs --context NAME"):
            choose("context", None)
        with pytest.raises(UnknownBackend, match="goes with --backend context"):
            choose("served", "prod")
        with pytest.raises(UnknownBackend, match="no backend is called 'cloud'"):
            choose("cloud", None)


class TestKind:
    """kind by stand-in."""

    def test_its_kubeconfig(self, on_path: Path_, tmp_path: Path) -> None:
        """The cluster's own kubeconfig, in a file that only we can read."""
        on_path.add("kind", 'case "$2" in clusters) echo kubekata;; kubeconfig) echo "a: 1";; esac')
        with choose("kind", None).session(tmp_path) as session:
            assert session.kubeconfig.read_text() == "a: 1\n"
            assert session.kubeconfig.stat().st_mode & 0o077 == 0

    @pytest.mark.parametrize(
        ("script", "says"),
        [
            (None, "kind is not on PATH"),
            ("echo other", "run `kind/run-kind.sh up` first"),
            ("echo 'Cannot connect to the Docker daemon' >&2; exit 1", "Cannot connect to the Docker daemon"),
        ],
    )
    def test_what_is_missing(self, on_path: Path_, tmp_path: Path, script: str | None, says: str) -> None:
        """One line that says what to do."""
        if script is not None:
            on_path.add("kind", script)
        with pytest.raises(BackendError, match=says), choose("kind", None).session(tmp_path):
            pass


class TestContext:
    """kubectl by stand-in."""

    def test_only_that_context(self, on_path: Path_, tmp_path: Path) -> None:
        """The file holds what kubectl says about the one context."""
        on_path.add("kubectl", 'case "$2" in get-contexts) echo dev; echo prod;; view) echo "$*";; esac')
        with choose("context", "dev").session(tmp_path) as session:
            assert "--minify --flatten --context=dev" in session.kubeconfig.read_text()
            assert session.shared

    def test_a_wrong_name(self, on_path: Path_, tmp_path: Path) -> None:
        """The contexts that look alike are named."""
        on_path.add("kubectl", "echo kind-kubekata; echo prod")
        with (
            pytest.raises(UnknownBackend, match="'kind-kubkata': there are kind-kubekata"),
            choose("context", "kind-kubkata").session(tmp_path),
        ):
            pass

    def test_no_kubectl(self, on_path: Path_, tmp_path: Path) -> None:
        """Without kubectl there are no contexts."""
        with (
            pytest.raises(BackendError, match="kubectl is not on PATH"),
            choose("context", "x").session(tmp_path),
        ):
            pass


class TestEnvtest:
    """etcd and kube-apiserver by stand-in."""

    def test_up_and_down(self, assets: Path, tmp_path: Path) -> None:
        """Started with certificates on free ports, answering, and stopped at the end."""
        with EnvtestBackend("asked for").session(tmp_path) as session:
            api = Api.from_kubeconfig(session.kubeconfig)
            assert api.get("/version")["gitVersion"]
            assert not session.collects_garbage
            assert (tmp_path / "tls.key").stat().st_mode & 0o077 == 0

    def test_stopped_whatever_happens(self, assets: Path, tmp_path: Path) -> None:
        """An error inside stops both programs too; the fixture looks."""
        with pytest.raises(KeyboardInterrupt), EnvtestBackend("asked for").session(tmp_path):
            raise KeyboardInterrupt

    def test_it_dies(self, assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What it said last is what is reported."""
        monkeypatch.setenv("STAND_IN", "dies")
        with (
            pytest.raises(BackendError, match="ended at once: error: invalid argument"),
            EnvtestBackend("asked for").session(tmp_path),
        ):
            pass

    def test_it_hangs(self, assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is given up after a while."""
        monkeypatch.setenv("STAND_IN", "hangs")
        start = time.monotonic()
        with (
            pytest.raises(BackendError, match="not ready within 1 s"),
            EnvtestBackend("asked for", seconds_to_start=1).session(tmp_path),
        ):
            pass
        assert time.monotonic() - start < 15

    @pytest.mark.parametrize("missing", ["etcd", "kube-apiserver"])
    def test_a_program_is_missing(self, assets: Path, tmp_path: Path, missing: str) -> None:
        """It is named."""
        (assets / missing).unlink()
        with (
            pytest.raises(BackendError, match=f"there is no program {missing} in it"),
            EnvtestBackend("asked for").session(tmp_path),
        ):
            pass

    def test_no_assets(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without the variable it says how to get it."""
        monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
        with (
            pytest.raises(BackendError, match="setup-envtest use -p path"),
            EnvtestBackend("asked for").session(tmp_path),
        ):
            pass
