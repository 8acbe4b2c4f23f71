"""A worker that speaks nonsense, too much, too slowly, or not at all: every answer is read, refused or timed out.

In place of a forked child stands a thread of this process that writes what it likes into the channel.
"""

import contextlib
import math
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubekata.cluster.client import Client
from kubekata.cluster.world import World
from kubekata.grading.host.errors import NoAnswer, SubmissionRaised
from kubekata.grading.host.session import LoadFailed, Session
from kubekata.grading.host.source import Source
from kubekata.grading.wire.messages import Loaded, Returned
from kubekata.grading.worker.protocol import Fate, Usage

Speak = Callable[[socket.socket], None]
ENDINGS = (NoAnswer, SubmissionRaised, LoadFailed)


class FakeZygote:
    """Forks nobody: its child is a thread that speaks as it is told, and then hangs up."""

    slowness = 1.0
    measure = False

    def __init__(self, speak: Speak) -> None:
        self._speak = speak
        self.threads: list[threading.Thread] = []

    def fork(self, fds: list[int]) -> None:
        channel, output, diagnostics = (os.dup(fd) for fd in fds)
        thread = threading.Thread(target=self._run, args=(channel, output, diagnostics))
        self.threads.append(thread)
        thread.start()

    def _run(self, channel: int, output: int, diagnostics: int) -> None:
        with socket.socket(fileno=channel) as sock:
            try:
                self._speak(sock)
            except OSError:
                pass
            finally:
                os.close(output)
                os.close(diagnostics)

    def usage(self) -> Usage:
        return Usage(seconds=0.0, running=False)

    def fate(self) -> Fate:
        return Fate(exit=0)

    def dump(self) -> None:
        pass


def converse(speak: Speak, timeout: float = 0.2) -> Any:
    """Load and call once over a channel on which `speak` answers; the value, or the ending that it came to."""
    zygote = FakeZygote(speak)
    fake: Any = zygote
    session = Session(fake, Source("x = 1\n"), timeout=timeout, start=time.monotonic(), time_limit=math.inf)
    world = World()
    try:
        session.load()
        client: Client = world.client()
        return session.call("target", (1, client), {})
    except ENDINGS as ending:
        return ending
    finally:
        session.close()
        for thread in zygote.threads:
            thread.join(5)
            assert not thread.is_alive()


def listen(sock: socket.socket) -> None:
    """Take what comes until the other end is gone."""
    with contextlib.suppress(OSError):
        while sock.recv(1 << 16):
            pass


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def message(value: Any) -> bytes:
    return frame(msgspec.json.encode(value))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NAMES = [
    "loaded",
    "raised",
    "returned",
    "too-large",
    "arguments",
    "api",
    "now",
    "rack",
    "ended",
    "start",
    "reply",
]
FIELDS = {
    "call": st.integers(-2, 3),
    "value": json_values,
    "type": st.text(max_size=5),
    "message": st.text(max_size=5),
    "frames": st.lists(
        st.fixed_dictionaries({"line": st.integers(), "function": st.text(max_size=3)}), max_size=2
    ),
    "attributes": st.dictionaries(st.text(max_size=3), json_values, max_size=2),
    "client": st.integers(-1, 2),
    "rack": st.integers(-1, 1),
    "method": st.sampled_from(["machine", "power_on", "nonsense"]),
    "name": st.text(max_size=4),
    "request": json_values
    | st.fixed_dictionaries(
        {
            "verb": st.sampled_from(["get", "list", "create", "update", "delete", "watch"]),
            "kind": st.just("Pod"),
        },
        optional={
            "name": json_values,
            "body": json_values,
            "api_version": st.just("v1"),
            "namespace": json_values,
            "subresource": st.text(max_size=4),
            "options": json_values,
            "label_selector": json_values,
        },
    ),
    "args": json_values,
    "kwargs": json_values,
    "size": st.integers(),
    "lines": json_values,
}
spoken = st.builds(
    lambda name, fields: {"m": name, **fields},
    st.sampled_from(NAMES),
    st.fixed_dictionaries({}, optional=FIELDS),
)
pieces = st.lists(
    st.binary(max_size=40)
    | st.binary(max_size=40).map(frame)
    | json_values.map(message)
    | spoken.map(message)
    | st.just(message(Loaded()))
    | st.integers(0, 2**32 - 1).map(lambda size: struct.pack(">I", size)),
    max_size=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces, st.booleans())
def test_nonsense_ends_in_an_answer_or_in_one_of_three_exceptions(
    parts: list[bytes], begin_well: bool
) -> None:
    def speak(sock: socket.socket) -> None:
        if begin_well:
            sock.sendall(message(Loaded()))
        for part in parts:
            sock.sendall(part)

    converse(speak, timeout=2)


def test_a_right_answer_is_an_answer() -> None:
    assert converse(lambda sock: sock.sendall(message(Loaded()) + message(Returned(1, 6)))) == 6


def test_one_byte_at_a_time_is_still_an_answer() -> None:
    def speak(sock: socket.socket) -> None:
        for byte in message(Loaded()) + message(Returned(1, 6)):
            sock.sendall(bytes([byte]))
            time.sleep(0.0005)

    assert converse(speak, timeout=5) == 6


@pytest.mark.parametrize(
    "sent", [b"", message(Loaded()), message(Loaded()) + b"\0\0", message(Loaded()) + frame(b"x")[:4]]
)
def test_silence_is_a_timeout(sent: bytes) -> None:
    def speak(sock: socket.socket) -> None:
        sock.sendall(sent)
        listen(sock)

    ending = converse(speak)
    cause = ending.cause if isinstance(ending, LoadFailed) else ending
    assert isinstance(cause, NoAnswer)
    assert cause.outcome == "timeout"


def test_a_trickle_that_never_ends_is_a_timeout() -> None:
    def speak(sock: socket.socket) -> None:
        sock.sendall(message(Loaded()) + struct.pack(">I", 1 << 20))
        while True:
            sock.sendall(b" ")
            time.sleep(0.005)

    ending = converse(speak)
    assert isinstance(ending, NoAnswer)
    assert ending.outcome == "timeout"


def test_questions_without_end_are_bounded() -> None:
    question = b'{"m":"now","client":0}'

    def speak(sock: socket.socket) -> None:
        sock.sendall(message(Loaded()))
        reader = threading.Thread(target=listen, args=(sock,))
        reader.start()
        try:
            while True:
                sock.sendall(frame(question) * 500)
        finally:
            reader.join()

    ending = converse(speak, timeout=60)
    assert isinstance(ending, NoAnswer)
    assert (ending.outcome, str(ending)) == ("timeout", "more than 50,000 calls of the client in target")


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff" * 4,
        frame(b"[" * 100_000),
        frame(b'{"m":"returned","call":1,"value":' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
        frame(b'{"m":"returned","call":1,"value":{"t":"int","v":"' + b"f" * 7_000_000 + b'"}}'),
        frame(b'{"m":"returned","call":1,"value":{"t":"resource","v":{"kind":"Pod"}}}'),
        frame(b'{"m":"returned","call":1,"value":{"t":"value","c":"__class__","v":{}}}'),
        frame(b'{"m":"returned","call":1,"value":{"t":"client","v":7}}'),
        frame(b'{"m":"returned","call":1,"value":{"t":"handle","v":-1,"c":"X"}}'),
        frame(
            b'{"m":"api","client":0,"request":{"verb":"get","api_version":"v1","kind":"Secret","name":"x"}}'
        ),
        message({"m": "returned", "call": 1, "value": {"t": "timedelta", "v": [10**18, 0, 0]}}),
        message({"m": "returned", "call": 1, "value": {"t": "datetime", "v": "0000-99-99"}}),
        message({"m": "returned", "call": 1, "value": {"t": "dict", "v": [[{"t": "dict", "v": []}, 1]]}}),
        message({"m": "returned", "call": 1, "value": {"t": "set", "v": [[1]]}}),
    ],
    ids=range(13),
)
def test_what_a_clever_worker_would_say(sent: bytes) -> None:
    def speak(sock: socket.socket) -> None:
        sock.sendall(message(Loaded()) + sent)
        listen(sock)

    converse(speak, timeout=2)
