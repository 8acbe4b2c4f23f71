"""The rack: the machines behind RackNodes, as an operator reaches them.

The words follow DMTF Redfish: a machine is a *ComputerSystem* with a power state and a firmware
inventory; flashing is the update service's *SimpleUpdate*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

PowerState = Literal["On", "Off"]
RackMethod = Literal["machine", "power_on", "power_off", "flash", "decommission"]


@dataclass(frozen=True, slots=True)
class Machine:
    """What the management controller reports about one machine."""

    name: str
    power_state: PowerState
    firmware: str


class RackError(Exception):
    """The rack refused or failed."""

    reason: ClassVar[str] = "RackError"

    def to_status(self) -> dict[str, Any]:
        """Return this error as plain data."""
        return {"reason": self.reason, "message": str(self)}

    @staticmethod
    def from_status(status: Mapping[str, Any]) -> RackError:
        """Return the exception for plain data made by ``to_status``."""
        classes = {cls.reason: cls for cls in (TransientError, PermanentError, MachineNotFound)}
        return classes.get(str(status.get("reason")), RackError)(str(status.get("message", "")))


class TransientError(RackError):
    """It did not work this time (a busy or unreachable management controller): try again later."""

    reason = "TransientError"


class PermanentError(RackError):
    """It will never work as asked (an unknown firmware image, say): trying again changes nothing."""

    reason = "PermanentError"


class MachineNotFound(RackError):
    """No machine of that name is in the rack (any more)."""

    reason = "MachineNotFound"


class RackTransport(Protocol):
    """Carries calls to the rack."""

    def call(self, method: RackMethod, name: str, version: str = "") -> dict[str, Any]:
        """Return the machine as plain data ``{name, power_state, firmware}``, or ``{}``.

        Raises:
            RackError: the rack refused or failed.
        """
        ...


class Rack:
    """The operator's handle on the hardware. Every call may raise ``TransientError``."""

    def __init__(self, transport: RackTransport) -> None:
        self._transport = transport

    def machine(self, name: str) -> Machine:
        """Return what the machine reports now.

        Raises:
            MachineNotFound: it is not in the rack.
        """
        return Machine(**self._transport.call("machine", name))

    def power_on(self, name: str) -> None:
        """Switch the machine on; a machine that is on stays on."""
        self._transport.call("power_on", name)

    def power_off(self, name: str) -> None:
        """Switch the machine off; a machine that is off stays off."""
        self._transport.call("power_off", name)

    def flash(self, name: str, version: str) -> None:
        """Write a firmware version.

        Raises:
            PermanentError: the machine is on (firmware is written to a machine that is off), or there
                is no such version.
        """
        self._transport.call("flash", name, version)

    def decommission(self, name: str) -> None:
        """Wipe the machine and take it out of the rack.

        Raises:
            MachineNotFound: it is gone already.
        """
        self._transport.call("decommission", name)
