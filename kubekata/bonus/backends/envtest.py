"""A real API server and its etcd, without controllers: what controller-runtime's envtest starts.

``KUBEBUILDER_ASSETS`` names the folder with the two programs, as `setup-envtest use -p path` prints it.
"""

from __future__ import annotations

import os
import secrets
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kubekata.bonus.backends.base import Session
from kubekata.bonus.errors import BackendError
from kubekata.serve.certificates import self_signed
from kubekata.serve.kubeconfig import kubeconfig, write_kubeconfig

ASSETS = "KUBEBUILDER_ASSETS"
_LOOPBACK = "127.0.0.1"
_SECONDS_TO_START = 60.0
_SECONDS_TO_STOP = 10.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class EnvtestBackend:
    """etcd and kube-apiserver from a folder."""

    because: str
    name: str = "envtest"
    seconds_to_start: float = _SECONDS_TO_START

    @contextmanager
    def session(self, folder: Path) -> Iterator[Session]:
        """Start both programs on free ports; both are stopped whatever happens.

        Raises:
            BackendError: a program is missing or does not start.
        """
        etcd, apiserver = _find_programs()
        with ExitStack() as stack:
            client_port, peer_port, port = _free_ports(3)
            client_url, peer_url = f"http://{_LOOPBACK}:{client_port}", f"http://{_LOOPBACK}:{peer_port}"
            stack.enter_context(
                _running(
                    [
                        str(etcd),
                        f"--data-dir={folder / 'etcd'}",
                        f"--listen-client-urls={client_url}",
                        f"--advertise-client-urls={client_url}",
                        f"--listen-peer-urls={peer_url}",
                        f"--initial-advertise-peer-urls={peer_url}",
                        f"--initial-cluster=default={peer_url}",
                        "--unsafe-no-fsync",
                    ],
                    folder / "etcd.log",
                )
            )
            certificate, key = self_signed(_LOOPBACK)
            token = secrets.token_urlsafe(32)
            files = {
                "tls.crt": certificate,
                "tls.key": key,
                "tokens.csv": f'{token},kubekata,kubekata,"system:masters"\n'.encode(),
            }
            for name, content in files.items():
                path = folder / name
                path.touch(mode=0o600)
                path.write_bytes(content)
            server = stack.enter_context(
                _running(_apiserver_command(apiserver, folder, port, client_url), folder / "apiserver.log")
            )
            url = f"https://{_LOOPBACK}:{port}"
            self._wait(server, url, token, certificate, folder / "apiserver.log")
            config = folder / "kubeconfig"
            write_kubeconfig(config, kubeconfig(url, token, certificate))
            yield Session(config, collects_garbage=False, ends_namespaces=False, patience=2)

    def _wait(
        self, server: subprocess.Popen[bytes], url: str, token: str, certificate: bytes, log: Path
    ) -> None:
        context = ssl.create_default_context(cadata=certificate.decode())
        request = urllib.request.Request(f"{url}/readyz", headers={"Authorization": f"Bearer {token}"})
        end = time.monotonic() + self.seconds_to_start
        while time.monotonic() < end:
            if server.poll() is not None:
                raise BackendError(f"kube-apiserver ended at once: {_last_line(log)}")
            try:
                with urllib.request.urlopen(request, timeout=2, context=context) as response:
                    if response.status == 200:
                        return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(_POLL_SECONDS)
        raise BackendError(
            f"kube-apiserver was not ready within {self.seconds_to_start:.0f} s: {_last_line(log)}"
        )


def _find_programs() -> tuple[Path, Path]:
    folder = os.environ.get(ASSETS, "")
    if not folder:
        raise BackendError(
            f"{ASSETS} is not set: `setup-envtest use -p path` prints the folder with etcd and kube-apiserver."
        )
    found = tuple(Path(folder, name) for name in ("etcd", "kube-apiserver"))
    for path in found:
        if not path.is_file() or not os.access(path, os.X_OK):
            raise BackendError(f"{ASSETS} names {folder}, and there is no program {path.name} in it.")
    return found[0], found[1]


def _apiserver_command(program: Path, folder: Path, port: int, etcd: str) -> list[str]:
    return [
        str(program),
        f"--etcd-servers={etcd}",
        f"--bind-address={_LOOPBACK}",
        f"--secure-port={port}",
        f"--tls-cert-file={folder / 'tls.crt'}",
        f"--tls-private-key-file={folder / 'tls.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        f"--cert-dir={folder}",
        f"--service-account-key-file={folder / 'tls.key'}",
        f"--service-account-signing-key-file={folder / 'tls.key'}",
        f"--service-account-issuer=https://{_LOOPBACK}:{port}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        # Pods never run here, and no controller makes the service accounts that this plugin asks for.
        "--disable-admission-plugins=ServiceAccount",
    ]


@contextmanager
def _running(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=log.parent,
            )
        except OSError as error:
            raise BackendError(f"{command[0]} cannot be run: {error.strerror}.") from None
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((_LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
