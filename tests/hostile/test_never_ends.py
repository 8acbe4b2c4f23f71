"""Submissions that never end: a timeout that names the line, three of them at most, and a bound for all of it."""

import time
from typing import Any

import pytest

from tests.hostile.arena import SLACK, Arena, Attack, by_name
from tests.hostile.conftest import Judge

STUCK: dict[str, Any] = {"outcome": "timeout", "score": 30}

ATTACKS = [
    Attack("a loop", "while True:\n    number += 1", got="in target (line 2: while True:)", **STUCK),
    Attack(
        "a loop that swallows every exception around sleep",
        "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except BaseException:\n        pass",
        got="(line 3: while True:)",
        **STUCK,
    ),
    Attack(
        "a handler for every signal",
        "import signal, time\nfor known in set(signal.Signals) - {9, 19}:\n    signal.signal(known, signal.SIG_IGN)\n"
        "time.sleep(3600)",
        got="no answer in time in target",
        **STUCK,
    ),
    Attack("a sleep of an hour", "import time\ntime.sleep(3600)", got="(line 3: time.sleep(3600))", **STUCK),
    Attack("a huge power", "return 9 ** 9 ** 9", got="(line 2: return 9 ** 9 ** 9)", **STUCK),
    Attack(
        "a regular expression that explodes",
        "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
        got="no answer in time in target",
        **STUCK,
    ),
    Attack(
        "two threads that wait for each other",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        got="(line 5: lock.acquire())",
        **STUCK,
    ),
    Attack("endless recursion", "return target(number)", got="raised RecursionError"),
    Attack(
        "endless recursion that catches its own end",
        "try:\n    return target(number)\nexcept RecursionError:\n    return target(number)",
        got="no answer in time in target",
        **STUCK,
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_a_timeout_for_that_test(judge: Judge, attack: Attack) -> None:
    judge(attack)


def test_after_three_timeouts_the_rest_is_not_run(arena: Arena) -> None:
    result = arena.grade(arena.source(Attack("", "while True:\n    pass")))
    spread = by_name(result)["test_spread"]
    assert (spread.outcome, spread.why) == (
        "not-run",
        "not run, because 3 tests before it got no answer in time",
    )


def test_a_file_that_never_loads_is_one_problem(judge: Judge) -> None:
    judge(
        Attack("", head="while True:\n    pass", problem="no answer in time while your file was being loaded")
    )


def test_the_whole_grade_is_bounded_however_long_a_call_may_take(arena: Arena) -> None:
    path = arena.folder / "long.py"
    path.write_text(arena.source(Attack("", "import time\ntime.sleep(3600)")))
    start = time.monotonic()
    result = arena.grader.grade(arena.kata, path, timeout=1000, time_limit=2)
    assert time.monotonic() - start < 2 + SLACK
    assert by_name(result)["test_target[3]"].outcome == "timeout"
    assert by_name(result)["test_spread"].why == "not run, because the time for the whole grade is over"
