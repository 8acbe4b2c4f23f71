"""Examples of kata 18. Run them with: python -m pytest katas/kata-18-scoring"""

from kata import assumed, balance, normalize, place, score

from kubekata import Layout, ScoringStrategy
from kubekata.testing import node, pod

GIB = 1024**3
LEAST, MOST = ScoringStrategy("LeastAllocated"), ScoringStrategy("MostAllocated")
NODE = {"cpu": 4000, "memory": 8 * GIB}
WITH_THE_POD = {"cpu": 3000, "memory": 5 * GIB}


def test_a_missing_request_is_assumed():
    assert assumed(pod("web", cpu="250m")) == {"cpu": 250, "memory": 200 * 1024**2}


def test_least_and_most_allocated():
    assert score(LEAST, NODE, WITH_THE_POD) == 31
    assert score(MOST, NODE, WITH_THE_POD) == 68


def test_requested_to_capacity_ratio():
    falling = ScoringStrategy("RequestedToCapacityRatio", shape=[(0, 10), (100, 0)])
    assert score(falling, NODE, WITH_THE_POD) == 32


def test_balance_before_and_after():
    assert balance(NODE, {"cpu": 2000, "memory": 4 * GIB}, {"cpu": 1000, "memory": GIB}) == 71


def test_normalize():
    assert normalize([0, 1, 2, 3], False) == [0, 33, 66, 100]
    assert normalize([0, 1, 2, 3], True) == [100, 67, 34, 0]


def test_spread_and_pack():
    pods = [pod(f"pod-{i}", cpu="1", memory="2Gi") for i in range(1, 7)]
    nodes = [node("node-a"), node("node-b"), node("node-c")]
    assert place(pods, nodes, LEAST) == Layout(
        nodes={"node-a": ["pod-1", "pod-4"], "node-b": ["pod-2", "pod-5"], "node-c": ["pod-3", "pod-6"]},
        waiting=[],
        empty=0,
        largest=2000,
    )
    assert place(pods, nodes, MOST) == Layout(
        nodes={"node-a": ["pod-1", "pod-2", "pod-3", "pod-4"], "node-b": ["pod-5", "pod-6"], "node-c": []},
        waiting=[],
        empty=1,
        largest=4000,
    )
