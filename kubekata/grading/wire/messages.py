"""The messages of the two sides. Values inside them are the plain data of `wire.values`."""

from typing import Any

import msgspec

from kubekata.cluster.api import ApiRequest
from kubekata.cluster.hardware import RackMethod


class Message(msgspec.Struct, frozen=True, tag_field="m", omit_defaults=True):
    """Base of all messages."""


# From the grader to the submission.


class Start(Message, frozen=True, tag="start"):
    """The first message: the learner's source. `describe` asks what stands under the names of `entry_points`.

    `helpers` are the modules that this kata lends it.
    """

    source: str
    entry_points: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    describe: bool = False


class Call(Message, frozen=True, tag="call"):
    """Call an entry point, or `method` of the object that `handle` stands for."""

    id: int
    target: str
    args: list[Any]
    kwargs: dict[str, Any]
    handle: int | None = None


class ShowArguments(Message, frozen=True, tag="show-arguments"):
    """Ask for the arguments of the last call as they are now."""


class Reply(Message, frozen=True, tag="reply"):
    """The answer to an ApiCall, RackCall or NowCall."""

    value: Any


class ReplyError(Message, frozen=True, tag="reply-error"):
    """The refusal of an ApiCall or RackCall: an error's `to_status()`."""

    status: dict[str, Any]


class End(Message, frozen=True, tag="end"):
    """The test is over; the answer is Ended. `statements` asks for the lines that could have run, too."""

    statements: bool = False


# From the submission to the grader.


class Frame(msgspec.Struct, frozen=True):
    """One level of a traceback, in the learner's file."""

    line: int
    function: str


class Refusal(msgspec.Struct, frozen=True):
    """Something that a submission tried and must not do; `line` is 0 when it is not known."""

    what: str
    line: int


class EntryPointFound(msgspec.Struct, frozen=True):
    """What stands under an entry point's name: `kind` is "function", "class", "async", "generator" or "other".

    `parameters` are (name, kind, has a default) as `inspect` sees them; None when it sees nothing.
    """

    name: str
    kind: str
    type_name: str
    parameters: tuple[tuple[str, str, bool], ...] | None = None


class Loaded(Message, frozen=True, tag="loaded"):
    """The file ran to its end. `names` are the functions and classes that it defines, if that was asked."""

    entry_points: tuple[EntryPointFound, ...] = ()
    names: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class Raised(Message, frozen=True, tag="raised"):
    """An exception left the submission. `call` is 0 while the file is being loaded.

    `bases` are the names of its classes, most special first. `attributes` are the exception's own plain ones.
    `cause` is what it was raised from, or while handling. `suggestion` is the nearest name that exists.
    """

    call: int
    type: str
    message: str
    bases: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    attributes: dict[str, Any] = {}
    cause: str = ""
    suggestion: str = ""
    refusals: tuple[Refusal, ...] = ()


class Returned(Message, frozen=True, tag="returned"):
    """The call's answer."""

    call: int
    value: Any
    refusals: tuple[Refusal, ...] = ()


class TooLarge(Message, frozen=True, tag="too-large"):
    """The answer was `size` bytes, more than a frame may hold."""

    call: int
    size: int


class Arguments(Message, frozen=True, tag="arguments"):
    """The arguments of the last call as they are now."""

    args: list[Any]
    kwargs: dict[str, Any]


class ApiCall(Message, frozen=True, tag="api"):
    """A call to the API server behind the client with that number."""

    client: int
    request: ApiRequest


class NowCall(Message, frozen=True, tag="now"):
    """What time is it in the world of that client?"""

    client: int


class RackCall(Message, frozen=True, tag="rack"):
    """A call to the hardware behind the rack with that number."""

    rack: int
    method: RackMethod
    name: str
    version: str = ""


class Ended(Message, frozen=True, tag="ended"):
    """Goodbye. `lines` are the lines of the learner's file that ran, `statements` those that could have."""

    lines: tuple[int, ...] = ()
    statements: tuple[int, ...] = ()
    refusals: tuple[Refusal, ...] = ()


FromGrader = Start | Call | ShowArguments | Reply | ReplyError | End
FromSubmission = Loaded | Raised | Returned | TooLarge | Arguments | ApiCall | NowCall | RackCall | Ended
