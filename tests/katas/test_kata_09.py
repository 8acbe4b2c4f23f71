"""Kata 09's reference against what real Kubernetes' own code said for pods and nodes."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import Node, Pod
from kubekata.testing import container, node, pod

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"

schedule = runpy.run_path(str(ROOT / "reference/kata-09-bin-packing/solution.py"))["schedule"]

RECORDED = [
    json.loads(line) for line in (VECTORS / "scheduler_fit.jsonl").read_text(encoding="utf-8").splitlines()
]
TABLE = json.loads((VECTORS / "scheduler.json").read_text(encoding="utf-8"))
KNOWN = {"cpu", "memory"}


def rows(operation: str) -> list[dict[str, Any]]:
    return [row for row in TABLE if row["id"].split("/")[1] == operation]


# Other resources than cpu and memory, and plugins other than the resource filter, are not in the kata.
FIT = [row for row in rows("fit") if set(row["given"]["request"]) <= KNOWN]
REQUEST = rows("pod_request")
WORDS = [
    row
    for row in rows("fit_error")
    if all(reason.startswith("Insufficient") for node in row["given"]["node_reasons"] for reason in node)
]


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert (len(RECORDED), len(FIT), len(REQUEST), len(WORDS)) == (800, 10, 3, 2)


def recorded_node(given: dict[str, Any]) -> tuple[Node, list[Pod]]:
    shape = node(
        given["name"], cpu=f"{given['cpu_m']}m", memory=f"{given['mem_mi']}Mi", pods=given["max_pods"]
    )
    return shape, [
        pod(f"{given['name']}-{i}", node=given["name"], cpu=f"{p['cpu_m']}m", memory=f"{p['mem_mi']}Mi")
        for i, p in enumerate(given["pods"])
    ]


def test_every_recorded_verdict() -> None:
    """fits and reasons of every node of every recorded row, and the first fit over all of its nodes."""
    wrong = []
    for row in RECORDED:
        given, expect = row["given"], row["expect"]
        new = pod("new", cpu=f"{given['pod']['cpu_m']}m", memory=f"{given['pod']['mem_mi']}Mi")
        shapes = [recorded_node(n) for n in given["nodes"]]
        for (shape, taken), verdict in zip(shapes, expect, strict=True):
            answer = schedule(new, [shape], taken)
            reasons = sorted(f"1 {reason}" for reason in verdict["reasons"])
            message = "" if verdict["fits"] else f"0/1 nodes are available: {', '.join(reasons)}."
            if (answer.node is not None, answer.message) != (verdict["fits"], message):
                wrong.append((row, verdict["node"], answer))
        fitting = sorted(verdict["node"] for verdict in expect if verdict["fits"])
        everything = [p for _, taken in shapes for p in taken]
        if schedule(new, [s for s, _ in shapes], everything).node != (fitting[0] if fitting else None):
            wrong.append((row, "all", fitting))
    assert not wrong


@pytest.mark.parametrize("row", FIT, ids=lambda row: row["id"])
def test_the_table_of_the_fit_plugin(row: dict[str, Any]) -> None:
    """Rows of upstream's own test table, one node each."""
    given = row["given"]
    size, used, want = given["allocatable"], given["used"], given["request"]
    shape = node("n", cpu=str(size["cpu"]), memory=str(size["memory"]), pods=size["pods"])
    taken = [pod("old", node="n", cpu=str(used.get("cpu", 0)), memory=str(used.get("memory", 0)))]
    new = pod("new", **{key: str(value) for key, value in want.items()})
    answer = schedule(new, [shape], taken * given["pods_on_node"])
    reasons = sorted(f"1 {reason}" for reason in row["expect"]["reasons"])
    assert answer.message == (f"0/1 nodes are available: {', '.join(reasons)}." if reasons else "")


@pytest.mark.parametrize("row", REQUEST, ids=lambda row: row["id"])
def test_what_a_pod_needs(row: dict[str, Any]) -> None:
    """A node of exactly that size fits, and one that is a unit smaller does not."""
    given, need = row["given"], row["expect"]["request"]
    new = pod("new")
    new.spec.containers = [container(cpu=str(c["cpu"]), memory=str(c["memory"])) for c in given["containers"]]
    new.spec.init_containers = [
        container(cpu=str(c["cpu"]), memory=str(c["memory"])) for c in given.get("init", ())
    ]
    new.spec.overhead = {key: str(value) for key, value in given.get("overhead", {}).items()}
    exact = node("n", cpu=str(need["cpu"]), memory=str(need["memory"]))
    assert schedule(new, [exact], []).node == "n"
    for key in KNOWN:
        smaller = {**need, key: need[key] - 1}
        shape = node("n", cpu=str(smaller["cpu"]), memory=str(smaller["memory"]))
        assert schedule(new, [shape], []).node is None


@pytest.mark.parametrize("row", WORDS, ids=lambda row: row["id"])
def test_the_message(row: dict[str, Any]) -> None:
    """Counts and order of the entries."""
    nodes, taken = [], []
    for index, reasons in enumerate(row["given"]["node_reasons"]):
        nodes.append(node(f"n{index}"))
        lacks = {reason.removeprefix("Insufficient ") for reason in reasons}
        full = {"cpu": "4" if "cpu" in lacks else "0", "memory": "8Gi" if "memory" in lacks else "0"}
        taken.append(pod(f"p{index}", node=f"n{index}", **full))
    assert schedule(pod("new", cpu="1", memory="1Gi"), nodes, taken).message == row["expect"]["message"]
