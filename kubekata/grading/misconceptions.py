"""Known misconceptions: which of a kata's mistakes a submission behaves like.

Each mistake leaves a fingerprint: the hidden tests that it fails. They are written into `fingerprints.json` beside
the mistakes when the kata is checked (`selfcheck --write`), because finding them out takes as many grades as there
are mistakes. A fingerprint carries a digest of the files that it came from and counts only while they are the
same, so a stale one is silent and never wrong.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from kubekata.grading.catalog import Kata
from kubekata.grading.result import HiddenTestResult, RubricResult

_LENGTH = 12
_SENTENCE = re.compile(r"Misconception: (.+?)(?=\n\s*\n|\nFails:|\Z)", re.DOTALL)


class Fingerprint(msgspec.Struct, frozen=True):
    """Digests of what a mistake was (`of`), which tests failed (`fails`), and what was got in them (`got`)."""

    of: str
    fails: str
    got: str


def recognise(kata: Kata, rubric: Sequence[RubricResult]) -> str:
    """The misconception that a graded submission behaves like, as one sentence; empty when that is not clear.

    The same tests must have failed. Where several mistakes fail the same ones, what was got in them decides. Nothing
    is said about a submission for which no test passed: that one is like anything.
    """
    tests = [test for item in rubric for test in item.tests]
    if not _failed(tests) or not any(test.outcome == "passed" for test in tests):
        return ""
    known = _read(kata)
    if not known:
        return ""
    fails, got = _digests(tests)
    alike = [name for name, print_ in known.items() if print_.fails == fails]
    if len(alike) > 1:
        alike = [name for name in alike if known[name].got == got]
    if len(alike) != 1:
        return ""
    path = kata.reference / "mistakes" / alike[0]
    if not path.is_file() or known[alike[0]].of != _origin(kata, path):
        return ""
    return sentence(path)


def sentence(path: Path) -> str:
    """What the header of a mistake says about it; empty when it says nothing."""
    try:
        header = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    except (SyntaxError, ValueError):
        return ""
    match = _SENTENCE.match(header)
    return " ".join(match[1].split()) if match else ""


def fingerprints(kata: Kata, rubrics: Mapping[str, Sequence[RubricResult]]) -> str:
    """The text of `fingerprints.json`, from the rubric that each mistake earned, by the name of its file."""
    made = {}
    for name, rubric in sorted(rubrics.items()):
        fails, got = _digests([test for item in rubric for test in item.tests])
        made[name] = Fingerprint(_origin(kata, kata.reference / "mistakes" / name), fails, got)
    return msgspec.json.format(msgspec.json.encode(made), indent=1).decode() + "\n"


def is_current(kata: Kata) -> bool:
    """Whether there is a fingerprint of every mistake as the files are now."""
    known = _read(kata)
    return {path.name: _origin(kata, path) for path in kata.mistakes()} == {
        name: print_.of for name, print_ in known.items()
    }


def _read(kata: Kata) -> dict[str, Fingerprint]:
    try:
        return msgspec.json.decode(kata.fingerprints.read_bytes(), type=dict[str, Fingerprint])
    except (OSError, msgspec.DecodeError):
        return {}


def _origin(kata: Kata, mistake: Path) -> str:
    return _digest(path.read_bytes() for path in (kata.hidden_tests, kata.solution, mistake))


def _digests(tests: Sequence[HiddenTestResult]) -> tuple[str, str]:
    failed = sorted(_failed(tests), key=lambda test: test.name)
    return (
        _digest(test.name.encode() for test in failed),
        _digest(f"{test.name} {test.got}".encode() for test in failed),
    )


def _failed(tests: Iterable[HiddenTestResult]) -> list[HiddenTestResult]:
    return [test for test in tests if test.outcome not in ("passed", "not-run")]


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:_LENGTH]
