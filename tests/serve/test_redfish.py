"""The rack over HTTP: what operators read and do, and how it fails."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from kubekata.bonus.background import Background
from kubekata.serve.redfish import RackService, serve_rack

SYSTEM = "/redfish/v1/Systems/m"
RESET = f"{SYSTEM}/Actions/ComputerSystem.Reset"
UPDATE = "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate"


@pytest.fixture
def service() -> Iterator[RackService]:
    rack_service = RackService()
    rack_service.rack.add("m")
    with Background(serve_rack(rack_service)):
        yield rack_service


def call(service: RackService, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    request = urllib.request.Request(service.url + path, data=data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            content = response.read()
            return response.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_reading(service: RackService) -> None:
    """The root leads to the systems, and a system tells its state and what can be done."""
    _, root = call(service, "GET", "/redfish/v1")
    _, systems = call(service, "GET", root["Systems"]["@odata.id"])
    _, system = call(service, "GET", systems["Members"][0]["@odata.id"])
    assert (system["Id"], system["PowerState"], system["BiosVersion"]) == ("m", "Off", "1.0.0")
    assert system["Actions"]["#ComputerSystem.Reset"]["target"] == RESET
    _, inventory = call(service, "GET", "/redfish/v1/UpdateService/FirmwareInventory/m")
    assert inventory["Version"] == "1.0.0"


def test_acting(service: RackService) -> None:
    """Flash while off, switch on, decommission."""
    assert call(service, "POST", UPDATE, {"ImageURI": "http://images/2.1.0", "Targets": [SYSTEM]})[0] == 204
    assert call(service, "POST", RESET, {"ResetType": "On"})[0] == 204
    machine = service.rack.machine("m")
    assert machine is not None
    assert (machine.firmware, machine.power_state) == ("2.1.0", "On")
    assert call(service, "DELETE", SYSTEM)[0] == 204
    assert call(service, "GET", SYSTEM)[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/redfish/v1/Systems/none", None, 404),
        ("GET", "/nope", None, 404),
        ("PUT", SYSTEM, {}, 405),
        ("POST", RESET, {"ResetType": "Explode"}, 400),
        ("POST", RESET, {"ResetType": ["On"]}, 400),
        ("POST", RESET, b"{", 400),
        ("POST", RESET, [], 400),
        ("POST", UPDATE, {"ImageURI": "2.1.0"}, 400),
        ("POST", UPDATE, {"ImageURI": "newest", "Targets": [SYSTEM]}, 400),
        ("POST", UPDATE, {"ImageURI": "2.1.0", "Targets": ["/redfish/v1/Systems/none"]}, 404),
    ],
)
def test_refusing(service: RackService, method: str, path: str, body: Any, status: int) -> None:
    """Errors in Redfish's form, and nothing done."""
    got, answer = call(service, method, path, body)
    assert got == status
    assert answer["error"]["message"]
    machine = service.rack.machine("m")
    assert machine is not None
    assert machine.firmware == "1.0.0"


def test_a_bad_day(service: RackService) -> None:
    """503 for as many calls as a test asks for; flashing a running machine is refused for good."""
    service.rack.fail("machine", "m", times=2)
    assert [call(service, "GET", SYSTEM)[0] for _ in range(3)] == [503, 503, 200]
    call(service, "POST", RESET, {"ResetType": "On"})
    assert call(service, "POST", UPDATE, {"ImageURI": "2.1.0", "Targets": [SYSTEM]})[0] == 400
