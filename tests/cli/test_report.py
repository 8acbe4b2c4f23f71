"""Renderers: from a result to what a person reads."""

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from rich.text import Text

from kubekata.grading.result import (
    Coverage,
    HiddenTestResult,
    KataResult,
    Problem,
    Trace,
    TraceStep,
    combine,
)
from kubekata.report import chart, look, overview, selfcheck, terminal
from kubekata.report.look import ASCII, UNICODE, Look
from tests.cli.results import BROKEN, FAILING, PASSING, STUB

GOLDEN = Path(__file__).parent / "golden"
ADVICE = 'make "Availability floor" hold.'


def colored(text: Text) -> str:
    out = io.StringIO()
    Console(file=out, force_terminal=True, color_system="standard", width=80).print(text, soft_wrap=True)
    return out.getvalue()


def first_failure(**changes: object) -> KataResult:
    """FAILING with its first failed test changed."""
    floor = FAILING.rubric[1]
    test = msgspec.structs.replace(floor.tests[0], **changes)
    item = msgspec.structs.replace(floor, tests=(test,))
    return msgspec.structs.replace(FAILING, rubric=(item,))


class TestGraded:
    def test_golden(self) -> None:
        """The whole report, as docs and people know it."""
        assert terminal.graded(FAILING, Look(), ADVICE).plain + "\n" == (GOLDEN / "failing.txt").read_text()

    def test_colors_say_what_the_symbols_say(self) -> None:
        text = colored(terminal.graded(FAILING, Look()))
        assert "\x1b[32m✓" in text
        assert "\x1b[31m✗" in text

    def test_ascii_has_nothing_else(self) -> None:
        """Where the encoding has no symbols, there are plain ones, also for what the texts bring."""
        result = first_failure(why="8 ≥ 7 – so “no”")
        text = terminal.graded(result, Look(glyphs=ASCII)).plain
        assert text.isascii()
        assert '8 >= 7 - so "no"' in text

    @pytest.mark.parametrize("width", [40, 60, 80, 120])
    def test_fits_the_width(self, width: int) -> None:
        lines = terminal.graded(FAILING, Look(width=width), ADVICE).plain.splitlines()
        charts = ("│", "floor 8")  # a chart has a least width
        words = [line for line in lines[1:] if not any(mark in line for mark in charts)]
        assert max(len(line) for line in words) <= max(width, 62)

    def test_passed(self) -> None:
        text = terminal.graded(PASSING, Look(), "kata-06").plain
        assert text.endswith("Score 100 of 100: passed.\nNext: kata-06")

    def test_says_what_kept_it_apart(self) -> None:
        """Whoever trusts the score sees how it came about; a file that never ran was kept apart from nothing."""
        sandboxed = msgspec.structs.replace(PASSING, isolation="bubblewrap")
        assert "Isolation: bubblewrap.\nScore 100" in terminal.graded(sandboxed, Look()).plain
        assert (
            "Isolation: bubblewrap and process.\n"
            in terminal.graded_many(combine((PASSING, sandboxed)), Look()).plain
        )
        assert "Isolation" not in terminal.graded(STUB, Look()).plain

    def test_coverage(self) -> None:
        result = msgspec.structs.replace(PASSING, coverage=Coverage(87.5, (4, 9, 10, 11)))
        assert "88% of the file ran; not line 4, 9-11." in terminal.graded(result, Look()).plain
        result = msgspec.structs.replace(PASSING, coverage=Coverage(100.0))
        assert "Every line of the file ran (100%)." in terminal.graded(result, Look()).plain

    def test_a_file_that_does_not_work_is_one_block(self) -> None:
        text = terminal.graded(BROKEN, Look()).plain
        assert text == (
            "kata-05 Surge stepping · mine.py\n\n"
            "✗ line 3: found `nxt_step`, expected `next_step`\n"
            "       3 │ def nxt_step(rollout):\n"
            "  Cure      rename the function\n\n"
            "Score 0 of 100, not passed: the file does not work yet."
        )

    def test_a_remark_does_not_hide_the_rubric(self) -> None:
        remark = Problem("prints", "it prints its answer", fatal=False)
        text = terminal.graded(msgspec.structs.replace(FAILING, problems=(remark,)), Look()).plain
        assert "! it prints its answer" in text
        assert "Fenceposts" in text

    def test_a_stub_is_not_a_failure(self) -> None:
        text = terminal.graded(STUB, Look()).plain
        assert "Not started" in text
        assert "✗" not in text

    def test_a_missing_must_is_named(self) -> None:
        result = msgspec.structs.replace(FAILING, score=90)
        last = terminal.graded(result, Look()).plain.splitlines()[-1]
        assert last == 'Score 90 of 100, not passed: "Availability floor" and "Always ends" are musts.'

    def test_the_first_failures_in_full_and_the_rest_counted(self) -> None:
        tests = tuple(HiddenTestResult(f"t{n}", "failed", given=f"case {n}", got="no") for n in range(9))
        item = msgspec.structs.replace(FAILING.rubric[1], tests=tests)
        result = msgspec.structs.replace(FAILING, rubric=(item, FAILING.rubric[2]))
        text = terminal.graded(result, Look()).plain
        assert "case 1" in text
        assert "case 2" not in text
        assert "the unhealthy one" in text, "each item shows one failure before any shows a second"
        assert "8 more tests failed; --verbose shows every one." in text
        full = terminal.graded(result, Look(verbose=True)).plain
        assert "case 8" in full
        assert "--verbose" not in full

    def test_what_was_printed_is_capped(self) -> None:
        result = first_failure(stdout="\n".join(f"line {n}" for n in range(100)))
        text = terminal.graded(result, Look()).plain
        assert "… 92 more lines" in text
        assert "line 99" in terminal.graded(result, Look(verbose=True)).plain

    @pytest.mark.parametrize("field", ["got", "stdout", "given", "why", "expected"])
    def test_nothing_in_a_result_can_drive_the_terminal(self, field: str) -> None:
        """A submission can print escape codes; whoever reads the report does not run them."""
        nasty = "\x1b[2Jcleared\x07\x9b31m\u202eright to left\ud800\rback"
        text = colored(terminal.graded(first_failure(**{field: nasty}), Look()))
        assert "\x1b[2J" not in text
        assert not set(text) & set("\x07\x9b\u202e\ud800\r")
        assert "cleared" in text

    def test_markup_is_text(self) -> None:
        assert "[bold]x[/bold] :smile:" in colored(
            terminal.graded(first_failure(got="[bold]x[/bold] :smile:"), Look())
        )


class TestGradedMany:
    def test_a_line_for_each(self) -> None:
        results = combine((PASSING, FAILING, BROKEN, STUB))
        text = terminal.graded_many(results, Look(), "kata-05").plain
        assert text.splitlines() == [
            "✓ kata-05 Surge stepping        100 / 100",
            "✗ kata-05 Surge stepping         35 / 100   Availability floor",
            "✗ kata-05 Surge stepping          0 / 100   found `nxt_step`, expected `next_step`",
            "– kata-01 Idempotent reconcile    0 / 100   not started",
            "",
            "Isolation: process.",
            "1 of 4 passed, score 33 of 100.",
            "Next: kata-05",
        ]

    def test_verbose_is_everything(self) -> None:
        text = terminal.graded_many(combine((PASSING, FAILING)), Look(verbose=True)).plain
        assert "maxUnavailable rounds down" in text
        assert text.endswith("1 of 2 passed, score 67 of 100.")


class TestChart:
    def rows(self, trace: Trace, **changes: object) -> list[str]:
        return [row.plain for row in chart.draw(trace, Look(**changes), indent=4)]  # type: ignore[arg-type]

    def test_marks_the_step_that_went_over_the_ceiling(self) -> None:
        trace = Trace((TraceStep("a", total=3), TraceStep("b", total=5)), ceiling=4)
        assert self.rows(trace, glyphs=ASCII) == [
            "        pods, ceiling 4",
            "    a   #########   |       3",
            "  x b   ############|###    5",
        ]

    def test_without_bounds_there_is_no_guide(self) -> None:
        assert self.rows(Trace((TraceStep("a", ready=2),))) == ["        ready", "    a   ██████    2"]

    def test_no_counts_no_chart(self) -> None:
        assert self.rows(Trace((TraceStep("a"),))) == []
        assert self.rows(Trace()) == []

    def test_a_step_without_a_count_leaves_a_gap(self) -> None:
        rows = self.rows(Trace((TraceStep("a", ready=1), TraceStep("b"))))
        assert rows[-1] == "    b"

    def test_zero_floor_and_nothing_ready(self) -> None:
        rows = self.rows(Trace((TraceStep("a", ready=0, total=0),), floor=0, ceiling=0))
        assert rows[1].startswith("    a   │")

    def test_thousands_of_pods_are_scaled(self) -> None:
        trace = Trace((TraceStep("a", ready=5000, total=7500, old=5000, new=2500),), floor=5000, ceiling=7500)
        assert max(len(row) for row in self.rows(trace)) <= 80

    def test_a_long_trace_shows_the_start_and_the_break(self) -> None:
        steps = tuple(TraceStep(f"s{n}", ready=9 if n == 50 else 10) for n in range(100))
        rows = self.rows(Trace(steps, floor=10))
        assert rows[1].split()[0] == "s0"
        assert any(row.startswith("  ✗ s50") for row in rows)
        assert len(rows) < 20
        assert len(self.rows(Trace(steps, floor=10), verbose=True)) == 101

    @pytest.mark.parametrize("broken", range(0, 40, 3))
    def test_the_break_is_always_on_the_chart(self, broken: int) -> None:
        steps = tuple(TraceStep(f"s{n}", ready=9 if n == broken else 10) for n in range(40))
        assert any(row.startswith(f"  ✗ s{broken} ") for row in self.rows(Trace(steps, floor=10)))


class TestLook:
    @pytest.mark.parametrize(
        ("encoding", "glyphs"),
        [
            ("utf-8", UNICODE),
            ("ascii", ASCII),
            ("latin-1", ASCII),
            ("cp1252", ASCII),
            (None, ASCII),
            ("what", ASCII),
        ],
    )
    def test_symbols_follow_the_encoding(self, encoding: str | None, glyphs: look.Glyphs) -> None:
        assert look.glyphs_for(encoding) == glyphs

    def test_own_line_breaks_are_kept(self) -> None:
        assert Look().fold("a\n\nb", 40) == ["a", "", "b"]


class TestOverview:
    def test_table(self) -> None:
        rows = [
            overview.KataRow(
                1, "idempotent-reconcile", "Idempotent reconcile", "easy", 30, best=100, passed=True
            ),
            overview.KataRow(5, "surge-stepping", "Surge stepping", "medium", 40),
        ]
        assert overview.table(rows, Look(), "do this.").plain.splitlines() == [
            "    kata  title                 name                  level   minutes  best",
            "  ✓ 01    Idempotent reconcile  idempotent-reconcile  easy         30   100",
            "    05    Surge stepping        surge-stepping        medium       40     -",
            "",
            "1 of 2 passed.",
            "Next: do this.",
        ]

    def test_no_katas(self) -> None:
        assert "no katas" in overview.table([], Look()).plain


class TestSelfcheck:
    def test_findings(self) -> None:
        text = selfcheck.checked(2, 30, [("kata-05", "hints", "two of three")], 1.25, Look()).plain
        assert text == "✗ kata-05 hints: two of three\n2 katas, 30 checks, 1 to mend (1.2 s)."
