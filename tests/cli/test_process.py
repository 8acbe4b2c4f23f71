"""What a user types and gets: exit statuses, names, wrong input, pipes, colours, JSON."""

import contextlib
import json
import os
import pty
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from kubekata import __version__
from kubekata.grading.catalog import Project
from kubekata.grading.result import KataResult, Results
from tests.cli.conftest import ROOT, Grader, clean_environ, run_grader

REFERENCE = ROOT / "reference/kata-04-hpa"
SOLUTION = REFERENCE / "solution.py"
STUB = ROOT / "katas/kata-04-hpa/kata.py"
ESCAPE = "\x1b"

LOOPS = """
def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    while True: pass
"""

LOOPS_IN_KATA_05 = """
def resolve_fenceposts(max_surge, max_unavailable, replicas):
    while True: pass

def next_step(rollout):
    while True: pass
"""

NOTHING = """
def set_condition(conditions, new, now):
    pass
"""

ROUNDS_DOWN = """
def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    if target <= 0 or min_replicas > max_replicas:
        raise ValueError
    if not current:
        return 0
    ratio = value / target
    wanted = current if 1 - tolerance <= ratio <= 1 + tolerance else int(current * ratio)
    return min(max(wanted, min_replicas), max_replicas)
"""


@pytest.fixture
def mistake(tmp_path: Path) -> Path:
    path = tmp_path / "rounds_down.py"
    path.write_text(ROUNDS_DOWN)
    return path


def one_line(text: str) -> str:
    (line,) = text.splitlines()
    assert line.startswith("kubekata: ")
    assert "Traceback" not in line
    return line


class TestFileRoot:
    """A student's folder, or `reference`, graded in one go."""

    def test_grades_what_lies_in_the_folder(self, grader: Grader) -> None:
        done = grader("4", "12", "--file-root", "reference", "--json")
        assert done.returncode == 0, done.stderr
        assert [result["score"] for result in json.loads(done.stdout)["results"]] == [100, 100]

    def test_one_kata(self, grader: Grader) -> None:
        done = grader("4", "--file-root", ROOT / "reference", "--json")
        assert json.loads(done.stdout)["submission"].endswith("reference/kata-04-hpa/solution.py")

    def test_kata_py_comes_before_solution_py(self, grader: Grader, tmp_path: Path, mistake: Path) -> None:
        folder = tmp_path / "kata-04-hpa"
        folder.mkdir()
        shutil.copy(SOLUTION, folder / "solution.py")
        shutil.copy(mistake, folder / "kata.py")
        assert grader("4", "--file-root", tmp_path).returncode == 1

    def test_a_kata_that_is_missing_is_named(self, grader: Grader, tmp_path: Path) -> None:
        (tmp_path / "kata-04-hpa").mkdir()
        shutil.copy(SOLUTION, tmp_path / "kata-04-hpa/solution.py")
        done = grader("4", "5", "--file-root", tmp_path)
        assert done.returncode == 2
        line = one_line(done.stderr)
        assert "there is no" in line
        assert "kata-05-surge-stepping/kata.py, and no solution.py beside it; name the katas that are" in line

    def test_what_is_there_instead_is_said(self, grader: Grader, tmp_path: Path, mistake: Path) -> None:
        done = grader("4", "--file-root", tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "has no file of any kata asked for, such as kata-04-hpa/kata.py or solution.py." in one_line(
            done.stderr
        )
        done = grader("all", "--file-root", tmp_path / "nope")
        assert (done.returncode, done.stdout) == (2, "")
        assert "nope does not exist: give the folder that holds kata-01-" in one_line(done.stderr)
        done = grader("4", "--file-root", mistake)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is a file (--file takes those): give the folder that holds" in one_line(done.stderr)

    def test_all_passes_over_what_a_student_did_not_do(
        self, grader: Grader, tmp_path: Path, mistake: Path
    ) -> None:
        for name, file in (("kata-04-hpa", mistake), ("kata-12-status-conditions", None)):
            (tmp_path / name).mkdir()
            shutil.copy(file or ROOT / "reference" / name / "solution.py", tmp_path / name / "kata.py")
        done = grader("all", "--file-root", tmp_path, "--json")
        assert done.returncode == 1, done.stderr
        results = json.loads(done.stdout)
        assert [result["kata"] for result in results["results"]] == ["kata-04", "kata-12"]
        assert results["not_graded"] == []
        line = one_line(done.stderr)
        assert "has no kata.py or solution.py of kata-01, kata-02," in line
        assert "kata-12" not in line
        shutil.copy(SOLUTION, tmp_path / "kata-04-hpa/kata.py")
        assert grader("all", "--file-root", tmp_path).returncode == 0

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
    def test_a_folder_that_may_not_be_read(self, grader: Grader, tmp_path: Path) -> None:
        folder = tmp_path / "kata-04-hpa"
        folder.mkdir(mode=0)
        done = grader("4", "--file-root", tmp_path)
        folder.chmod(0o755)
        assert done.returncode == 2
        assert "kata-04-hpa" in one_line(done.stderr)

    def test_one_of_the_two_options(self, grader: Grader) -> None:
        done = grader("4", "--file", SOLUTION, "--file-root", "reference")
        assert done.returncode == 2
        assert "one of the two" in one_line(done.stderr)


class TestStatus:
    def test_passed_is_0(self, grader: Grader) -> None:
        done = grader("kata-04", "--file", SOLUTION)
        assert done.returncode == 0, done.stderr
        assert "Score 100 of 100: passed." in done.stdout
        assert "of the file ran" in done.stdout, "a pass says what was covered"

    def test_not_passed_is_1(self, grader: Grader, mistake: Path) -> None:
        done = grader("kata-04", "--file", mistake)
        assert done.returncode == 1, done.stderr
        assert done.stderr == ""
        for label in ("Given", "Expected", "Got", "Why"):
            assert f"\n  {label} " in done.stdout
        assert "not passed" in done.stdout
        assert "\nNext: " in done.stdout

    def test_a_stub_is_1_and_not_started(self, grader: Grader, clone: Path) -> None:
        done = run_grader(clone, "4")
        assert done.returncode == 1, done.stderr
        assert "Not started" in done.stdout
        assert "Next: read katas/kata-04-hpa/README.md and write katas/kata-04-hpa/kata.py" in done.stdout

    def test_a_broken_hidden_test_is_3_and_our_fault(self, clone: Path) -> None:
        hidden = clone / "reference/kata-04-hpa/hidden_tests.py"
        hidden.write_text("import what_is_not_there\n" + hidden.read_text())
        done = run_grader(clone, "4", "--file", SOLUTION)
        assert (done.returncode, done.stdout) == (3, "")
        assert "could not be graded, which is no fault of your code" in one_line(done.stderr)

    def test_a_broken_kata_file_keeps_no_other_kata_from_working(self, clone: Path) -> None:
        (clone / "katas/kata-04-hpa/kata.toml").write_text('number = 4\nslug = "hpa"\n')
        fault = "kata-04-hpa/kata.toml: needs title, level, minutes, summary, entry_points, rubric"
        for arguments in ((), ("list",)):
            done = run_grader(clone, *arguments)
            assert done.returncode == 0
            assert "Status conditions" in done.stdout
            assert f"{fault}: left out. `python grader.py selfcheck` says" in one_line(done.stderr)
        done = run_grader(clone, "12", "--file-root", "reference")
        assert (done.returncode, done.stderr) == (0, "")

        named = run_grader(clone, "4")
        assert (named.returncode, named.stdout) == (3, "")
        line = one_line(named.stderr)
        assert f"{fault}. Mend that; `python grader.py selfcheck kata-04` says what else" in line
        assert "no fault of your code" not in line

    def test_a_broken_kata_file_is_3_for_all(self, clone: Path) -> None:
        for kata in (clone / "katas").glob("kata-0[1-8]-*"):
            shutil.rmtree(kata)
        (clone / "katas/kata-09-bin-packing/kata.toml").write_text("number = ")
        done = run_grader(clone, "all", "--json")
        assert done.returncode == 3
        document = json.loads(done.stdout)
        assert document["results"][0]["kata"] == "kata-10"
        (ungraded,) = document["not_graded"]
        assert (ungraded["kata"], document["passed"]) == ("kata-09", False)
        assert "kata-09-bin-packing/kata.toml: Invalid value" in one_line(done.stderr)

    def test_selfcheck_says_how_a_hidden_test_asks_for_an_exception(self, clone: Path) -> None:
        hidden = clone / "reference/kata-04-hpa/hidden_tests.py"
        wrong = """

@rubric("settings")
def test_bad(submission, scenario):
    try:
        submission.desired_replicas(1, 1, 0, min_replicas=1, max_replicas=2)
    except ValueError:
        pass
"""
        hidden.write_text(hidden.read_text() + wrong)
        for rest in ("mistakes", "correct"):  # they have nothing to say here, and take their time
            shutil.rmtree(hidden.with_name(rest))
        done = run_grader(clone, "selfcheck", "4")
        assert done.returncode == 1
        found = " ".join(done.stdout.split())
        assert "test_bad (error): raised ValueError" in found
        assert "asks for an exception with `scenario.raises(…)` (CONTRIBUTING.md, step 5)" in found

    def test_selfcheck_names_what_a_new_kata_lacks(self, clone: Path) -> None:
        (clone / "katas/kata-19-new").mkdir()
        assert run_grader(clone).stderr == ""
        done = run_grader(clone, "selfcheck", "19")
        assert (done.returncode, done.stderr) == (1, "")
        assert "kata-19 kata-19-new/kata.toml: is missing" in done.stdout
        assert "1 kata, 0 checks, 1 to mend" in done.stdout
        toml = (clone / "katas/kata-12-status-conditions/kata.toml").read_text()
        renamed = toml.replace("number = 12", "number = 19").replace(
            'slug = "status-conditions"', 'slug = "new"'
        )
        (clone / "katas/kata-19-new/kata.toml").write_text(renamed)
        found = run_grader(clone, "selfcheck", "19").stdout
        for path in ("katas/kata-19-new/kata.py", "reference/kata-19-new/solution.py", "hints/kata-19.md"):
            assert f"kata-19 {path}: is missing" in found
        assert "kata-19 reference/kata-19-new/mistakes/: has 0 files" in found

    def test_a_bug_of_ours_is_3_without_a_traceback(self, clone: Path) -> None:
        (clone / "kubekata/report/terminal.py").write_text("1 / 0\n")
        done = run_grader(clone, "4", "--file", SOLUTION)
        assert (done.returncode, done.stdout) == (3, "")
        assert "a bug in kubekata, not in your code: ZeroDivisionError" in one_line(done.stderr)
        debug = run_grader(clone, "4", "--file", SOLUTION, env={"KUBEKATA_DEBUG": "1"})
        assert "Traceback" in debug.stderr

    def test_selfcheck_is_green_for_somebody_who_has_solved_the_kata(self, clone: Path) -> None:
        """Also when the solution is committed: the stub is further back in git's history."""
        git = ["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
        for arguments in (
            ["init", "-q"],
            ["add", "katas/kata-12-status-conditions"],
            ["commit", "-qm", "stub"],
        ):
            subprocess.run([*git, *arguments], cwd=clone, check=True)
        solution = clone / "reference/kata-12-status-conditions/solution.py"
        shutil.copy(solution, clone / "katas/kata-12-status-conditions/kata.py")
        subprocess.run([*git, "commit", "-qam", "solved"], cwd=clone, check=True)
        done = run_grader(clone, "selfcheck", "12")
        assert done.returncode == 0, done.stdout


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["kata-04", "4", "04", "kata-4", "hpa", "kata-04-hpa", "KATA-04", "katas/kata-04-hpa", "katas/kata-04-hpa/",
         "katas/kata-04-hpa/kata.py"],
    )  # fmt: skip
    def test_forgiving(self, grader: Grader, name: str, mistake: Path) -> None:
        done = grader(name, "--file", mistake)
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith("kata-04 ")

    def test_the_word_grade_is_optional(self, grader: Grader, mistake: Path) -> None:
        assert grader("grade", "4", "--file", mistake).stdout.startswith("kata-04 ")

    def test_options_may_come_first(self, grader: Grader, mistake: Path) -> None:
        assert grader("--no-color", "--file", mistake, "4").stdout.startswith("kata-04 ")

    def test_from_any_folder(self, grader: Grader, tmp_path: Path, mistake: Path) -> None:
        (tmp_path / "mine.py").write_text(mistake.read_text())
        done = grader("4", "--file", "mine.py", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert "mine.py" in done.stdout.splitlines()[0]

    def test_several(self, clone: Path) -> None:
        done = run_grader(clone, "4", "hpa", "5")
        assert done.returncode == 1, done.stderr
        assert [line[2:9] for line in done.stdout.splitlines()[:2]] == ["kata-04", "kata-05"]

    def test_all(self, grader: Grader) -> None:
        document = json.loads(grader("all", "--json").stdout)
        assert [result["kata"] for result in document["results"]] == [kata.id for kata in Project(ROOT).katas]


class TestWrongUsage:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["hpaa"], "no kata is called 'hpaa': did you mean kata-04?"),
            (["99"], "no kata is called '99': run `python grader.py` for the list."),
            (["4", "nope"], "no kata is called 'nope': run `python grader.py` for the list."),
            (["shwo", "5"], "no kata is called 'shwo': did you mean `python grader.py show`?"),
            (["5", "list"], "no kata is called 'list': did you mean `python grader.py list`?"),
            (["help"], "no kata is called 'help': `python grader.py --help` helps."),
            (
                ["mine.py"],
                "no kata is called 'mine.py': `python grader.py KATA --file mine.py` grades a file.",
            ),
            ([""], "no kata is called ''"),
            (["--json"], "say which kata, for example `python grader.py kata-05`"),
            (["4", "--file"], "'--file' requires an argument. See `python grader.py --help`."),
            (["4", "5", "--file", "x.py"], "--file goes with one kata, and these are 2"),
            (["4", "--jsno"], "Did you mean '--json'? See `python grader.py grade --help`."),
            (["4", "--seed", "x"], "give a whole number from 0 to 4,294,967,295, not 'x'."),
            (["4", "--seed", "-1"], "give a whole number from 0 to 4,294,967,295, not '-1'."),
            (["4", "--timeout", "0"], "a number of seconds above zero"),
            (["4", "--timeout", "nan"], "a number of seconds above zero"),
            (["4", "--timeout", "soon"], "give a number of seconds above zero, not 'soon'."),
            (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
            (["selfcheck", "hpaa"], "did you mean kata-04?"),
            (["selftest", "--bogus"], "pytest says: unrecognized arguments: --bogus."),
        ],
    )
    def test_one_line_and_2(self, grader: Grader, arguments: list[str], message: str) -> None:
        done = grader(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in one_line(done.stderr)

    def test_a_file_that_is_missing(self, grader: Grader, tmp_path: Path) -> None:
        done = grader("4", "--file", tmp_path / "nope.py")
        assert (done.returncode, done.stdout) == (2, "")
        assert "nope.py" in one_line(done.stderr)

    def test_a_folder(self, grader: Grader, tmp_path: Path) -> None:
        done = grader("4", "--file", tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        one_line(done.stderr)

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
    def test_a_file_that_may_not_be_read(self, grader: Grader, tmp_path: Path) -> None:
        path = tmp_path / "mine.py"
        path.write_text("x = 1\n")
        path.chmod(0)
        done = grader("4", "--file", path)
        assert done.returncode == 2
        one_line(done.stderr)

    def test_tests_that_are_not_there(self, grader: Grader) -> None:
        done = grader("selftest", "tests/nope.py")
        assert done.returncode == 2
        assert "file or directory not found: tests/nope.py" in one_line(done.stderr)


class TestBadFiles:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"\x00\x01\x02\xff\xfe", ""),
            ("# café\nx = 1\n".encode("latin-1"), ""),
            (b"def desired_replicas(:\n", "line 1"),
            (b"import what_is_not_there\n", "what_is_not_there"),
            (b"def desired_replica(current): return 1\n", "desired_replica"),
            (
                b"async def desired_replicas(current, value, target, *, min_replicas, max_replicas): return 1\n",
                "async",
            ),
            (b"class desired_replicas:\n    def __init__(self, current): self.current = current\n", "class"),
            (b"def desired_replicas(current): return 1\n", "value"),
            (
                b"class Solution:\n    def desired_replicas(self, current): return 1\n",
                "`desired_replicas` is inside class `Solution`",
            ),
            (
                b"def desired_replicas(current, *, value, target, min_replicas, max_replicas): return 1\n",
                "(current, *, value,",
            ),
        ],
    )
    def test_one_friendly_block_and_1(
        self, grader: Grader, tmp_path: Path, content: bytes, message: str
    ) -> None:
        path = tmp_path / "mine.py"
        path.write_bytes(content)
        done = grader("4", "--file", path)
        assert done.returncode == 1, done.stderr
        assert done.stderr == ""
        assert message in done.stdout
        assert done.stdout.count("✗") == 1
        assert "Traceback" not in done.stdout
        assert "Score 0 of 100, not passed: the file does not work yet." in done.stdout


class TestJson:
    def test_one_kata(self, grader: Grader, mistake: Path) -> None:
        done = grader("4", "--file", mistake, "--json", "--coverage", "--seed", "7")
        assert (done.returncode, done.stderr) == (1, "")
        result = msgspec.json.decode(done.stdout, type=KataResult, strict=True)
        assert (result.kata, result.passed, result.seed) == ("kata-04", False, 7)
        assert result.coverage is not None
        assert sum(item.points for item in result.rubric) == 100

    def test_the_documented_fields_are_there(self, grader: Grader, mistake: Path) -> None:
        """docs/json.md is the interface: every field of its example exists, and no other."""
        text = (ROOT / "docs/json.md").read_text()
        documented = json.loads(text.split("```json\n")[1].split("```")[0])
        document = json.loads(grader("4", "--file", mistake, "--json").stdout)
        assert list(document) == list(documented)
        item, example_item = document["rubric"][0], documented["rubric"][0]
        assert list(item) == list(example_item)
        assert list(item["tests"][0]) == list(example_item["tests"][0])

    def test_several(self, grader: Grader) -> None:
        done = grader("4", "5", "--json")
        results = msgspec.json.decode(done.stdout, type=Results, strict=True)
        assert [result.kata for result in results.results] == ["kata-04", "kata-05"]
        assert done.returncode == (0 if results.passed else 1)

    def test_a_file_that_does_not_work(self, grader: Grader, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text("def desired_replicas(:\n")
        document = json.loads(grader("4", "--file", tmp_path / "mine.py", "--json").stdout)
        (problem,) = document["problems"]
        assert (document["score"], problem["kind"], problem["line"]) == (0, "syntax-error", 1)

    @pytest.mark.parametrize("loops", ["while True: pass", "import os; os.abort()"])
    def test_a_file_that_does_not_get_loaded_names_the_line(
        self, grader: Grader, tmp_path: Path, loops: str
    ) -> None:
        (tmp_path / "mine.py").write_text(f"x = 1\n{loops}\n")
        document = json.loads(grader("4", "--file", tmp_path / "mine.py", "--json").stdout)
        (problem,) = document["problems"]
        assert (problem["kind"], problem["line"], problem["source"]) == ("load", 2, loops)

    def test_a_type_is_named_as_the_brief_names_it(self, grader: Grader, tmp_path: Path) -> None:
        source = (ROOT / "reference/kata-12-status-conditions/solution.py").read_text()
        (tmp_path / "mine.py").write_text(source.replace("def set_condition", "def _set_condition") + NOTHING)
        document = json.loads(grader("12", "--file", tmp_path / "mine.py", "--json").stdout)
        got = document["rubric"][0]["tests"][0]["got"]
        assert got.startswith("set_condition returned None, expected list[Condition]")

    def test_the_same_seed_gives_the_same_document(self, grader: Grader, mistake: Path) -> None:
        def graded() -> str:
            document = json.loads(grader("4", "--file", mistake, "--json", "--seed", "3").stdout)
            document["seconds"] = 0
            for item in document["rubric"]:
                for test in item["tests"]:
                    test["seconds"] = 0
            return json.dumps(document)

        assert graded() == graded()


class TestOutput:
    def test_a_pipe_gets_plain_text(self, grader: Grader, mistake: Path) -> None:
        assert ESCAPE not in grader("4", "--file", mistake).stdout
        assert ESCAPE not in grader().stdout

    def test_a_terminal_gets_colours_and_no_color_takes_them_away(self, mistake: Path) -> None:
        arguments = ["4", "--file", str(mistake)]
        assert ESCAPE in on_terminal(*arguments)
        assert ESCAPE not in on_terminal(*arguments, NO_COLOR="1")
        assert ESCAPE not in on_terminal(*arguments, TERM="dumb")
        assert ESCAPE not in on_terminal(*arguments, "--no-color")
        assert ESCAPE not in on_terminal("--no-color")
        assert ESCAPE in on_terminal()

    def test_an_encoding_without_symbols_gets_ascii(self, grader: Grader, mistake: Path) -> None:
        env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
        done = grader("4", "--file", mistake, env=env)
        assert done.returncode == 1, done.stderr
        assert done.stdout.isascii()
        assert "\n  x " in done.stdout

    def test_a_reader_that_leaves_is_no_error(self, mistake: Path) -> None:
        command = [sys.executable, str(ROOT / "grader.py"), "4", "--file", str(mistake)]
        with subprocess.Popen(
            command, env=clean_environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.close()
            errors = process.stderr.read()
        assert errors == b""
        assert process.returncode == 141

    @pytest.mark.parametrize(
        ("arguments", "unbuffered"),
        [
            (["4", "--file"], ""),
            (["4", "--file"], "1"),
            (["list"], ""),
            (["show", "4"], "1"),
            (["--help"], ""),
        ],
    )
    def test_a_full_disk_is_one_line(self, mistake: Path, arguments: list[str], unbuffered: str) -> None:
        """It is no bug of ours and no verdict, and what had to be done is done."""
        if not Path("/dev/full").exists():
            pytest.skip("needs /dev/full")
        words = [*arguments, str(mistake)] if "--file" in arguments else arguments
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = subprocess.run(
                [sys.executable, str(ROOT / "grader.py"), *words],
                env=clean_environ(PYTHONUNBUFFERED=unbuffered),
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 3
        line = one_line(done.stderr)
        assert line.startswith("kubekata: the output cannot be written: No space left on device.")
        assert "bug" not in line

    @pytest.mark.parametrize(
        ("closed", "module"), [("<&-", False), (">&-", False), (">&-", True), ("<&- >&- 2>&-", False)]
    )
    def test_closed_streams_are_no_error(self, mistake: Path, closed: str, module: bool) -> None:
        program = "-m kubekata" if module else "grader.py"
        line = f"'{sys.executable}' {program} 4 --file '{mistake}' {closed}"
        done = subprocess.run(
            ["sh", "-c", line], cwd=ROOT, env=clean_environ(), capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (1, "")
        assert ("Score" in done.stdout) is (">&-" not in closed.replace("2>&-", ""))

    def test_verbose_shows_every_failure(self, grader: Grader, tmp_path: Path) -> None:
        path = tmp_path / "one_too_many.py"
        path.write_text(ROUNDS_DOWN.replace("max_replicas)\n", "max_replicas) + 1\n"))
        short, full = grader("4", "--file", path), grader("4", "--file", path, "--verbose")
        assert "--verbose shows every one" in short.stdout
        assert full.stdout.count("\n  Given ") > short.stdout.count("\n  Given ") == 3


class TestInterrupt:
    @pytest.mark.parametrize("json_flag", [[], ["--json"]])
    def test_ctrl_c_is_130_and_leaves_nothing_running(self, tmp_path: Path, json_flag: list[str]) -> None:
        (tmp_path / "loops.py").write_text(LOOPS)
        arguments = ["4", "--file", str(tmp_path / "loops.py"), "--timeout", "30", *json_flag]
        with Running(ROOT, *arguments) as running:
            running.until_busy()
            os.killpg(running.process.pid, signal.SIGINT)  # as a terminal does: to everybody
            out, err = running.process.communicate(timeout=20)
            assert running.process.returncode == 130, err
            assert out == ""
            assert one_line(err) == "kubekata: interrupted: nothing was recorded."
            assert running.left_behind() == []

    def test_ctrl_c_while_grading_several(self, clone: Path) -> None:
        (clone / "katas/kata-04-hpa/kata.py").write_text(LOOPS)
        (clone / "katas/kata-05-surge-stepping/kata.py").write_text(LOOPS_IN_KATA_05)
        with Running(clone, "4", "5", "--timeout", "30") as running:
            running.until_busy()
            os.killpg(running.process.pid, signal.SIGINT)
            out, err = running.process.communicate(timeout=20)
            assert running.process.returncode == 130, err
            assert out == ""
            assert one_line(err) == "kubekata: interrupted: nothing was recorded."
            assert running.left_behind() == []

    @pytest.mark.parametrize(
        ("number", "katas"), [(signal.SIGINT, ["4"]), (signal.SIGHUP, ["4"]), (signal.SIGTERM, ["4", "5"])]
    )
    def test_ended_it_takes_its_folders_with_it(self, clone: Path, number: int, katas: list[str]) -> None:
        scratch = clone.parent / "scratch"
        scratch.mkdir()
        (clone / "katas/kata-04-hpa/kata.py").write_text(LOOPS)
        (clone / "katas/kata-05-surge-stepping/kata.py").write_text(LOOPS_IN_KATA_05)
        with Running(clone, *katas, "--timeout", "30", TMPDIR=str(scratch)) as running:
            running.until_busy()
            assert list(scratch.iterdir()) != []
            running.process.send_signal(number)
            assert running.process.wait(timeout=20) == 130
            assert running.left_behind() == []
            assert list(scratch.iterdir()) == []

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
    def test_killed_it_leaves_nothing_running(self, tmp_path: Path, number: int) -> None:
        (tmp_path / "loops.py").write_text(LOOPS)
        with Running(ROOT, "4", "--file", str(tmp_path / "loops.py"), "--timeout", "30") as running:
            running.until_busy()
            running.process.send_signal(number)
            running.process.wait(timeout=20)
            assert running.left_behind() == []


class TestOverview:
    def test_lists_every_kata_and_the_next_thing_to_do(self, grader: Grader, tmp_path: Path) -> None:
        done = grader(env={"KUBEKATA_HOME": str(tmp_path)})
        assert (done.returncode, done.stderr) == (0, "")
        for kata in Project(ROOT).katas:
            assert f" {kata.file.slug} " in done.stdout
        assert "Next: read katas/kata-" in done.stdout

    @pytest.mark.skipif(os.name == "nt", reason="there, it is `python` everywhere")
    def test_the_next_thing_to_do_can_be_typed(self, grader: Grader, tmp_path: Path) -> None:
        """Not every system has a `python`, and not everybody is in the folder of the clone."""
        environ = {"KUBEKATA_HOME": str(tmp_path), "PATH": str(tmp_path)}
        assert f"  python3 {ROOT}/grader.py open 1" in grader("next", env=environ, cwd=tmp_path).stdout
        assert "  python3 grader.py open 1" in grader("next", env=environ).stdout
        (tmp_path / "python").symlink_to(sys.executable)
        assert "  python grader.py open 1" in grader("next", env=environ).stdout

    def test_a_folder_is_its_kata(self, grader: Grader) -> None:
        done = grader("show", ".", cwd=ROOT / "katas/kata-05-surge-stepping")
        assert done.stdout.startswith("# Kata 05: Surge stepping\n")

    def test_version(self, grader: Grader) -> None:
        assert grader("--version").stdout == f"kubekata {__version__}\n"

    @pytest.mark.parametrize("flag", ["--help", "-h"])
    def test_help_has_examples(self, grader: Grader, flag: str) -> None:
        done = grader(flag)
        assert done.returncode == 0
        assert "python grader.py kata-05 --json" in done.stdout
        assert "Exit status: 0 passed" in done.stdout
        assert grader("grade", flag).stdout.startswith("Usage: python grader.py grade")

    def test_module_form(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "kubekata", "--version"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.startswith("kubekata ")

    def test_the_entry_point_can_be_executed(self) -> None:
        assert (ROOT / "grader.py").stat().st_mode & stat.S_IXUSR

    @pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["completion", "bash"]])
    def test_quick_commands_import_nothing_heavy(self, arguments: list[str]) -> None:
        """They answer at once: pytest, hypothesis and the grader's processes wait until they are needed."""
        code = (
            "import sys\nfrom kubekata.cli import run\nrun(sys.argv[1:])\n"
            "print([m for m in ('pytest', 'hypothesis', 'coverage', 'kopf', 'aiohttp') if m in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"


def on_terminal(*arguments: str, **environ: str) -> str:
    """What `python grader.py ARGUMENTS` shows on a colour terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, str(ROOT / "grader.py"), *arguments]
    env = clean_environ(**{"TERM": "xterm-256color", **environ})
    with subprocess.Popen(command, env=env, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL):
        os.close(follower)
        shown = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # the last process has closed the terminal
                break
            if not chunk:
                break
            shown += chunk
    os.close(leader)
    return shown.decode()


class Running:
    """A grade that goes on, and every process that it started."""

    def __init__(self, root: Path, *arguments: str, **environ: str) -> None:
        if not Path("/proc/self/stat").exists():
            pytest.skip("needs /proc")
        self.family: set[tuple[int, str]] = set()
        self.process = subprocess.Popen(
            [sys.executable, str(root / "grader.py"), *arguments],
            env=clean_environ(**environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        for process, _start in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.kill()
        self.process.__exit__(None, None, None)

    def until_busy(self) -> None:
        """Wait until one of the processes has burnt a second and a half: that is the submission's loop."""
        wait_until(lambda: any(processor_seconds(process) > 1.5 for process in self.descendants()))
        assert self.process.poll() is None

    def descendants(self) -> list[int]:
        parents = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                fields = stat_fields(folder)
                parents[int(folder.name)] = (int(fields[1]), fields[19])
        found = [self.process.pid]
        for parent in found:
            found += [child for child, (of, _) in parents.items() if of == parent]
        self.family |= {(process, parents[process][1]) for process in found[1:]}
        return found[1:]

    def left_behind(self) -> list[tuple[int, str]]:
        """What is still there a moment later."""
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self.alive(), seconds=5)
        return self.alive()

    def alive(self) -> list[tuple[int, str]]:
        """The processes of the family that still run, told by their number and the time they started."""
        found = []
        for process, start in self.family:
            with contextlib.suppress(OSError):
                fields = stat_fields(Path(f"/proc/{process}"))
                if fields[19] == start and fields[0] != "Z":
                    found.append((process, start))
        return found


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def stat_fields(folder: Path) -> list[str]:
    """The fields of /proc/PID/stat after the name of the program, state first."""
    return (folder / "stat").read_text().rpartition(")")[2].split()


def processor_seconds(process: int) -> float:
    with contextlib.suppress(OSError):
        fields = stat_fields(Path(f"/proc/{process}"))
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0
