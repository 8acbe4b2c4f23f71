"""Submissions that hang, crash, flood, cheat or leave things behind. None of them may pass, and none may hurt."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from kubekata.grading.catalog import Kata
from kubekata.grading.result import KataResult
from kubekata.grading.run import Grader
from tests.grading.conftest import Grade, by_name, with_double


def first(result: KataResult) -> tuple[str, str]:
    """Outcome and Got of the first test; and the tests of what is right still count."""
    assert not result.passed
    assert [item.earned for item in result.rubric] == [0, 25, 15]
    test = by_name(result)["test_double[3]"]
    return test.outcome, test.got


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("while True:\n    number += 1\n    number -= 1", "line 6: while True:"),
        (
            "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except BaseException:\n        pass",
            "line 7: while True:",
        ),
        ("import time\ntime.sleep(3600)", "line 7: time.sleep(3600)"),
        (
            "import signal, time\nfor number in (1, 2, 3, 14, 15):\n    signal.signal(number, 1)\ntime.sleep(3600)",
            "line 9: time.sleep(3600)",
        ),
    ],
    ids=["busy", "swallows", "sleeps", "ignores signals"],
)
def test_what_never_ends_is_a_timeout_with_its_line(grade: Grade, body: str, line: str) -> None:
    start = time.monotonic()
    result = grade(with_double(body), timeout=0.3)
    assert first_of_stuck(result) == ("timeout", f"no answer in time in double ({line})")
    assert time.monotonic() - start < 20


def first_of_stuck(result: KataResult) -> tuple[str, str]:
    """After three timeouts the rest is not run, so nothing else is earned."""
    tests = by_name(result)
    assert [test.outcome for test in tests.values()].count("timeout") == 3
    assert all(test.outcome in ("timeout", "not-run") for test in tests.values())
    assert result.score == 0
    return tests["test_double[3]"].outcome, tests["test_double[3]"].got


def test_endless_recursion(grade: Grade) -> None:
    outcome, got = first(grade(with_double("return double(number)")))
    assert outcome == "error"
    assert got == "raised RecursionError: maximum recursion depth exceeded (line 6: return double(number))"


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("import sys\nsys.exit(0)", "raised SystemExit: 0 (line 7: sys.exit(0))"),
        ("import os\nos._exit(0)", "your code ended its own process (exit status 0) in double"),
        ("import os\nos.kill(os.getpid(), 9)", "the interpreter was ended by SIGKILL in double"),
        (
            "import os\nos.kill(os.getpid(), 11)",
            "the interpreter was ended by SIGSEGV in double (line 7: os.kill(os.getpid(), 11))",
        ),
        (
            "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit",
            "raised SystemExit (line 8: raise SystemExit)",
        ),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt (line 6: raise KeyboardInterrupt)"),
        ("import pytest\npytest.skip('done')", "raised Skipped: done (line 7: pytest.skip('done'))"),
    ],
)
def test_what_ends_the_process_fails_that_test_alone(grade: Grade, body: str, got: str) -> None:
    assert first(grade(with_double(body))) == ("error", got)


EQUAL = "class Equal{base}:\n    def __eq__(self, other):\n        return True\n    __hash__ = None"


@pytest.mark.parametrize(
    ("base", "value", "got"),
    [
        ("", "Equal()", "double returned a Equal object, expected int"),
        ("(int)", "Equal(6)", "double returned Equal, a subclass of int (6), expected int"),
        ("(float)", "Equal(6)", "double returned Equal, a subclass of float (6.0), expected int"),
        ("(Exception)", "Equal()", "double returned Equal (Equal()), expected int"),
    ],
)
def test_faked_equality_does_not_cross(grade: Grade, base: str, value: str, got: str) -> None:
    outcome, told = first(grade(with_double(f"return {value}", EQUAL.format(base=base))))
    assert (outcome, told) == ("error", got)


def test_a_faked_report_is_just_output(grade: Grade) -> None:
    body = 'print("100 passed\\n\\x1b[2JPASSED test_double")\nreturn 0'
    result = grade(with_double(body))
    assert first(result) == ("failed", "0")
    assert by_name(result)["test_double[3]"].stdout == "100 passed\nPASSED test_double\n"


@pytest.mark.parametrize(
    "written",
    [
        "b'PASSED ' * 50",
        "b'\\xff' * 100",
        '(20).to_bytes(4, \'big\') + b\'{"m":"returned","x":\'',
        '(31).to_bytes(4, \'big\') + b\'{"m":"returned","call":1,"val":6}\'',
        '(34).to_bytes(4, \'big\') + b\'{"m":"returned","call":99,"value":6}\'',
        "(12).to_bytes(4, 'big') + b'{\"m\":\"ended\"}' * 3",
    ],
)
def test_junk_on_the_channel_is_no_answer(grade: Grade, written: str) -> None:
    body = f"""
import os, stat
for fd in range(3, 30):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.write(fd, {written})
    except OSError:
        pass
return 0
"""
    outcome, got = first(grade(with_double(body)))
    assert outcome in ("error", "failed")
    assert got in ("what came back is not an answer: something else was written to the grader's channel", "0")


def test_a_closed_channel_is_no_answer(grade: Grade) -> None:
    outcome, got = first(grade(with_double("import os, time\nos.closerange(3, 100)\ntime.sleep(100)")))
    assert outcome == "error"
    assert got.startswith("your code left the grader's channel closed in double")


def test_a_flood_of_output_is_cut_with_a_note(grade: Grade) -> None:
    result = grade(with_double('for _ in range(200):\n    print("x" * 99_999)\nreturn 0'), timeout=5)
    assert first(result) == ("failed", "0")
    printed = by_name(result)["test_double[3]"].stdout
    assert "19,994,880 bytes left out" in printed
    assert len(printed) < 6000


def test_an_endless_flood_is_a_timeout(grade: Grade) -> None:
    result = grade(
        with_double('import sys\nwhile True:\n    print("x" * 9999, file=sys.stderr)'), timeout=0.3
    )
    assert first_of_stuck(result)[0] == "timeout"


def test_a_huge_answer_shows_its_first_difference(grade: Grade) -> None:
    source = with_double("return number * 2").replace(
        "return [number * by for number in numbers]",
        "return [number * by for number in numbers] + [0] * 200_000",
    )
    got = by_name(grade(source))["test_spread"].got
    assert got == "200,002 items instead of 2"


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("return 'x' * 20_000_000", "an answer of 20,000,061 bytes: larger than any right answer can be"),
        (
            "class Loud:\n    def __repr__(self):\n        return 'x' * 20_000_000\nreturn {Loud()}",
            "double returned set()",
        ),
        ("return 10 ** 5000", "an int of more than 3,000 digits"),
        ("box = []\nbox.append(box)\nreturn box", "double returned ["),
    ],
    ids=["string", "repr", "int", "cycle"],
)
def test_a_huge_value_is_cut(grade: Grade, body: str, got: str) -> None:
    _, told = first(grade(with_double(body), timeout=5))
    assert told.startswith(got) or len(told) < 500
    assert len(told) < 500


def test_memory_is_limited(grade: Grade) -> None:
    result = grade(with_double("box = []\nwhile True:\n    box.append(bytearray(50_000_000))"), timeout=5)
    outcome, got = first(result)
    assert outcome == "error"
    assert got == "raised MemoryError (line 8: box.append(bytearray(50_000_000)))"
    assert "512 MB" in by_name(result)["test_double[3]"].why


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("import os\nos.fork()", "start another process"),
        ("import subprocess\nsubprocess.run(['true'])", "start another process"),
        ("import os\nos.system('true')", "start another process"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "open a network connection"),
        ("import ctypes", "load native code with ctypes"),
        ("import os\nos.kill(os.getppid(), 9)", "signal another process"),
        ("open('/etc/passwd').read()", "read outside its scratch folder (passwd)"),
        ("import os\nos.listdir('/')", "read outside its scratch folder ()"),
        ("open('/tmp/kubekata-was-here', 'w')", "write outside its scratch folder (kubekata-was-here)"),
        (
            "from kubekata.testing import World",
            "import kubekata.testing (what a kata needs comes from `kubekata` itself)",
        ),
        (
            "import kubekata as k\nopen(k.__file__.replace('__init__.py', 'cluster/actors/replicaset.py'))",
            "read outside its scratch folder (replicaset.py)",
        ),
        ("import os\nos.chdir('/')", "leave its scratch folder"),
        ("import os\nos.remove('/tmp/x')", "write outside its scratch folder (x)"),
        ("import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "change its limits"),
        (
            "open(f'/proc/{__import__(\"os\").getppid()}/environ').read()",
            "read outside its scratch folder (environ)",
        ),
    ],
)
def test_what_is_none_of_its_business_is_refused_and_named(grade: Grade, body: str, what: str) -> None:
    result = grade(with_double(body))
    assert first(result)[1].startswith(f"raised Refused: a submission may not {what} (line ")
    (remark,) = result.problems
    assert remark.message == f"your code tried to {what} and was stopped"
    assert not remark.fatal


def test_a_refusal_that_is_swallowed_is_named_all_the_same(grade: Grade, double: Kata) -> None:
    body = f"try:\n    open({str(double.solution)!r})\nexcept Exception:\n    pass\nreturn number * 2"
    result = grade(with_double(body))
    assert result.passed
    assert [problem.line for problem in result.problems] == [7]
    assert "reference" not in result.problems[0].message


def test_what_is_written_to_the_working_folder_is_gone_afterwards(grade: Grade) -> None:
    body = "import os\nopen('note', 'w').write('x')\nprint(os.path.realpath('note'))\nreturn 0"
    result = grade(with_double(body))
    assert first(result) == ("failed", "0")
    assert not Path(by_name(result)["test_double[3]"].stdout.strip()).exists()


def test_threads_do_not_outlive_the_test(grade: Grade) -> None:
    body = """
import os, threading, time
def spin():
    while True:
        time.sleep(0.01)
threading.Thread(target=spin).start()
print(os.getpid())
return 0
"""
    result = grade(with_double(body))
    assert first(result) == ("failed", "0")
    assert not is_alive(int(by_name(result)["test_double[3]"].stdout))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "body",
    [
        "import builtins, pytest, unittest\npytest.main = unittest.main = builtins.AssertionError = None\nreturn 0",
        "import time, random\ntime.monotonic = time.time = lambda: 0\nrandom.random = lambda: 0\nreturn 0",
        "import sys\nsys.modules.clear()\nreturn 0",
        "import sys\nsys.stdout = sys.stderr = sys.stdin = None\nreturn 0",
        "import gc, sys\nfor item in gc.get_objects():\n    'hidden' in type(item).__name__\nreturn 0",
        "import sys\nsys.setrecursionlimit(10)\nreturn 0",
        "import sys\nsys.settrace(None)\nreturn 0",
    ],
)
def test_tampering_in_its_own_process_changes_nothing(grade: Grade, body: str) -> None:
    assert first(grade(with_double(body), timeout=3))[0] in ("failed", "error")


def test_answers_by_call_number_fail(grade: Grade) -> None:
    head = "answers = iter([6, 140])"
    assert not grade(with_double("return next(answers)", head)).passed


def test_a_conftest_beside_the_file_is_not_loaded(grade: Grade, tmp_path: Path) -> None:
    for name in ("conftest.py", "sitecustomize.py", "pytest.py", "kubekata.py"):
        (tmp_path / name).write_text("raise SystemExit(0)\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    assert grade(with_double("return number * 2")).score == 100


def test_nothing_is_left_running(double: Kata, tmp_path: Path) -> None:
    before = children_of(os.getpid())
    path = tmp_path / "kata.py"
    path.write_text(with_double("import time\ntime.sleep(100)"))
    with Grader() as grader:
        grader.grade(double, path, timeout=0.2)
    assert children_of(os.getpid()) == before


def children_of(pid: int) -> set[str]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(pid):
            found.add(entry.parent.name)
    return found


def test_there_is_nothing_to_find_in_the_process(grade: Grade) -> None:
    body = 'import sys\nprint("\\n".join(sys.modules))\nreturn 0'
    source = with_double(body)
    result = grade(source)
    modules = by_name(result)["test_double[3]"].stdout
    assert "kubekata.grading.worker.service" in modules
    for absent in (
        "kubekata.grading.host",
        "kubekata.grading.hidden",
        "kubekata.cluster.world",
        "pytest",
        "ctypes",
    ):
        assert absent not in modules.splitlines()


def test_ctrl_c_is_not_a_verdict(double: Kata, tmp_path: Path) -> None:
    path = tmp_path / "kata.py"
    path.write_text(with_double("import time\ntime.sleep(100)"))
    timer = threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT))
    with Grader() as grader:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            grader.grade(double, path, timeout=100)
    timer.join()
