"""Submissions that exhaust the machine: limited, and the limit is named."""

import pytest

from tests.hostile.arena import UNSEEN, Arena, Attack
from tests.hostile.conftest import Judge

FILES = "raised Refused: a submission may not make or change more than 100 files"
ATTACKS = [
    Attack(
        "memory",
        "box = []\nwhile True:\n    box.append(bytearray(50_000_000))",
        got="raised MemoryError",
        timeout=5,
        why="512 MB",
    ),
    Attack(
        "memory in small pieces",
        "box = None\nwhile True:\n    box = (box, bytearray(100_000))",
        got="raised MemoryError",
        timeout=5,
        why="512 MB",
    ),
    Attack("one huge object", "return [0] * 10**12", got="raised MemoryError", why="512 MB"),
    Attack(
        "forks",
        "import os\nwhile True:\n    os.fork()",
        got="raised Refused: a submission may not start another process",
    ),
    Attack(
        "forks that swallow the refusal",
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        outcome="timeout",
        score=30,
        timeout=1,
    ),
    Attack(
        "forks behind Python's back",
        f"{UNSEEN}\nfor _ in range(1000):\n    subprocess.Popen(['sleep', '3600'])\nreturn 0",
        got="raised PermissionError: [Errno 1]",
        why="starts no process",
    ),
    Attack(
        "a fork bomb of the shell",
        f"{UNSEEN}\nsubprocess.Popen('b() {{ b | b & }}; b', shell=True, preexec_fn=int)\nreturn 0",
        got="raised PermissionError: [Errno 1]",
        why="starts no process",
    ),
    Attack(
        "threads",
        "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(3600,)).start()",
        timeout=5,
        got="can't start new thread",
        why="threads",
    ),
    Attack(
        "open files",
        "kept = []\nwhile True:\n    kept.append(open('/dev/null'))",
        got="raised OSError: [Errno 24]",
        why="open files",
    ),
    Attack(
        "sockets",
        "import socket\nkept = []\nwhile True:\n    kept.append(socket.socket(socket.AF_UNIX))",
        got="raised OSError: [Errno 24]",
        why="open files",
    ),
    Attack(
        "one big file",
        "with open('x', 'wb') as file:\n    while True:\n        file.write(bytes(1_000_000))",
        got="raised OSError: [Errno 27]",
        timeout=5,
        why="2 MB",
    ),
    Attack(
        "many big files",
        "for name in range(100_000):\n    with open(str(name), 'wb') as file:\n        file.write(bytes(1_500_000))",
        timeout=5,
        got=FILES,
    ),
    Attack(
        "many small files",
        "for name in range(10**6):\n    open(str(name), 'wb').close()",
        timeout=5,
        got=FILES,
    ),
    Attack(
        "many folders", "import os\nfor name in range(10**6):\n    os.mkdir(str(name))", timeout=5, got=FILES
    ),
    Attack(
        "a terabyte of nothing",
        "open('x', 'wb').truncate(1 << 40)",
        got="raised OSError: [Errno 27]",
        why="2 MB",
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_limited_and_the_limit_is_named(judge: Judge, attack: Attack) -> None:
    assert attack.why in judge(attack).why


def test_a_file_that_is_small_and_its_code_is_not(arena: Arena) -> None:
    """Each `finally` stands twice in the code, and so do those within it."""
    levels = [f"{' ' * n}try:\n{' ' * n} x()\n{' ' * n}finally:\n" for n in range(1, 19)]
    head = f"def f():\n{''.join(levels)}{' ' * 19}x()"
    result = arena.grade(arena.source(Attack("", head=head)), timeout=10)
    assert "MemoryError" in result.problems[0].message
