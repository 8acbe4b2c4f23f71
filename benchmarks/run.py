"""Where the speed budget stands, as ratios from one run:

    python benchmarks/run.py

Every number is the median of several whole processes with warm files, the two sides of a ratio taken in turn, so
that a busy machine slows both. Exits with 1 when a budget is exceeded.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GRADER = [sys.executable, str(ROOT / "grader.py")]
SOLUTION = ROOT / "reference/kata-05-surge-stepping/solution.py"

ROUNDS = 9
KATAS_OF_ALL = 6  # enough to keep the cores busy
MEGABYTE = 1024 * 1024
SLOWEST_GRADE = 1.5  # times a bare pytest with as many trivial tests
SLOWEST_IMPORT_MS = 100
MOST_MEMORY_MB = 150

sys.path.insert(0, str(ROOT))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # files are not warm without their bytecode


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measures = [
            lambda: grade_against_pytest(Path(folder)),
            import_time,
            peak_memory,
            lambda: all_cores(Path(folder)),
        ]
        within = [told(measure()) for measure in measures]
    sys.exit(0 if all(within) else 1)


def told(result: tuple[str, bool]) -> bool:
    """Print a result as soon as it is there; whether it is within its budget."""
    line, within = result
    print(line, flush=True)
    return within


def grade_against_pytest(folder: Path) -> tuple[str, bool]:
    """A passing kata-05 against a bare pytest that runs as many tests which do nothing."""
    grade = [*GRADER, "kata-05", "--file", str(SOLUTION)]
    document = json.loads(subprocess.run([*grade, "--json"], capture_output=True, check=True).stdout)
    count = sum(len(item["tests"]) for item in document["rubric"])
    trivial = folder / "test_trivial.py"
    trivial.write_text("".join(f"def test_{number}():\n    assert True\n" for number in range(count)))
    bare = [sys.executable, "-m", "pytest", "-q", trivial.name]
    graded, baseline = in_turn(lambda: run(grade), lambda: run(bare, cwd=folder))
    ratio = graded / baseline
    line = (
        f"grade kata-05 ({count} tests)   {graded * 1000:6.0f} ms   {ratio:4.2f} x bare pytest "
        f"({baseline * 1000:.0f} ms), budget {SLOWEST_GRADE}"
    )
    return line, ratio <= SLOWEST_GRADE


def import_time() -> tuple[str, bool]:
    """`import kubekata`, less the start of Python itself."""
    imported, empty = in_turn(
        lambda: run([sys.executable, "-c", "import kubekata"]), lambda: run([sys.executable, "-c", "pass"])
    )
    milliseconds = (imported - empty) * 1000
    return (
        f"import kubekata            {milliseconds:6.0f} ms   budget {SLOWEST_IMPORT_MS} ms",
        milliseconds < SLOWEST_IMPORT_MS,
    )


def peak_memory() -> tuple[str, bool]:
    """The largest process of a grade: the grader, or one that runs the submission."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    grade = [*GRADER, "kata-05", "--file", str(SOLUTION)]
    done = subprocess.run([sys.executable, "-c", code, *grade], capture_output=True, text=True, check=True)
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    megabytes = int(done.stdout) * unit / MEGABYTE
    return (
        f"peak memory                {megabytes:6.0f} MB   budget {MOST_MEMORY_MB} MB",
        megabytes < MOST_MEMORY_MB,
    )


def all_cores(folder: Path) -> tuple[str, bool]:
    """`all` on every core against the same on one, over a copy with some katas, solved by their references."""
    if not hasattr(os, "sched_setaffinity"):
        return "grade all                  one core cannot be told from many on this system", True
    clone = folder / "clone"
    no_bytecode = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "kubekata", clone / "kubekata", ignore=no_bytecode)
    shutil.copy(ROOT / "grader.py", clone)
    for name in sorted(path.parent.name for path in (ROOT / "katas").glob("kata-*/kata.toml"))[:KATAS_OF_ALL]:
        for part in ("katas", "reference"):
            shutil.copytree(ROOT / part / name, clone / part / name, ignore=no_bytecode)
        shutil.copy(clone / "reference" / name / "solution.py", clone / "katas" / name / "kata.py")
    everything = [sys.executable, "grader.py", "all"]
    cores = len(os.sched_getaffinity(0))
    one = min(os.sched_getaffinity(0))
    many, single = in_turn(
        lambda: run(everything, cwd=clone),
        lambda: run(everything, cwd=clone, cores={one}),
        rounds=3,
    )
    speedup = single / many
    line = (
        f"grade all ({KATAS_OF_ALL} katas)        {many * 1000:6.0f} ms   "
        f"{speedup:4.2f} x as fast on {cores} cores as on one"
    )
    return line, cores == 1 or speedup > 1


def in_turn(
    first: Callable[[], float], second: Callable[[], float], *, rounds: int = ROUNDS
) -> tuple[float, float]:
    """The medians of two things measured in turn, after one unmeasured round of each."""
    first(), second()
    pairs = [(first(), second()) for _ in range(rounds)]
    return statistics.median(one for one, _ in pairs), statistics.median(two for _, two in pairs)


def run(command: Sequence[str], cwd: Path | None = None, cores: set[int] | None = None) -> float:
    """The seconds that a process takes from start to end. It has to end with status 0."""
    restrict = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    start = time.perf_counter()
    subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        preexec_fn=restrict,
    )
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
