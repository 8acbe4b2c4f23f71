"""Answers the grader's calls with the learner's code."""

import types
from typing import Any

from kubekata.cluster.client import Client
from kubekata.cluster.hardware import Rack
from kubekata.grading.wire.messages import (
    Arguments,
    Call,
    Loaded,
    Message,
    Raised,
    Returned,
    Start,
    TooLarge,
)
from kubekata.grading.wire.values import Codec, Plain
from kubekata.grading.worker import SUBMISSION_MODULE, loader, raising, streams
from kubekata.grading.worker.audit import Watch
from kubekata.grading.worker.channel import Channel, HostGone
from kubekata.grading.worker.transports import RemoteRackTransport, RemoteTransport, RoundTrips


class Service:
    """Loads one submission and calls it."""

    def __init__(self, channel: Channel, watch: Watch, start: Start) -> None:
        self._channel = channel
        self._watch = watch
        self._start = start
        self._trips = RoundTrips(channel)
        self._codec = _WorkerCodec(self._trips)
        self._module = types.ModuleType(SUBMISSION_MODULE)
        self._args: list[Any] = []
        self._kwargs: dict[str, Any] = {}
        self._call = 0

    def load(self) -> bool:
        """Run the learner's file and say how that went."""
        try:
            self._module = loader.load(self._start.source)
            loaded = self._describe() if self._start.describe else Loaded()
        except HostGone:
            raise
        except BaseException as error:
            self._channel.send(self._raised(0, error))
            return False
        streams.flush()
        self._channel.send(loaded)
        return True

    def _describe(self) -> Loaded:
        found = loader.find(self._module, self._start.entry_points)
        return Loaded(found, loader.defined_names(self._module), self._watch.take())

    def call(self, call: Call) -> Message:
        """Call what the message names; the answer is Returned or Raised."""
        self._call = call.id
        self._args = [self._codec.decode(item) for item in call.args]
        self._kwargs = {name: self._codec.decode(item) for name, item in call.kwargs.items()}
        try:
            owner = self._module if call.handle is None else self._codec.handles[call.handle]
            target = getattr(owner, call.target)
            with self._trips.answering():
                value = target(*self._args, **self._kwargs)
            encoded = self._codec.encode(value)
        except HostGone:
            raise
        except BaseException as error:
            return self._raised(call.id, error)
        streams.flush()
        return Returned(call.id, encoded, self._watch.take())

    def arguments(self) -> Message:
        """The arguments of the last call as they are now."""
        return Arguments(
            [self._codec.encode(value) for value in self._args],
            {name: self._codec.encode(value) for name, value in self._kwargs.items()},
        )

    def too_large(self, size: int) -> Message:
        """What to answer when the answer does not fit."""
        return TooLarge(self._call, size)

    def _raised(self, call: int, error: BaseException) -> Raised:
        streams.flush()
        return raising.describe(error, call, self._codec, self._module, self._watch.take())


class _WorkerCodec(Codec):
    """Knows clients by their number, and keeps the learner's own objects behind handles."""

    def __init__(self, trips: RoundTrips) -> None:
        self._trips = trips
        self._places: dict[int, tuple[Any, Plain]] = {}
        self.handles: list[Any] = []

    def encode_other(self, value: object) -> Plain | None:
        if isinstance(value, Client | Rack):
            known = self._places.get(id(value))
            return known[1] if known else None
        if type(value).__module__ == SUBMISSION_MODULE and not isinstance(value, _PLAIN):
            self.handles.append(value)
            return {"t": "handle", "c": type(value).__name__, "v": len(self.handles) - 1}
        return None

    def decode_other(self, tag: str, plain: dict[str, Any]) -> Any:
        match tag:
            case "client":
                remote: Client | Rack = Client(RemoteTransport(self._trips, plain["v"]))
            case "rack":
                remote = Rack(RemoteRackTransport(self._trips, plain["v"]))
            case "handle":
                return self.handles[plain["v"]]
            case _:
                return super().decode_other(tag, plain)
        self._places[id(remote)] = (remote, plain)
        return remote


_PLAIN = (int, float, str, bytes, list, tuple, dict, set, frozenset, BaseException)
