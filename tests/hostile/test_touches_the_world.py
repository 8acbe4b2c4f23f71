"""Submissions that touch the world or look for answers: confined, or refused and named."""

import pytest

from tests.hostile.arena import Arena, Attack
from tests.hostile.conftest import Judge

NEIGHBOUR = "PROJECT/katas/kata-02-neighbour/kata.py"


def refused(name: str, body: str, what: str) -> Attack:
    return Attack(name, body, got=f"raised Refused: a submission may not {what}", timeout=3)


ATTACKS = [
    refused("reads the hidden tests", "return open('SECRET').read()", "read outside"),
    refused(
        "reads the reference",
        "import pathlib\nreturn pathlib.Path('SECRET').with_name('solution.py').read_text()",
        "read outside",
    ),
    refused(
        "reads by descriptor", "import os\nreturn os.read(os.open('SECRET', os.O_RDONLY), 9)", "read outside"
    ),
    refused(
        "reads by link",
        "import os\nos.symlink('SECRET', 'mine')\nreturn open('mine').read()",
        "write outside",
    ),
    refused("reads through linecache", "import io\nreturn io.FileIO('SECRET').read()", "read outside"),
    Attack(
        "reads as a history of commands",
        "import readline\nreadline.read_history_file('SECRET')\nreturn readline.get_history_item(1)",
        got="raised ModuleNotFoundError: a submission may not import readline (it opens files by itself)",
        timeout=3,
    ),
    refused(
        "imports the hidden tests",
        "import sys\nsys.path.insert(0, 'PROJECT/reference/kata-01-target')\n"
        "import importlib.util as u\nspec = u.spec_from_file_location('h', 'SECRET')\n"
        "spec.loader.exec_module(u.module_from_spec(spec))",
        "read outside",
    ),
    refused(
        "imports a working controller",
        "from kubekata.cluster.actors import replicaset",
        "import kubekata.cluster",
    ),
    refused("imports the test world", "from kubekata.testing import World", "import kubekata.testing"),
    refused(
        "reads a working controller",
        "import kubekata as k\nopen(k.__file__.replace('__init__.py', 'cluster/actors/replicaset.py'))",
        "read outside its scratch folder (replicaset.py)",
    ),
    refused("lists the project", "import os\nreturn os.listdir('PROJECT')", "read outside"),
    refused("walks the project", "import os\nreturn os.scandir('PROJECT')", "read outside"),
    refused(
        "reads the parent's memory",
        "import os\nreturn open(f'/proc/{os.getppid()}/mem', 'rb')",
        "read outside",
    ),
    refused(
        "reads the parent's environment",
        "import os\nreturn open(f'/proc/{os.getppid()}/environ').read()",
        "read outside",
    ),
    refused("changes directory", "import os\nos.chdir('PROJECT')", "leave its scratch folder"),
    refused("deletes a file", "import os\nos.remove('HOME/progress.db')", "write outside"),
    refused("deletes a tree", "import shutil\nshutil.rmtree('PROJECT')", ""),
    refused("edits the progress file", "open('HOME/progress.db', 'a').write('100')", "write outside"),
    refused(
        "opens the progress file as a database",
        "import sqlite3\nsqlite3.connect('HOME/progress.db')",
        "write outside",
    ),
    refused("edits another kata", f"open('{NEIGHBOUR}', 'w').write('pass')", "write outside"),
    refused("renames another kata", f"import os\nos.rename('{NEIGHBOUR}', 'mine')", "write outside"),
    refused("links another kata", f"import os\nos.link('{NEIGHBOUR}', 'mine')", "write outside"),
    refused("makes it unreadable", f"import os\nos.chmod('{NEIGHBOUR}', 0)", "write outside"),
    refused(
        "writes to the system's temporary folder", "open('/tmp/kubekata-was-here', 'w')", "write outside"
    ),
    refused("opens the terminal", "open('/dev/tty', 'w').write('x')", "write outside"),
    refused(
        "opens the network", "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)", "open a network"
    ),
    refused("looks a name up", "import socket\nsocket.gethostbyname('localhost')", "open a network"),
    refused("serves", "import socket\nsocket.create_server(('127.0.0.1', 0))", "open a network"),
    refused(
        "connects to a local service",
        "import socket\nsocket.socket(socket.AF_UNIX).connect('/run/x.sock')",
        "open a network",
    ),
    refused("starts a program", "import os\nos.system('true')", "start another process"),
    refused("becomes a program", "import os\nos.execv('/bin/true', ['true'])", "start another process"),
    refused(
        "starts an interpreter that nobody watches",
        "import sys\nnew = sys.version_info >= (3, 13)\n"
        "sub = __import__('_interpreters' if new else '_xxsubinterpreters')\n"
        "sub.run_string(sub.create(), 'import os; os.utime(\"HOME/progress.db\", (0, 0))')\nreturn 0",
        "start another interpreter",
    ),
    refused("loads native code", "import ctypes", "load native code"),
    refused("signals the grader", "import os\nos.kill(os.getppid(), 9)", "signal another process"),
    refused("signals everybody", "import os\nos.kill(-1, 9)", "signal another process"),
    refused(
        "lifts its limits",
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "change its limits",
    ),
]


def test_what_only_likes_to_have_readline_goes_on_without(arena: Arena) -> None:
    """Since Python 3.13 that is pdb, and so doctest, which people leave at the top of a file."""
    result = arena.grade(arena.source(Attack("", head="import doctest\nimport pdb\nimport rlcompleter")))
    assert (result.score, result.problems) == (100, ())


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_refused_and_named(judge: Judge, attack: Attack) -> None:
    judge(attack)


def test_a_refusal_that_is_swallowed_is_a_remark_with_its_line(arena: Arena) -> None:
    body = "try:\n    open('SECRET')\nexcept Exception:\n    pass\nreturn number * 2"
    result = arena.grade(arena.source(Attack("", body)))
    assert result.passed
    assert [(problem.line, problem.fatal) for problem in result.problems] == [(3, False)]


def test_there_is_nothing_to_find_in_the_process(judge: Judge) -> None:
    test = judge(
        Attack("", "import sys\nprint('\\n'.join(sys.modules))\nreturn 0", outcome="failed", got="0")
    )
    for absent in (
        "kubekata.grading.host",
        "kubekata.grading.hidden",
        "kubekata.cluster.world",
        "pytest",
        "ctypes",
    ):
        assert absent not in test.stdout.splitlines()


SEARCHES = {
    "garbage": "import gc\nfound = [item for item in gc.get_objects() if isinstance(item, str)]",
    "frames": """
import sys
frame, found = sys._getframe(), []
while frame:
    found += map(repr, frame.f_locals.values())
    frame = frame.f_back
""",
    "modules": "import sys\nfound = [text for m in list(sys.modules.values()) for text in map(str, vars(m))]",
    "environment": "import os, sys\nfound = [str(os.environ), str(sys.argv), str(sys.path)]",
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_walking_the_process_finds_no_answer(judge: Judge, search: str) -> None:
    """The words of the hidden tests are nowhere in it, and no path leads to them."""
    told = "print([text[:80] for text in found if 'the num' 'ber ' in text or 'hidden' '_tests' in text])"
    assert (
        judge(Attack("", f"{search}\n{told}\nreturn 0", outcome="failed", got="0", timeout=3)).stdout
        == "[]\n"
    )
