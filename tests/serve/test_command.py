"""`python grader.py serve` and `rack` as processes."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.serve.conftest import ROOT


@contextmanager
def running(*arguments: str, **pipes: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "kubekata", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        **pipes,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().rstrip("\n") for _ in range(count)]


def get(server: str, path: str, config: dict[str, object]) -> int:
    text = yaml.safe_dump(config)
    authority = re.search(r"certificate-authority-data: (\S+)", text)
    token = re.search(r"token: (\S+)", text)
    assert authority is not None
    assert token is not None
    context = ssl.create_default_context(cadata=base64.b64decode(authority[1]).decode())
    request = urllib.request.Request(server + path, headers={"Authorization": f"Bearer {token[1]}"})
    with urllib.request.urlopen(request, context=context, timeout=10) as response:
        status: int = response.status
        return status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve(number: signal.Signals) -> None:
    """It says where it is and how to use it; the kubeconfig is ours alone, and gone at the end."""
    start = time.monotonic()
    with running("serve") as process:
        serving, use, *_ = lines(process, 4)
        assert time.monotonic() - start < 10
        server = serving.split()[1]
        assert server.startswith("https://127.0.0.1:")
        path = Path(use.split("KUBECONFIG=")[1])
        assert path.stat().st_mode & 0o077 == 0
        assert get(server, "/api/v1/nodes/node-1", yaml.safe_load(path.read_text())) == 200
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read().strip() == "stopped"
        assert not path.exists()


def test_serve_to_a_file(tmp_path: Path) -> None:
    """A kubeconfig of one's own stays; it had other contents, and another mode."""
    path = tmp_path / "config"
    path.write_text("old")
    with running("serve", "--kubeconfig", str(path), "--nodes", "0", "--no-controllers") as process:
        lines(process, 4)
        config = yaml.safe_load(path.read_text())
        assert config["current-context"] == "kubekata"
        server = config["clusters"][0]["cluster"]["server"]
        assert get(server, "/readyz", config) == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert path.exists()


def test_serve_with_open_watches(tmp_path: Path) -> None:
    """Ctrl-C does not wait for those who watch."""
    path = tmp_path / "config"
    with running("serve", "--kubeconfig", str(path)) as process:
        lines(process, 4)
        config = yaml.safe_load(path.read_text())
        cluster = config["clusters"][0]["cluster"]
        context = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode()
        )
        token = config["users"][0]["user"]["token"]
        request = urllib.request.Request(
            f"{cluster['server']}/api/v1/pods?watch=1", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, context=context, timeout=10):
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 0
            assert time.monotonic() - start < 5


def test_a_port_that_is_taken() -> None:
    """One line, and wrong usage."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for command in ("serve", "rack"):
            done = subprocess.run(
                [sys.executable, "-m", "kubekata", command, "--port", port],
                capture_output=True,
                text=True,
                cwd=ROOT,
                timeout=20,
                check=False,
            )
            assert done.returncode == 2
            assert "cannot serve" in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1


def test_a_kubeconfig_that_cannot_be_written(tmp_path: Path) -> None:
    """One line too."""
    done = subprocess.run(
        [sys.executable, "-m", "kubekata", "serve", "--kubeconfig", str(tmp_path / "no" / "config")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_rack() -> None:
    """Redfish over HTTP, and orders from standard input."""
    with running("rack", "node-00", stdin=subprocess.PIPE) as process:
        url = lines(process, 1)[0].split("=")[1]
        lines(process, 7)
        assert process.stdin is not None
        process.stdin.write("firmware node-00 1.9.9\n")
        process.stdin.flush()
        assert lines(process, 1) == ["node-00 has firmware 1.9.9"]
        with urllib.request.urlopen(f"{url}/redfish/v1/Systems/node-00", timeout=5) as response:
            system = json.load(response)
        assert (system["PowerState"], system["BiosVersion"]) == ("Off", "1.9.9")
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_help() -> None:
    """Every new command explains itself."""
    for command in ("serve", "rack", "kind"):
        done = subprocess.run(
            [sys.executable, "-m", "kubekata", command, "--help"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "COLUMNS": "100"},
            timeout=20,
            check=True,
        )
        assert "Usage:" in done.stdout
