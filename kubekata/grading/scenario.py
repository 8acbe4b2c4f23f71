"""What one hidden test says about itself, and the checks that it makes."""

from collections.abc import Callable
from typing import Any

from kubekata.grading.host.errors import SubmissionRaised
from kubekata.grading.result import Trace, TraceStep
from kubekata.grading.show import difference, same, show


class CheckFailed(Exception):
    """A check did not hold; the parts that are empty come from the scenario."""

    def __init__(self, got: str, *, given: str = "", expected: str = "", why: str = "") -> None:
        super().__init__(got)
        self.got = str(got)
        self.given = str(given)
        self.expected = str(expected)
        self.why = str(why)


class Scenario:
    """The words of one hidden test: given, expected, why; its checks; and its trace, when it happens in steps.

    `seed` is where generated examples start, and without `shrink` a difference is told as it was found. A scenario that
    `repeats` one that has passed under another hash seed compares half as many examples.
    """

    def __init__(self, *, seed: int = 0, shrink: bool = True, repeats: bool = False) -> None:
        self._seed = seed
        self._shrink = shrink
        self._repeats = repeats
        self.given_text = ""
        self.expected_text = ""
        self.why_text = ""
        self._steps: list[TraceStep] = []
        self._floor: int | None = None
        self._ceiling: int | None = None

    def given(self, text: str) -> None:
        """State the situation, in the words of the brief."""
        self.given_text = str(text)

    def expected(self, text: str) -> None:
        """State what a right submission does."""
        self.expected_text = str(text)

    def why(self, text: str) -> None:
        """State the rule behind it, in one sentence."""
        self.why_text = str(text)

    def check(
        self, condition: object, *, got: str, expected: str | None = None, why: str | None = None
    ) -> None:
        """Go on if `condition` holds, otherwise fail the test with `got`."""
        if not condition:
            raise CheckFailed(got, expected=expected or "", why=why or "")

    def equal(
        self,
        actual: Any,
        wanted: Any,
        /,
        *,
        got: str | None = None,
        expected: str | None = None,
        why: str | None = None,
    ) -> None:
        """Go on if `actual` equals `wanted` (True is not 1 here), otherwise fail the test."""
        if not same(actual, wanted):
            raise CheckFailed(
                got or difference(actual, wanted),
                expected=expected or self.expected_text or show(wanted),
                why=why or "",
            )

    def raises(
        self,
        call: Callable[[], Any],
        type_name: str | type[BaseException],
        *,
        got: str | None = None,
        expected: str | None = None,
        why: str | None = None,
    ) -> SubmissionRaised:
        """Go on if `call` makes the submission raise that exception, or a subclass of it."""
        name = type_name if isinstance(type_name, str) else type_name.__name__
        expected = expected or self.expected_text or f"raises {name}"
        try:
            value = call()
        except SubmissionRaised as raised:
            if name in raised.bases:
                return raised
            raise CheckFailed(raised_text(raised), expected=expected, why=why or "") from raised
        raise CheckFailed(got or f"returned {show(value)}", expected=expected, why=why or "")

    def step(
        self,
        label: str,
        *,
        ready: int | None = None,
        total: int | None = None,
        old: int | None = None,
        new: int | None = None,
    ) -> None:
        """Record one step for the trace; counts are pods."""
        self._steps.append(TraceStep(label, ready=ready, total=total, old=old, new=new))

    def bounds(self, *, floor: int | None = None, ceiling: int | None = None) -> None:
        """Record what `ready` must not fall below and `total` must not pass."""
        self._floor, self._ceiling = floor, ceiling

    @property
    def trace(self) -> Trace | None:
        """What was recorded, or None."""
        return Trace(tuple(self._steps), self._floor, self._ceiling) if self._steps else None

    def agree(
        self,
        subject: Callable[..., Any],
        reference: Callable[..., Any],
        strategy: Any,
        *,
        show: Callable[..., str] | None = None,
        max_examples: int = 100,
        equal: Callable[[Any, Any], bool] | None = None,
        why: str | None = None,
    ) -> None:
        """Compare `subject` with `reference` on generated arguments; fail with the smallest that differ.

        `strategy` is a hypothesis strategy whose examples are a tuple of arguments, or a dict of named ones.
        `show` makes the text under Given; it is called with the arguments, or with the dict.
        """
        # Hypothesis takes long to import, so only a kata that compares pays for it.
        from kubekata.grading.agree import compare  # noqa: PLC0415

        compare(
            subject,
            reference,
            strategy,
            seed=self._seed,
            show_arguments=show,
            max_examples=max_examples,
            enough=(max_examples + 1) // 2 if self._repeats else max_examples,
            shrink=self._shrink,
            equal=equal or same,
            why=why or "",
        )


def raised_text(raised: SubmissionRaised) -> str:
    """An exception as the learner reads it: "raised KeyError: 'x' (line 12: pod = pods['x'])"."""
    where = f" (line {raised.line}: {raised.source})" if raised.line else ""
    return f"raised {raised}{where}"
