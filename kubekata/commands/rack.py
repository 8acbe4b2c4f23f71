"""`python grader.py rack`: the simulated rack alone, for an operator that is run by hand."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from kubekata.commands.numbers import WholeNumber
from kubekata.commands.status import PASSED, WrongUsageError

if TYPE_CHECKING:
    from kubekata.cluster.racksim import SimulatedRack

_ORDERS = """\
orders, while it runs:
  list                     the machines
  add NAME                 a new machine, off, with firmware 1.0.0
  firmware NAME VERSION    change its firmware behind the operator's back
  power NAME On|Off        switch it behind the operator's back
  fail NAME COUNT          answer the next COUNT calls of every kind about it with 503
  remove NAME              take it out of the rack"""
_METHODS = ("machine", "power_on", "power_off", "flash", "decommission")


@click.command("rack")
@click.argument("machines", metavar="[MACHINE]...", nargs=-1)
@click.option(
    "--port", type=WholeNumber(0, 65535), default=0, help="Port on 127.0.0.1; a free one by default."
)
def rack(machines: tuple[str, ...], port: int) -> int:
    """Serve a simulated rack on loopback until Ctrl-C: machines that are off, with firmware 1.0.0.

    It speaks Redfish; kind/README.md shows what for.
    """
    try:
        asyncio.run(_serve(machines, port))
    except OSError as error:
        raise WrongUsageError(f"cannot serve: {error.strerror or error}") from None
    except KeyboardInterrupt:
        click.echo("\nstopped", err=True)
    return PASSED


async def _serve(machines: tuple[str, ...], port: int) -> None:
    from kubekata.serve.redfish import RackService, serve_rack

    service = RackService()
    for name in machines:
        service.rack.add(name)
    async with serve_rack(service, port=port) as url:
        click.echo(f"export RACK_URL={url}")
        click.echo(_ORDERS)
        while True:
            # A thread, since standard input cannot be awaited; it is a daemon, and Ctrl-C does not wait for it.
            line = await _next_line()
            if line is None:
                await asyncio.Event().wait()
            elif line.strip():
                click.echo(obey(service.rack, line.split()))


async def _next_line() -> str | None:
    import threading

    loop = asyncio.get_running_loop()
    future: asyncio.Future[str | None] = loop.create_future()

    def tell(line: str | None) -> None:
        if not future.done():
            future.set_result(line)

    def read() -> None:
        line = sys.stdin.readline() or None
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, line)

    threading.Thread(target=read, daemon=True).start()
    return await future


def obey(simulated: SimulatedRack, words: list[str]) -> str:
    """Carry out one order, and return what to say about it."""
    match words:
        case ["list"]:
            found = [simulated.machine(name) for name in simulated.names]
            return "\n".join(f"{m.name}  {m.power_state}  {m.firmware}" for m in found if m) or "no machines"
        case ["add", name]:
            simulated.add(name)
            return f"{name} is in the rack"
        case [order, name, *_] if order in ("firmware", "power", "fail", "remove"):
            machine = simulated.machine(name)
            if machine is None:
                return f"no machine {name!r}: there are {', '.join(simulated.names) or 'none'}"
            return _change(simulated, words, machine.power_state, machine.firmware)
    return f"not understood: {' '.join(words)}"


def _change(simulated: SimulatedRack, words: list[str], power: str, firmware: str) -> str:
    match words:
        case ["firmware", name, version]:
            simulated.add(name, power_state="On" if power == "On" else "Off", firmware=version)
            return f"{name} has firmware {version}"
        case ["power", name, "On" | "Off" as state]:
            simulated.add(name, power_state="On" if state == "On" else "Off", firmware=firmware)
            return f"{name} is {state}"
        case ["fail", name, count] if count.isdecimal():
            for method in _METHODS:
                simulated.fail(method, name, times=int(count))  # type: ignore[arg-type]
            return f"{name}: the next {count} calls of every kind fail"
        case ["remove", name]:
            simulated.remove(name)
            return f"{name} is gone"
    return f"not understood: {' '.join(words)}"
