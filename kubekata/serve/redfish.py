"""The rack over HTTP: the simulated machines behind a small part of the Redfish API (DMTF DSP0266).

==================================================================  ===========================================
``GET /redfish/v1/Systems``                                         the machines
``GET /redfish/v1/Systems/{id}``                                    one machine: ``PowerState``, ``BiosVersion``
``POST /redfish/v1/Systems/{id}/Actions/ComputerSystem.Reset``      ``{"ResetType": "On" | "ForceOff"}``
``DELETE /redfish/v1/Systems/{id}``                                 decommission it
``GET /redfish/v1/UpdateService/FirmwareInventory/{id}``            its firmware ``Version``
``POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate``  ``{"ImageURI": "2.1.0", "Targets": [...]}``
==================================================================  ===========================================

A busy management controller answers 503, an order that can never work 400, a machine that is not there 404.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from kubekata.cluster.hardware import MachineNotFound, PermanentError, RackError, TransientError
from kubekata.cluster.racksim import SimulatedRack

Manifest = dict[str, Any]

ROOT = "/redfish/v1"
SYSTEMS = f"{ROOT}/Systems"
UPDATE_SERVICE = f"{ROOT}/UpdateService"
SIMPLE_UPDATE = f"{UPDATE_SERVICE}/Actions/UpdateService.SimpleUpdate"

_LOOPBACK = "127.0.0.1"
_USER = "operator"
_RESETS = {"On": "power_on", "ForceOff": "power_off", "GracefulShutdown": "power_off"}
_STATUS = {TransientError: 503, PermanentError: 400, MachineNotFound: 404}


@dataclass
class RackService:
    """Machines, and how long an answer takes."""

    rack: SimulatedRack = field(default_factory=lambda: SimulatedRack(lambda: datetime.now(UTC)))
    seconds_per_answer: float = 0.0
    url: str = ""

    def app(self) -> web.Application:
        """Return the web application."""
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get(ROOT, self._root),
                web.get(f"{ROOT}/", self._root),
                web.get(SYSTEMS, self._systems),
                web.get(f"{SYSTEMS}/{{id}}", self._system),
                web.delete(f"{SYSTEMS}/{{id}}", self._decommission),
                web.post(f"{SYSTEMS}/{{id}}/Actions/ComputerSystem.Reset", self._reset),
                web.get(f"{UPDATE_SERVICE}/FirmwareInventory/{{id}}", self._inventory),
                web.post(SIMPLE_UPDATE, self._update),
            ]
        )
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.seconds_per_answer:
            await asyncio.sleep(self.seconds_per_answer)
        try:
            return await handler(request)
        except RackError as error:
            return _problem(_STATUS.get(type(error), 500), str(error))
        except web.HTTPException as error:
            return _problem(error.status, error.reason)

    async def _root(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "@odata.id": ROOT,
                "Id": "RootService",
                "Name": "Rack",
                "RedfishVersion": "1.20.0",
                "Systems": {"@odata.id": SYSTEMS},
                "UpdateService": {"@odata.id": UPDATE_SERVICE},
            }
        )

    async def _systems(self, _: web.Request) -> web.Response:
        members = [{"@odata.id": f"{SYSTEMS}/{name}"} for name in self.rack.names]
        return web.json_response(
            {
                "@odata.id": SYSTEMS,
                "Name": "Computer System Collection",
                "Members@odata.count": len(members),
                "Members": members,
            }
        )

    async def _system(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        found = self.rack.call(_USER, "machine", name)
        return web.json_response(
            {
                "@odata.id": f"{SYSTEMS}/{name}",
                "Id": name,
                "Name": name,
                "SystemType": "Physical",
                "PowerState": found["power_state"],
                "BiosVersion": found["firmware"],
                "Actions": {
                    "#ComputerSystem.Reset": {
                        "target": f"{SYSTEMS}/{name}/Actions/ComputerSystem.Reset",
                        "ResetType@Redfish.AllowableValues": list(_RESETS),
                    }
                },
            }
        )

    async def _inventory(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        found = self.rack.call(_USER, "machine", name)
        return web.json_response(
            {
                "@odata.id": f"{UPDATE_SERVICE}/FirmwareInventory/{name}",
                "Id": name,
                "Name": "System BIOS",
                "Version": found["firmware"],
                "Updateable": True,
            }
        )

    async def _reset(self, request: web.Request) -> web.Response:
        wanted = (await _body(request)).get("ResetType")
        method = _RESETS.get(wanted) if isinstance(wanted, str) else None
        if method is None:
            raise PermanentError(f"ResetType {wanted!r} is not one of {', '.join(_RESETS)}")
        self.rack.call(_USER, method, request.match_info["id"])  # type: ignore[arg-type]
        return web.Response(status=204)

    async def _update(self, request: web.Request) -> web.Response:
        body = await _body(request)
        image, targets = body.get("ImageURI"), body.get("Targets")
        if not isinstance(image, str) or not isinstance(targets, list) or not targets:
            raise PermanentError("SimpleUpdate needs an ImageURI and Targets")
        version = image.rstrip("/").rsplit("/", 1)[-1]
        for target in targets:
            self.rack.call(_USER, "flash", str(target).rstrip("/").rsplit("/", 1)[-1], version)
        return web.Response(status=204)

    async def _decommission(self, request: web.Request) -> web.Response:
        self.rack.call(_USER, "decommission", request.match_info["id"])
        return web.Response(status=204)


@asynccontextmanager
async def serve_rack(service: RackService, *, host: str = _LOOPBACK, port: int = 0) -> AsyncIterator[str]:
    """Serve a rack until the block ends; yields its URL.

    Raises:
        OSError: the port is taken.
    """
    runner = web.AppRunner(service.app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        service.url = f"http://{host}:{runner.addresses[0][1]}"
        yield service.url
    finally:
        await runner.cleanup()


async def _body(request: web.Request) -> Manifest:
    try:
        body = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise PermanentError("the body is not JSON") from None
    if not isinstance(body, dict):
        raise PermanentError("the body is not a JSON object")
    return body


def _problem(status: int, message: str) -> web.Response:
    headers = {"Retry-After": "1"} if status == 503 else {}
    error = {"code": "Base.1.18.GeneralError", "message": message}
    return web.json_response({"error": error}, status=status, headers=headers)
