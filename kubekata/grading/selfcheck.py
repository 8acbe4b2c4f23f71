"""The gate for whoever writes katas: does every kata tell right from wrong, and say so?"""

from collections.abc import Sequence

import msgspec

from kubekata.grading.catalog import Kata, Project
from kubekata.grading.run import Progress


class Finding(msgspec.Struct, frozen=True):
    """Something that a kata has wrong: where it is, and what to mend. One line."""

    kata: str
    subject: str
    message: str


class SelfcheckReport(msgspec.Struct, frozen=True):
    """What was looked at and what was found; no findings is a pass."""

    katas: tuple[str, ...]
    checks: int
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether every kata is fit for learners."""
        return not self.findings


def run_selfcheck(
    project: Project, katas: Sequence[Kata] | None = None, *, on_progress: Progress | None = None
) -> SelfcheckReport:
    """Check the given katas, by default all of the project's, on every core."""
    raise NotImplementedError
