"""A file that is not a working submission: one friendly block, score 0, never a failure per test."""

import pytest

from kubekata.grading.result import Problem
from tests.grading.conftest import REFERENCE, Grade


def only_problem(grade: Grade, source: str | bytes) -> Problem:
    result = grade(source)
    assert (result.score, result.passed) == (0, False)
    assert all(item.tests == () for item in result.rubric)
    (problem,) = result.problems
    assert problem.fatal
    return problem


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (b"", "empty", "the file is empty"),
        (b"  \n\n", "empty", "the file is empty"),
        (b"\x7fELF\0\0\0", "binary", "the file is binary, not Python text"),
        ("x = 1".encode("utf-16"), "encoding", "the file is UTF-16"),
        (b"x = 1\ny = '\xe9'\n", "encoding", "line 2 is not valid UTF-8"),
        (b"# coding: no-such-thing\nx = 1\n", "encoding", "the file names an encoding that does not exist"),
        (b"#" * 2_000_000, "too-large", "the file is larger than 1024 KiB"),
        ("def double(number)\n    return 1\n", "syntax-error", "line 1: expected ':'"),
        ("def double(number):\n\treturn 1\n        return 2\n", "tabs", "line 3: inconsistent use of tabs"),
        ("def double(number):\nreturn 1\n", "indentation", "line 2: expected an indented block"),
        ("return 1\n", "syntax-error", "line 1: 'return' outside function"),
        ("(" * 500 + ")" * 500, "syntax-error", ""),
    ],
)
def test_what_is_not_python(grade: Grade, source: str | bytes, kind: str, message: str) -> None:
    problem = only_problem(grade, source)
    assert problem.kind == kind
    assert message in problem.message
    assert problem.cure


@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b"# coding: latin-1\n# caf\xe9\n"])
def test_a_bom_or_a_declared_encoding_is_fine(grade: Grade, prefix: bytes) -> None:
    assert grade(prefix + REFERENCE.encode()).score == 100


def test_windows_line_ends_are_fine(grade: Grade) -> None:
    assert grade(REFERENCE.replace("\n", "\r\n")).score == 100


@pytest.mark.parametrize(
    ("head", "kind", "message", "cure"),
    [
        (
            "import numpyy_x",
            "import",
            "No module named 'numpyy_x' (line 2)",
            "rely on the standard library and kubekata alone",
        ),
        ("import jsn", "import", "No module named 'jsn' (line 2)", "did you mean json?"),
        ("import kubekat", "import", "No module named 'kubekat' (line 2)", "did you mean kubekata?"),
        (
            "from kubekata import Reqest",
            "import",
            "cannot import name 'Reqest' from 'kubekata' (line 2)",
            "did you mean Request?",
        ),
        ("from kata import double", "import", "the file imports itself (line 2)", "take that line out"),
        (
            "import sys\nsys.exit(0)",
            "load",
            "the file does not load: raised SystemExit: 0 (line 3: sys.exit(0))",
            "",
        ),
        ("1 / 0", "load", "raised ZeroDivisionError: division by zero (line 2: 1 / 0)", ""),
        (
            "prnt(1)",
            "load",
            "raised NameError: name 'prnt' is not defined (line 2: prnt(1))",
            "did you mean print?",
        ),
        (
            "import os\nos._exit(0)",
            "load",
            "your code ended its own process (exit status 0) while",
            "function",
        ),
        ("while True: pass", "load", "no answer in time while your file was being loaded (line 2: while", ""),
        ("open('/etc/passwd')", "load", "Refused", ""),
    ],
)
def test_what_does_not_load(grade: Grade, head: str, kind: str, message: str, cure: str) -> None:
    problem = only_problem(grade, REFERENCE.replace('"""Reference."""\n', f'"""A submission."""\n{head}\n'))
    assert problem.kind == kind
    assert message in problem.message
    assert cure in problem.cure


@pytest.mark.parametrize(
    ("old", "new", "kind", "message", "cure"),
    [
        (
            "def double(",
            "def duoble(",
            "misnamed-entry-point",
            "found `duoble`, expected `double`",
            "rename it",
        ),
        (
            "def double(",
            "def Double(",
            "misnamed-entry-point",
            "found `Double`, expected `double`",
            "rename it",
        ),
        (
            "class Counter",
            "class counter",
            "misnamed-entry-point",
            "found `counter`, expected `Counter`",
            "rename it",
        ),
        (
            "def double(",
            "class Solution:\n    def double(self, number): ...\ndef zzz(",
            "missing-entry-point",
            "`double` is inside class `Solution`, expected it in the file itself",
            "move it out: def double(number): …",
        ),
        (
            "def double(",
            "def main():\n    def double(number): ...\ndef zzz(",
            "missing-entry-point",
            "`double` is inside function `main`",
            "move it out",
        ),
        ("def double(", "def zzz(", "missing-entry-point", "no function `double`", "def double(number): …"),
        (
            "def double(",
            "async def double(",
            "async",
            "`double` is async, expected a plain function",
            "await",
        ),
        ("return number * 2", "yield number", "generator", "`double` is a generator", "return the answer"),
        (
            "double(number: int)",
            "double()",
            "signature",
            "found `double()`, expected `double(number)`",
            "brief",
        ),
        (
            "double(number: int)",
            "double(a, b)",
            "signature",
            "found `double(a, b)`, expected `double(number)`",
            "",
        ),
        ("*, by: int = 1", "by", "signature", "found `spread(numbers, by)`", "brief"),
        ("*, by: int = 1", "*, times: int = 1", "signature", "expected `spread(numbers, *, by=1)`", "brief"),
        ("number: int", "*, number: int", "signature", "found `double(*, number)`", "brief"),
        (
            "(number: int",
            "(a, /, b, *rest, c=3, **more",
            "signature",
            "`double(a, /, b, *rest, c=…, **more)`",
            "brief",
        ),
        (
            "def add(",
            "def ad(",
            "missing-entry-point",
            "class `Counter` has no method `add`",
            "def add(self, amount): …",
        ),
        (
            "self, amount",
            "self",
            "signature",
            "found `Counter.add()`, expected `Counter.add(amount)`",
            "brief",
        ),
        (
            "class Counter:",
            "def Counter(start): ...\nclass Other:",
            "wrong-kind",
            "a function, expected a class",
            "",
        ),
        (
            "def double(",
            "class double:\n  pass\ndef other(",
            "wrong-kind",
            "is a class, expected a function",
            "`def double`",
        ),
        (
            "def double(",
            "double = 5\ndef other(",
            "wrong-kind",
            "`double` is an int, expected a function",
            "",
        ),
    ],
)
def test_what_is_not_the_contract(  # noqa: PLR0917
    grade: Grade, old: str, new: str, kind: str, message: str, cure: str
) -> None:
    assert old in REFERENCE
    problem = only_problem(grade, REFERENCE.replace(old, new, 1))
    assert problem.kind == kind
    assert message in problem.message
    assert cure in problem.cure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("double(number: int)", "double(n)"),
        ("double(number: int)", "double(*args, number=1)"),
        ("double(number: int)", "double(number, cache=None)"),
        ("*, by: int = 1", "by=1"),
        ("*, by: int = 1", "**options"),
    ],
)
def test_other_signatures_that_can_be_called_are_fine(grade: Grade, old: str, new: str) -> None:
    assert not grade(REFERENCE.replace(old, new, 1)).problems


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("breakpoint()", "breakpoint", "a breakpoint is still in your file, line 5"),
        ("import pdb; pdb.set_trace()", "breakpoint", "a breakpoint is still in your file, line 5"),
        ("input('number? ')", "input", "input() is still in your file, line 5"),
    ],
)
def test_what_waits_for_a_person(grade: Grade, line: str, kind: str, message: str) -> None:
    problem = only_problem(
        grade, REFERENCE.replace("    return number * 2", f"    {line}\n    return number * 2")
    )
    assert (problem.kind, problem.message, problem.line) == (kind, message, 5)
    assert problem.source == line


def test_a_main_block_may_ask_a_person(grade: Grade) -> None:
    main = '\n\nif __name__ == "__main__":\n    print(double(int(input("number? "))))\n'
    assert grade(REFERENCE + main).score == 100
