"""A served cluster in a thread of its own, so that tests can drive it with blocking clients and programs."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kubekata.serve.cluster import LiveCluster
from kubekata.serve.server import Served, serve

Manifest = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A status, headers and a body, decoded if it is JSON."""

    status: int
    content_type: str
    headers: dict[str, str]
    body: Any


class ServedCluster:
    """A running server; ``call`` makes one plain HTTP request."""

    def __init__(self, served: Served, loop: asyncio.AbstractEventLoop) -> None:
        self.served = served
        self.loop = loop
        self.url = served.url
        certificate = served.certificate
        self._tls = ssl.create_default_context(cadata=certificate.decode()) if certificate else None

    @property
    def cluster(self) -> LiveCluster:
        return self.served.cluster

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        *,
        timeout: float = 10,
    ) -> Answer:
        """Return the server's answer; ``body`` is sent as JSON unless it is bytes."""
        sent = dict(headers or {})
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None and not any(name.lower() == "content-type" for name in sent):
            sent["Content-Type"] = "application/json"
        sent.setdefault("Authorization", f"Bearer {self.served.token}")
        sent.setdefault("User-Agent", "python-requests/2.32")
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=timeout, context=self._tls) as response:
                return _answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers, error.read())

    def on_loop(self, action: Any) -> Any:
        """Run a function in the server's own thread."""
        done: list[Any] = []
        finished = threading.Event()

        def run() -> None:
            done.append(action())
            finished.set()

        self.loop.call_soon_threadsafe(run)
        assert finished.wait(10)
        return done[0]


def _answer(status: int, headers: Any, content: bytes) -> Answer:
    kind = headers.get("Content-Type", "")
    body: Any = content.decode()
    if kind.startswith("application/json") and content:
        documents = [json.loads(line) for line in _documents(content)]
        body = documents[0] if len(documents) == 1 else documents
    return Answer(status, kind, {key: ", ".join(headers.get_all(key)) for key in headers}, body)


def _documents(content: bytes) -> list[bytes]:
    """A watch answers with one document a line; everything else is one document."""
    lines = content.strip().split(b"\n")
    return lines if len(lines) > 1 and lines[0].startswith(b'{"type"') else [content]


@contextmanager
def served_cluster(cluster: LiveCluster | None = None, *, tls: bool = False) -> Iterator[ServedCluster]:
    """Serve a cluster until the block ends."""
    started: list[ServedCluster] = []
    ready = threading.Event()
    problems: list[BaseException] = []

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with serve(cluster, tls=tls) as served:
            running = ServedCluster(served, loop)
            started.append(running)
            stops.append(lambda: loop.call_soon_threadsafe(stop.set))
            ready.set()
            await stop.wait()

    stops: list[Any] = []

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            problems.append(error)
            ready.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    if problems:
        raise problems[0]
    try:
        yield started[0]
    finally:
        stops[0]()
        thread.join(10)
        assert not thread.is_alive()
