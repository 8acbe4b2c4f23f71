"""The second story: a control plane in eight acts, each played by one kata's reference solution."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from kubekata.cluster.actors import (
    DeploymentController,
    Kubelet,
    NodeHeartbeats,
    ReplicaSetController,
    Scheduler,
)
from kubekata.cluster.builders import deployment, node, replica_set
from kubekata.cluster.builders import pod_template as template
from kubekata.cluster.client import Client
from kubekata.cluster.controller import Request
from kubekata.cluster.objects import Deployment, DeploymentCondition, Node, Pod, ReplicaSet
from kubekata.cluster.values import PodCounts, ReplicaCount, Rollout, RolloutReport
from kubekata.cluster.world import World
from kubekata.demo.cluster_story import ReferenceActor, picture, scheduling
from kubekata.grading.result import Trace, TraceStep

if TYPE_CHECKING:
    from kubekata.demo.reference import References
    from kubekata.demo.stage import Stage

WEB = Request("web")
LABELS = {"app": "web"}
YOU = "you"


def play(stage: Stage, references: References) -> None:
    """Tell the story."""
    stage.open(
        "A control plane in eight acts",
        "Three nodes of four cores, a ReplicaSet whose pods ask for a core each, and loops that know nothing of one "
        "another: each looks at the cluster and does its own small part.",
    )
    world = World()
    for name in ("node-a", "node-b", "node-c"):
        world.add(node(name, cpu="4"))
    heartbeats = NodeHeartbeats(world)
    world.start(
        ReferenceActor("nodes", world, _watching_nodes(references["kata-03"].reconcile)),
        ReferenceActor("replicaset", world, _reconciling(references["kata-02"].reconcile)),
        ReferenceActor("scheduler", world, scheduling(references["kata-09"].schedule)),
        Kubelet(world, 1.0),
        heartbeats,
    )
    _converge(stage, world)
    _pack(stage, world)
    _kill(stage, world)
    _fail_node(stage, world, heartbeats)
    _autoscale(stage, world, references["kata-04"].desired_replicas)
    _roll_out(stage, references["kata-05"].next_step, references["kata-05"].resolve_fenceposts)
    _stall_and_roll_back(stage, references["kata-06"].check_progress, references["kata-07"].rollback)
    stage.close("Katas 02 to 07 and 09 ask for these functions; 01 is where to begin.")


def _reconciling(reconcile: Any) -> Any:
    def loop(client: Client) -> float | None:
        wait: float | None = reconcile(client, WEB).requeue_after
        return wait

    return loop


def _watching_nodes(reconcile: Any) -> Any:
    def loop(client: Client) -> float | None:
        waits = [reconcile(client, Request(each.name)).requeue_after for each in client.list(Node)]
        return min((wait for wait in waits if wait is not None), default=None)

    return loop


def _scale(world: World, replicas: int) -> None:
    client = world.client(YOU)
    web = client.get(ReplicaSet, WEB.name)
    web.spec.replicas = replicas
    client.update(web)


def _converge(stage: Stage, world: World) -> None:
    stage.act("Converge", "A wish is stored; the loops make it come true. (kata 02, which grew out of 01)")
    world.client(YOU).create(replica_set("web", 3, template=template(LABELS, cpu="1")))
    stage.says(YOU, "kubectl apply: ReplicaSet web, 3 replicas of 1 core")
    world.advance(2)
    picture(stage, world)


def _pack(stage: Stage, world: World) -> None:
    stage.act(
        "Pack, and wait",
        "Requests decide, first fit by name; what fits nowhere waits and says why. (kata 09)",
    )
    _scale(world, 13)
    stage.says(YOU, "kubectl scale: 13 replicas, on twelve cores")
    world.advance(2)
    picture(stage, world)
    _scale(world, 6)
    stage.says(YOU, "kubectl scale: 6 replicas. The Pending one goes first, then the crowded nodes' youngest")
    world.advance(60)
    picture(stage, world)


def _kill(stage: Stage, world: World) -> None:
    stage.act("Kill a pod", "Nobody tells the loop what happened. It counts, and one is missing. (kata 02)")
    victim = next(pod for pod in world.list(Pod) if pod.active)
    world.client(YOU).delete(victim, grace_period_seconds=0)
    stage.bad(YOU, f"kubectl delete pod {victim.name}")
    world.advance(2)
    picture(stage, world)


def _fail_node(stage: Stage, world: World, heartbeats: NodeHeartbeats) -> None:
    stage.act(
        "Fail a node",
        "The heartbeat stops. After the grace period the node is NotReady and tainted; its pods may stay as long as "
        "they tolerate that, five minutes by default; then they are evicted. (kata 03)",
    )
    lost = next(pod.spec.node_name for pod in world.list(Pod) if pod.active)
    heartbeats.stop(lost)
    stage.bad(lost, "stops its heartbeat")
    for seconds, what in (
        (60, "a minute later: tainted, nothing moves yet"),
        (330, "after the tolerations ran out"),
    ):
        world.advance(seconds)
        stage.says("clock", what)
        picture(stage, world)
    heartbeats.resume(lost)
    stage.good(lost, "is back")
    world.advance(60)
    picture(stage, world)


def _autoscale(stage: Stage, world: World, desired_replicas: Any) -> None:
    stage.act(
        "Scale by a metric", "ceil(current x value / target), but not for a small difference. (kata 04)"
    )
    for load in (540, 560, 900, 130):
        current = len([pod for pod in world.list(Pod) if pod.active])
        value = load / current
        wanted = desired_replicas(current, value, 90, min_replicas=2, max_replicas=10)
        stage.says(
            "load", f"{load} requests/s on {current} pods: {value:.0f} each, target 90, so {wanted} pods"
        )
        if wanted != current:
            _scale(world, wanted)
            world.advance(60)
    picture(stage, world)


def _roll_out(stage: Stage, next_step: Any, resolve_fenceposts: Any) -> None:
    stage.act(
        "Roll out within the budget",
        "10 replicas, maxSurge 3, maxUnavailable 2: never more than 13 pods, never fewer than 8 ready. Two new pods "
        "become ready between two looks. (kata 05)",
    )
    replicas, limits = 10, (3, 2)
    surge, unavailable = resolve_fenceposts(*limits, replicas)
    old, new = ReplicaCount(replicas, replicas), ReplicaCount(0, 0)
    steps = [TraceStep("start", ready=replicas, total=replicas, old=replicas, new=0)]
    while (old.spec, new.available) != (0, replicas):
        step = next_step(Rollout(replicas, *limits, new, [old]))
        left = step.old[0]
        old = ReplicaCount(left, min(old.available, left))
        new = ReplicaCount(
            step.new, new.available if step.action != "none" else min(step.new, new.available + 2)
        )
        label = step.action if step.action != "none" else "2 get ready"
        steps.append(
            TraceStep(
                label,
                ready=old.available + new.available,
                total=old.spec + new.spec,
                old=old.spec,
                new=new.spec,
            )
        )
    stage.chart(Trace(tuple(steps), floor=replicas - unavailable, ceiling=replicas + surge))


def _stall_and_roll_back(stage: Stage, check_progress: Any, rollback: Any) -> None:
    stage.act(
        "Stall",
        "The new version never becomes ready. Slow or stuck? A deadline decides, and says why. (kata 06)",
    )
    world = World()
    for name in ("node-a", "node-b", "node-c"):
        world.add(node(name))
    kubelet = Kubelet(world, 1.0)
    kubelet.set_ready_after(None, image="app:2")
    world.start(
        DeploymentController(world),
        ReplicaSetController(world),
        Scheduler(world),
        kubelet,
        NodeHeartbeats(world),
    )
    client = world.client(YOU)
    client.create(deployment("web", 4, image="app:1"))
    world.advance(10)
    web = client.get(Deployment, "web")
    web.spec.template.spec.containers[0].image = "app:2"
    client.update(web)
    stage.bad(YOU, "kubectl set image: app:2, which starts and never answers its probe")

    counts, condition = _counts(world), None
    for minute in count(0, 5):
        world.advance(1 if minute == 0 else 300)
        before, counts = counts, _counts(world)
        condition = _judge(world, check_progress, before, counts, condition)
        ready = f"{counts.ready} ready of {counts.total}, {counts.updated} updated"
        said = f"after {minute} min: {ready}. Progressing={condition.status}, {condition.reason}"
        (stage.says if condition.status == "True" else stage.bad)("deployment", said)
        if condition.status != "True":
            stage.bad("", condition.message)
            break
    _roll_back(stage, world, rollback)


def _judge(
    world: World,
    check_progress: Any,
    before: PodCounts,
    after: PodCounts,
    previous: DeploymentCondition | None,
) -> DeploymentCondition:
    report = RolloutReport(4, "25%", "25%", before, after)
    fresh = [pod for pod in world.list(Pod) if pod.spec.containers[0].image == "app:2"]
    condition: DeploymentCondition = check_progress(report, previous, fresh, world.now())
    return condition


def _roll_back(stage: Stage, world: World, rollback: Any) -> None:
    stage.act("Roll back", "The old ReplicaSet is still there: it gets the newest revision number. (kata 07)")
    revision = rollback(world.client(YOU), WEB)
    stage.good(YOU, f"kubectl rollout undo: the old template is revision {revision} now")
    world.advance(60)
    counts = _counts(world)
    images = sorted({pod.spec.containers[0].image for pod in world.list(Pod) if pod.active})
    stage.good("deployment", f"{counts.ready} ready of {counts.total}, all {', '.join(images)}")


def _counts(world: World) -> PodCounts:
    web = world.get(Deployment, "web")
    assert web is not None
    status = web.status
    return PodCounts(
        status.replicas, status.updated_replicas, status.ready_replicas, status.available_replicas
    )
