"""What kata 17 stands on: `fits` agrees with the scheduler's own code, and budgets and autoscaler agree on them.

The autoscaler has no recorded table; its picture of the scheduler has one.
"""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kubekata import ClusterView, Node, NodeGroup, Pod, ScaleUp, Taint, Toleration
from kubekata.cluster.fit import fits, requests_of
from kubekata.testing import EPOCH, container, node, pod

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors"
RECORDED = [
    json.loads(line) for line in (VECTORS / "scheduler_fit.jsonl").read_text(encoding="utf-8").splitlines()
]
GROUP = "autoscaler.example.com/group"

solution = runpy.run_path(str(ROOT / "reference/kata-17-cluster-autoscaler/solution.py"))
scale_up = solution["scale_up"]


def rows(name: str, operation: str, number: int) -> list[Any]:
    table = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    found = [row for row in table if row["id"].split("/")[1] == operation]
    assert len(found) == number, f"{operation}: {len(found)} rows"
    return [pytest.param(row["given"], row["expect"], id=row["id"].split("/")[2]) for row in found]


def recorded(given: dict[str, Any]) -> tuple[Pod, list[tuple[Node, list[Pod]]]]:
    new = pod("new", cpu=f"{given['pod']['cpu_m']}m", memory=f"{given['pod']['mem_mi']}Mi")
    places = [
        (
            node(each["name"], cpu=f"{each['cpu_m']}m", memory=f"{each['mem_mi']}Mi", pods=each["max_pods"]),
            [
                pod(
                    f"{each['name']}-{i}",
                    node=each["name"],
                    phase="Running",
                    cpu=f"{held['cpu_m']}m",
                    memory=f"{held['mem_mi']}Mi",
                )
                for i, held in enumerate(each["pods"])
            ],
        )
        for each in given["nodes"]
    ]
    return new, places


def test_every_recorded_verdict() -> None:
    """800 recorded rows: `fits` on every node, and whether the autoscaler brings a node."""
    assert len(RECORDED) == 800
    wrong = []
    for row in RECORDED:
        new, places = recorded(row["given"])
        verdicts = [each["fits"] for each in row["expect"]]
        if [fits(new, *place) for place in places] != verdicts:
            wrong.append((row, "fits"))
        template = node("template", cpu="1000", memory="1000Gi", labels={GROUP: "g"})
        view = ClusterView(
            EPOCH,
            [each for each, _ in places],
            [new, *(held for _, pods in places for held in pods)],
            [NodeGroup("g", template, 0, 1)],
        )
        if scale_up(view) != (ScaleUp() if any(verdicts) else ScaleUp("g", 1)):
            wrong.append((row, "scale_up"))
    assert not wrong


@pytest.mark.parametrize(("given", "expect"), rows("scheduler", "pod_request", 3))
def test_requests(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows: containers, init containers and overhead."""
    new = pod("new")
    new.spec.containers = [quantities(each) for each in given["containers"]]
    new.spec.init_containers = [quantities(each) for each in given.get("init", ())]
    new.spec.overhead = {key: str(value) for key, value in given.get("overhead", {}).items()}
    need = expect["request"]
    assert requests_of(new) == (need.get("cpu", 0) * 1000, need.get("memory", 0))


def quantities(each: dict[str, int]) -> Any:
    return container(**{key: str(value) for key, value in each.items()})  # type: ignore[arg-type]


@pytest.mark.parametrize(("given", "expect"), rows("taints", "can_schedule", 3))
def test_taints(given: dict[str, Any], expect: dict[str, Any]) -> None:
    """3 rows: hard taints that are tolerated, and those that are not."""
    new = pod("new", tolerations=[Toleration(**each) for each in given["tolerations"]])
    taints = [
        Taint(key=each["key"], value=each.get("value", ""), effect=each["effect"]) for each in given["taints"]
    ]
    assert fits(new, node("n", taints=taints), []) is expect["schedulable"]
