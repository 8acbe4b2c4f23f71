"""The visible examples: they pass on the reference and fail on the stub."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kubekata.grading.catalog import Kata
from kubekata.grading.many import available_processors
from kubekata.grading.selfcheck.report import Finding

SUBMISSION_VARIABLE = "KUBEKATA_SUBMISSION"

_PASSED, _FAILED = 0, 1


def check(stubs: Mapping[Kata, Path], on_done: Callable[[int, str], None]) -> list[Finding]:
    """Run every kata's examples twice, on the reference and on its stub, several at a time."""
    runs = [
        run
        for kata, stub in stubs.items()
        if kata.examples.is_file()
        for run in ((kata, kata.solution, _PASSED), (kata, stub, _FAILED))
    ]
    findings = []
    with ThreadPoolExecutor(available_processors()) as pool:
        endings = pool.map(lambda run: _run(run[0], run[1]), runs)
        for number, ((kata, path, wanted), (status, last)) in enumerate(
            zip(runs, endings, strict=True), start=1
        ):
            on_done(number, kata.id)
            if status != wanted:
                what = (
                    f"pass on {path.name}"
                    if wanted == _PASSED
                    else f"fail on the stub {kata.submission.name}"
                )
                findings.append(Finding(kata.id, "test_examples.py", f"does not {what}: {last}"))
    return findings


def _run(kata: Kata, submission: Path) -> tuple[int, str]:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", str(kata.examples)],
        cwd=kata.project.root,
        env=os.environ | {SUBMISSION_VARIABLE: str(submission)},
        capture_output=True,
        check=False,
        text=True,
    )
    lines = run.stdout.strip().splitlines() or run.stderr.strip().splitlines() or [""]
    return run.returncode, lines[-1]
