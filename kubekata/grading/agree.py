"""Comparing a submission with the reference on generated inputs, down to the smallest that tells them apart."""

import copy
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers

from kubekata.grading.host.errors import HostFault, NoAnswer, SubmissionRaised
from kubekata.grading.scenario import CheckFailed, raised_text
from kubekata.grading.show import difference, show

# Hypothesis also draws constants from the modules that happen to be imported. The same seed has to give the same
# examples in every process, so it may not look.
if hasattr(providers, "is_local_module_file"):
    providers.is_local_module_file = lambda _path: False

_QUIET = hypothesis.settings(
    database=None,
    deadline=None,
    derandomize=False,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    suppress_health_check=list(hypothesis.HealthCheck),
    verbosity=hypothesis.Verbosity.quiet,
)


class _Enough(BaseException):
    """Leaves hypothesis at once: as many examples as were wanted have been compared."""


class _Stop(BaseException):
    """Leaves hypothesis at once: a submission that hangs or dies is not worth shrinking."""

    def __init__(self, failure: CheckFailed | NoAnswer) -> None:
        super().__init__()
        self.failure = failure


def compare(
    subject: Callable[..., Any],
    reference: Callable[..., Any],
    strategy: Any,
    *,
    seed: int,
    show_arguments: Callable[..., str] | None,
    max_examples: int,
    enough: int,
    shrink: bool = True,
    equal: Callable[[Any, Any], bool],
    why: str,
) -> None:
    """Raise CheckFailed with the smallest arguments found on which the two differ, if there are any.

    Only the first `enough` of the `max_examples` are compared. To ask hypothesis for fewer would get others: what it
    generates depends on how many it is asked for.
    Exceptions count as equal when the reference's class is among the submission's.
    """
    phases = _QUIET.phases if shrink else (hypothesis.Phase.generate,)
    comparison = _Comparison(subject, reference, show_arguments, equal, why)
    compared = 0

    @hypothesis.seed(seed)
    @hypothesis.settings(_QUIET, max_examples=max_examples, phases=phases)
    @hypothesis.given(strategy)
    def check(example: Any) -> None:
        nonlocal compared
        if compared == enough and comparison.smallest is None:
            raise _Enough
        compared += 1
        comparison.check(example)

    try:
        check()
    except _Enough:
        return
    except _Stop as stop:
        raise stop.failure from None
    except CheckFailed as failure:
        raise comparison.smallest or failure from None
    except Flaky:
        raise comparison.two_faced() from None


class _Comparison:
    """One submission's function beside the reference's, and the last arguments that told them apart."""

    def __init__(
        self,
        subject: Callable[..., Any],
        reference: Callable[..., Any],
        show_arguments: Callable[..., str] | None,
        equal: Callable[[Any, Any], bool],
        why: str,
    ) -> None:
        self.smallest: CheckFailed | None = None
        self._subject = subject
        self._reference = reference
        self._show = show_arguments
        self._equal = equal
        self._why = why

    def check(self, example: Any) -> None:
        """Compare on one example. Raises CheckFailed."""
        args: tuple[Any, ...] = () if isinstance(example, dict) else tuple(example)
        kwargs: dict[str, Any] = dict(example) if isinstance(example, dict) else {}
        wanted, error = self._ask_reference(args, kwargs)
        expected = f"raises {type(error).__name__}" if error else show(wanted)
        try:
            got = self._difference(self._subject(*args, **kwargs), wanted, error)
        except SubmissionRaised as raised:
            got = "" if error and type(error).__name__ in raised.bases else raised_text(raised)
        except NoAnswer as failure:
            failure.given, failure.expected = self._given(args, kwargs), expected
            if failure.final:
                raise _Stop(failure) from None
            got = str(failure)
        if got:
            self.smallest = CheckFailed(
                got, given=self._given(args, kwargs), expected=expected, why=self._why
            )
            raise self.smallest

    def two_faced(self) -> CheckFailed:
        """The failure of a submission that answers the same question in two ways."""
        if self.smallest is None:
            raise HostFault("a strategy of a hidden test gives different examples for the same seed")
        return CheckFailed(
            self.smallest.got,
            given=self.smallest.given,
            expected=self.smallest.expected,
            why="the same arguments get different answers: something is kept from one call to the next",
        )

    def _difference(self, actual: Any, wanted: Any, error: Exception | None) -> str:
        if error is not None:
            return f"returned {show(actual)}"
        return "" if self._equal(actual, wanted) else difference(actual, wanted)

    def _ask_reference(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Exception | None]:
        args, kwargs = copy.deepcopy((args, kwargs))
        try:
            return self._reference(*args, **kwargs), None
        except Exception as error:
            return None, error

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        if self._show is not None:
            return self._show(kwargs) if kwargs else self._show(*args)
        parts = [show(value) for value in args] + [f"{name}={show(value)}" for name, value in kwargs.items()]
        return f"{getattr(self._reference, '__name__', 'called with')}({', '.join(parts)})"
