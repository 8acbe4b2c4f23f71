"""Remembering what the learner's own files were graded with. The verdict is on the screen by then."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubekata.commands.progress import recall, remember

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.practice.attempts import Attempt
    from kubekata.practice.store import Store


@dataclasses.dataclass(frozen=True)
class Own:
    """A learner's own file, read before it is graded: what is remembered is what was there then."""

    kata: Kata
    text: str


def own_file(kata: Kata, path: Path | None) -> Own | None:
    """The file as progress, or None for a file of somebody else's: a candidate's, the reference, a mistake.

    None too for one that cannot be read, which grading is about to say.
    """
    from kubekata.grading.problems import UnreadableSubmission
    from kubekata.practice import files

    if path is not None and not _is_same(path, kata.submission):
        return None
    try:
        return Own(kata, files.own(kata))
    except UnreadableSubmission:
        return None


def with_hints(result: KataResult, own: Own | None) -> KataResult:
    """The result with how many hints were used, in the running mock of this kata or in practice."""
    if own is None:
        return result
    import msgspec

    from kubekata.practice import hints, mocks

    count = recall(
        own.kata.project,
        lambda store: hints.used(store, result.kata, mock=mocks.running_on(store, result.kata)),
    )
    return msgspec.structs.replace(result, hints=count or 0)


def record(graded: Sequence[tuple[KataResult, Own | None]]) -> list[Attempt]:
    """Remember grades of the learner's own files. A stub that nobody has touched is no attempt."""
    owned = [(result, own) for result, own in graded if own is not None]
    if not owned:
        return []
    return remember(owned[0][1].kata.project, lambda store: _record(store, owned)) or []


def _record(store: Store, owned: Sequence[tuple[KataResult, Own]]) -> list[Attempt]:
    from kubekata.practice import attempts, mocks, stub

    made = []
    for result, own in owned:
        if result.started:
            mock = mocks.running_on(store, result.kata)
            made.append(attempts.record(store, result, own.text, mock=mock))
        else:
            stub.remember(store, own.kata)
    return made


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False
