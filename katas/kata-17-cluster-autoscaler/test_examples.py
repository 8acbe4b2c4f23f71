"""Examples of kata 17. Run them with: python -m pytest katas/kata-17-cluster-autoscaler"""

from dataclasses import replace
from datetime import timedelta

import pytest
from kata import GROUP, scale_down, scale_up

from kubekata import ClusterView, NodeGroup, Pod, ScaleDown, ScaleUp
from kubekata.testing import EPOCH, node, pod, replica_set


def machine(name: str, group: str, cpu: str, memory: str):
    return node(name, cpu=cpu, memory=memory, labels={GROUP: group})


SMALL = NodeGroup("small", machine("template", "small", "2", "8Gi"), min_size=0, max_size=5)
BIG = NodeGroup("big", machine("template", "big", "8", "32Gi"), min_size=0, max_size=5)


def web(name: str, on: str = "") -> Pod:
    return pod(
        name,
        cpu="1500m",
        memory="1Gi",
        owner=replica_set("web"),
        node=on,
        phase="Running" if on else "Pending",
    )


@pytest.fixture
def friday() -> ClusterView:
    """Three pods, and no node yet."""
    return ClusterView(EPOCH, nodes=[], pods=[web("a"), web("b"), web("c")], groups=[SMALL, BIG])


def test_the_group_that_wastes_least(friday: ClusterView):
    assert scale_up(friday) == ScaleUp("small", 3)


def test_nodes_on_their_way_are_counted(friday: ClusterView):
    coming = replace(SMALL, upcoming=3)
    assert scale_up(replace(friday, groups=[coming, BIG])) == ScaleUp()


def test_a_pod_that_fits_no_group(friday: ClusterView):
    giant = pod("giant", cpu="9")
    assert scale_up(replace(friday, pods=[giant])) == ScaleUp(refused={"giant": "fits no group"})


def test_two_empty_nodes_go_one_after_the_other(friday: ClusterView):
    nodes = [machine(f"small-{i}", "small", "2", "8Gi") for i in (1, 2, 3)]
    two = EPOCH + timedelta(minutes=2)
    saturday = replace(friday, now=two, nodes=nodes, pods=[web("a", "small-3")], last_scale_up=EPOCH)
    seen = scale_down(saturday)
    assert seen == ScaleDown(None, {"small-1": two, "small-2": two})

    saturday = replace(saturday, now=EPOCH + timedelta(minutes=12), unneeded_since=seen.unneeded_since)
    assert scale_down(saturday).remove == "small-1"
    nodes[0].spec.unschedulable = True
    assert scale_down(saturday) == ScaleDown("small-2", {"small-2": two})
