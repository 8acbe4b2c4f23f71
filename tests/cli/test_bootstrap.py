"""The first run on a fresh machine, driven as a process, with a pip that obeys the test."""

import ast
import errno
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASE = getattr(sys, "_base_executable", sys.executable)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and locks")

FAKE_PIP = """
import os, pathlib, sys, time
with open(os.environ["PIP_CALLS"], "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
mode = os.environ.get("PIP_MODE", "works")
print("Collecting click==8", flush=True)
if mode == "offline":
    print("WARNING: Retrying (Retry(total=1)) after connection broken: Name or service not known")
    print("ERROR: No matching distribution found for click==8")
    sys.exit(1)
if mode == "empty":
    print("ERROR: Could not find a version that satisfies the requirement click==8 (from versions: none)")
    sys.exit(1)
if mode == "broken":
    print("ERROR: No space left on device")
    sys.exit(1)
if mode == "hangs":
    time.sleep(60)
if mode == "slow":
    time.sleep(1)
python = pathlib.Path(sys.argv[sys.argv.index("--python") + 1])
site = next(python.parent.parent.glob("lib/python*/site-packages"))
for name in os.environ["PIP_PROVIDES"].split():
    (site / (name + ".py")).touch()
print("Installing collected packages: click, coverage", flush=True)
"""

# The virtual environments of these tests need no pip of their own, which makes them quick to lay.
SITE = """
import sys
for name in {hidden}:
    sys.modules[name] = None
"""

CLI = """
def main():
    import json, sys
    print(json.dumps({"arguments": sys.argv[1:], "prefix": sys.prefix}))
"""


def load_bootstrap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", ROOT / "kubekata/bootstrap.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Tree:
    """A clone on a machine that has nothing but Python and a pip that does as it is told."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        self.machine = folder / "machine"
        self.calls = folder / "pip-calls"
        package = self.root / "kubekata"
        package.mkdir(parents=True)
        (self.machine / "pip").mkdir(parents=True)
        shutil.copy(ROOT / "grader.py", self.root)
        shutil.copy(ROOT / "kubekata/bootstrap.py", package)
        (package / "__init__.py").touch()
        (package / "cli.py").write_text(CLI)
        (self.root / "requirements.txt").write_text("click==8\ncoverage==7\n")
        (self.root / "requirements-dev.txt").write_text("-r requirements.txt\nruff==1\n")
        (self.machine / "pip/__init__.py").touch()
        (self.machine / "pip/__main__.py").write_text(FAKE_PIP)
        self.hide("ensurepip")

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    def hide(self, *modules: str) -> None:
        (self.machine / "sitecustomize.py").write_text(SITE.format(hidden=modules))

    def environ(self, **extra: str) -> dict[str, str]:
        bootstrap = load_bootstrap()
        provided = bootstrap.DEPENDENCIES + bootstrap.DEV_DEPENDENCIES
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith(("KUBEKATA_", "PYTHON"))
        }
        return {
            **kept,
            "PYTHONPATH": str(self.machine),
            "PYTHONNOUSERSITE": "1",
            "PIP_CALLS": str(self.calls),
            "PIP_PROVIDES": " ".join(provided),
            **extra,
        }

    def start(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [BASE, str(self.root / "grader.py"), *arguments],
            env=self.environ(**extra),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        with self.start(*arguments, **extra) as process:
            out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def pip_calls(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def wait_for_pip(self) -> None:
        wait_until(lambda: bool(self.pip_calls()))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_first_run_installs_and_goes_on_in_the_new_environment(tree: Tree) -> None:
    done = tree.run("kata-05", "--json")
    assert done.returncode == 0, done.stderr
    assert str(tree.venv) in done.stdout
    assert '["kata-05", "--json"]' in done.stdout
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("kubekata: installing what grading needs (pytest, kopf")
    assert last.startswith("kubekata: ready after")
    dependencies, project = tree.pip_calls()
    assert dependencies.endswith(f"-r {tree.root / 'requirements.txt'}")
    assert project.endswith(f"--no-deps --no-build-isolation -e {tree.root}")


def test_second_run_says_nothing_and_calls_no_pip(tree: Tree) -> None:
    tree.run("5")
    before = tree.pip_calls()
    again = tree.run("5")
    assert (again.returncode, again.stderr) == (0, "")
    assert tree.pip_calls() == before


def test_goes_straight_on_when_the_dependencies_can_be_imported(tree: Tree) -> None:
    for name in load_bootstrap().DEPENDENCIES:
        (tree.machine / f"{name}.py").touch()
    done = tree.run("5")
    assert done.returncode == 0, done.stderr
    assert not tree.venv.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_killed_installation_is_repaired(tree: Tree, number: int) -> None:
    with tree.start("5", PIP_MODE="hangs") as process:
        tree.wait_for_pip()
        os.killpg(process.pid, number)
        process.communicate(timeout=20)
    done = tree.run("5")
    assert done.returncode == 0, done.stderr
    assert "did not finish" in done.stderr


def test_what_an_interrupted_installation_left_is_thrown_away(tree: Tree) -> None:
    with tree.start("5", PIP_MODE="hangs") as process:
        tree.wait_for_pip()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
    (half,) = tree.venv.glob("lib/python*/site-packages")
    (half / "click").mkdir()
    tree.run("5")
    assert not (half / "click").exists()


def test_ctrl_c_is_one_line_and_leaves_no_pip_behind(tree: Tree) -> None:
    with tree.start("5", PIP_MODE="hangs") as process:
        tree.wait_for_pip()
        os.kill(process.pid, signal.SIGINT)  # to the grader alone: it has to end pip itself
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "kubekata: interrupted. The next run finishes the installation."
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert tree.run("5").returncode == 0


def test_two_terminals_at_once_install_once(tree: Tree) -> None:
    both = [tree.start("5", PIP_MODE="slow"), tree.start("5", PIP_MODE="slow")]
    errors = [process.communicate(timeout=60)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert len(tree.pip_calls()) == 2, "one installation is two calls of pip"
    assert sum("waiting for it" in error for error in errors) == 1


def test_offline_is_one_line(tree: Tree) -> None:
    done = tree.run("5", PIP_MODE="offline")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-1].startswith("kubekata: pip cannot reach the package registry. Connect")


def test_an_index_without_packages_is_said_to_be_one(tree: Tree) -> None:
    done = tree.run("5", PIP_MODE="empty")
    assert done.returncode == 3
    line = done.stderr.splitlines()[-1]
    assert line.startswith("kubekata: pip finds no packages where it looks: Could not find a version")
    assert "Connect to the network, or see `pip config list`" in line


def test_another_failure_of_pip_is_quoted(tree: Tree) -> None:
    done = tree.run("5", PIP_MODE="broken")
    assert done.returncode == 3
    assert "pip failed: No space left on device" in done.stderr.splitlines()[-1]


def test_no_bootstrap_prints_the_command_instead(tree: Tree) -> None:
    done = tree.run("5", KUBEKATA_NO_BOOTSTRAP="1")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "-m pip install -r requirements.txt" in line
    assert not tree.venv.exists()


def test_changed_requirements_are_installed(tree: Tree) -> None:
    tree.run("5")
    with (tree.root / "requirements.txt").open("a") as file:
        file.write("rich==15\n")
    done = tree.run("5")
    assert done.returncode == 0, done.stderr
    assert "requirements changed" in done.stderr
    assert tree.run("5").stderr == ""


def test_a_moved_clone_points_to_its_new_place(tree: Tree) -> None:
    tree.run("5")
    tree.root = tree.root.rename(tree.root.with_name("elsewhere"))
    done = tree.run("5")
    assert done.returncode == 0, done.stderr
    assert tree.pip_calls()[-1].endswith(f"-e {tree.root}")


def test_an_environment_that_lost_a_package_is_repaired(tree: Tree) -> None:
    tree.run("5")
    next(tree.venv.glob("lib/python*/site-packages/kopf.py")).unlink()
    done = tree.run("5")
    assert done.returncode == 0, done.stderr
    assert "did not finish" in done.stderr


def test_an_environment_made_by_hand_gets_what_it_lacks_and_keeps_what_it_has(tree: Tree) -> None:
    subprocess.run([BASE, "-m", "venv", "--without-pip", str(tree.venv)], check=True)
    (site,) = tree.venv.glob("lib/python*/site-packages")
    (site / "mine.py").touch()
    done = subprocess.run(
        [str(tree.venv / "bin/python"), str(tree.root / "grader.py"), "5"],
        env=tree.environ(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (site / "mine.py").exists()


def test_an_installation_that_does_not_help_ends_with_one_line(tree: Tree) -> None:
    done = tree.run("5", PIP_PROVIDES="click")
    assert done.returncode == 3
    assert "Delete that folder" in done.stderr.splitlines()[-1]


def test_selftest_brings_the_developers_tools(tree: Tree) -> None:
    tree.run("5")
    for name in load_bootstrap().DEV_DEPENDENCIES:
        next(tree.venv.glob(f"lib/python*/site-packages/{name}.py")).unlink()
    done = tree.run("selftest")
    assert done.returncode == 0, done.stderr
    assert "requirements-dev.txt" in tree.pip_calls()[-2]
    assert tree.run("selftest").stderr == ""
    assert tree.run("5").stderr == ""


def test_no_means_to_make_an_environment_is_one_line(tree: Tree) -> None:
    tree.hide("ensurepip", "pip")
    done = tree.run("5")
    assert done.returncode == 3
    assert "sudo apt install python3-venv" in done.stderr.splitlines()[-1]


def test_a_file_in_the_way_is_one_line(tree: Tree) -> None:
    tree.venv.touch()
    done = tree.run("5")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "cannot prepare" in line
    assert "pip install -r requirements.txt" in line


def test_a_read_only_folder_is_one_line(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bootstrap = load_bootstrap()

    def refuse(path: Path, **_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(bootstrap.Environment, "can_import", lambda _: False)
    with pytest.raises(SystemExit) as stopped:
        bootstrap.prepare(str(tree.root), ["grader.py", "5"])
    assert stopped.value.code == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"kubekata: cannot prepare {tree.venv}: Read-only file system.")


def test_an_old_python_is_told_so() -> None:
    pretend = (
        "import runpy, sys; sys.version_info = (3, 10, 2); "
        f"sys.argv = ['grader.py']; runpy.run_path({str(ROOT / 'grader.py')!r}, run_name='__main__')"
    )
    done = subprocess.run([BASE, "-c", pretend], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith("kubekata: this is Python 3.10 and kubekata needs 3.11 or newer")


def test_an_old_python_can_parse_the_entry_point() -> None:
    source = (ROOT / "grader.py").read_text()
    tree = ast.parse(source, feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert not [
        node.name for node in functions if node.returns or any(arg.annotation for arg in node.args.args)
    ]
    source.encode("ascii")


def test_a_lone_entry_point_asks_for_the_rest(tmp_path: Path) -> None:
    shutil.copy(ROOT / "grader.py", tmp_path)
    done = subprocess.run([BASE, str(tmp_path / "grader.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "clone the whole repository" in done.stderr


def test_half_a_clone_is_one_line(tree: Tree) -> None:
    (tree.root / "kubekata/cli.py").unlink()
    done = tree.run("5")
    assert done.returncode == 3
    assert "cannot start (No module named 'kubekata.cli')" in done.stderr.splitlines()[-1]


@pytest.mark.timeout(300)
def test_a_fresh_clone_bootstraps_for_real(tmp_path: Path) -> None:
    """With the real pip and the real dependencies: skipped where no package registry can be reached."""
    clone = tmp_path / "clone"
    left_out = shutil.ignore_patterns(".venv", ".git", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, clone, ignore=left_out)
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("KUBEKATA_", "PYTHON"))}
    environ["PYTHONNOUSERSITE"] = "1"
    done = subprocess.run(
        [BASE, str(clone / "grader.py"), "--version"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    if "cannot reach the package registry" in done.stderr:
        pytest.skip("no package registry can be reached from here")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kubekata ")
    elsewhere = subprocess.run(
        [str(clone / ".venv/bin/python"), "-c", "import kubekata; print(kubekata.__file__)"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert elsewhere.stdout.strip() == str(clone / "kubekata/__init__.py")
