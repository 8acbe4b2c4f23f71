"""What a call into a submission can end in, other than an answer."""

from collections.abc import Mapping
from typing import Any, Literal

from kubekata.grading.wire.messages import Frame


class SubmissionRaised(Exception):
    """The submission raised an exception.

    `type_name` is its class, `bases` the names of all its classes, `frames` its levels in the learner's file
    (outermost first), `attributes` its own plain attributes, `source` the text of the innermost line.
    """

    def __init__(
        self,
        type_name: str,
        message: str,
        *,
        bases: tuple[str, ...] = (),
        frames: tuple[Frame, ...] = (),
        attributes: Mapping[str, Any] | None = None,
        source: str = "",
    ) -> None:
        super().__init__(f"{type_name}: {message}" if message else type_name)
        self.type_name = type_name
        self.message = message
        self.bases = bases
        self.frames = frames
        self.attributes = dict(attributes or {})
        self.source = source

    @property
    def line(self) -> int | None:
        """The innermost line of the learner's file, if any."""
        return self.frames[-1].line if self.frames else None


class NoAnswer(Exception):
    """There is no usable answer, and the message says why, as the learner reads it under Got.

    `outcome` is "timeout" when it did not come in time, otherwise "error". `final` means that the process is
    gone and will not answer anything else. `why` may hold the cure, `line` is where in the learner's file it happened;
    `given` and `expected` are set where an example was generated.
    """

    def __init__(
        self,
        message: str,
        *,
        outcome: Literal["error", "timeout"] = "error",
        final: bool = True,
        why: str = "",
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.final = final
        self.why = why
        self.line = line
        self.given = ""
        self.expected = ""


class HostFault(Exception):
    """Something of ours broke while a submission was running: the grade is worth nothing."""
