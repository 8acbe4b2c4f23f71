"""Kata 15's reference against the tables of the scheduler's own anti-affinity tests."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import Affinity, LabelSelector, LabelSelectorRequirement, Pod, PodAffinity, PodAffinityTerm
from kubekata.testing import node, pod

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "tests/vectors/scheduler.json").read_text(encoding="utf-8"))
MESSAGES = {
    "Success": "",
    "anti-affinity": "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
    "existing anti-affinity": (
        "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."
    ),
}

schedule = runpy.run_path(str(ROOT / "reference/kata-15-pod-anti-affinity/solution.py"))["schedule"]

# Attraction is not in the kata: rows that are about it alone are left out. In the others it is satisfied, and the
# verdict is anti-affinity's.
ROWS = [
    row
    for row in TABLE
    if row["id"].split("/")[1] == "interpod"
    and (row["given"]["pod"].get("anti") or any(each["anti"] for each in row["given"]["existing"]))
]


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert len(ROWS) == 6


def made(name: str, given: dict[str, Any]) -> Pod:
    made_pod = pod(
        name, labels=given["labels"], node=given.get("node", ""), namespace=given["ns"] or "default"
    )
    terms = [
        PodAffinityTerm(
            topology_key=each["key"],
            label_selector=LabelSelector(
                match_expressions=[
                    LabelSelectorRequirement(key=one["key"], operator=one["op"], values=one["values"])
                    for one in each["selector"]
                ]
            ),
        )
        for each in given.get("anti", ())
    ]
    rules = PodAffinity(required_during_scheduling_ignored_during_execution=terms)
    made_pod.spec.affinity = Affinity(pod_anti_affinity=rules)
    return made_pod


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_node_of_the_table(row: dict[str, Any]) -> None:
    """Verdict and message of each node: closed to all the others, the pod may go there or not."""
    given = row["given"]
    new = made("new", given["pod"])
    existing = [made(f"old-{i}", each) for i, each in enumerate(given["existing"])]
    nodes = {name: node(name, labels=labels) for name, labels in given["nodes"].items()}
    verdicts = row["expect"]["nodes"]
    answer = schedule(new, list(nodes.values()), existing)
    open_nodes = sorted(name for name, verdict in verdicts.items() if verdict == "Success")
    assert answer.node == (open_nodes[0] if open_nodes else None)
    if len(nodes) == 1:
        assert answer.message == MESSAGES[next(iter(verdicts.values()))]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_one_domain_at_a_time(row: dict[str, Any]) -> None:
    """A stand-in for each node, with its labels, gets the same verdict beside the nodes that hold the pods."""
    given = row["given"]
    new = made("new", given["pod"])
    existing = [made(f"old-{i}", each) for i, each in enumerate(given["existing"])]
    for name, verdict in row["expect"]["nodes"].items():
        holding = [node(each, labels=given["nodes"][each]) for each in {p.spec.node_name for p in existing}]
        stand_in = node("0", labels=given["nodes"][name])
        answer = schedule(new, [*holding, stand_in], existing)
        assert (answer.node == "0") is (verdict == "Success")
