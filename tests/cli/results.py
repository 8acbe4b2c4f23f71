"""Hand-made results, so that renderers are tested without grading anything."""

from kubekata.grading.result import HiddenTestResult, KataResult, Problem, RubricResult, Trace, TraceStep

ROLLOUT = Trace(
    steps=(
        TraceStep("start", ready=10, total=10, old=10, new=0),
        TraceStep("scale new to 3", ready=10, total=13, old=10, new=3),
        TraceStep("scale old to 7", ready=7, total=10, old=7, new=3),
    ),
    floor=8,
    ceiling=13,
)

FAILING = KataResult(
    kata="kata-05",
    title="Surge stepping",
    submission="katas/kata-05-surge-stepping/kata.py",
    score=35,
    passed=False,
    pass_mark=80,
    rubric=(
        RubricResult(
            "fenceposts", "Fenceposts", 20, 20, must=False, tests=(HiddenTestResult("a", "passed"),)
        ),
        RubricResult(
            "floor",
            "Availability floor",
            30,
            0,
            must=True,
            tests=(
                HiddenTestResult(
                    "b",
                    "failed",
                    given="10 replicas, maxSurge 25%, maxUnavailable 25%, new pods slow to become ready",
                    expected="at least 8 pods ready after every step",
                    got="step 3: 7 ready (old 4, new 3)",
                    why="maxUnavailable rounds down: 25% of 10 is 2, not 3",
                    trace=ROLLOUT,
                    stdout="surge 3 unavailable 3\nscaling old\n",
                ),
                HiddenTestResult("c", "passed"),
            ),
        ),
        RubricResult(
            "old",
            "Old ReplicaSets",
            30,
            15,
            must=False,
            tests=(
                HiddenTestResult("d", "passed"),
                HiddenTestResult("e", "passed"),
                HiddenTestResult(
                    "f",
                    "error",
                    given="two old ReplicaSets, the younger one unhealthy",
                    expected="the unhealthy one is scaled down first",
                    got="raised KeyError: 'web-1' (line 12: pods['web-1'])",
                ),
                HiddenTestResult(
                    "g",
                    "timeout",
                    given="three old ReplicaSets",
                    expected="the oldest first",
                    got="no answer within 2 s",
                ),
            ),
        ),
        RubricResult(
            "ends",
            "Always ends",
            20,
            0,
            must=True,
            tests=(HiddenTestResult("h", "not-run", why="too many timeouts before it"),),
        ),
    ),
)

PASSING = KataResult(
    kata="kata-05",
    title="Surge stepping",
    submission="katas/kata-05-surge-stepping/kata.py",
    score=100,
    passed=True,
    pass_mark=80,
    rubric=(
        RubricResult(
            "floor", "Availability floor", 60, 60, must=True, tests=(HiddenTestResult("a", "passed"),)
        ),
        RubricResult("ends", "Always ends", 40, 40, must=True, tests=(HiddenTestResult("b", "passed"),)),
    ),
)

BROKEN = KataResult(
    kata="kata-05",
    title="Surge stepping",
    submission="mine.py",
    score=0,
    passed=False,
    pass_mark=80,
    rubric=(RubricResult("floor", "Availability floor", 100, 0, must=True),),
    problems=(
        Problem(
            "missing-entry-point",
            "found `nxt_step`, expected `next_step`",
            cure="rename the function",
            line=3,
            source="def nxt_step(rollout):",
        ),
    ),
)

STUB = KataResult(
    kata="kata-01",
    title="Idempotent reconcile",
    submission="katas/kata-01-idempotent-reconcile/kata.py",
    score=0,
    passed=False,
    pass_mark=80,
    started=False,
)
