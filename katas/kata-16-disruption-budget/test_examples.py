"""Examples of kata 16. Run them with: python -m pytest katas/kata-16-disruption-budget"""

from datetime import timedelta

from kata import budget_status, decide_eviction, drain

from kubekata import (
    BudgetStatus,
    EvictionAnswer,
    LabelSelector,
    Node,
    ObjectMeta,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
)
from kubekata.testing import EPOCH, World, deployment, node, pod, replica_set


def web_budget(**spec) -> PodDisruptionBudget:
    selector = LabelSelector(match_labels={"app": "web"})
    return PodDisruptionBudget(
        metadata=ObjectMeta(name="web", namespace="default", generation=1),
        spec=PodDisruptionBudgetSpec(selector=selector, **spec),
    )


def web_pod(name: str, **fields) -> Pod:
    return pod(name, labels={"app": "web"}, phase="Running", **fields)


def test_a_quarter_of_seven_may_be_away():
    owner = replica_set("web", 7)
    owner.metadata.uid = "uid-of-web"
    pods = [web_pod(f"web-{i}", owner=owner, ready=True) for i in range(7)]
    status = budget_status(web_budget(max_unavailable="25%"), pods, {"uid-of-web": 7}, EPOCH)
    assert status == BudgetStatus(
        disruptions_allowed=2, current_healthy=7, desired_healthy=5, expected_pods=7, disrupted_pods={}
    )


def test_a_budget_that_is_used_up():
    budget = web_budget(min_available=3)
    budget.status.observed_generation = 1
    budget.status.current_healthy = budget.status.desired_healthy = 3
    assert decide_eviction(web_pod("web-0", ready=True), [budget]) == EvictionAnswer(
        429, cause="The disruption budget web needs 3 healthy pods and has 3 currently"
    )
    budget.status.disruptions_allowed = 1
    assert decide_eviction(web_pod("web-0", ready=True), [budget]) == EvictionAnswer(201, charged=True)


def test_a_drain_waits_for_replacements():
    world = World()
    for name, room in (("node-1", 3), ("node-2", 4), ("node-3", 4)):
        world.add(node(name, pods=room))
    world.start_control_plane(ready_after=20)
    world.client("admin").create(web_budget(max_unavailable="25%"))
    world.client("admin").create(deployment("web", 7))
    world.advance(60)
    start = world.now()

    seen = []
    for _ in range(10):
        report = drain(world.client(), "node-1", start + timedelta(minutes=5))
        seen.append(report.state)
        ready = sum(each.ready and not each.metadata.deleting for each in world.list(Pod))
        assert ready >= 5
        if report.state == "done":
            break
        assert 0 < report.retry_after <= 10
        world.advance(report.retry_after)

    assert seen[-1] == "done"
    assert world.get(Node, "node-1").spec.unschedulable
    assert not [each for each in world.list(Pod) if each.spec.node_name == "node-1"]
    assert world.now() - start >= timedelta(seconds=20)


def test_a_pod_that_nobody_would_replace():
    world = World()
    world.add(node("node-1"))
    world.add(web_pod("alone", node="node-1", ready=True))
    report = drain(world.client(), "node-1", EPOCH + timedelta(minutes=5))
    assert (report.state, list(report.left)) == ("stuck", ["default/alone"])
    assert world.get(Pod, "alone").metadata.deletion_timestamp is None
