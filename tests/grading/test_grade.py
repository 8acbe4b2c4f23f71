"""Grades of ordinary submissions, through the public face and with real processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kubekata.grading.catalog import Kata, Project
from kubekata.grading.effort import Effort
from kubekata.grading.many import Job, grade_jobs
from kubekata.grading.result import KataResult, Ungraded, combine, to_json
from kubekata.grading.run import CouldNotGrade, Grader, UnreadableSubmission, grade, grade_many
from tests.grading.conftest import PROJECT, REFERENCE, Grade, by_name, with_double


def test_the_reference_gets_full_marks(grader: Grader, double: Kata) -> None:
    result = grader.grade(double, double.solution)
    assert (result.score, result.passed, result.started, result.problems) == (100, True, True, ())
    assert [item.earned for item in result.rubric] == [60, 25, 15]
    assert set(by_name(result)) == {
        "test_double[3]",
        "test_double[70]",
        "test_double_any",
        "test_spread",
        "test_spread_leaves_its_argument_alone",
        "test_spread_of_many",
        "test_counter",
    }


def test_a_pass_comes_with_coverage(grader: Grader, double: Kata) -> None:
    result = grader.grade(double, double.solution)
    assert result.coverage is not None
    assert (result.coverage.percent, result.coverage.missing) == (100.0, ())


def test_lines_that_never_ran_are_named(grade: Grade) -> None:
    result = grade(with_double("if number < 0:\n    return 0\nreturn number * 2"))
    assert result.passed
    assert result.coverage is not None
    assert result.coverage.missing == (7,)


def test_coverage_of_a_failure_has_to_be_asked_for(grade: Grade) -> None:
    source = with_double("return 7")
    assert grade(source).coverage is None
    assert grade(source, coverage=True).coverage is not None


def test_the_stub_is_not_started(grader: Grader, double: Kata) -> None:
    result = grader.grade(double)
    assert (result.score, result.passed, result.started, result.problems) == (0, False, False, ())


def test_a_controller_works_on_the_graders_world(grader: Grader, keeper: Kata) -> None:
    result = grader.grade(keeper, keeper.solution)
    assert result.score == 100


def test_feedback_has_four_parts_and_the_output(grade: Grade) -> None:
    result = grade(with_double('print("got", number)\nreturn number + 3'))
    failed = by_name(result)["test_double[70]"]
    assert (failed.given, failed.expected, failed.got, failed.why) == (
        "the number 70",
        "140",
        "73",
        "twice means times two",
    )
    assert failed.outcome == "failed"
    assert failed.stdout == "got 70\n"


def test_a_must_is_earned_only_whole(grade: Grade) -> None:
    result = grade(with_double("return 6"))
    assert [item.earned for item in result.rubric] == [0, 25, 15]
    assert (result.score, result.passed) == (40, False)


def test_other_items_are_earned_in_proportion(grade: Grade) -> None:
    result = grade(
        REFERENCE.replace("return [number * by for", "numbers[:] = [number * by for").replace(
            "for number in numbers]\n", "for number in numbers]\n    return numbers\n"
        )
    )
    assert [item.earned for item in result.rubric] == [60, 16.67, 15]
    assert (result.score, result.passed) == (91, True)


def test_a_test_that_needs_another_is_not_run_without_it(grade: Grade) -> None:
    result = grade(REFERENCE.replace("return [number * by", "return [number + by"))
    test = by_name(result)["test_spread_of_many"]
    assert test.outcome == "not-run"
    assert "spread" in test.why


def test_the_trace_is_carried(grade: Grade) -> None:
    trace = by_name(grade(REFERENCE.replace("return [number * by", "return [number + by")))[
        "test_spread"
    ].trace
    assert trace is not None
    assert (trace.floor, trace.ceiling, trace.steps[0].ready) == (1, 3, 1)


def test_a_generated_difference_is_shrunk(grade: Grade) -> None:
    test = by_name(grade(with_double("return number * 2 if number < 13 else 0")))["test_double_any"]
    assert (test.given, test.expected, test.got) == ("double(13)", "26", "0")


def test_an_exception_names_the_learners_line(grade: Grade) -> None:
    test = by_name(grade(with_double('return {}["x"]')))["test_double[3]"]
    assert test.outcome == "error"
    assert test.got == "raised KeyError: 'x' (line 6: return {}[\"x\"])"


OF_THIS_TYPE = "the answer has to be of this type before its value is looked at"


@pytest.mark.parametrize(
    ("body", "got", "why"),
    [
        ("number * 2", "double returned None, expected int", "is a `return` missing?"),
        (
            "print(number * 2)",
            "double returned None, expected int",
            "print shows a value, return gives it to the caller",
        ),
        ("return number * 2.0", "double returned 6.0 (float), expected int", OF_THIS_TYPE),
        ("return True", "double returned True (bool), expected int", OF_THIS_TYPE),
        ('return "6"', "double returned '6' (str), expected int", OF_THIS_TYPE),
        ("return (number, 2)", "double returned (3, 2) (tuple), expected int", OF_THIS_TYPE),
    ],
)
def test_a_wrong_type_is_named_with_its_cure(grade: Grade, body: str, got: str, why: str) -> None:
    test = by_name(grade(with_double(body)))["test_double[3]"]
    assert (test.outcome, test.got, test.why) == ("error", got, why)


def test_no_state_survives_a_test(grade: Grade) -> None:
    result = grade(with_double("calls.append(1)\nreturn number * 2 if len(calls) == 1 else 0", "calls = []"))
    tests = by_name(result)
    assert tests["test_double[3]"].outcome == tests["test_double[70]"].outcome == "passed"
    assert tests["test_double_any"].outcome == "failed"


def test_luck_with_the_order_of_a_set_does_not_pass(grade: Grade) -> None:
    lucky = 'return number * 2 if next(iter({"a", "b", "c", "d", "e", "f"})) == FIRST else 0'
    outcomes = {
        by_name(grade(with_double(lucky, f'FIRST = "{first}"')))["test_double[3]"].outcome
        for first in "abcdef"
    }
    assert outcomes == {"failed"}


def test_subclasses_that_compare_like_their_base_are_welcome(grade: Grade) -> None:
    head = "from collections import namedtuple\nfrom enum import IntEnum\nclass Six(IntEnum):\n    SIX = 6"
    result = grade(with_double("return Six.SIX if number == 3 else number * 2", head))
    assert by_name(result)["test_double[3]"].outcome == "passed"


def test_the_same_submission_gets_the_same_messages(grade: Grade) -> None:
    source = with_double("return number * 2 if number % 7 else 1")

    def told() -> list[tuple[str, ...]]:
        return [(t.name, t.outcome, t.given, t.expected, t.got) for t in by_name(grade(source)).values()]

    assert told() == told()


def test_the_same_seed_generates_the_same_in_another_process(grade: Grade, tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text(with_double("return number * 2 if number % 91 else 1"))
    here = by_name(grade(path.read_text(), seed=3))["test_double_any"]
    (there,) = grade_jobs([Job(str(PROJECT), "double", str(path), seed=3)])
    assert not isinstance(there, str)
    assert by_name(there)["test_double_any"].given == here.given


def test_many_files_come_back_in_order(project: Project, double: Kata, keeper: Kata) -> None:
    seen: list[int] = []
    jobs = [
        Job(str(PROJECT), kata.id, str(path))
        for kata, path in (
            (double, double.submission),
            (keeper, keeper.solution),
            (double, PROJECT / "missing.py"),
            (double, double.solution),
        )
    ]
    outcomes = grade_jobs(jobs, on_progress=lambda done, _total, _label: seen.append(done))
    scores = [outcome if isinstance(outcome, str) else outcome.score for outcome in outcomes]
    assert scores[0] == 0
    assert scores[1] == 100
    assert "does not exist" in str(scores[2])
    assert scores[3] == 100
    assert seen == [1, 2, 3, 4]


def test_a_kata_that_cannot_be_graded_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    broken = copy_of_project(tmp_path)
    for kata in broken.katas:
        kata.submission.write_bytes(kata.solution.read_bytes())
    broken.find("double").hidden_tests.write_text("import no_such_module\n")
    first, second = grade_many(broken.katas)
    assert isinstance(first, Ungraded)
    assert first.kata == "kata-01"
    assert "cannot be collected" in first.reason
    assert isinstance(second, KataResult)
    assert second.score == 100
    together = combine((first, second))
    assert (together.results, together.score, together.passed) == ((second,), 100, False)
    assert together.not_graded == (first,)


def test_one_item_alone_runs_what_it_needs_and_ends_at_the_first_failure(
    grader: Grader, double: Kata
) -> None:
    (mistake,) = double.mistakes()
    asked = grader.grade(double, mistake, effort=Effort(item="double"))
    assert list(by_name(asked)) == ["test_double[3]"]
    needs = grader.grade(double, double.solution, effort=Effort(item="spread"))
    assert list(by_name(needs)) == [
        "test_spread",
        "test_spread_leaves_its_argument_alone",
        "test_spread_of_many",
    ]


def test_the_document(grader: Grader, double: Kata) -> None:
    document = json.loads(to_json(combine((grader.grade(double, double.solution, seed=4),))))
    assert set(document) == {"results", "score", "passed", "not_graded"}
    (result,) = document["results"]
    assert {
        "kata",
        "title",
        "submission",
        "score",
        "passed",
        "pass_mark",
        "rubric",
        "problems",
        "coverage",
    } <= set(result)
    assert result["seed"] == 4
    assert {"id", "title", "points", "earned", "must", "tests"} == set(result["rubric"][0])
    assert {"name", "outcome", "given", "expected", "got", "why", "seconds"} <= set(
        result["rubric"][0]["tests"][0]
    )


def test_nothing_is_printed(double: Kata) -> None:
    code = (
        "from pathlib import Path\n"
        "from kubekata.grading.catalog import Project\n"
        "from kubekata.grading.run import grade\n"
        f"k = Project(Path({str(PROJECT)!r})).find('double')\n"
        "assert grade(k, k.solution).score == 100"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (run.stdout, run.stderr) == (b"", b"")


@pytest.mark.parametrize("path", [PROJECT, PROJECT / "no-such-file.py"])
def test_what_is_no_file_is_wrong_usage(grader: Grader, double: Kata, path: Path) -> None:
    with pytest.raises(UnreadableSubmission, match=path.name):
        grader.grade(double, path)


def test_a_hidden_test_that_breaks_is_our_fault(double: Kata, tmp_path: Path) -> None:
    broken = copy_of_project(tmp_path)
    tests = broken.find("double").hidden_tests
    tests.write_text(tests.read_text().replace("counter.add(2)", "assert False"))
    with pytest.raises(CouldNotGrade, match="test_counter broke: AssertionError"):
        grade(broken.find("double"), double.solution)


def test_hidden_tests_that_do_not_import_are_our_fault(double: Kata, tmp_path: Path) -> None:
    broken = copy_of_project(tmp_path)
    broken.find("double").hidden_tests.write_text("import no_such_module\n")
    with pytest.raises(CouldNotGrade, match="cannot be collected"):
        grade(broken.find("double"), double.solution)


@pytest.mark.parametrize("name", ["hidden_tests.py", "solution.py"])
def test_what_is_missing_from_the_reference_is_one_line_of_ours(
    double: Kata, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    kata = copy_of_project(tmp_path).find("double")
    (kata.reference / name).unlink()
    with pytest.raises(CouldNotGrade, match=f"^kata-01-double: {name} is missing from [^\n]*$"):
        grade(kata, PROJECT / "reference/kata-01-double/correct/adds.py")
    assert capfd.readouterr() == ("", "")


def test_an_empty_class_in_place_of_a_function_is_a_start(grade: Grade) -> None:
    stubs = "def spread(numbers, *, by=1):\n    pass\nclass Counter:\n    pass\n"
    result = grade("class double:\n    pass\n" + stubs)
    assert result.started
    assert result.problems[0].kind == "wrong-kind"


def test_a_hidden_test_needs_a_known_rubric_item(double: Kata, tmp_path: Path) -> None:
    broken = copy_of_project(tmp_path)
    tests = broken.find("double").hidden_tests
    tests.write_text(tests.read_text().replace('@rubric("counter")', '@rubric("countre")'))
    with pytest.raises(CouldNotGrade, match="unknown rubric item 'countre'"):
        grade(broken.find("double"), double.solution)


def copy_of_project(folder: Path) -> Project:
    for path in PROJECT.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = folder / path.relative_to(PROJECT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return Project(folder)
