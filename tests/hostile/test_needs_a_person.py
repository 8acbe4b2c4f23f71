"""Submissions that wait for a person: said at once, with the line."""

import pytest

from tests.hostile.arena import Attack
from tests.hostile.conftest import Judge

ATTACKS = [
    Attack(
        "breakpoint", "breakpoint()\nreturn number * 2", problem="a breakpoint is still in your file, line 2"
    ),
    Attack(
        "pdb",
        "import pdb; pdb.set_trace()\nreturn number * 2",
        problem="a breakpoint is still in your file, line 2",
    ),
    Attack("input", "return int(input())", problem="input() is still in your file, line 2"),
    Attack(
        "a hidden breakpoint",
        "import sys\nsys.breakpointhook()",
        got="a breakpoint is still in your file (line 3",
    ),
    Attack(
        "a hidden debugger", "getattr(__import__('pdb'), 'set_trace')()\nreturn 0", timeout=3, got="BdbQuit"
    ),
    Attack("stdin", "import sys\nreturn int(sys.stdin.read() or 0)", outcome="failed", got="0"),
    Attack("getpass", "import getpass\nreturn int(getpass.getpass() or 0)", got="", timeout=3),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nobody_is_waited_for(judge: Judge, attack: Attack) -> None:
    judge(attack)
