"""Faults that a test injects between a client and the API server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kubekata.cluster.api import ApiRequest, Verb
from kubekata.cluster.errors import ApiError
from kubekata.cluster.objects import Resource


@dataclass
class _Rule:
    """Counts the calls that fit, and acts on those numbered ``first`` to ``last`` (from 1)."""

    verb: Verb | None
    kind: str | None
    name: str | None
    subresource: str | None
    first: int
    last: float
    seen: int = field(default=0, init=False)

    def due(self, request: ApiRequest) -> bool:
        fits = (
            self.verb in (None, request.verb)
            and self.kind in (None, request.kind)
            and self.name in (None, request.name, (request.body or {}).get("metadata", {}).get("name"))
            and self.subresource in (None, request.subresource)
        )
        if not fits:
            return False
        self.seen += 1
        return self.first <= self.seen <= self.last


class Faults:
    """Rules for one user's calls. Every rule counts from the moment it is made.

    ``nth`` is the first call that is hit, from 1, and ``times`` how many in a row. A fault is ours to
    inject before or after the server acts: ``fail`` refuses and nothing happens; ``fail_after`` lets the
    write happen and loses the answer, as a ServerTimeout may.
    """

    def __init__(self) -> None:
        self._fail: list[tuple[_Rule, ApiError]] = []
        self._fail_after: list[tuple[_Rule, ApiError]] = []
        self._before: list[tuple[_Rule, Callable[[], object]]] = []
        self._stale: list[tuple[_Rule, int]] = []
        self._slow: list[tuple[_Rule, float]] = []

    def fail(
        self,
        error: ApiError,
        verb: Verb | None = None,
        kind: type[Resource] | None = None,
        *,
        name: str | None = None,
        subresource: str | None = None,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Refuse calls with ``error``; nothing happens to the object."""
        self._fail.append(
            (_rule(verb, kind, name=name, subresource=subresource, nth=nth, times=times), error)
        )

    def fail_after(
        self,
        error: ApiError,
        verb: Verb | None = None,
        kind: type[Resource] | None = None,
        *,
        name: str | None = None,
        subresource: str | None = None,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Carry the call out, then answer with ``error`` all the same."""
        self._fail_after.append(
            (_rule(verb, kind, name=name, subresource=subresource, nth=nth, times=times), error)
        )

    def before(
        self,
        action: Callable[[], object],
        verb: Verb | None = None,
        kind: type[Resource] | None = None,
        *,
        name: str | None = None,
        subresource: str | None = None,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Run ``action`` just before a call is carried out: another writer who gets in between."""
        self._before.append(
            (_rule(verb, kind, name=name, subresource=subresource, nth=nth, times=times), action)
        )

    def stale_reads(
        self,
        version: int,
        verb: Verb = "get",
        kind: type[Resource] | None = None,
        *,
        name: str | None = None,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Answer reads as the store was at an earlier resource version (a cache that lags behind)."""
        self._stale.append((_rule(verb, kind, name=name, nth=nth, times=times), version))

    def slow(
        self,
        seconds: float,
        verb: Verb | None = None,
        kind: type[Resource] | None = None,
        *,
        name: str | None = None,
        nth: int = 1,
        times: float = 1,
    ) -> None:
        """Let the clock run ``seconds`` while a call is on its way."""
        self._slow.append((_rule(verb, kind, name=name, nth=nth, times=times), seconds))

    def clear(self) -> None:
        """Forget all rules."""
        for rules in (self._fail, self._fail_after, self._before, self._stale, self._slow):
            rules.clear()

    def delay(self, request: ApiRequest) -> float:
        """Seconds that this call takes."""
        return sum(seconds for rule, seconds in self._slow if rule.due(request))

    def run_before(self, request: ApiRequest) -> None:
        """Let the other writers in."""
        for rule, action in list(self._before):
            if rule.due(request):
                action()

    def refusal(self, request: ApiRequest) -> ApiError | None:
        """The error to answer with instead of acting."""
        return _first_due(self._fail, request)

    def lost_answer(self, request: ApiRequest) -> ApiError | None:
        """The error to answer with after acting."""
        return _first_due(self._fail_after, request)

    def stale_version(self, request: ApiRequest) -> int | None:
        """The resource version to read at, if this read is stale."""
        # Every rule must count the call, so all of them are asked.
        due = [version for rule, version in self._stale if rule.due(request)]
        return due[0] if due else None


def _rule(
    verb: Verb | None,
    kind: type[Resource] | None,
    *,
    name: str | None,
    nth: int,
    times: float,
    subresource: str | None = None,
) -> _Rule:
    return _Rule(verb, kind.kind if kind else None, name, subresource, nth, nth + times - 1)


def _first_due(rules: list[tuple[_Rule, ApiError]], request: ApiRequest) -> ApiError | None:
    due = [error for rule, error in rules if rule.due(request)]
    return due[0] if due else None
