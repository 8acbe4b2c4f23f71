"""The submission as a hidden test sees it: its entry points, as if they were in this process."""

import inspect
from collections.abc import Callable
from typing import Any

from kubekata.grading import annotations
from kubekata.grading.catalog import EntryPoint, Method
from kubekata.grading.host.codec import Handle
from kubekata.grading.host.errors import NoAnswer
from kubekata.grading.host.pool import Lane
from kubekata.grading.host.session import LoadFailed, Session
from kubekata.grading.signature import parse
from kubekata.grading.wire.messages import Refusal


class Submission:
    """Attributes are the kata's entry points. Calling one may raise SubmissionRaised or NoAnswer."""

    def __init__(self, lane: Lane, entry_points: tuple[EntryPoint, ...]) -> None:
        self._lane = lane
        self._entry_points = {entry.name: entry for entry in entry_points}
        self._session: Session = lane.open()
        self._printed = ""
        self._lines: frozenset[int] = frozenset()
        self._refusals: list[Refusal] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        entry = self._entry_points.get(name)
        if entry is None:
            raise AttributeError(f"kata.toml has no entry point {name!r}")
        if entry.kind == "class":
            return _Class(self, entry)
        return _Function(self, entry)

    @property
    def arguments_after(self) -> tuple[Any, ...]:
        """The arguments of the last call as they were when it had returned, in the order of the signature."""
        args, kwargs = self._session.arguments_after()
        return (*args, *kwargs.values())

    def restart(self) -> None:
        """Go on with a fresh process, as after a controller's restart."""
        self._finish()
        self._session = self._lane.open()

    def ask(
        self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any], handle: int | None = None
    ) -> Any:
        """Call into the process; a file that does not load any more is no answer."""
        try:
            return self._session.call(target, args, kwargs, handle=handle)
        except LoadFailed as error:
            raise NoAnswer(f"your file could not be loaded again: {error}") from error

    def printed(self) -> str:
        """What it printed during this test."""
        return self._printed + self._session.output()

    def end(self) -> tuple[frozenset[int], list[Refusal]]:
        """End the process; the lines that ran, and what was refused."""
        self._finish()
        return self._lines, self._refusals

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way."""
        return self._session.is_busy

    def _finish(self) -> None:
        self._lane.finish(self._session)
        self._printed += self._session.output_so_far
        self._lines |= self._session.lines
        self._refusals += self._session.refusals


class _Function:
    """One function of the submission."""

    def __init__(self, submission: Submission, entry: EntryPoint) -> None:
        self.__name__ = entry.name
        self._submission = submission
        self._entry = entry
        self._signature = parse(entry.parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = as_declared(self._signature, args, kwargs)
        value = self._submission.ask(self._entry.name, args, kwargs)
        return checked(self._submission, self._entry.name, value, self._entry.returns)


class _Class:
    """One class of the submission: calling it makes an object there."""

    def __init__(self, submission: Submission, entry: EntryPoint) -> None:
        self.__name__ = entry.name
        self._submission = submission
        self._entry = entry
        self._signature = parse(entry.parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> "RemoteObject":
        args, kwargs = as_declared(self._signature, args, kwargs)
        value = self._submission.ask(self._entry.name, args, kwargs)
        if not isinstance(value, Handle):
            raise NoAnswer(f"{self._entry.name}(…) made no object of a class in your file", final=False)
        return RemoteObject(self._submission, value, self._entry.methods)


class RemoteObject:
    """An object in the submission's process; attributes are the methods that kata.toml declares."""

    def __init__(self, submission: Submission, handle: Handle, methods: tuple[Method, ...]) -> None:
        self._submission = submission
        self._handle = handle
        self._methods = {method.name: method for method in methods}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = self._methods.get(name)
        if method is None:
            raise AttributeError(f"kata.toml declares no method {self._handle.class_name}.{name}")
        signature = parse(method.parameters)

        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = as_declared(signature, args, kwargs)
            value = self._submission.ask(name, args, kwargs, self._handle.number)
            return checked(self._submission, f"{self._handle.class_name}.{name}", value, method.returns)

        return call


def as_declared(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Pass by position what the kata declares by position, so that a learner may name parameters freely."""
    bound = signature.bind(*args, **kwargs)
    return bound.args, bound.kwargs


def checked(submission: Submission, name: str, value: Any, annotation: str) -> Any:
    """`value`, if it is what kata.toml declares. Raises NoAnswer with a cure."""
    problem = annotations.mismatch(value, annotation)
    if problem is None:
        return value
    why = annotations.cure(value, annotation)
    if value is None and submission.printed():
        why = "print shows a value, return gives it to the caller"
    raise NoAnswer(f"{name} returned {problem}", final=False, why=why)
