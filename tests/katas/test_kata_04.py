"""Kata 04's reference against what real Kubernetes' own code gave for the same numbers."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
NO_LIMITS = {"min_replicas": 0, "max_replicas": 2**31 - 1}

desired_replicas = runpy.run_path(str(ROOT / "reference/kata-04-hpa/solution.py"))["desired_replicas"]


def recorded() -> list[dict[str, Any]]:
    """Rows with one tolerance for both directions; the kata has no others."""
    lines = (VECTORS / "hpa_plain.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["given"]["tolerance_up"] == row["given"]["tolerance_down"]]


def table(operation: str) -> list[dict[str, Any]]:
    rows = json.loads((VECTORS / "hpa.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["id"].split("/")[1] == operation]


# A tolerance of its own for each direction is outside of the kata.
BANDS = [row for row in table("tolerance_within") if row["given"]["up"] == row["given"]["down"]]
# So are pods that are not ready, and waking up from 0.
TOTALS = [
    row
    for row in table("desired_from_total")
    if row["given"]["current"] == row["given"].get("ready") and "tol_up" not in row["given"]
]
SWITCHED_OFF = [row for row in table("reconcile_entry") if row["expect"]["action"] == "disabled"]


def test_rows_in_scope() -> None:
    """A file that lost its rows must not pass as one that agrees."""
    assert (len(recorded()), len(BANDS), len(TOTALS), len(SWITCHED_OFF)) == (1301, 5, 4, 3)


def test_every_recorded_row() -> None:
    """`raw` is what the formula gives, `clamped` what is left of it within the limits."""
    wrong = []
    for row in recorded():
        given, expect = row["given"], row["expect"]
        numbers = (given["current"], given["value"], given["target"])
        tolerance = given["tolerance_up"]
        raw = desired_replicas(*numbers, **NO_LIMITS, tolerance=tolerance)
        limits = {"min_replicas": given["min"], "max_replicas": given["max"]}
        clamped = desired_replicas(*numbers, **limits, tolerance=tolerance)
        if (raw, clamped) != (expect["raw"], expect["clamped"]):
            wrong.append((row, raw, clamped))
    assert not wrong


@pytest.mark.parametrize("row", BANDS, ids=lambda row: row["id"])
def test_band(row: dict[str, Any]) -> None:
    """Far from a whole number of pods, so that the answer moves exactly if the ratio is outside the band."""
    given = row["given"]
    answer = desired_replicas(1000, given["ratio"], 1, **NO_LIMITS, tolerance=given["up"])
    assert (answer == 1000) is row["expect"]["within"]


@pytest.mark.parametrize("row", TOTALS, ids=lambda row: row["id"])
def test_total(row: dict[str, Any]) -> None:
    """With every pod ready an object's value follows the same formula."""
    given = row["given"]
    answer = desired_replicas(given["current"], given["value"], given["target"], **NO_LIMITS)
    assert answer == row["expect"]["desired"]


@pytest.mark.parametrize("row", SWITCHED_OFF, ids=lambda row: row["id"])
def test_switched_off(row: dict[str, Any]) -> None:
    """0 replicas stay 0, whatever the load."""
    given = row["given"]
    limits = {"min_replicas": given["min_replicas"], "max_replicas": given["max_replicas"]}
    assert desired_replicas(given["current"], 500, 100, **limits) == row["expect"]["desired"]
