"""The bonus round graded for real: operators as processes, on the served control plane."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubekata.bonus.api import Api
from kubekata.bonus.backends import Session, choose
from kubekata.bonus.checks import CHECKS
from kubekata.bonus.errors import BackendError
from kubekata.bonus.rubric import Bonus
from kubekata.bonus.run import Unreadable, grade
from kubekata.bonus.setup import DEFINITIONS, prepared
from kubekata.bonus.stage import Pace
from kubekata.grading.result import KataResult
from kubekata.serve.kubeconfig import write_kubeconfig
from tests.serve.serving import served_cluster

BONUS = Bonus()
MISTAKES = sorted((BONUS.reference / "mistakes").glob("*.py"))
ROOT = BONUS.root
_AT_ONCE = 4


def red(result: KataResult) -> list[str]:
    return [item.id for item in result.rubric if item.earned < item.points]


def test_the_rubric_is_whole() -> None:
    """Points sum to 100, every item has a check and every check an item, and the brief announces them."""
    items = {item.id for item in BONUS.file.rubric}
    assert sum(item.points for item in BONUS.file.rubric) == 100
    assert {check.item for check in CHECKS} == items
    brief = (BONUS.folder / "README.md").read_text()
    for item in BONUS.file.rubric:
        row = next(line for line in brief.splitlines() if f"| `{item.id}` |" in line)
        assert item.title in row
        assert f"| {item.points} |" in row
        assert ("must" in row) is item.must


def test_the_stub_is_the_stub() -> None:
    """The file that a learner edits is the one that it is compared with."""
    if BONUS.submission.read_text() != BONUS.stub.read_text():
        pytest.skip("somebody is at work on it")
    result = grade(BONUS, choose("served", None), BONUS.stub, pace=Pace(patience=0.3), items=[])
    assert (result.score, result.passed, result.started) == (0, False, False)
    assert not result.problems


def test_the_reference_scores_100() -> None:
    """kind/operator.py holds in every item."""
    result = grade(BONUS, choose("served", None), BONUS.solution)
    failures = [(t.name, t.got) for item in result.rubric for t in item.tests if t.outcome != "passed"]
    assert (result.score, failures) == (100, [])
    assert result.passed


def test_mistakes_fail_where_they_should() -> None:
    """Each is caught at the item that it names, with feedback in the problem's words."""
    assert len(MISTAKES) >= 6
    # They mostly wait, so several at once.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        problems = [problem for problem in pool.map(_what_is_wrong_with, MISTAKES) if problem]
    assert problems == []


def _what_is_wrong_with(path: Path) -> str:
    header = path.read_text()
    named = re.search(r"Fails: (\w+)", header)
    if named is None or "Misconception: " not in header:
        return f"{path.stem}: the header names no misconception or no item"
    result = grade(BONUS, choose("served", None), path, pace=Pace(patience=0.7), items=[named[1]])
    item = next(item for item in result.rubric if item.id == named[1])
    failed = [test for test in item.tests if test.outcome == "failed"]
    if not failed or "ready" in red(result):
        return f"{path.stem}: {named[1]} did not fail, or more than it did: {red(result)}"
    if not all(test.given and test.expected and test.got for test in failed):
        return f"{path.stem}: no feedback"
    return ""


@pytest.mark.parametrize(
    ("source", "kind", "says"),
    [
        (b"", "not-python", "empty"),
        (b"\xff\xfe\x00", "not-python", "no text"),
        (b"def f(:\n", "syntax-error", "invalid syntax"),
        (b"import nothing_of_that_name\n", "does-not-start", "No module named 'nothing_of_that_name'"),
        (b"raise SystemExit(3)\n", "does-not-start", "ended at once"),
    ],
)
def test_files_that_are_no_operator(tmp_path: Path, source: bytes, kind: str, says: str) -> None:
    """Graded 0 with one friendly block."""
    path = tmp_path / "operator.py"
    path.write_bytes(source)
    result = grade(BONUS, choose("served", None), path)
    assert (result.score, result.passed) == (0, False)
    assert result.problems[0].kind == kind
    assert says in result.problems[0].message


def test_no_file(tmp_path: Path) -> None:
    """A path that cannot be read is wrong usage."""
    with pytest.raises(Unreadable, match="cannot be read"):
        grade(BONUS, choose("served", None), tmp_path / "none.py")


def test_leftovers_go_and_nothing_stays(tmp_path: Path) -> None:
    """A namespace and a finalizer of an earlier run are cleared; a shared cluster is left as it was."""
    with served_cluster(tls=True) as running:
        config = tmp_path / "config"
        write_kubeconfig(config, running.served.kubeconfig)
        api, session = Api.from_kubeconfig(config), Session(config, shared=True)
        labels = {"app.kubernetes.io/managed-by": "kubekata"}
        with prepared(api, session, BONUS.definition) as first:
            api.create("/api/v1/namespaces", {"metadata": {"name": "kubekata-old", "labels": labels}})
            api.create(
                "/apis/rack.example.com/v1/namespaces/kubekata-old/racknodes",
                {
                    "apiVersion": "rack.example.com/v1",
                    "kind": "RackNode",
                    "metadata": {"name": "stuck", "finalizers": ["rack.example.com/decommission"]},
                    "spec": {"desiredFirmware": "1.0.0"},
                },
            )
            # The definition is under deletion, and the object with the dead operator's finalizer holds it.
            api.delete(f"{DEFINITIONS}/racknodes.rack.example.com")
            with prepared(api, session, BONUS.definition) as second:
                assert first != second
                assert api.find("/apis/rack.example.com/v1/namespaces/kubekata-old/racknodes/stuck") is None
        names = [item["metadata"]["name"] for item in api.get("/api/v1/namespaces")["items"]]
        assert not [name for name in names if name.startswith("kubekata-")]
        assert api.find(f"{DEFINITIONS}/racknodes.rack.example.com") is None


def test_a_cluster_that_goes_away(tmp_path: Path) -> None:
    """No score, and one line."""
    with served_cluster(tls=True) as running:
        config = tmp_path / "config"
        write_kubeconfig(config, running.served.kubeconfig)
        api = Api.from_kubeconfig(config)
        api.get("/api/v1/namespaces")
    with pytest.raises(BackendError, match="does not answer"):
        api.get("/api/v1/namespaces")


class TestCommandLine:
    """`python grader.py kind` as a process."""

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kubekata", "kind", *arguments],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "NO_COLOR": "1", **environment},
            timeout=60,
            check=False,
        )

    def test_json(self, tmp_path: Path) -> None:
        """One document on stdout, one line about the backend on stderr, status 1 for a file that fails."""
        path = tmp_path / "operator.py"
        path.write_text("x = (\n")
        done = self.run("--backend", "served", "--file", str(path), "--json")
        assert done.returncode == 1
        assert done.stderr.strip() == "backend: served (asked for)"
        result = json.loads(done.stdout)
        assert (result["kata"], result["score"]) == ("kata-kind-operator", 0)
        assert result["problems"][0]["kind"] == "syntax-error"

    @pytest.mark.parametrize(
        ("arguments", "status", "says"),
        [
            (("--backend", "context"), 2, "needs --context NAME"),
            (("--backend", "served", "--context", "x"), 2, "goes with --backend context"),
            (("--backend", "cloud"), 2, "'cloud' is not one of"),
            (("--backend", "served", "--file", "no/such/file.py"), 2, "cannot be read"),
            (("--backend", "envtest"), 3, "KUBEBUILDER_ASSETS is not set"),
        ],
    )
    def test_one_line_and_a_status(self, arguments: tuple[str, ...], status: int, says: str) -> None:
        """Wrong usage is 2, a cluster that cannot be used is 3; never a traceback."""
        environment = {key: value for key, value in os.environ.items() if key != "KUBEBUILDER_ASSETS"}
        done = subprocess.run(
            [sys.executable, "-m", "kubekata", "kind", *arguments],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert says in done.stderr
        assert "Traceback" not in done.stderr

    def test_ctrl_c(self) -> None:
        """It ends soon, says nothing of itself, and takes the operator along."""
        process = subprocess.Popen(
            [sys.executable, "-m", "kubekata", "kind", "--backend", "served", "--file", str(BONUS.solution)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )
        try:
            operator = _wait_for_child(process.pid)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
        assert process.returncode == 130
        assert "Traceback" not in errors
        assert not Path(f"/proc/{operator}").exists()


def _wait_for_child(parent: int) -> int:
    """Return the process id of the operator, once it runs."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        pytest.skip("needs /proc")
    end = time.monotonic() + 20
    while time.monotonic() < end:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found = task.read_text().split()
            if found:
                time.sleep(1)
                return int(found[0])
        time.sleep(0.05)
    raise AssertionError("no operator was started")
