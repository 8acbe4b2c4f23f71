"""The server as a whole: a cluster, a port, a token, a certificate, and the kubeconfig that names them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from kubekata.serve.app import make_app
from kubekata.serve.certificates import self_signed, server_context
from kubekata.serve.cluster import LiveCluster
from kubekata.serve.kubeconfig import kubeconfig

Manifest = dict[str, Any]

LOOPBACK = "127.0.0.1"
_SECONDS_TO_CLOSE = 1.0
_SECONDS_FOR_GOODBYES = 0.1
_GOODBYE: Manifest = {"ssl_shutdown_timeout": _SECONDS_FOR_GOODBYES}


@dataclass(frozen=True)
class Served:
    """A cluster that is being served. ``url`` is where, ``kubeconfig`` how to get in."""

    cluster: LiveCluster
    url: str
    token: str
    certificate: bytes | None
    kubeconfig: Manifest


@asynccontextmanager
async def serve(
    cluster: LiveCluster | None = None, *, port: int = 0, tls: bool = True
) -> AsyncIterator[Served]:
    """Serve a cluster on loopback until the block ends.

    Args:
        port: 0 for a free one.
        tls: without it kubectl sends no token, although the server asks for one all the same.

    Raises:
        OSError: the port is taken.
    """
    cluster = cluster or LiveCluster()
    token = secrets.token_urlsafe(32)
    certificate, key = self_signed(LOOPBACK) if tls else (None, None)
    context = server_context(certificate, key) if certificate and key else None
    runner = web.AppRunner(
        make_app(cluster.api, token=token),
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=_SECONDS_TO_CLOSE,
    )
    await runner.setup()
    server: asyncio.Server | None = None
    try:
        if runner.server is None:
            raise OSError("the web server did not start")
        server = await asyncio.get_running_loop().create_server(
            runner.server, LOOPBACK, port, ssl=context, **_GOODBYE if context else {}
        )
        cluster.start()
        bound = server.sockets[0].getsockname()[1]
        url = f"{'https' if tls else 'http'}://{LOOPBACK}:{bound}"
        yield Served(cluster, url, token, certificate, kubeconfig(url, token, certificate))
    finally:
        cluster.stop()
        if server is not None:
            server.close()
        await runner.cleanup()
        if context is not None:
            # TLS says goodbye in its own time; without this the loop would end in mid-sentence.
            await asyncio.sleep(2 * _SECONDS_FOR_GOODBYES)
