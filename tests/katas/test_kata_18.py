"""Kata 18's reference against what real Kubernetes' own code said: recorded scores, and its tests' tables."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import ScoringStrategy, Taint, Toleration
from kubekata.testing import container, pod

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"

solution = runpy.run_path(str(ROOT / "reference/kata-18-scoring/solution.py"))
score, balance, normalize, assumed = (solution[name] for name in ("score", "balance", "normalize", "assumed"))

RECORDED = [
    json.loads(line) for line in (VECTORS / "scheduler_fit.jsonl").read_text(encoding="utf-8").splitlines()
]
TABLE = json.loads((VECTORS / "scheduler.json").read_text(encoding="utf-8"))
STRATEGIES = {
    "least_allocated": "LeastAllocated",
    "most_allocated": "MostAllocated",
    "capacity_ratio": "RequestedToCapacityRatio",
}


def rows(*operations: str) -> list[dict[str, Any]]:
    return [row for row in TABLE if row["id"].split("/")[1] in operations]


SCORES = rows(*STRATEGIES)
LINES = rows("broken_line")
BALANCED = rows("balanced")
ASSUMED = rows("nonzero_request")
NORMALIZED = rows("normalize_reverse")
TAINTS = rows("taint_scores")


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    nodes = sum(len(row["expect"]) for row in RECORDED)
    assert (len(RECORDED), nodes) == (800, 2008)
    assert [len(each) for each in (SCORES, LINES, BALANCED, ASSUMED, NORMALIZED, TAINTS)] == [
        19,
        14,
        10,
        3,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("key", "strategy"), [item for item in STRATEGIES.items() if item[0] != "capacity_ratio"]
)
def test_every_recorded_score(key: str, strategy: Any) -> None:
    """Both strategies' scores of every node of every recorded row."""
    wrong = []
    for row in RECORDED:
        given = row["given"]
        for shape, verdict in zip(given["nodes"], row["expect"], strict=True):
            taken = [*shape["pods"], given["pod"]]
            capacity = {"cpu": shape["cpu_m"], "memory": shape["mem_mi"] << 20}
            requested = {
                "cpu": sum(each["cpu_m"] for each in taken),
                "memory": sum(each["mem_mi"] << 20 for each in taken),
            }
            if score(ScoringStrategy(strategy), capacity, requested) != verdict[key]:
                wrong.append((shape, given["pod"], verdict))
    assert not wrong


@pytest.mark.parametrize("row", SCORES, ids=lambda row: row["id"])
def test_strategies(row: dict[str, Any]) -> None:
    """Upstream's tables of the three strategies."""
    given = row["given"]
    strategy = ScoringStrategy(
        STRATEGIES[row["id"].split("/")[1]],  # type: ignore[arg-type]
        given.get("weights", {"cpu": 1, "memory": 1}),
        [tuple(point) for point in given.get("shape", ())],
    )
    assert score(strategy, given["capacity"], given["requested"]) == row["expect"]["score"]


@pytest.mark.parametrize("row", LINES, ids=lambda row: row["id"])
def test_broken_line(row: dict[str, Any]) -> None:
    """Points, between them, and beyond them."""
    given = row["given"]
    assert solution["broken_line"](given["points"], given["utilization"]) == row["expect"]["score"]


@pytest.mark.parametrize("row", BALANCED, ids=lambda row: row["id"])
def test_balance(row: dict[str, Any]) -> None:
    """Two resources and three; a pod that asks for nothing is not scored, which is 0 here."""
    given, expect = row["given"], row["expect"]
    wanted = 0 if expect.get("skip") else expect["score"]
    assert balance(given["capacity"], given["used"], given["pod"]) == wanted
    resources = [r for r in given["capacity"] if r in ("cpu", "memory") or given["pod"].get(r)]
    together = {r: given["used"].get(r, 0) + given["pod"].get(r, 0) for r in resources}
    for key, amounts in (("before", given["used"]), ("after", together)):
        if key in expect:
            assert solution["evenness"](given["capacity"], amounts, resources) == expect[key]


@pytest.mark.parametrize("row", ASSUMED, ids=lambda row: row["id"])
def test_what_scoring_assumes(row: dict[str, Any]) -> None:
    """Defaults for what is not asked for."""
    units = {"cpu": "m", "memory": ""}
    new = pod("new")
    new.spec.containers = [
        container(**{key: f"{value}{units[key]}" for key, value in each.items()})
        for each in row["given"]["containers"]
    ]
    assert assumed(new) == row["expect"]


@pytest.mark.parametrize("row", NORMALIZED, ids=lambda row: row["id"])
def test_normalize(row: dict[str, Any]) -> None:
    """The reverse form, which the taint score uses."""
    assert normalize(row["given"]["counts"], True) == row["expect"]["scores"]


@pytest.mark.parametrize("row", TAINTS, ids=lambda row: row["id"])
def test_taint_scores(row: dict[str, Any]) -> None:
    """The taints that kata 14 does not find tolerated, counted, are normalised to upstream's scores."""
    tolerates = runpy.run_path(str(ROOT / "reference/kata-14-taints-tolerations/solution.py"))["tolerates"]
    tolerations = [Toleration(**each) for each in row["given"]["tolerations"]]
    counts = [
        sum(
            each["effect"] == "PreferNoSchedule" and not any(tolerates(t, Taint(**each)) for t in tolerations)
            for each in taints
        )
        for taints in row["given"]["nodes"]
    ]
    assert normalize(counts, True) == row["expect"]["scores"]
