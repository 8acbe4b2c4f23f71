"""What kata 08 stands on: the API server of its world treats finalizers as real Kubernetes does.

The kata itself has no table: its answer is a sequence of calls. Its rules about deletion are these rows.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kubekata import ApiError, RackNode
from kubekata.testing import World, rack_node

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "tests/vectors/gc_finalizers.json").read_text(encoding="utf-8"))
IN_SCOPE = {"delete_then_update": 6, "validate_finalizers": 4}


def rows(operation: str) -> list[Any]:
    found = [row for row in ROWS if row["id"].split("/")[1] == operation]
    assert len(found) == IN_SCOPE[operation], (
        f"{operation}: {len(found)} rows, expected {IN_SCOPE[operation]}"
    )
    return [pytest.param(row["given"], row["expect"], id=row["id"].split("/")[2]) for row in found]


def play(world: World, steps: list[list[Any]]) -> int:
    """Carry out the steps on the RackNode r7; how many were refused."""
    client = world.client("admin")
    refused = 0
    for step, *arguments in steps:
        try:
            if step == "delete":
                client.delete(RackNode, "r7")
            else:
                node = client.get(RackNode, "r7")
                (node.metadata.finalizers,) = arguments
                client.update(node)
        except ApiError:
            refused += 1
    return refused


@pytest.mark.parametrize(("given", "expect"), rows("delete_then_update"))
def test_deletion_with_finalizers(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """6 rows: what DELETE and UPDATE make of an object that carries finalizers."""
    world = World()
    world.client("admin").create(rack_node("r7", finalizers=given["finalizers"]))
    refused = play(world, given["steps"])
    node = world.get(RackNode, "r7")
    seen: dict[str, Any] = {"errors": refused, "exists": node is not None}
    if node is not None:
        seen |= {
            "deleting": node.metadata.deleting,
            "finalizers": node.metadata.finalizers,
            "generation": node.metadata.generation,
        }
    assert seen == expect


@pytest.mark.parametrize(("given", "expect"), rows("validate_finalizers"))
def test_change_of_finalizers(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """4 rows: which changes of the list are refused, under deletion and before it."""
    world = World()
    # A finalizer of somebody else keeps the object, so that emptying the list is seen.
    world.client("admin").create(
        rack_node("r7", finalizers=[name.replace("x/", "x.io/") for name in given["old"]])
    )
    steps: list[list[Any]] = [["delete"]] if given["deleting"] else []
    steps.append(["set_finalizers", [name.replace("x/", "x.io/") for name in given["new"]]])
    assert (play(world, steps) == 0) is expect["valid"]
