"""Comparing a submission with the reference on generated inputs, down to the smallest that tells them apart."""

import copy
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers

from kubekata.grading.host.errors import NoAnswer, SubmissionRaised
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
    equal: Callable[[Any, Any], bool],
    why: str,
) -> None:
    """Raise CheckFailed with the smallest arguments found on which the two differ, if there are any.

    Exceptions count as equal when the reference's class is among the submission's.
    """
    smallest: list[CheckFailed] = []

    def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        if show_arguments is not None:
            return show_arguments(*args, **kwargs)
        parts = [show(value) for value in args] + [f"{name}={show(value)}" for name, value in kwargs.items()]
        return f"{getattr(reference, '__name__', 'called with')}({', '.join(parts)})"

    @hypothesis.seed(seed)
    @hypothesis.settings(_QUIET, max_examples=max_examples)
    @hypothesis.given(strategy)
    def check(example: Any) -> None:
        args: tuple[Any, ...] = () if isinstance(example, dict) else tuple(example)
        kwargs: dict[str, Any] = dict(example) if isinstance(example, dict) else {}
        wanted, wanted_error = _call_reference(reference, args, kwargs)
        expected = f"raises {type(wanted_error).__name__}" if wanted_error else show(wanted)
        got = ""
        try:
            actual = subject(*args, **kwargs)
            if wanted_error is not None:
                got = f"returned {show(actual)}"
            elif not equal(actual, wanted):
                got = difference(actual, wanted)
        except SubmissionRaised as raised:
            if wanted_error is None or type(wanted_error).__name__ not in raised.bases:
                got = raised_text(raised)
        except NoAnswer as failure:
            failure.given = given(args, kwargs)
            failure.expected = expected
            if failure.final:
                raise _Stop(failure) from None
            got = str(failure)
        if got:
            smallest[:] = [CheckFailed(got, given=given(args, kwargs), expected=expected, why=why)]
            raise smallest[0]

    try:
        check()
    except _Stop as stop:
        raise stop.failure from None
    except CheckFailed:
        raise smallest[0] from None
    except Flaky:
        # The last difference is as true as any: the submission answers the same question in two ways.
        raise CheckFailed(
            smallest[0].got,
            given=smallest[0].given,
            expected=smallest[0].expected,
            why="the same arguments get different answers: something is kept from one call to the next",
        ) from None


def _call_reference(
    reference: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Exception | None]:
    args, kwargs = copy.deepcopy((args, kwargs))
    try:
        return reference(*args, **kwargs), None
    except Exception as error:  # noqa: BLE001 - what it raises is what the submission has to raise
        return None, error
