"""What a learner reads in the terminal after grading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from kubekata.report import chart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubekata.grading.result import (
        Coverage,
        HiddenTestResult,
        KataResult,
        Problem,
        Results,
        RubricResult,
    )
    from kubekata.report.look import Look

_INDENT = 2
_LABEL_ROOM = 10
_FULL_TESTS = 3
_PART_LINES = 8
_PRINTED_LINES = 8


def graded(result: KataResult, look: Look, next_step: str = "") -> Text:
    """The verdict on one submission: rubric, what failed and why, the score, what to do next."""
    blocks = [_heading(result, look)]
    if not result.started and not result.problems:
        blocks.append(Text("Not started: the file is still the stub that the kata came with.", "yellow"))
    blocks += [_problem(problem, look) for problem in result.problems]
    if any(item.tests for item in result.rubric):
        blocks.append(_rubric(result, look))
    if result.started:
        blocks += _failures(result, look)
    if result.misconception:
        blocks.append(_misconception(result, look))
    blocks.append(_verdict(result, look, next_step))
    return _join(blocks, "\n\n")


def graded_many(results: Results, look: Look, next_step: str = "") -> Text:
    """A line for each of several katas; in full, one after the other, when verbose."""
    if look.verbose:
        reports = [graded(result, look) for result in results.results]
        return _join([*reports, _total(results, look, next_step)], "\n\n")
    names = [f"{result.kata} {look.clean(result.title)}" for result in results.results]
    room = max(len(name) for name in names)
    lines = []
    for name, result in zip(names, results.results, strict=True):
        line = _symbol(_state(result), look)
        line.append(f" {name.ljust(room)}  {result.score:>3} / 100")
        line.append(f"   {look.clean(_remark(result))}", "dim")
        line.rstrip()
        lines.append(line)
    return _join([_join(lines), _total(results, look, next_step)], "\n\n")


def coverage_line(coverage: Coverage) -> str:
    """How much of the submission ran, with the lines that did not as ranges."""
    if not coverage.missing:
        return f"Every line of the file ran ({coverage.percent:.0f}%)."
    return f"{coverage.percent:.0f}% of the file ran; not line {_ranges(coverage.missing)}."


def isolation_line(results: Sequence[KataResult]) -> str:
    """What kept the submissions apart from the grader, and from the rest of the machine."""
    levels = sorted({result.isolation for result in results})
    return f"Isolation: {' and '.join(levels)}."


def _heading(result: KataResult, look: Look) -> Text:
    text = Text(f"{result.kata} {look.clean(result.title)}", "bold")
    text.append(f"{look.glyphs.separator}{look.clean(result.submission)}", "not bold dim")
    return text


def _problem(problem: Problem, look: Look) -> Text:
    symbol, style = (look.glyphs.failed, "red") if problem.fatal else (look.glyphs.remark, "yellow")
    text = Text.assemble((f"{symbol} ", style))
    where = f"line {problem.line}: "
    if not problem.line or problem.message.startswith(where):
        where = ""
    text.append("\n  ".join(look.fold(where + problem.message, look.width - 2)), "bold")
    if problem.line and problem.source:
        text.append(f"\n  {problem.line:>6} {look.glyphs.guide} ", "dim")
        text.append(look.clean(problem.source.rstrip())[: look.width - 11])
    if problem.cure:
        text.append("\n")
        text.append_text(_part("Cure", problem.cure, look))
    return text


def _rubric(result: KataResult, look: Look) -> Text:
    titles = [_title(item, look) for item in result.rubric]
    room = max(len(title) for title in titles)
    lines = []
    for title, item in zip(titles, result.rubric, strict=True):
        line = Text(" " * _INDENT)
        line.append_text(_symbol(_item_state(item), look))
        line.append(f" {title.ljust(room)}  {_points(item.earned):>4} / {item.points:<2}")
        line.append(f"   {_count(item)}", "dim")
        line.rstrip()
        lines.append(line)
    return _join(lines)


def _failures(result: KataResult, look: Look) -> Iterator[Text]:
    """Some failed tests in full, the rest counted; then a line for each item that was not run."""
    chosen = _worth_showing(result.rubric, look)
    for item in result.rubric:
        tests = [test for test in _failed_tests([item]) if test in chosen]
        if tests:
            yield _join([_item_heading(item, look), _join([_test(test, look) for test in tests], "\n\n")])
    left_out = len(_failed_tests(result.rubric)) - len(chosen)
    if left_out:
        tests_failed = "1 more test" if left_out == 1 else f"{left_out} more tests"
        yield Text(f"{tests_failed} failed; --verbose shows every one.", "dim")
    for item in result.rubric:
        if item.tests and _item_state(item) == "not-run":
            yield _join([_item_heading(item, look), _part("Not run", _why_not_run(item), look)])


def _worth_showing(items: Sequence[RubricResult], look: Look) -> list[HiddenTestResult]:
    """One failed test of each item before a second one of any, and those of a must before others."""
    ranked = [
        (rank, not item.must, test) for item in items for rank, test in enumerate(_failed_tests([item]))
    ]
    ranked.sort(key=lambda entry: entry[:2])
    return [test for _, _, test in ranked[: None if look.verbose else _FULL_TESTS]]


def _item_heading(item: RubricResult, look: Look) -> Text:
    text = _symbol(_item_state(item), look)
    must = ", must" if item.must else ""
    text.append(f" {look.clean(item.title)} ", "bold")
    text.append(f"({item.points} points{must})")
    return text


def _test(test: HiddenTestResult, look: Look) -> Text:
    parts = [
        _part(label, words, look, style)
        for label, words, style in (
            ("Given", test.given, ""),
            ("Expected", test.expected, "green"),
            ("Got", test.got or test.outcome, "red"),
            ("Why", test.why, ""),
        )
        if words
    ]
    if test.trace and test.trace.steps:
        drawing = chart.draw(test.trace, look, indent=_INDENT + _LABEL_ROOM)
        parts += [Text(""), *drawing] if drawing else []
    if test.stdout.strip():
        lines = look.shorten(look.clean(test.stdout.strip("\n")).split("\n"), _PRINTED_LINES)
        parts += [Text(""), _labelled("Printed", [line[: look.width * 2] for line in lines], "dim")]
    return _join(parts)


def _part(label: str, words: str, look: Look, style: str = "") -> Text:
    lines = look.shorten(look.fold(words, look.width - _INDENT - _LABEL_ROOM), _PART_LINES)
    return _labelled(label, lines, style)


def _labelled(label: str, lines: Sequence[str], style: str = "") -> Text:
    text = Text(" " * _INDENT)
    text.append(label.ljust(_LABEL_ROOM), "dim")
    text.append(("\n" + " " * (_INDENT + _LABEL_ROOM)).join(lines), style)
    return text


def _misconception(result: KataResult, look: Look) -> Text:
    """What the submission behaves like; the cure is left to the learner."""
    text = Text.assemble(
        (f"{look.glyphs.remark} ", "yellow"), ("This looks like a known misconception:", "bold")
    )
    text.append("\n  " + "\n  ".join(look.fold(result.misconception, look.width - 2)))
    return text


def _verdict(result: KataResult, look: Look, next_step: str) -> Text:
    text = Text()
    if result.coverage:
        text.append(coverage_line(result.coverage) + "\n", "dim")
    if any(item.tests for item in result.rubric):
        text.append(isolation_line([result]) + "\n", "dim")
    hints = f" with {result.hints} hint{'s' if result.hints > 1 else ''}" if result.hints else ""
    text.append(f"Score {result.score} of 100{hints}", "bold")
    if result.passed:
        text.append(": passed.", "bold green")
    else:
        text.append(f", not passed: {look.clean(_why_not_passed(result))}.", "bold red")
    return _with_next_step(text, next_step, look)


def _total(results: Results, look: Look, next_step: str) -> Text:
    passed = sum(result.passed for result in results.results)
    text = Text()
    if any(item.tests for result in results.results for item in result.rubric):
        text.append(isolation_line(results.results) + "\n", "dim")
    text.append(
        f"{passed} of {len(results.results)} passed, score {results.score} of 100.",
        "bold green" if results.passed else "bold red",
    )
    return _with_next_step(text, next_step, look)


def _with_next_step(text: Text, next_step: str, look: Look) -> Text:
    if next_step:
        label = "Next: "
        text.append(f"\n{label}", "not bold dim")
        lines = look.fold(next_step, look.width - len(label))
        text.append(("\n" + " " * len(label)).join(lines), "not bold cyan")
    return text


def _why_not_passed(result: KataResult) -> str:
    if not result.started:
        return "nothing is written yet"
    if any(problem.fatal for problem in result.problems):
        return "the file does not work yet"
    broken = [item for item in result.rubric if item.must and item.earned < item.points]
    if result.score < result.pass_mark:
        return f"it takes {result.pass_mark}" + (" and every must" if broken else "")
    titles = " and ".join(f'"{item.title}"' for item in broken)
    return f"{titles} {'is a must' if len(broken) == 1 else 'are musts'}"


def _remark(result: KataResult) -> str:
    """In a list of katas, the one thing to know about a result."""
    if not result.started:
        return "not started"
    fatal = [problem for problem in result.problems if problem.fatal]
    if fatal:
        return fatal[0].message
    first = next((item for item in result.rubric if _item_state(item) != "passed"), None)
    return "" if first is None else first.title


def _state(result: KataResult) -> str:
    if result.passed:
        return "passed"
    return "failed" if result.started else "not-run"


def _item_state(item: RubricResult) -> str:
    outcomes = {test.outcome for test in item.tests}
    if outcomes - {"passed", "not-run"}:
        return "failed"
    return "passed" if outcomes == {"passed"} else "not-run"


def _symbol(state: str, look: Look) -> Text:
    if state == "passed":
        return Text.assemble((look.glyphs.passed, "green"))
    if state == "failed":
        return Text.assemble((look.glyphs.failed, "red"))
    return Text.assemble((look.glyphs.not_run, "yellow"))


def _title(item: RubricResult, look: Look) -> str:
    return look.clean(item.title) + (" (must)" if item.must else "")


def _points(earned: float) -> str:
    return f"{earned:.1f}".removesuffix(".0")


def _count(item: RubricResult) -> str:
    failed, not_run = len(_failed_tests([item])), sum(test.outcome == "not-run" for test in item.tests)
    if not failed:
        return "not run" if not_run == len(item.tests) else f"{not_run} not run" if not_run else ""
    total = f"{failed} of {len(item.tests)} test{'s' if len(item.tests) > 1 else ''} failed"
    return f"{total}, {not_run} not run" if not_run else total


def _failed_tests(items: Sequence[RubricResult]) -> list[HiddenTestResult]:
    return [test for item in items for test in item.tests if test.outcome not in ("passed", "not-run")]


def _why_not_run(item: RubricResult) -> str:
    reasons = [test.why or test.got for test in item.tests if test.outcome == "not-run"]
    return next(filter(None, reasons), "no test of this item ran").removeprefix("not run, ")


def _ranges(lines: Sequence[int]) -> str:
    """Line numbers as people write them: 3, 7-9, 12."""
    spans: list[list[int]] = []
    for line in sorted(lines):
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _join(texts: Sequence[Text], separator: str = "\n") -> Text:
    return Text(separator).join(texts)
