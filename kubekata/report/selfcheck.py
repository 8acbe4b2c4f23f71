"""What somebody who writes katas reads after `selfcheck`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.report.look import Look


def checked(
    katas: int, checks: int, findings: Sequence[tuple[str, str, str]], seconds: float, look: Look
) -> Text:
    """A line for each finding, given as (kata, what was looked at, what to mend), then how many there are."""
    lines = []
    for kata, subject, message in findings:
        line = Text.assemble((f"{look.glyphs.failed} ", "red"), (f"{kata} {look.clean(subject)}", "bold"))
        line.append(f": {look.clean(message)}")
        lines.append(line)
    number = "nothing to mend" if not findings else f"{len(findings)} to mend"
    counts = f"{katas} kata{'' if katas == 1 else 's'}, {checks} check{'' if checks == 1 else 's'}"
    total = Text(f"{counts}, {number} ({seconds:.1f} s).", "red" if findings else "green")
    return Text("\n").join([*lines, total])
