"""The simulated rack: machines with a power state and a firmware version, and the faults they have."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from kubekata.cluster.hardware import (
    Machine,
    MachineNotFound,
    PermanentError,
    PowerState,
    RackError,
    RackMethod,
    TransientError,
)

_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True)
class RackCall:
    """One call to the rack; ``error`` is set if it failed."""

    at: datetime
    user: str
    method: RackMethod
    name: str
    version: str = ""
    error: RackError | None = None

    @property
    def acts(self) -> bool:
        """True for everything but looking."""
        return self.method != "machine"

    def __str__(self) -> str:
        return f"{self.method}({self.name}{', ' + self.version if self.version else ''})"


@dataclass
class _Hook:
    """Runs ``action`` before the calls that fit and are numbered ``first`` to ``last`` (from 1)."""

    action: Callable[[], object]
    method: RackMethod | None
    name: str | None
    first: int
    last: float
    seen: int = 0

    def due(self, method: RackMethod, name: str) -> bool:
        if self.method not in (None, method) or self.name not in (None, name):
            return False
        self.seen += 1
        return self.first <= self.seen <= self.last


class SimulatedRack:
    """Machines by name.

    Flashing needs the machine to be off, as most management controllers demand. Every failure leaves the
    machine as it was, except ``interrupt``, after which the work is done and only the answer is lost.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._machines: dict[str, Machine] = {}
        self._failures: dict[tuple[str, str], list[RackError | None]] = defaultdict(list)
        self._lost_answers: dict[tuple[str, str], list[RackError]] = defaultdict(list)
        self._bad_versions: dict[str, str] = {}
        self._hooks: list[_Hook] = []
        self.calls: list[RackCall] = []

    def add(self, name: str, *, power_state: PowerState = "Off", firmware: str = "1.0.0") -> None:
        """Put a machine into the rack, or change one out of band."""
        self._machines[name] = Machine(name, power_state, firmware)

    def remove(self, name: str) -> None:
        """Take a machine out of the rack behind the operator's back."""
        del self._machines[name]

    def machine(self, name: str) -> Machine | None:
        """Return a machine as it really is, or None."""
        return self._machines.get(name)

    @property
    def names(self) -> list[str]:
        """The machines in the rack, sorted."""
        return sorted(self._machines)

    def fail(
        self,
        method: RackMethod,
        name: str,
        *,
        times: int = 1,
        after: int = 0,
        error: RackError | None = None,
    ) -> None:
        """Let ``times`` calls fail, once ``after`` more have succeeded; by default with a TransientError."""
        problem = error or TransientError(f"{name}: the management controller does not answer")
        self._failures[method, name] += [None] * after + [problem] * times

    def interrupt(self, method: RackMethod, name: str, *, times: int = 1) -> None:
        """Carry ``times`` calls out, and lose the answer all the same."""
        problem = TransientError(f"{name}: connection lost, the outcome is not known")
        self._lost_answers[method, name] += [problem] * times

    def before(
        self,
        action: Callable[[], object],
        method: RackMethod | None = None,
        name: str | None = None,
        *,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Run ``action`` just before a call is carried out: to look at the world at that moment, or change it."""
        self._hooks.append(_Hook(action, method, name, nth, nth + times - 1))

    def refuse_version(self, version: str, why: str = "no such firmware image") -> None:
        """Let every flash of a version fail for good."""
        self._bad_versions[version] = why

    def heal(self) -> None:
        """Forget the failures that are still to come; hooks stay."""
        self._failures.clear()
        self._lost_answers.clear()
        self._bad_versions.clear()

    def acts(self, user: str | None = None) -> list[RackCall]:
        """Return the calls that were meant to change something and did not fail."""
        return [c for c in self.calls if c.acts and c.error is None and user in (None, c.user)]

    def call(self, user: str, method: RackMethod, name: str, version: str = "") -> dict[str, Any]:
        """Carry out one call; see ``RackTransport``."""
        for hook in [hook for hook in self._hooks if hook.due(method, name)]:
            hook.action()
        try:
            answer = self._carry_out(method, name, version)
        except RackError as error:
            self.calls.append(RackCall(self._now(), user, method, name, version, error))
            raise
        self.calls.append(RackCall(self._now(), user, method, name, version))
        return answer

    def _carry_out(self, method: RackMethod, name: str, version: str) -> dict[str, Any]:
        pending = self._failures[method, name]
        failure = pending.pop(0) if pending else None
        if failure is not None:
            raise failure
        machine = self._machines.get(name)
        if machine is None:
            raise MachineNotFound(f"no machine {name!r} in the rack")
        changed = self._changed(machine, method, version)
        if method == "decommission":
            del self._machines[name]
        else:
            self._machines[name] = changed
        if self._lost_answers[method, name]:
            raise self._lost_answers[method, name].pop(0)
        if method != "machine":
            return {}
        return {"name": name, "power_state": machine.power_state, "firmware": machine.firmware}

    def _changed(self, machine: Machine, method: RackMethod, version: str) -> Machine:
        match method:
            case "power_on":
                return replace(machine, power_state="On")
            case "power_off":
                return replace(machine, power_state="Off")
            case "flash":
                self._check_flash(machine, version)
                return replace(machine, firmware=version)
        return machine

    def _check_flash(self, machine: Machine, version: str) -> None:
        if machine.power_state != "Off":
            raise PermanentError(f"{machine.name}: firmware can be written only while the machine is off")
        if _VERSION.fullmatch(version) is None:
            raise PermanentError(f"{machine.name}: {version!r} is not a firmware version such as 2.1.0")
        if version in self._bad_versions:
            raise PermanentError(f"{machine.name}: {version}: {self._bad_versions[version]}")


class UserRack:
    """The rack as one user reaches it; a ``RackTransport``."""

    def __init__(self, rack: SimulatedRack, user: str) -> None:
        self._rack = rack
        self._user = user

    def call(self, method: RackMethod, name: str, version: str = "") -> dict[str, Any]:
        """Carry out one call."""
        return self._rack.call(self._user, method, name, version)
