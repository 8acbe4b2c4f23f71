"""Submissions that tamper with testing: no assertion lives in their process, and nothing beside the file is loaded."""

import pytest

from tests.hostile.arena import REFERENCE, Arena, Attack
from tests.hostile.conftest import Judge

WRONG = {"outcome": "failed", "got": "0"}

ATTACKS = [
    Attack(
        "pytest",
        "import pytest\npytest.main = pytest.fail = pytest.raises = None\nreturn 0",
        timeout=3,
        **WRONG,
    ),
    Attack(
        "unittest",
        "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\nreturn 0",
        timeout=3,
        **WRONG,
    ),
    Attack("assert", "import builtins\nbuiltins.AssertionError = None\nreturn 0", **WRONG),
    Attack(
        "time", "import time\ntime.time = time.monotonic = time.process_time = lambda: 0\nreturn 0", **WRONG
    ),
    Attack("random", "import random\nrandom.random = lambda: 0\nrandom.seed(1)\nreturn 0", **WRONG),
    Attack("coverage", "import coverage, sys\nsys.settrace(None)\nreturn 0", timeout=3, **WRONG),
    Attack(
        "every builtin",
        "import builtins\nbuiltins.isinstance = builtins.len = builtins.type = lambda *_: True\nreturn 0",
        outcome="error",
    ),
    Attack(
        "json",
        "import msgspec, json\njson.dumps = lambda *_: '6'\nmsgspec.json.encode = lambda *_: b'6'\nreturn 0",
        **WRONG,
    ),
    Attack(
        "the worker's encoder",
        "import sys\nworker = sys.modules['kubekata.grading.worker.service']\n"
        "worker.Returned = lambda *_: None\nreturn 0",
        outcome="error",
    ),
    Attack(
        "the wire",
        "import sys\nvalues = sys.modules['kubekata.grading.wire.values']\n"
        "values._ENCODERS[int] = lambda *_: [6]\nreturn 0",
        got="expected int",
    ),
    Attack("modules", "import sys\nsys.modules.clear()\nreturn 0", **WRONG),
    Attack("streams", "import sys\nsys.stdout = sys.stderr = sys.stdin = None\nreturn 0", **WRONG),
    Attack(
        "the audit hook's module",
        "import sys\nsys.modules['kubekata.grading.worker.audit'].Watch._refuse = "
        "lambda *_: None\nopen('/etc/passwd')\nreturn 0",
        outcome="error",
        got="raised Refused",
    ),
    Attack("the collector", "import gc\ngc.disable()\ngc.set_debug(gc.DEBUG_STATS)\nreturn 0", **WRONG),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_has_no_effect(judge: Judge, attack: Attack) -> None:
    judge(attack)


def test_files_beside_the_submission_are_not_loaded(arena: Arena) -> None:
    names = (
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "pytest.py",
        "kubekata.py",
        "kata.py",
        "json.py",
    )
    beside = [arena.folder / name for name in names]
    for path in beside:
        path.write_text("raise SystemExit(0)\n")
    settings = arena.folder / "pytest.ini"
    settings.write_text("[pytest]\naddopts = --collect-only -p evil\n")
    try:
        assert arena.grade(REFERENCE).score == 100
    finally:
        for path in [*beside, settings]:
            path.unlink()
