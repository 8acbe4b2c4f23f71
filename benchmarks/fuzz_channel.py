"""A coverage-guided fuzzer for what a submission's process sends. Run by hand, it goes on until it finds something:

    pip install atheris
    python benchmarks/fuzz_channel.py -max_total_time=600

It feeds bytes to the path that every answer takes: frames, messages, values, and the type check of an entry point.
Whatever the bytes are, the path must end in a value or in one of the exceptions that it is documented to raise.
`tests/hostile/test_channel.py` holds what was learnt here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import atheris

with atheris.instrument_imports(include=["kubekata.grading", "kubekata.cluster"]):
    import msgspec

    from kubekata.cluster.errors import ApiError
    from kubekata.cluster.world import World
    from kubekata.grading import annotations
    from kubekata.grading.host.codec import HostCodec
    from kubekata.grading.show import show
    from kubekata.grading.wire.framing import FrameTooLarge, Unpacker
    from kubekata.grading.wire.messages import ApiCall, Arguments, FromSubmission, Raised, Returned
    from kubekata.grading.wire.values import _DECODERS, WireError

DECODER = msgspec.json.Decoder(FromSubmission)
ANNOTATIONS = ("int", "Step", "list[Condition]", "tuple[int, int]", "Result", "Placement", "Pod | None")
MOST_DEPTH = 5
TAGS = [*_DECODERS, "client", "rack", "handle", "nothing"]
WORDS = [
    "Step",
    "Rollout",
    "Condition",
    "Pod",
    "metadata",
    "spec",
    "name",
    "labels",
    "kind",
    "apiVersion",
    "v1",
    "web",
]
WORDS += [
    "nan",
    "inf",
    "2026-01-01T00:00:00Z",
    "25%",
    "-1",
    "ffffffff",
    "app=web",
    "metadata.name=x",
    "status",
    "eviction",
]
CODEC = HostCodec()
CODEC.encode(World().client())


def one(data: bytes) -> None:
    """One conversation: the first byte says whether the rest is raw, one frame, or the recipe of a message."""
    rest = data[1:]
    match data[0] % 3 if data else 0:
        case 0:
            read(rest)
        case 1:
            read(len(rest).to_bytes(4, "big") + rest)
        case _:
            provider = atheris.FuzzedDataProvider(rest)
            body = msgspec.json.encode(recipe(provider))
            read(len(body).to_bytes(4, "big") + body)


def recipe(provider: atheris.FuzzedDataProvider) -> dict[str, object]:
    """A message of a known kind with grown values in it: JSON is a language that bytes seldom speak by chance."""
    match provider.ConsumeIntInRange(0, 3):
        case 0:
            return {"m": "returned", "call": 1, "value": grown(provider, 0)}
        case 1:
            return {
                "m": "raised",
                "call": 1,
                "type": "E",
                "message": "",
                "attributes": {"a": grown(provider, 0)},
            }
        case 2:
            return {"m": "arguments", "args": [grown(provider, 0)], "kwargs": {}}
        case _:
            names = (
                "name",
                "namespace",
                "body",
                "subresource",
                "label_selector",
                "field_selector",
                "options",
            )
            request = {name: grown(provider, 2) for name in names if provider.ConsumeBool()}
            request["verb"] = provider.PickValueInList(["get", "list", "create", "update", "delete"])
            request["kind"] = provider.PickValueInList(["Pod", "Node", "ReplicaSet", "Deployment", "Nothing"])
            request["api_version"] = provider.PickValueInList(["v1", "apps/v1", ""])
            return {"m": "api", "client": provider.ConsumeIntInRange(-1, 1), "request": request}


def grown(provider: atheris.FuzzedDataProvider, depth: int) -> object:  # noqa: PLR0911 - one for each kind
    """A plain value, tagged or not."""
    match provider.ConsumeIntInRange(0, 7 if depth < MOST_DEPTH else 4):
        case 0:
            return None
        case 1:
            return provider.ConsumeInt(8)
        case 2:
            return provider.ConsumeUnicodeNoSurrogates(6)
        case 3:
            return provider.PickValueInList(WORDS)
        case 4:
            return provider.ConsumeBool()
        case 5:
            return [grown(provider, depth + 1) for _ in range(provider.ConsumeIntInRange(0, 3))]
        case 6:
            names = [provider.PickValueInList(WORDS) for _ in range(provider.ConsumeIntInRange(0, 3))]
            return {name: grown(provider, depth + 1) for name in names}
        case _:
            tag = provider.PickValueInList(TAGS)
            return {"t": tag, "v": grown(provider, depth + 1), "c": provider.PickValueInList(WORDS)}


def read(stream: bytes) -> None:
    """Do with a stream what a link does."""
    try:
        bodies = list(Unpacker().feed(stream))
    except FrameTooLarge:
        return
    for body in bodies:
        try:
            message = DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        judge(message)


def judge(message: object) -> None:
    """Do with a message what a session does."""
    try:
        match message:
            case Returned():
                value = CODEC.decode(message.value)
                show(value)
                for annotation in ANNOTATIONS:
                    annotations.mismatch(value, annotation)
            case Raised():
                for attribute in message.attributes.values():
                    CODEC.decode(attribute)
            case Arguments():
                for argument in message.args:
                    show(CODEC.decode(argument))
            case ApiCall():
                CODEC.client(message.client).call(message.request)
    except (WireError, RecursionError, ApiError):
        return


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
