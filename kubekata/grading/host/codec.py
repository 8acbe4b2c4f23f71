"""The host's side of values: clients of the world go out as numbers, objects of the submission come in as handles."""

from typing import Any

from kubekata.cluster.api import Transport
from kubekata.cluster.client import Client
from kubekata.cluster.hardware import Rack, RackTransport
from kubekata.grading.wire.values import Codec, Plain, WireError


class Handle:
    """An object that lives in the submission's process; `number` is its name there."""

    def __init__(self, number: int, class_name: str) -> None:
        self.number = number
        self.class_name = class_name

    def __repr__(self) -> str:
        return f"<{self.class_name} object>"


class HostCodec(Codec):
    """Remembers which client or rack each number stands for."""

    def __init__(self) -> None:
        self._clients: list[Client] = []
        self._racks: list[Rack] = []

    def client(self, number: int) -> Transport:
        """The transport behind a client's number. Raises WireError."""
        if not 0 <= number < len(self._clients):
            raise WireError("a client that was never sent")
        return self._clients[number]._transport  # noqa: SLF001 - learners see Client, so it shows them nothing

    def rack(self, number: int) -> RackTransport:
        """The transport behind a rack's number. Raises WireError."""
        if not 0 <= number < len(self._racks):
            raise WireError("a rack that was never sent")
        return self._racks[number]._transport  # noqa: SLF001 - as above

    def encode_other(self, value: object) -> Plain | None:
        """Clients, racks and handles, by number."""
        match value:
            case Client():
                return {"t": "client", "v": _number(self._clients, value)}
            case Rack():
                return {"t": "rack", "v": _number(self._racks, value)}
            case Handle():
                return {"t": "handle", "v": value.number}
        return None

    def decode_other(self, tag: str, plain: dict[str, Any]) -> Any:
        """Clients and racks as what they were, and handles."""
        match tag, plain.get("v"), plain.get("c"):
            case "client", int(number), _ if 0 <= number < len(self._clients):
                return self._clients[number]
            case "rack", int(number), _ if 0 <= number < len(self._racks):
                return self._racks[number]
            case "handle", int(number), str(class_name):
                return Handle(number, class_name)
        return super().decode_other(tag, plain)


def _number(known: list[Any], value: object) -> int:
    for number, other in enumerate(known):
        if other is value:
            return number
    known.append(value)
    return len(known) - 1
