"""RackNode: the custom resource of the operator katas, one bare-metal machine."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from kubekata.cluster.objects.meta import Condition, Part, Resource


class RackNodeSpec(Part):
    """The machine we want: a firmware version (``"2.1.0"``) and a power state."""

    desired_firmware: str = ""
    power: Literal["On", "Off"] = "On"
    slots: int | None = None


class RackNodeStatus(Part):
    """The machine as last seen. Status tells only what was observed, never what is hoped for."""

    phase: str = ""
    firmware: str = ""
    power_state: str = ""
    observed_generation: int = 0
    retries: int = 0
    message: str = ""
    conditions: list[Condition] = []


class RackNode(Resource):
    """A machine in a rack, managed by an operator."""

    api_version: ClassVar[str] = "rack.example.com/v1"
    kind: ClassVar[str] = "RackNode"
    plural: ClassVar[str] = "racknodes"

    spec: RackNodeSpec = msgspec.field(default_factory=RackNodeSpec)
    status: RackNodeStatus = msgspec.field(default_factory=RackNodeStatus)
