"""Submissions that flood: cut short with a note, and the first difference is still shown."""

import pytest

from tests.hostile.arena import Arena, Attack, by_name
from tests.hostile.conftest import Judge

ATTACKS = [
    Attack(
        "20 MB of stdout",
        "for _ in range(200):\n    print('x' * 99_999)\nreturn 0",
        outcome="failed",
        got="0",
        timeout=5,
    ),
    Attack(
        "stderr for ever",
        "import sys\nwhile True:\n    print('x' * 9999, file=sys.stderr)",
        outcome="timeout",
        score=30,
        got="(line 3: while True:)",
    ),
    Attack(
        "straight to the descriptor",
        "import os\nwhile True:\n    os.write(1, b'x' * 9999)",
        outcome="timeout",
        score=30,
    ),
    Attack("an answer of 20 MB", "return 'x' * 20_000_000", got="an answer of 20,000,0", timeout=5),
    Attack(
        "a __repr__ of 20 MB",
        "class Loud:\n    def __repr__(self):\n        return 'x' * 20_000_000\nreturn Loud()",
        got="a Loud object, expected int",
        timeout=5,
    ),
    Attack(
        "an exception of 20 MB", "raise ValueError('x' * 20_000_000)", got="raised ValueError: xxx", timeout=5
    ),
    Attack("a huge int", "return 10 ** 5000", outcome="failed", got="an int of more than 3,000 digits"),
    Attack("an endless list", "box = []\nbox.append(box)\nreturn box", got="expected int"),
    Attack(
        "a million refusals",
        "for _ in range(10_000):\n    try:\n        open('/etc/passwd')\n"
        "    except OSError:\n        pass\nreturn 0",
        outcome="failed",
        got="0",
        timeout=5,
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_capped(judge: Judge, attack: Attack) -> None:
    assert len(judge(attack).stdout) < 6000


def test_how_much_was_cut_is_said(judge: Judge) -> None:
    assert "19,994,880 bytes left out" in judge(ATTACKS[0]).stdout


def test_a_long_list_still_shows_its_first_difference(arena: Arena) -> None:
    right = "[number * 2 for number in numbers]"
    source = arena.source(Attack("")).replace(right, f"{right} + [0] * 200_000")
    assert by_name(arena.grade(source, timeout=3))["test_spread"].got == "200,100 items instead of 100"
    source = arena.source(Attack("")).replace(right, "[number * 2 + (number == 73) for number in numbers]")
    assert "item 73 is 147 instead of 146" in by_name(arena.grade(source, timeout=3))["test_spread"].got
