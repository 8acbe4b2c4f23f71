"""Examples of kata 09. Run them with: python -m pytest katas/kata-09-bin-packing"""

from kata import schedule

from kubekata import Placement
from kubekata.testing import node, pod


def test_goes_to_the_only_node_with_room():
    nodes = [node("node-a", cpu="2"), node("node-b", cpu="4")]
    running = [pod("web-1", node="node-a", cpu="1500m", phase="Running")]
    assert schedule(pod("web-2", cpu="1"), nodes, running) == Placement("node-b")


def test_exactly_full_is_a_fit():
    running = [pod("web-1", node="node-a", cpu="3", memory="6Gi", phase="Running")]
    assert schedule(pod("web-2", cpu="1", memory="2Gi"), [node("node-a")], running) == Placement("node-a")


def test_a_finished_pod_holds_nothing():
    finished = [pod("job-1", node="node-a", cpu="4", phase="Succeeded")]
    assert schedule(pod("web-1", cpu="4"), [node("node-a")], finished) == Placement("node-a")


def test_pending_says_why():
    nodes = [node("node-a"), node("node-b")]
    running = [
        pod("web-1", node="node-a", cpu="3", memory="1Gi", phase="Running"),
        pod("web-2", node="node-b", cpu="3", memory="6Gi", phase="Running"),
    ]
    message = "0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu."
    assert schedule(pod("web-3", cpu="2", memory="4Gi"), nodes, running) == Placement(None, message)
