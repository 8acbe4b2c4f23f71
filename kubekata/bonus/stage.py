"""What a check works with: the cluster, the rack, the operator, and time to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kubekata.bonus.api import Api
from kubekata.bonus.process import OperatorProcess
from kubekata.bonus.setup import RACKNODES
from kubekata.cluster.racksim import RackCall, SimulatedRack

Manifest = dict[str, Any]

_POLL_SECONDS = 0.1


class CheckFailed(Exception):
    """A check does not hold, in the words of the problem."""

    def __init__(self, *, given: str, expected: str, got: str, why: str = "") -> None:
        super().__init__(got)
        self.given = given
        self.expected = expected
        self.got = got
        self.why = why


class NotApplicable(Exception):
    """A check that this backend cannot make; the message says why."""


class Stopped(Exception):
    """The grade is called off (Ctrl-C): checks end where they are."""


@dataclass(frozen=True)
class Pace:
    """Seconds: how often the operator looks for drift, how soon it retries, how long checks wait."""

    drift: float = 1.0
    retry: float = 0.5
    patience: float = 1.0

    @property
    def enough(self) -> float:
        """How long something may take that ought to happen at once."""
        return 10.0 * self.patience


@dataclass
class Stage:
    """One grade's cluster, rack and operator."""

    api: Api
    namespace: str
    rack: SimulatedRack
    operator: OperatorProcess
    pace: Pace
    collects_garbage: bool
    machines: threading.Lock = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)

    def path(self, name: str, part: str = "") -> str:
        """The path of a RackNode, or of a part of it."""
        place = f"{RACKNODES}/namespaces/{self.namespace}/racknodes/{name}"
        return f"{place}/{part}" if part else place

    def create(self, name: str, firmware: str = "2.1.0", power: str = "On") -> Manifest:
        """Put a machine into the rack (off, firmware 1.0.0) and create its RackNode."""
        with self.machines:
            self.rack.add(name)
        return self.api.create(
            f"{RACKNODES}/namespaces/{self.namespace}/racknodes",
            {
                "apiVersion": "rack.example.com/v1",
                "kind": "RackNode",
                "metadata": {"name": name},
                "spec": {"desiredFirmware": firmware, "power": power},
            },
        )

    def find(self, name: str) -> Manifest | None:
        """Return a RackNode, or None."""
        return self.api.find(self.path(name))

    def jobs_of(self, owner_uid: str) -> list[Manifest]:
        """Return the Jobs that a RackNode owns."""
        items: list[Manifest] = self.api.get(f"/apis/batch/v1/namespaces/{self.namespace}/jobs")["items"]
        return [
            item
            for item in items
            if any(ref.get("uid") == owner_uid for ref in item["metadata"].get("ownerReferences") or ())
        ]

    def calls(self, name: str, method: str = "") -> list[RackCall]:
        """Return the rack's calls about a machine."""
        return [c for c in list(self.rack.calls) if c.name == name and method in ("", c.method)]

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something holds; False if it does not within ``seconds``."""
        end = time.monotonic() + (self.pace.enough if seconds is None else seconds)
        while True:
            if holds():
                return True
            if time.monotonic() >= end:
                return False
            self.sleep(_POLL_SECONDS)

    def sleep(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            Stopped: the grade is called off.
        """
        if self.stopped.wait(seconds):
            raise Stopped

    def wait_ready(self, name: str, given: str, firmware: str = "2.1.0", *, why: str = "") -> Manifest:
        """Wait until a RackNode says Ready at a firmware, and return it.

        Raises:
            CheckFailed: it does not get there.
        """

        def holds() -> bool:
            return is_ready(self.find(name), firmware)

        if not self.wait(holds):
            found = self.find(name)
            raise CheckFailed(
                given=given,
                expected=f"status.phase Ready and status.firmware {firmware} within {self.pace.enough:.0f} s",
                got=describe(found),
                why=why or "the operator reports what the machine really is",
            )
        found = self.find(name)
        return found if found is not None else {}


def is_ready(manifest: Manifest | None, firmware: str) -> bool:
    """Whether a RackNode says that it is as its present spec wants it."""
    status = (manifest or {}).get("status") or {}
    return status.get("phase") == "Ready" and status.get("firmware") == firmware


def condition(manifest: Manifest | None, kind: str = "Ready") -> Manifest:
    """Return a condition of a RackNode; empty if it has none."""
    conditions = ((manifest or {}).get("status") or {}).get("conditions") or []
    found: Manifest = next((c for c in conditions if c.get("type") == kind), {})
    return found


def describe(manifest: Manifest | None) -> str:
    """Say what state a RackNode is in, in a line."""
    if manifest is None:
        return "the RackNode is gone"
    status = manifest.get("status") or {}
    if not status:
        return "no status"
    shown = [f"phase {status.get('phase', '(none)')}", f"firmware {status.get('firmware', '(none)')}"]
    if status.get("message"):
        shown.append(f"message {status['message'][:100]!r}")
    return ", ".join(shown)
