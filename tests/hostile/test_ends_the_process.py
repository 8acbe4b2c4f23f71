"""Submissions that end their own process: no exit status proves anything, and the other tests run."""

import pytest

from tests.hostile.arena import Attack
from tests.hostile.conftest import Judge

ATTACKS = [
    Attack("sys.exit", "import sys\nsys.exit(0)", got="raised SystemExit: 0 (line 3: sys.exit(0))"),
    Attack("os._exit", "import os\nos._exit(0)", got="your code ended its own process (exit status 0)"),
    Attack(
        "an exit handler",
        "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit",
        got="raised SystemExit (line 4",
    ),
    Attack("a signal to itself", "import os\nos.kill(os.getpid(), 9)", got="ended by SIGKILL in target"),
    Attack("an interrupt", "import signal\nsignal.raise_signal(2)", got="raised KeyboardInterrupt"),
    Attack(
        "a crash",
        "import os\nos.kill(os.getpid(), 11)",
        got="ended by SIGSEGV in target (line 3: os.kill(os.getpid(), 11))",
    ),
    Attack("abort", "import os\nos.abort()", got="ended by SIGABRT in target (line 3: os.abort())"),
    Attack(
        "a crash of the interpreter",
        "import faulthandler\nfaulthandler._sigsegv()",
        got="the interpreter was ended by SIGSEGV in target (line 3: faulthandler._sigsegv())",
        timeout=3,
    ),
    Attack(
        "code that never was Python",
        "code = target.__code__.replace(co_code=bytes([100, 255, 83, 0] * 9))\nreturn type(target)(code, {})(1)",
        got="",
    ),
    Attack("the whole group", "import os\nos.killpg(0, 9)", got="ended by SIGKILL in target"),
    Attack("a skip", "import pytest\npytest.skip('done')", got="raised Skipped: done"),
    Attack("pytest.exit", "import pytest\npytest.exit('done', 0)", got="raised Exit: done"),
    Attack("a stop", "import os\nos.kill(os.getpid(), 19)", outcome="timeout", score=30),
]
AT_IMPORT = [
    Attack(
        "sys.exit at import",
        head="import sys\nsys.exit(0)",
        problem="the file does not load: raised SystemExit",
    ),
    Attack("os._exit at import", head="import os\nos._exit(0)", problem="your code ended its own process"),
]


@pytest.mark.parametrize("attack", ATTACKS + AT_IMPORT, ids=lambda attack: attack.name)
def test_it_fails_alone(judge: Judge, attack: Attack) -> None:
    judge(attack)
