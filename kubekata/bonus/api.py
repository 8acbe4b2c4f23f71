"""A small blocking client for the checks, that works on any of the backends."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from kubekata.bonus.errors import BackendError
from kubekata.cluster.errors import ApiError

Manifest = dict[str, Any]

_TIMEOUT = 10.0
_MERGE = "application/merge-patch+json"


class Api:
    """Speaks to the current context of a kubeconfig.

    Every method raises ApiError for a refusal, and BackendError if the cluster cannot be reached.
    """

    def __init__(self, server: str, headers: dict[str, str], context: ssl.SSLContext | None) -> None:
        self._server = server.rstrip("/")
        self._headers = headers
        self._context = context

    @classmethod
    def from_kubeconfig(cls, path: Path) -> Api:
        """Read a kubeconfig: tokens, client certificates and exec plugins.

        Raises:
            BackendError: it does not say enough.
        """
        try:
            config: Manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
            current = _named(config["contexts"], config["current-context"])["context"]
            cluster = _named(config["clusters"], current["cluster"])["cluster"]
            user: Manifest = _named(config["users"], current["user"]).get("user") or {}
            server: str = cluster["server"]
        except (OSError, yaml.YAMLError, KeyError, TypeError, StopIteration) as error:
            raise BackendError(f"the kubeconfig is incomplete: {error}") from None
        if "exec" in user:
            user = {**user, **_ask_plugin(user["exec"])}
        headers = {"Authorization": f"Bearer {user['token']}"} if user.get("token") else {}
        context = _tls(cluster, user) if server.startswith("https://") else None
        return cls(server, headers, context)

    def get(self, path: str) -> Manifest:
        """Read an object or a list."""
        return self.call("GET", path)

    def find(self, path: str) -> Manifest | None:
        """Read an object; None if it is not there."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def create(self, path: str, manifest: Manifest) -> Manifest:
        """Create an object in a collection."""
        return self.call("POST", path, manifest)

    def merge(self, path: str, change: Manifest) -> Manifest:
        """Change an object with a merge patch."""
        return self.call("PATCH", path, change, _MERGE)

    def delete(self, path: str) -> None:
        """Delete an object; one that is not there is no error."""
        try:
            self.call("DELETE", path)
        except ApiError as error:
            if error.code != 404:
                raise

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> Manifest:
        """Make one request."""
        headers = {**self._headers, "Accept": "application/json", "User-Agent": "kubekata"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), content_type
        request = urllib.request.Request(self._server + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT, context=self._context) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error.code, error.read()) from None
        except (OSError, urllib.error.URLError) as error:
            raise BackendError(f"the cluster at {self._server} does not answer: {error}") from None
        answer: Manifest = json.loads(content) if content else {}
        return answer


def _refusal(code: int, content: bytes) -> ApiError:
    try:
        error = ApiError.from_status(json.loads(content))
    except (ValueError, AttributeError):
        error = ApiError(content.decode(errors="replace").strip())
    if error.code != code:
        error.code = code  # type: ignore[misc]
    return error


def _named(entries: list[Manifest], name: str) -> Manifest:
    return next(entry for entry in entries if entry["name"] == name)


def _tls(cluster: Manifest, user: Manifest) -> ssl.SSLContext:
    if cluster.get("insecure-skip-tls-verify"):
        context = ssl._create_unverified_context()  # noqa: SLF001 - the kubeconfig asks for it
    else:
        authority = _content(cluster, "certificate-authority")
        context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    certificate, key = _content(user, "client-certificate"), _content(user, "client-key")
    if certificate and key:
        with tempfile.TemporaryDirectory(prefix="kubekata-") as folder:
            path = Path(folder, "client.pem")
            path.touch(mode=0o600)
            path.write_bytes(certificate + b"\n" + key)
            context.load_cert_chain(path)
    return context


def _content(entry: Manifest, name: str) -> bytes | None:
    if entry.get(f"{name}-data"):
        return base64.b64decode(entry[f"{name}-data"])
    return Path(entry[name]).read_bytes() if entry.get(name) else None


def _ask_plugin(plugin: Manifest) -> Manifest:
    extra = {entry["name"]: entry["value"] for entry in plugin.get("env") or ()}
    info = {"apiVersion": plugin.get("apiVersion"), "kind": "ExecCredential", "spec": {"interactive": False}}
    environment = {**os.environ, **extra, "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        done = subprocess.run(
            [plugin["command"], *(plugin.get("args") or ())],
            env=environment,
            capture_output=True,
            timeout=60,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        status: Manifest = json.loads(done.stdout)["status"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        raise BackendError(f"the credential plugin {plugin.get('command')} failed: {error}") from None
    names = {
        "token": "token",
        "client-certificate-data": "clientCertificateData",
        "client-key-data": "clientKeyData",
    }
    found = {ours: status[theirs] for ours, theirs in names.items() if status.get(theirs)}
    for key in ("client-certificate-data", "client-key-data"):
        if key in found:
            found[key] = base64.b64encode(found[key].encode()).decode()
    return found
