"""`python grader.py serve`: the simulated control plane, for kubectl, kopf and any other client."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubekata.commands.numbers import WholeNumber
from kubekata.commands.status import INTERRUPTED, PASSED, WrongUsageError

if TYPE_CHECKING:
    from kubekata.serve.server import Served


@click.command("serve")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=0, help="Port on 127.0.0.1; a free one by default."
)
@click.option(
    "--kubeconfig",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write the kubeconfig; by default a temporary file, removed at the end.",
)
@click.option(
    "--nodes", type=WholeNumber(0, 1000), default=1, show_default=True, help="Nodes in the cluster."
)
@click.option(
    "--no-controllers",
    is_flag=True,
    help="An API server alone, as envtest gives it: no garbage is collected, no pod runs.",
)
def serve(port: int, path: Path | None, nodes: int, no_controllers: bool) -> int:
    """Serve the simulated control plane on loopback until Ctrl-C.

    Prints the kubeconfig to use. Everything lives in memory and is gone at the end.
    """
    with ExitStack() as stack:
        if path is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kubekata-"))
            path = Path(folder, "kubeconfig")
        try:
            asyncio.run(_serve(port, path, nodes, controllers=not no_controllers))
        except OSError as error:
            raise WrongUsageError(f"cannot serve: {error.strerror or error}") from None
        except KeyboardInterrupt:
            return INTERRUPTED
    return PASSED


async def _serve(port: int, path: Path, nodes: int, *, controllers: bool) -> None:
    from kubekata.serve.cluster import LiveCluster
    from kubekata.serve.kubeconfig import write_kubeconfig
    from kubekata.serve.server import serve as serving

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows has no such handlers; there Ctrl-C arrives as KeyboardInterrupt.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    cluster = LiveCluster(controllers=controllers)
    cluster.add_nodes(nodes)
    async with serving(cluster, port=port) as served:
        write_kubeconfig(path, served.kubeconfig)
        _say(served, path)
        await stop.wait()
    click.echo("\nstopped", err=True)


def _say(served: Served, path: Path) -> None:
    assign = "set" if os.name == "nt" else "export"
    click.echo(f"serving   {served.url}")
    click.echo(f"use it    {assign} KUBECONFIG={shlex.quote(str(path))}")
    click.echo("try       kubectl get namespaces")
    click.echo("stop      Ctrl-C")
