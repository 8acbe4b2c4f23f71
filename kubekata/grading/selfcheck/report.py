"""What the gate says."""

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """Something that a kata has wrong: in which file or part of it, and what to mend. One line."""

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
