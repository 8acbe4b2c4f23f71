"""A stand-in for kube-apiserver: takes its arguments, and serves the project's own control plane.

Run as a program. ``STAND_IN`` in its environment changes how it behaves: ``dies`` ends at once with a message,
``hangs`` never gets ready.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from aiohttp import web

from kubekata.serve.app import make_app
from kubekata.serve.certificates import server_context
from kubekata.serve.cluster import LiveCluster


async def main(arguments: dict[str, str]) -> None:
    if os.environ.get("STAND_IN") == "dies":
        sys.exit("error: invalid argument: no such flag")
    if os.environ.get("STAND_IN") == "hangs":
        await asyncio.sleep(60)
    token = Path(arguments["token-auth-file"]).read_text().split(",")[0]
    context = server_context(
        Path(arguments["tls-cert-file"]).read_bytes(), Path(arguments["tls-private-key-file"]).read_bytes()
    )
    cluster = LiveCluster(controllers=False)
    runner = web.AppRunner(make_app(cluster.api, token=token), access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    address, port = arguments["bind-address"], int(arguments["secure-port"])
    await web.TCPSite(runner, address, port, ssl_context=context).start()
    cluster.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    given = dict(argument.removeprefix("--").partition("=")[::2] for argument in sys.argv[1:])
    asyncio.run(main(given))
