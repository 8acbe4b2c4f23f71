"""Values and frames: what goes in comes out with its exact type, and nonsense is refused, never obeyed."""

import contextlib
import math
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubekata import Condition, ObjectMeta, Pod, ReplicaCount, Request, Result, Rollout
from kubekata.grading.host.codec import HostCodec
from kubekata.grading.wire.framing import MAX_FRAME, FrameTooLarge, Unpacker, pack
from kubekata.grading.wire.messages import FromSubmission, Returned
from kubekata.grading.wire.values import _DECODERS, Codec, Opaque, WireError

keys = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
values = st.recursive(
    keys
    | st.floats(allow_nan=False)
    | st.datetimes(timezones=st.just(UTC))
    | st.timedeltas()
    | st.builds(Result, requeue_after=st.none() | st.floats(allow_nan=False)),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner) | st.frozensets(keys)
    ),
    max_leaves=20,
)


def through(value: Any) -> Any:
    codec = Codec()
    return codec.decode(msgspec.json.decode(msgspec.json.encode(codec.encode(value))))


def shape(value: Any) -> Any:
    """The value with the type of every part of it."""
    match value:
        case list() | tuple():
            return type(value), [shape(item) for item in value]
        case dict():
            return dict, [(shape(key), shape(item)) for key, item in value.items()]
        case frozenset():
            return frozenset, frozenset((type(item), item) for item in value)
    return type(value), value


@given(values)
def test_plain_data_survives_with_its_exact_types(value: Any) -> None:
    assert shape(through(value)) == shape(value)


@pytest.mark.parametrize(
    "value",
    [
        2**70,
        -(2**70),
        math.inf,
        "\ud800",
        datetime(2026, 1, 1, tzinfo=UTC),
        timedelta(days=-1, microseconds=3),
        Request("web"),
        Rollout(3, "25%", 0, ReplicaCount(1, 0), [ReplicaCount(2, 2)]),
        Pod(metadata=ObjectMeta(name="web-1", labels={"app": "web"})),
        Condition(type="Ready", status="True"),
    ],
)
def test_values_and_objects_survive(value: Any) -> None:
    assert through(value) == value
    assert type(through(value)) is type(value)


def test_nan_survives() -> None:
    assert math.isnan(through(math.nan))


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        (object(), "object"),
        (3j, "complex"),
        (range(3), "range"),
        ((n for n in "a"), "generator"),
        (len, "builtin_function_or_method"),
    ],
)
def test_anything_else_is_opaque(value: Any, type_name: str) -> None:
    crossed = through(value)
    assert isinstance(crossed, Opaque)
    assert crossed.type_name == type_name


def test_depth_is_limited() -> None:
    box: list[Any] = []
    box.append(box)
    assert "Opaque" in repr(through(box))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
tags = st.sampled_from([*_DECODERS, "client", "rack", "handle"])
tagged = st.recursive(
    json_values
    | st.fixed_dictionaries({"t": tags, "v": json_values}, optional={"c": json_values, "b": json_values}),
    lambda inner: st.lists(inner) | st.fixed_dictionaries({"t": tags, "v": st.lists(inner)}),
)


@given(tagged)
def test_nonsense_is_refused(plain: Any) -> None:
    with contextlib.suppress(WireError, RecursionError):
        HostCodec().decode(plain)


@given(st.binary(max_size=200))
def test_noise_on_the_channel_never_breaks_the_reader(noise: bytes) -> None:
    try:
        bodies = list(Unpacker().feed(noise))
    except FrameTooLarge:
        return
    for body in bodies:
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            msgspec.json.decode(body, type=FromSubmission)


@given(st.lists(st.text(max_size=30), max_size=5), st.integers(1, 7))
def test_frames_come_out_whole_however_they_arrive(texts: list[str], step: int) -> None:
    stream = b"".join(pack(Returned(number, text)) for number, text in enumerate(texts))
    unpacker = Unpacker()
    bodies = [
        body for start in range(0, len(stream), step) for body in unpacker.feed(stream[start : start + step])
    ]
    assert [msgspec.json.decode(body, type=FromSubmission).value for body in bodies] == texts


def test_a_frame_has_a_limit() -> None:
    with pytest.raises(FrameTooLarge):
        pack(Returned(1, "x" * MAX_FRAME))
    with pytest.raises(FrameTooLarge):
        list(Unpacker().feed((MAX_FRAME + 1).to_bytes(4, "big")))
