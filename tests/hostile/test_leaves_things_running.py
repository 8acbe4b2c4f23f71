"""Submissions that leave things running: killed with the test, and the grader returns on time."""

import pytest

from tests.hostile.arena import UNSEEN, Attack
from tests.hostile.conftest import Judge

ATTACKS = [
    Attack(
        "a thread",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,)).start()\nreturn 0",
        outcome="failed",
        got="0",
    ),
    Attack(
        "a thread that prints",
        "import threading\ndef talk():\n    while True:\n        print('x' * 99)\n"
        "threading.Thread(target=talk, daemon=True).start()\nreturn 0",
        outcome="failed",
        got="0",
        timeout=3,
    ),
    Attack(
        "a child",
        "import os\nif os.fork() == 0:\n    import time\n    time.sleep(3600)\nreturn 0",
        got="start another process",
    ),
    Attack(
        "a daemon",
        "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        import time\n        time.sleep(3600)\nreturn 0",
        got="start another process",
    ),
    Attack(
        "a pool",
        "import multiprocessing\nwith multiprocessing.Pool(2) as pool:\n    return pool.map(abs, [0])[0]",
        timeout=3,
        got="start another process",
    ),
    Attack(
        "a program",
        "import subprocess\nsubprocess.Popen(['sleep', '3600'])\nreturn 0",
        got="start another process",
    ),
    Attack(
        "a grandchild that keeps the pipe, behind Python's back",
        f"{UNSEEN}\nsubprocess.Popen('setsid sleep 3600 & setsid sleep 3600', shell=True, preexec_fn=int)\n"
        "return 0",
        got="raised PermissionError: [Errno 1]",
    ),
    Attack(
        "a timer",
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\nsignal.signal(14, lambda *_: None)\n"
        "return 0",
        outcome="failed",
        got="0",
    ),
    Attack(
        "a finalizer that never ends",
        "class Last:\n    def __del__(self):\n        while True:\n            pass\n"
        "keep.append(Last())\nreturn 0",
        "keep = []",
        outcome="failed",
        got="0",
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nothing_is_left(judge: Judge, attack: Attack) -> None:
    judge(attack)
