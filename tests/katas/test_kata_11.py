"""Kata 11's reference against client-go's tables of rate limiters.

In scope are the exponential limiter, and the count-keeping of the fast/slow one. The queue itself, the bucket, the
delaying queue and the mapping of results belong to other katas.
"""

import importlib.util
import itertools
import json
from collections.abc import Hashable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubekata import RackNode, Request
from kubekata.testing import World, rack_node

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "tests/vectors/workqueue.json").read_text(encoding="utf-8"))
IN_SCOPE = {"exp_limiter": 3, "fast_slow": 1}


def load_solution() -> ModuleType:
    path = ROOT / "reference/kata-11-requeue-backoff/solution.py"
    spec = importlib.util.spec_from_file_location("kata_11_solution", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLUTION = load_solution()


def rows(operation: str) -> list[Any]:
    found = [row for row in ROWS if row["id"].split("/")[1] == operation]
    assert len(found) == IN_SCOPE[operation], (
        f"{operation}: {len(found)} rows, expected {IN_SCOPE[operation]}"
    )
    return [pytest.param(row["given"], row["expect"], id=row["id"].split("/")[2]) for row in found]


@pytest.mark.parametrize(("given", "expect"), rows("exp_limiter"))
def test_exponential_limiter(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows of ItemExponentialFailureRateLimiter, 29 calls in all."""
    backoff = SOLUTION.Backoff(given["base"], given["maximum"])
    assert [getattr(backoff, method)(item) for method, item in given["calls"]] == expect["out"]


@pytest.mark.parametrize(("given", "expect"), rows("fast_slow"))
def test_counts_of_the_fast_slow_limiter(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """1 row: NumRequeues and Forget mean the same for every limiter."""
    backoff = SOLUTION.Backoff(1, 1)
    methods = {"when": "when", "requeues": "retries", "forget": "forget"}
    answers = [getattr(backoff, methods[method])(item) for method, item in given["calls"]]
    told = [method for method, _ in given["calls"] if method != "forget"]
    counts = [count for method, count in zip(told, expect["out"], strict=True) if method == "requeues"]
    seen = [
        answer for answer, (method, _) in zip(answers, given["calls"], strict=True) if method == "requeues"
    ]
    assert seen == counts
    assert len(seen) == 3


def test_a_thousand_calls_end_at_the_maximum() -> None:
    """What the third row's note says: after 1,000 calls the limiter of one minute waits 1,000 hours."""
    backoff = SOLUTION.Backoff(60_000, 3_600_000_000)
    assert [backoff.when("overflow") for _ in range(1_000)][-1] == 3_600_000_000


def test_when_equals_the_formula() -> None:
    """Base times two to the n below the cap, exactly, also for parts of a second."""
    for base, cap in itertools.product((0.005, 0.1, 1, 7), (1, 50, 1000)):
        backoff = SOLUTION.Backoff(base, cap)
        items: list[Hashable] = ["a", ("b", 1)]
        for failures, item in itertools.product(range(25), items):
            assert backoff.when(item) == min(cap, base * 2**failures)


def test_reconcile_and_backoff_agree() -> None:
    """The delays that reconcile asks for, from the status, are those that Backoff gives, from memory."""
    world = World()
    world.add(rack_node("r7", power="Off"))
    world.hardware.add("r7")
    world.hardware.fail("flash", "r7", times=9)
    backoff = SOLUTION.Backoff(SOLUTION.BASE, SOLUTION.CAP)
    for number in range(1, 8):
        result = SOLUTION.reconcile(world.client(), world.rack(), Request("r7"))
        in_memory = backoff.when("r7")
        assert result.requeue_after == (in_memory if number <= SOLUTION.MAX_RETRIES else SOLUTION.SLOW)
    node = world.get(RackNode, "r7")
    assert node is not None
    assert node.status.retries == backoff.retries("r7") == 7
