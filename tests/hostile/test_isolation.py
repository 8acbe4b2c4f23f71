"""The levels of isolation: what bubblewrap promises, how a level is chosen, and what is said of a weaker one."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubekata.grading.host import bubblewrap
from kubekata.grading.host.bubblewrap import BubblewrapLauncher, unavailable
from kubekata.grading.host.isolation import IsolationUnavailable, choose
from kubekata.grading.host.launcher import closed_paths, package, readable_paths
from kubekata.grading.run import CouldNotGrade, Grader, grade
from kubekata.grading.worker.options import WorkerOptions
from tests.hostile.arena import Arena, Attack, by_name, wait_for

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

REASON = unavailable()
needs_bubblewrap = pytest.mark.skipif(bool(REASON), reason=REASON or "bubblewrap works")


def inside(code: str, scratch: Path, *arguments: str) -> list[str]:
    """The command that runs `code` where a zygote would run, without audit hook, limits and system call filter."""
    command = BubblewrapLauncher().command(WorkerOptions(control=0, scratch=str(scratch)))
    return [*command[: command.index("--") + 1], sys.executable, "-c", code, *arguments]


def has_landlock() -> bool:
    """Asked in a process of its own, as `system` takes the C library out of reach of its process."""
    code = "from kubekata.grading.worker import landlock\nprint(landlock.version())"
    return int(subprocess.check_output([sys.executable, "-c", code], text=True)) > 0


@needs_bubblewrap
class TestBubblewrap:
    """With nothing but bubblewrap in the way."""

    def run(self, scratch: Path, code: str, *arguments: str) -> str:
        done = subprocess.run(
            inside(code, scratch, *arguments), capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def test_the_disk_has_no_answers_and_nobodys_files(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("x")
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        absent = [ROOT / name for name in ("reference", "katas", "hints", "tests", ".git")]
        absent += [Path.home() / name for name in (".local", ".bashrc", ".profile", ".ssh", ".cache")]
        absent += [secret, Path("/etc/passwd"), Path("/var"), Path("/run"), Path("/sys")]
        code = "import os, sys\nprint([path for path in sys.argv[1:] if os.path.exists(path)])"
        assert self.run(scratch, code, *map(str, absent)) == "[]"

    def test_working_controllers_are_hidden(self, tmp_path: Path) -> None:
        """As source and as bytecode, which lies beside it."""
        code = "import os, sys\nprint([name for path in sys.argv[1:] for name in os.listdir(path)])"
        closed = [package() / "cluster/actors", package() / "cluster/eviction"]
        assert all(Path(path, "__init__.py").is_file() for path in closed)
        assert self.run(tmp_path, code, *map(str, closed)) == "[]"

    def test_a_project_among_the_systems_files_is_hidden_too(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """People put projects into /usr/src, and all of /usr is shown."""
        monkeypatch.setattr(bubblewrap, "closed_paths", lambda: ("/usr/share",))
        assert self.run(tmp_path, "import os\nprint(os.listdir('/usr/share'))") == "[]"

    def test_a_virtual_environment_in_the_projects_own_folder_does_not_show_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project = tmp_path / "project"
        for name in ("reference/solution.py", "lib/module.py", "scratch/x"):
            (project / name).parent.mkdir(parents=True)
            (project / name).write_text("x")
        shown = (*readable_paths(), str(project), str(project / "lib"))
        monkeypatch.setattr(bubblewrap, "readable_paths", lambda: shown)
        monkeypatch.setattr(bubblewrap, "closed_paths", lambda: (str(project),))
        code = "import os, sys\nprint(sorted(os.listdir(sys.argv[1])), os.listdir(sys.argv[1] + '/lib'))"
        assert self.run(project / "scratch", code, str(project)) == "['lib', 'scratch'] ['module.py']"

    def test_nothing_can_be_written_outside_of_scratch(self, tmp_path: Path) -> None:
        places = [
            package(),
            Path("/"),
            Path("/usr"),
            Path(sys.prefix),
            Path(sys.base_prefix),
            tmp_path.parent,
        ]
        code = """
import sys
for place in sys.argv[1:]:
    try:
        open(place + "/mine", "w")
        print("wrote into", place)
    except OSError:
        pass
open("mine", "w").write("x")
"""
        assert self.run(tmp_path, code, *map(str, places)) == ""
        assert not (tmp_path / "mine").exists()

    def test_scratch_is_a_small_file_system_of_its_own(self, tmp_path: Path) -> None:
        code = """
with open("big", "wb") as file:
    try:
        for _ in range(200):
            file.write(bytes(1 << 20))
    except OSError as error:
        print(error.errno)
"""
        assert self.run(tmp_path, code) == "28"

    def test_there_is_no_network(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            code = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    print("connected")
except OSError:
    print([name for _, name in socket.if_nameindex()])
"""
            assert self.run(tmp_path, code, str(server.getsockname()[1])) == "['lo']"

    def test_no_other_process_is_in_sight(self, tmp_path: Path) -> None:
        code = """
import os, sys
pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
try:
    os.kill(int(sys.argv[1]), 0)
except ProcessLookupError:
    print(len(pids) <= 2, max(pids) < 10)
"""
        pid = os.getpid()
        assert pid > 10
        assert self.run(tmp_path, code, str(pid)) == "True True"

    def test_there_are_no_privileges(self, tmp_path: Path) -> None:
        code = (
            "print([line for line in open('/proc/self/status') if line.startswith('CapEff')][0].split()[1])"
        )
        assert int(self.run(tmp_path, code), 16) == 0

    def test_it_dies_with_the_grader(self, tmp_path: Path) -> None:
        marker = f"kubekata-{os.getpid()}-{time.monotonic_ns()}"
        command = inside("import time\nprint('here', flush=True)\ntime.sleep(600)", tmp_path, marker)
        code = "import subprocess, sys, time\nsubprocess.Popen(sys.argv[1:])\ntime.sleep(600)"
        with subprocess.Popen([sys.executable, "-c", code, *command], stdout=subprocess.PIPE) as grader:
            assert grader.stdout
            assert grader.stdout.readline() == b"here\n"
            grader.send_signal(signal.SIGKILL)
        assert wait_for(lambda: running(marker) == 0)


@pytest.mark.skipif(not has_landlock(), reason="needs Landlock, which Linux has since 5.13")
class TestLandlock:
    """With nothing but the kernel's rules about files in the way."""

    def run(self, folder: Path, code: str, *arguments: str) -> str:
        (folder / "scratch").mkdir()
        options = WorkerOptions(
            control=0, scratch=str(folder / "scratch"), readable=readable_paths(), closed=closed_paths()
        )
        prelude = (
            "import sys\nimport msgspec\nfrom pathlib import Path\n"
            "from kubekata.grading.worker import landlock, options, system\n"
            "system.give_up_privileges()\n"
            "landlock.FileRules(msgspec.json.decode(sys.argv.pop(1), type=options.WorkerOptions)).take_on()\n"
            "def can(act):\n    try:\n        act()\n    except PermissionError:\n        return False\n"
            "    return True\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", prelude + code, msgspec.json.encode(options).decode(), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def test_no_answer_and_nobodys_file_can_be_read(self, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.write_text("x")
        closed = [*ROOT.glob("reference/kata-05*/*.py"), ROOT / "README.md", mine, Path("/etc/passwd")]
        closed += [package() / "cluster/eviction/__init__.py", package() / "cluster/actors/replicaset.py"]
        code = "print([path for path in sys.argv[1:] if can(Path(path).read_bytes)])"
        assert len(closed) > 6
        assert self.run(tmp_path, code, *map(str, closed)) == "[]"

    def test_not_by_a_library_in_c_either(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("the answer")
        code = "import readline\nprint(can(lambda: readline.read_history_file(sys.argv[1])))"
        assert self.run(tmp_path, code, str(secret)) == "False"

    def test_what_a_submission_imports_can_be_read(self, tmp_path: Path) -> None:
        code = (
            "import decimal, fractions, sqlite3, ssl, xml.sax, hypothesis, kubekata.cluster.fit\nprint('all')"
        )
        assert self.run(tmp_path, code) == "all"

    def test_a_virtual_environment_in_the_projects_own_folder_does_not_open_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answer, installed = tmp_path / "project/reference/solution.py", tmp_path / "project/lib/module.py"
        for path in (answer, installed):
            path.parent.mkdir(parents=True)
            path.write_text("x")
        project = str(tmp_path / "project")
        open_paths = (*readable_paths(), project, str(installed.parent))
        monkeypatch.setattr(sys.modules[__name__], "readable_paths", lambda: open_paths)
        monkeypatch.setattr(sys.modules[__name__], "closed_paths", lambda: (project,))
        code = "print([can(Path(path).read_bytes) for path in sys.argv[1:]])"
        assert self.run(tmp_path, code, str(answer), str(installed)) == "[False, True]"

    def test_no_device_can_be_made(self, tmp_path: Path) -> None:
        code = (
            "import os, stat\n"
            "print([can(lambda: os.mknod(sys.argv[1], kind | 0o600, os.makedev(1, 5)))"
            " for kind in (stat.S_IFCHR, stat.S_IFBLK)])"
        )
        assert self.run(tmp_path, code, str(tmp_path / "scratch/device")) == "[False, False]"

    def test_nothing_but_scratch_can_be_changed(self, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.write_text("x")
        code = (
            "print([can(lambda: Path(path).write_text('y')) for path in sys.argv[1:]],"
            " can(Path(sys.argv[1]).unlink), can(Path(sys.argv[2]).parent.rmdir))"
        )
        places = [mine, tmp_path / "new", package() / "new.py", tmp_path / "scratch/new", Path("/dev/null")]
        assert self.run(tmp_path, code, *map(str, places)) == "[False, False, False, True, True] False False"
        assert mine.read_text() == "x"


def running(marker: str) -> int:
    count = 0
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += marker.encode() in entry.read_bytes()
        except OSError:
            continue
    return count


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("sandbox")
    before, tempfile.tempdir = tempfile.tempdir, str(folder / "scratch")
    arena = Arena(folder, "bubblewrap")
    yield arena
    arena.grader.close()
    tempfile.tempdir = before
    assert wait_for(lambda: arena.processes() == {})
    assert list(arena.scratch.glob("kubekata-*")) == []


SANDBOXED = [
    Attack("a loop", "while True:\n    pass", outcome="timeout", score=30, got="(line 2: while True:)"),
    Attack("memory", "return bytearray(1 << 30)", got="raised MemoryError"),
    Attack("a crash", "import os\nos.abort()", got="ended by SIGABRT in target (line 3: os.abort())"),
    Attack("forks", "import os\nwhile True:\n    os.fork()", got="start another process"),
    Attack("the answers", "return open('SECRET').read()", got="read outside", timeout=3),
    Attack("a thread", "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\nreturn 0",
           outcome="failed", got="0"),
]  # fmt: skip


@needs_bubblewrap
@pytest.mark.parametrize("attack", SANDBOXED, ids=lambda attack: attack.name)
def test_verdicts_are_the_same_in_the_sandbox(sandbox: Arena, attack: Attack) -> None:
    result = sandbox.grade(sandbox.source(attack), timeout=attack.timeout)
    test = by_name(result)["test_target[3]"]
    assert (result.isolation, test.outcome, result.score) == ("bubblewrap", attack.outcome, attack.score)
    assert attack.got in test.got


@needs_bubblewrap
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become an ordinary user")
def test_an_ordinary_user_gets_the_same() -> None:
    home = Path(tempfile.mkdtemp(dir="/tmp"))
    home.chmod(0o777)
    solution = home / "mine.py"
    solution.write_text((ROOT / "reference/kata-04-hpa/solution.py").read_text())
    command = [
        sys.executable,
        "-m",
        "kubekata",
        "kata-04",
        "--file",
        str(solution),
        "--json",
        "--isolation",
        "bubblewrap",
    ]
    ordinary: dict[str, Any] = {
        "user": NOBODY,
        "group": NOBODY,
        "extra_groups": [],
        "cwd": home,
        "env": {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
    }
    try:
        subprocess.run([sys.executable, "-c", "import kubekata"], check=True, capture_output=True, **ordinary)
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("an ordinary user cannot read this clone, or its interpreter")
    done = subprocess.run(command, capture_output=True, text=True, check=False, **ordinary)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["isolation"], document["score"]) == ("bubblewrap", 100)


class TestChoosing:
    """Which level a grade gets, and what is said about it."""

    @pytest.fixture
    def no_namespaces(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = tmp_path / "bwrap"
        program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def test_without_bubblewrap_auto_is_a_process_and_says_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        launcher, remark = choose("auto")
        assert (launcher.level, remark) == ("process", "")

    @pytest.mark.usefixtures("no_namespaces")
    def test_without_namespaces_auto_falls_back_with_one_line(self, arena: Arena) -> None:
        result = grade(arena.kata, arena.kata.solution)
        assert (result.isolation, result.score, result.passed) == ("process", 100, True)
        (remark,) = result.problems
        assert (remark.kind, remark.fatal) == ("isolation", False)
        assert "No permissions to create new namespace" in remark.message
        assert "\n" not in remark.message

    @pytest.mark.usefixtures("no_namespaces")
    def test_what_was_asked_for_is_never_weakened(self, arena: Arena) -> None:
        with pytest.raises(IsolationUnavailable):
            choose("bubblewrap")
        with pytest.raises(CouldNotGrade, match="--isolation bubblewrap: bubblewrap does not work here"):
            grade(arena.kata, arena.kata.solution, isolation="bubblewrap")

    @needs_bubblewrap
    def test_auto_takes_what_works(self) -> None:
        launcher, remark = choose("auto")
        assert (launcher.level, remark) == ("bubblewrap", "")

    def test_a_process_is_a_process(self, arena: Arena) -> None:
        with Grader("process") as grader:
            assert grader.grade(arena.kata, arena.kata.solution).isolation == "process"
