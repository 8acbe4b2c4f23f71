"""Kata 12's reference against the tables of conditions that real Kubernetes code gave.

Seconds of the tables become moments; a condition that a row states by its type alone is Unknown here.
"""

import copy
import importlib.util
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubekata import Condition

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "tests/vectors/conditions.json").read_text(encoding="utf-8"))
NOW = 1000

IN_SCOPE = {
    "set_condition": 8,
    "remove_condition": 3,
    "find_condition": 2,
    "is_present_and_equal": 3,
    # The older dialects, as far as they say the same.
    "update_pod_condition": 3,
    "set_hpa_condition": 2,
    "set_deployment_condition": 4,
}


def load_solution() -> ModuleType:
    path = ROOT / "reference/kata-12-status-conditions/solution.py"
    spec = importlib.util.spec_from_file_location("kata_12_solution", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLUTION = load_solution()


def at(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def condition(row: dict[str, Any]) -> Condition:
    return Condition(
        type=row["type"],
        status=row.get("status", "Unknown"),
        reason=row.get("reason", ""),
        message=row.get("message", ""),
        observed_generation=row.get("gen"),
        last_transition_time=at(row.get("ltt")),
    )


def conditions(rows: list[dict[str, Any]]) -> list[Condition]:
    return [condition(row) for row in rows]


def set_deployment_condition(held: list[Condition], new: Condition) -> list[Condition]:
    """The Deployment controller's dialect, said with the kata's functions (see the debrief)."""
    old = SOLUTION.find_condition(held, new.type)
    if old is not None and (old.status, old.reason) == (new.status, new.reason):
        return held
    updated = copy.copy(new)
    if old is not None and old.status == new.status:
        updated.last_transition_time = old.last_transition_time
    return [*SOLUTION.remove_condition(held, new.type), updated]


def rows(operation: str) -> list[Any]:
    found = [row for row in ROWS if row["id"].split("/")[1] == operation]
    assert len(found) == IN_SCOPE[operation], (
        f"{operation}: {len(found)} rows, expected {IN_SCOPE[operation]}"
    )
    return [pytest.param(row["given"], row["expect"], id=row["id"].split("/")[2]) for row in found]


def test_every_row_is_in_scope() -> None:
    """25 rows, and each of them is read by a test below."""
    assert Counter(row["id"].split("/")[1] for row in ROWS) == IN_SCOPE
    assert len(ROWS) == 25


@pytest.mark.parametrize(("given", "expect"), rows("set_condition"))
def test_set_condition(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """8 rows of SetStatusCondition; "changed" is what a caller sees by comparing."""
    held = conditions(given["conditions"])
    answer = SOLUTION.set_condition(held, condition(given["new"]), at(NOW))
    assert answer == conditions(expect["conditions"])
    assert (answer != held) is expect["changed"]


@pytest.mark.parametrize(("given", "expect"), rows("remove_condition"))
def test_remove_condition(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows of RemoveStatusCondition."""
    held = conditions(given["conditions"])
    answer = SOLUTION.remove_condition(held, given["type"])
    assert answer == conditions(expect["conditions"])
    assert (answer != held) is expect["removed"]


@pytest.mark.parametrize(("given", "expect"), rows("find_condition"))
def test_find_condition(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """2 rows of FindStatusCondition."""
    wanted = None if expect["condition"] is None else condition(expect["condition"])
    assert SOLUTION.find_condition(conditions(given["conditions"]), given["type"]) == wanted


@pytest.mark.parametrize(("given", "expect"), rows("is_present_and_equal"))
def test_is_condition(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows of IsStatusConditionPresentAndEqual."""
    held = conditions(given["conditions"])
    assert SOLUTION.is_condition(held, given["type"], given["status"]) is expect["result"]


@pytest.mark.parametrize(("given", "expect"), rows("update_pod_condition"))
def test_pod_dialect(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows of UpdatePodCondition: the kata's rules for a caller who never gives a time."""
    held = conditions(given["conditions"])
    new = condition({**given["new"], "ltt": None})
    answer = SOLUTION.set_condition(held, new, at(NOW))
    assert answer == conditions(expect["conditions"])
    assert (answer != held) is expect["changed"]


@pytest.mark.parametrize(("given", "expect"), rows("set_hpa_condition"))
def test_autoscaler_dialect(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """2 rows of the HPA's setConditionInList: the kata's rules."""
    answer = SOLUTION.set_condition(conditions(given["conditions"]), condition(given["new"]), at(NOW))
    assert answer == conditions(expect["conditions"])


@pytest.mark.parametrize(("given", "expect"), rows("set_deployment_condition"))
def test_deployment_dialect(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """4 rows of SetDeploymentCondition, by the few lines that the debrief shows."""
    answer = set_deployment_condition(conditions(given["conditions"]), condition(given["new"]))
    assert answer == conditions(expect["conditions"])
