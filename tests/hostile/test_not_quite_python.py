"""Files that are not quite Python, or not quite the contract: one friendly block, not one failure for each test."""

import pytest

from tests.hostile.arena import REFERENCE, Arena, Attack
from tests.hostile.conftest import Judge

FILES = [
    ("a syntax error", REFERENCE + "def (:\n", "syntax-error"),
    ("another encoding", "# caf\xe9\n".encode("latin-1") + REFERENCE.encode(), "encoding"),
    ("UTF-16", REFERENCE.encode("utf-16"), "encoding"),
    ("an encoding that does not exist", "# coding: klingon\n" + REFERENCE, "encoding"),
    ("tabs", REFERENCE + "if True:\n        x = 1\n\ty = 2\n", "tabs"),
    ("indentation", REFERENCE + "  x = 1\n", "indentation"),
    ("an empty file", "", "empty"),
    ("a binary", b"\x7fELF\0\0\0", "binary"),
    ("a huge file", "x = 1\n" * 200_000, "too-large"),
    ("brackets without end", REFERENCE + "x = " + "(" * 5000 + ")" * 5000, "syntax-error"),
    ("a broken import", "import numpyy\n" + REFERENCE, "import"),
    ("a circular import", "from kata import target\n" + REFERENCE, "import"),
    ("a misspelt function", REFERENCE.replace("def target", "def tarqet"), "misnamed-entry-point"),
    ("a missing function", REFERENCE.replace("def target", "def zzz"), "missing-entry-point"),
    ("wrong parameters", REFERENCE.replace("target(number)", "target(number, more)"), "signature"),
    ("async", REFERENCE.replace("def target", "async def target"), "async"),
    ("a generator", REFERENCE.replace("return number", "yield number"), "generator"),
    (
        "a class",
        REFERENCE.replace("def target(number):\n    return number * 2", "class target:\n    pass"),
        "wrong-kind",
    ),
]


@pytest.mark.parametrize(("source", "kind"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_it_is_one_block(arena: Arena, source: str | bytes, kind: str) -> None:
    result = arena.grade(source, timeout=3)
    assert (result.score, result.passed) == (0, False)
    assert [problem.kind for problem in result.problems] == [kind]
    assert result.problems[0].cure
    assert not any(item.tests for item in result.rubric)


def test_a_byte_order_mark_does_no_harm(arena: Arena) -> None:
    assert arena.grade(b"\xef\xbb\xbf" + REFERENCE.replace("\n", "\r\n").encode()).score == 100


ANSWERS = [
    Attack("prints instead of returning", "print(number * 2)", got="returned None, expected int"),
    Attack("returns nothing", "number * 2", got="returned None, expected int"),
    Attack("a string", "return str(number * 2)", got="'6' (str), expected int"),
    Attack("a float", "return number * 2.0", got="6.0 (float), expected int"),
    Attack("a tuple", "return number * 2,", got="(6,) (tuple), expected int"),
    Attack(
        "a number that is no int",
        "import fractions\nreturn fractions.Fraction(number * 2)",
        got="fractions.Fraction",
    ),
    Attack("a lambda", "return lambda: number * 2", got="function"),
]


@pytest.mark.parametrize("attack", ANSWERS, ids=lambda attack: attack.name)
def test_a_wrong_type_is_named(judge: Judge, attack: Attack) -> None:
    judge(attack)
