"""Client and rack transports that carry every call over the channel to the world on the grader's side."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from kubekata.cluster.api import ApiRequest
from kubekata.cluster.errors import ApiError
from kubekata.cluster.hardware import RackError, RackMethod
from kubekata.grading.wire.messages import ApiCall, Message, NowCall, RackCall, Reply, ReplyError
from kubekata.grading.worker.channel import Channel, HostGone


class RoundTrips:
    """Lets one thread at a time ask the grader something, and only while a call is being answered."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._open = False

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While this is entered, the submission may use its clients."""
        with self._lock:
            self._open = True
        try:
            yield
        finally:
            with self._lock:
                self._open = False

    def ask(self, question: Message) -> Reply | ReplyError:
        """Send a question and wait for its answer. Raises RuntimeError outside a call."""
        with self._lock:
            if not self._open:
                raise RuntimeError("the client was used while nobody was calling your code")
            self._channel.send(question)
            answer = self._channel.receive()
        if not isinstance(answer, Reply | ReplyError):
            raise HostGone
        return answer


class RemoteTransport:
    """The `Transport` of a client in a submission."""

    def __init__(self, trips: RoundTrips, number: int) -> None:
        self._trips = trips
        self._number = number

    def call(self, request: ApiRequest) -> dict[str, Any]:
        """Carry one request to the world's API server."""
        answer = self._trips.ask(ApiCall(self._number, request))
        if isinstance(answer, ReplyError):
            raise ApiError.from_status(answer.status)
        result: dict[str, Any] = answer.value
        return result

    def now(self) -> datetime:
        """The world's time."""
        answer = self._trips.ask(NowCall(self._number))
        if isinstance(answer, ReplyError):
            raise ApiError.from_status(answer.status)
        return datetime.fromisoformat(answer.value)


class RemoteRackTransport:
    """The `RackTransport` of a rack in a submission."""

    def __init__(self, trips: RoundTrips, number: int) -> None:
        self._trips = trips
        self._number = number

    def call(self, method: RackMethod, name: str, version: str = "") -> dict[str, Any]:
        """Carry one call to the world's rack."""
        answer = self._trips.ask(RackCall(self._number, method, name, version))
        if isinstance(answer, ReplyError):
            raise RackError.from_status(answer.status)
        result: dict[str, Any] = answer.value
        return result
