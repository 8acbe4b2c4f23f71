"""Examples of kata 14. Run them with: python -m pytest katas/kata-14-taints-tolerations"""

from kata import schedule, tolerates

from kubekata import Placement, Taint, Toleration
from kubekata.testing import node, pod

GPU = Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule")
ANY_GPU = Toleration(key="nvidia.com/gpu", operator="Exists")
NODES = [node("gpu-1", labels={"pool": "gpu"}, taints=[GPU]), node("cpu-2"), node("cpu-1")]


def test_exists_matches_any_value():
    assert tolerates(ANY_GPU, GPU)


def test_a_bare_key_is_not_exists():
    assert not tolerates(Toleration(key="nvidia.com/gpu"), GPU)


def test_tolerating_is_not_wanting():
    assert schedule(pod("train", tolerations=[ANY_GPU]), NODES) == Placement("cpu-1")


def test_selector_and_toleration_together():
    train = pod("train", tolerations=[ANY_GPU])
    train.spec.node_selector = {"pool": "gpu"}
    assert schedule(train, NODES) == Placement("gpu-1")


def test_pending_says_why():
    train = pod("train")
    train.spec.node_selector = {"pool": "gpu"}
    message = (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), "
        "2 node(s) didn't match Pod's node affinity/selector."
    )
    assert schedule(train, NODES) == Placement(None, message)
