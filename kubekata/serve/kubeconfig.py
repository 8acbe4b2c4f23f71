"""The file that tells a client where the cluster is and who it is."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]

CONTEXT = "kubekata"


def kubeconfig(server: str, token: str, certificate: bytes | None, namespace: str = "default") -> Manifest:
    """Return a kubeconfig with one cluster, one user and one context, which is current."""
    cluster: Manifest = {"server": server}
    if certificate is not None:
        cluster["certificate-authority-data"] = base64.b64encode(certificate).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": CONTEXT, "cluster": cluster}],
        "users": [{"name": CONTEXT, "user": {"token": token}}],
        "contexts": [
            {"name": CONTEXT, "context": {"cluster": CONTEXT, "user": CONTEXT, "namespace": namespace}}
        ],
        "current-context": CONTEXT,
    }


def write_kubeconfig(path: Path, config: Manifest) -> None:
    """Write the file so that only its owner can read the token."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        yaml.safe_dump(config, file, sort_keys=False)
