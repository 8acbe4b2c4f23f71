"""One submission process, from its first line to its last: load, call, answer its questions, end."""

import signal
from collections.abc import Mapping
from typing import Any

from kubekata.cluster.errors import ApiError
from kubekata.cluster.hardware import RackError
from kubekata.grading.host.codec import HostCodec
from kubekata.grading.host.deadline import Deadline
from kubekata.grading.host.errors import HostFault, NoAnswer, SubmissionRaised
from kubekata.grading.host.link import Link, LinkClosed, Malformed, TimeIsUp
from kubekata.grading.host.source import Source
from kubekata.grading.host.zygote import Zygote, ZygoteDied
from kubekata.grading.wire.framing import FrameTooLarge
from kubekata.grading.wire.messages import (
    ApiCall,
    Arguments,
    Call,
    End,
    Ended,
    Loaded,
    Message,
    NowCall,
    RackCall,
    Raised,
    Refusal,
    Reply,
    ReplyError,
    Returned,
    ShowArguments,
    Start,
    TooLarge,
)
from kubekata.grading.wire.values import WireError
from kubekata.grading.worker.protocol import Fate

MEASURING_FACTOR = 3
MOST_QUESTIONS = 50_000

_MALFORMED = "what came back is not an answer: something else was written to the grader's channel"


class LoadFailed(Exception):
    """The learner's file did not run to its end: `cause` is a SubmissionRaised or a NoAnswer."""

    def __init__(self, cause: SubmissionRaised | NoAnswer, suggestion: str = "") -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.suggestion = suggestion


class Session:
    """A fresh process with the submission in it; making one does not wait for it to be loaded.

    `timeout` is for each call, and nothing goes on for longer than `time_limit` after `start` (monotonic); both are in
    seconds on an ordinary machine. With `entry_points`, loading also says what stands under those names.
    """

    def __init__(
        self,
        zygote: Zygote,
        source: Source,
        *,
        timeout: float,
        start: float,
        time_limit: float,
        entry_points: tuple[str, ...] = (),
    ) -> None:
        self.refusals: list[Refusal] = []
        self.lines: frozenset[int] = frozenset()
        self.statements: frozenset[int] = frozenset()
        self._zygote = zygote
        self._source = source
        self._timeout = timeout
        self._start = start
        self._time_limit = time_limit
        self._codec = HostCodec()
        self._loaded: Loaded | None = None
        self._calls = 0
        self._dead: NoAnswer | None = None
        self.is_busy = False
        self._is_closed = False
        self.output_so_far = ""
        self._link = Link(zygote)
        self._link.post(Start(source.text, entry_points, source.helpers, describe=bool(entry_points)))

    def load(self) -> Loaded:
        """Wait until the file has run. Raises LoadFailed."""
        if self._loaded is None:
            try:
                answer = self._exchange(None, "while your file was being loaded")
            except NoAnswer as error:
                raise LoadFailed(error) from error
            match answer:
                case Loaded():
                    self._loaded = answer
                case Raised():
                    self._dead = NoAnswer("your file could not be loaded")
                    raise LoadFailed(self._raised(answer), answer.suggestion)
                case _:
                    raise LoadFailed(self._lost(_MALFORMED))
        return self._loaded

    def call(
        self, target: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, handle: int | None = None
    ) -> Any:
        """Call an entry point, or a method of a handle. Raises SubmissionRaised, NoAnswer."""
        self.load()
        if self._dead is not None:
            raise self._dead
        self._calls += 1
        encoded = [self._codec.encode(value) for value in args]
        named = {name: self._codec.encode(value) for name, value in kwargs.items()}
        call = Call(self._calls, target, encoded, named, handle)
        answer = self._exchange(call, f"in {target}")
        match answer:
            case Returned(call=self._calls):
                return self._decode(answer.value)
            case Raised(call=self._calls):
                raise self._raised(answer)
            case TooLarge(call=self._calls):
                message = f"an answer of {answer.size:,} bytes: larger than any right answer can be"
                raise NoAnswer(message, final=False)
        raise self._lost(_MALFORMED)

    def arguments_after(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the last call, as they are now in the submission. Raises NoAnswer."""
        answer = self._exchange(ShowArguments(), "after the call")
        if not isinstance(answer, Arguments):
            raise self._lost(_MALFORMED)
        args = [self._decode(value) for value in answer.args]
        return args, {name: self._decode(value) for name, value in answer.kwargs.items()}

    def output(self) -> str:
        """What the submission printed so far."""
        if not self._is_closed:
            self._link.drain()
            self.output_so_far = self._link.output.text()
        return self.output_so_far

    @property
    def is_dead(self) -> bool:
        """Whether the process will not answer any more."""
        return self._dead is not None

    def close(self, *, ask_statements: bool = False) -> None:
        """End the process; collect the lines that ran. What it left behind is cleared by the zygote."""
        if self._dead is None and self._zygote.measure:
            self._collect_lines(ask_statements)
        self._dead = self._dead or NoAnswer("the test is over")
        self.output()
        self._is_closed = True
        self._link.close()

    def _collect_lines(self, ask_statements: bool) -> None:
        try:
            self.load()
            answer = self._exchange(End(ask_statements), "at the end")
        except (NoAnswer, LoadFailed, ZygoteDied):
            return  # nothing that decides anything is lost with them
        if isinstance(answer, Ended):
            self.lines = frozenset(answer.lines)
            self.statements = frozenset(answer.statements)
            self.refusals += answer.refusals

    def _exchange(self, message: Message | None, where: str) -> Message:
        """Send a message, answer the submission's questions, and return what is not a question."""
        end = self._start + self._time_limit * self._zygote.slowness
        deadline = Deadline(self._seconds(), self._zygote.usage, end=end)
        try:
            if message is not None:
                self._link.post(message)
            for _ in range(MOST_QUESTIONS):
                self.is_busy = True
                answer = self._link.receive(deadline)
                self.is_busy = False
                reply = self._answer(answer)
                if reply is None:
                    self.refusals += getattr(answer, "refusals", ())
                    return answer
                self._link.post(reply)
        except FrameTooLarge as error:
            raise HostFault(f"a message to the submission is too large ({error.size} bytes)") from error
        except LinkClosed:
            raise self._ended(where) from None
        except Malformed:
            raise self._lost(_MALFORMED) from None
        except TimeIsUp:
            raise self._stuck(f"no answer in time {where}") from None
        raise self._stuck(f"more than {MOST_QUESTIONS:,} calls of the client {where}")

    def _answer(self, message: Message) -> Reply | ReplyError | None:
        """The reply to a question of the submission; None when it is not a question."""
        try:
            match message:
                case ApiCall():
                    return Reply(self._codec.client(message.client).call(message.request))
                case NowCall():
                    return Reply(self._codec.client(message.client).now().isoformat())
                case RackCall():
                    rack = self._codec.rack(message.rack)
                    return Reply(rack.call(message.method, message.name, message.version))
        except (ApiError, RackError) as error:
            return ReplyError(error.to_status())
        except WireError:
            raise self._lost(_MALFORMED) from None
        except Exception as error:
            raise HostFault(f"the world broke on {message!r}: {error!r}") from error
        return None

    def _decode(self, plain: Any) -> Any:
        try:
            return self._codec.decode(plain)
        except (WireError, RecursionError):
            raise self._lost(_MALFORMED) from None

    def _seconds(self) -> float:
        factor = MEASURING_FACTOR if self._zygote.measure else 1
        return self._timeout * self._zygote.slowness * factor

    def _raised(self, raised: Raised) -> SubmissionRaised:
        attributes = {name: self._decode(value) for name, value in raised.attributes.items()}
        return SubmissionRaised(
            raised.type,
            raised.message,
            bases=raised.bases,
            frames=raised.frames,
            attributes=attributes,
            source=self._source.line(raised.frames[-1].line) if raised.frames else "",
        )

    def _lost(self, message: str, line: int | None = None) -> NoAnswer:
        """Give the process up: nothing that it says from here on counts."""
        self._dead = NoAnswer(message, line=line)
        return self._dead

    def _stuck(self, message: str) -> NoAnswer:
        line = self._source.stuck_at(self._link.diagnostics(self._zygote))
        if line is not None:
            message += f" ({self._source.at(line)})"
        self._dead = NoAnswer(message, outcome="timeout", line=line)
        return self._dead

    def _ended(self, where: str) -> NoAnswer:
        fate = self._zygote.fate()
        lines = self._link.diagnostics()
        line = lines[-1] if lines else None
        at = f" ({self._source.at(line)})" if line is not None else ""
        if fate == Fate():
            message = "your code left the grader's channel closed"
        elif fate.signal is not None:
            message = f"the interpreter was ended by {_signal_name(fate.signal)}"
        else:
            message = f"your code ended its own process (exit status {fate.exit})"
        return self._lost(f"{message} {where}{at}", line)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
