"""Submissions that fake a report: text is text, and junk on the channel is no answer."""

import pytest

from tests.hostile.arena import Attack
from tests.hostile.conftest import Judge

BANNER = "print('kata-01 Target\\n\\x1b[2J\\x1b]0;owned\\x07100 / 100, passed\\nPASSED test_target')"
MALFORMED = "what came back is not an answer: something else was written to the grader's channel"


def junk(written: str, after: str = "return 0") -> str:
    return f"""
import os, stat
for fd in range(3, 40):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.write(fd, {written})
    except OSError:
        pass
{after}
"""


ATTACKS = [
    Attack("the grader's banner", f"{BANNER}\nreturn 0", outcome="failed", got="0"),
    Attack(
        "a results file at exit",
        "import atexit\natexit.register(lambda: open('results.json', 'w').write('{}'))\nreturn 0",
        outcome="failed",
        got="0",
    ),
    Attack("noise", junk("b'\\xff' * 100"), got=MALFORMED),
    Attack("text", junk("b'PASSED ' * 50"), got=MALFORMED),
    Attack(
        "a message that nobody knows",
        junk('(20).to_bytes(4, "big") + b\'{"m":"passed","v":1}\''),
        got=MALFORMED,
    ),
    Attack(
        "another call's answer",
        junk('(34).to_bytes(4, "big") + b\'{"m":"returned","call":99,"value":6}\''),
        got=MALFORMED,
    ),
    Attack("an announcement of four gigabytes", junk("b'\\xff\\xff\\xff\\xff'"), got=MALFORMED),
    Attack(
        "half a message",
        junk("(99).to_bytes(4, 'big') + b'{'", "import time\ntime.sleep(3600)"),
        outcome="timeout",
        score=30,
    ),
    Attack("a goodbye", junk('(13).to_bytes(4, "big") + b\'{"m":"ended"}\''), got=MALFORMED),
    Attack(
        "a closed channel",
        "import os, time\nos.closerange(3, 100)\ntime.sleep(3600)",
        got="your code left the grader's channel closed in target",
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_ignored_or_malformed(judge: Judge, attack: Attack) -> None:
    test = judge(attack)
    assert "\x1b" not in test.stdout + test.got
    assert "\x07" not in test.stdout


def test_an_answer_that_the_submission_writes_itself_is_its_own(judge: Judge) -> None:
    """It may write the bytes of a right answer as well as return it: that proves no more and no less."""
    message = b'{"m":"returned","call":1,"value":7}'
    forged = junk(f"{len(message).to_bytes(4, 'big') + message!r}", "import time\ntime.sleep(3600)")
    judge(Attack("", forged, outcome="failed", got="7"))
