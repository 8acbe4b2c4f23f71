"""The stories are told by the real command, whole, and without showing a reference."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from kubekata.grading.catalog import Project
from tests.cli.conftest import ROOT, clean_environ, run_grader


def tell(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_grader(ROOT, "demo", *words, env={"KUBEKATA_NO_BOOTSTRAP": "1", **environment})


def acts(story: str) -> list[str]:
    return re.findall(r"^\d  (.+)$", story, re.MULTILINE)


def test_racknode() -> None:
    """Provision, idempotent second pass, drift, failure and backoff, deletion."""
    told = tell("racknode")
    assert (told.returncode, told.stderr) == (0, "")
    assert acts(told.stdout) == [
        "Provision",
        "A second look",
        "Drift",
        "Transient failure and backoff",
        "Deletion",
    ]
    assert re.findall(r"comes back in (\d+) s", told.stdout)[:3] == ["10", "20", "40"]
    assert told.stdout.count("does nothing") == 2
    assert re.search(r"machine +not in the rack\n +object +gone", told.stdout)


def test_control_plane() -> None:
    """All eight acts, each with what it is there to show."""
    told = tell("control-plane")
    assert (told.returncode, told.stderr) == (0, "")
    assert acts(told.stdout) == [
        "Converge",
        "Pack, and wait",
        "Kill a pod",
        "Fail a node",
        "Scale by a metric",
        "Roll out within the budget",
        "Stall",
        "Roll back",
    ]
    for line in (
        "Pending: 0/3 nodes are available: 3 Insufficient cpu.",
        "(NotReady)",
        "so 10 pods",
        "floor 8",
        "ProgressDeadlineExceeded",
        "4 ready of 4, all app:1",
    ):
        assert line in told.stdout


def test_placement() -> None:
    """Katas 14, 15 and 18 on one cluster, each with what it is there to show."""
    told = tell("placement")
    assert (told.returncode, told.stderr) == (0, "")
    assert acts(told.stdout) == [
        "A taint repels, a toleration permits, a selector attracts",
        "Keep apart",
        "Spread, or pack",
        "Side by side",
    ]
    words = " ".join(told.stdout.split())
    for line in (
        "train-2 to gpu-a",
        "train-3 Pending: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 node(s) didn't match Pod's",
        "db-2 Pending: 0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules.",
        "debug Pending: 0/4 nodes are available: 4 node(s) didn't satisfy existing pods anti-affinity rules.",
        "0 of 3 nodes are empty, the largest pod that still fits has 2 cores",
        "cpu-a ████ web-1, web-2, web-3, web-4",
        "1 of 3 nodes are empty, the largest pod that still fits has 4 cores",
        "cpu-b by LeastAllocated (cpu-a 25, cpu-b 75, cpu-c 50, gpu-a 50)",
        "cpu-a by MostAllocated (cpu-a 75, cpu-b 25, cpu-c 50, gpu-a 50)",
    ):
        assert line in words


def test_autoscaler() -> None:
    """Kata 17's decisions over simulated time, with kata 16's drain: nodes come once, and go late."""
    told = tell("autoscaler")
    assert (told.returncode, told.stderr) == (0, "")
    assert acts(told.stdout) == [
        "A rush",
        "Too large, and large enough",
        "The rush is over",
        "Somebody says no",
        "A load that swings",
    ]
    says = re.findall(r"^ +autoscaler +(\d+:\d+)  (.+)$", told.stdout, re.MULTILINE)
    assert [(clock, text) for clock, text in says if "asks" in text] == [
        ("01:10", "asks for 3 of small"),
        ("03:10", "asks for 1 of large"),
        ("19:10", "asks for 1 of large"),
        ("47:10", "asks for 2 of small"),
    ]
    assert ("03:10", "no node would help giant: fits no group") in says
    # Ten minutes after the last node was asked for, and ten after the last pod went.
    drained = [clock for clock, text in says if text.startswith("drains")]
    assert drained == ["14:40", "15:10", "15:20", "46:10"]
    assert sum(text.startswith("gives") for _, text in says) == len(drained)
    assert says[-1][1] == "nodes asked for: 2, for the first swing; given back: 0"


@pytest.mark.parametrize("story", ["racknode", "control-plane", "placement", "autoscaler"])
def test_the_same_story_twice(story: str) -> None:
    """Down to the names of the pods."""
    assert tell(story, PYTHONHASHSEED="1").stdout == tell(story, PYTHONHASHSEED="2").stdout


@pytest.mark.parametrize("story", ["racknode", "control-plane", "placement", "autoscaler"])
def test_no_source_is_shown(story: str) -> None:
    """Not a line of any reference solution that is more than a word or two."""
    told = tell(story).stdout
    for kata in Project(ROOT).katas:
        for line in kata.solution.read_text(encoding="utf-8").splitlines():
            code = line.strip()
            assert len(code) < 20 or code not in told


def test_plain_in_a_pipe_and_in_colour_when_asked() -> None:
    """Escape codes only where they are wanted."""
    assert "\x1b" not in tell("racknode").stdout
    assert "\x1b" in tell("racknode", FORCE_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b" not in tell("racknode", "--no-color", FORCE_COLOR="1").stdout


def test_ascii() -> None:
    """An encoding without blocks gets a story all the same."""
    told = tell("control-plane", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert told.returncode == 0
    assert told.stdout.isascii()


def test_without_a_name_the_stories_are_listed() -> None:
    """One line a story."""
    told = tell()
    assert told.returncode == 0
    assert {"racknode", "control-plane", "placement", "autoscaler"} <= {
        line.split()[0] for line in told.stdout.splitlines()
    }


def test_wrong_words() -> None:
    """One line, what to do, status 2."""
    for words, says in (
        (("rack",), "no story 'rack'; there are: racknode"),
        (("racknode", "--step"), "leave it out"),
    ):
        told = tell(*words)
        assert (told.returncode, told.stdout) == (2, "")
        assert says in told.stderr
        assert len(told.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_step_waits_for_a_key() -> None:
    """A key brings the next act, q ends the story."""
    pexpect = pytest.importorskip("pexpect", reason="pexpect drives the terminal")
    child = pexpect.spawn(
        sys.executable,
        ["grader.py", "demo", "racknode", "--step", "--no-color"],
        cwd=str(ROOT),
        env=clean_environ(KUBEKATA_NO_BOOTSTRAP="1"),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("any key")
    assert "A second look" not in child.before
    child.send(" ")
    child.expect("A second look")
    child.expect("any key")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
