"""The third story: where a pod goes, told by three functions that each know one reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubekata.cluster.builders import node, pod
from kubekata.cluster.objects import (
    Affinity,
    LabelSelector,
    Node,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    Taint,
    Toleration,
    WeightedPodAffinityTerm,
)
from kubekata.cluster.quantity import milli, whole
from kubekata.cluster.values import Placement, ScoringStrategy
from kubekata.cluster.world import World
from kubekata.demo.cluster_story import picture, settle

if TYPE_CHECKING:
    from kubekata.demo.reference import References
    from kubekata.demo.stage import Stage

GPU = "nvidia.com/gpu"
YOU = "you"
CORES = 4
SPREAD, PACK = ScoringStrategy("LeastAllocated"), ScoringStrategy("MostAllocated")
NEAR_DB = LabelSelector(match_labels={"app": "db"})


def play(stage: Stage, references: References) -> None:
    """Tell the story."""
    stage.open(
        "Where does a pod go?",
        "Four nodes of four cores: cpu-a and cpu-b in zone east, cpu-c and gpu-a in zone west. gpu-a is tainted. Every "
        "pod asks for one core and 2Gi. Three functions each know one reason to choose a node.",
    )
    world = World()
    for name, zone in (("cpu-a", "east"), ("cpu-b", "east"), ("cpu-c", "west")):
        world.add(node(name, cpu=str(CORES), labels={"zone": zone}))
    gpu = [Taint(key=GPU, value="present", effect="NoSchedule")]
    world.add(node("gpu-a", cpu=str(CORES), labels={"zone": "west", "pool": "gpu"}, taints=gpu))

    taints, apart, scoring = (references[kata] for kata in ("kata-14", "kata-15", "kata-18"))
    _repel(stage, world, taints.schedule)
    _keep_apart(stage, world, apart.schedule)
    _spread_and_pack(stage, world, taints.schedule, scoring.place)
    _side_by_side(stage, world, taints.schedule, apart.schedule, scoring)
    stage.close("Katas 14, 15 and 18 ask for these functions; kata 09 asks whether there is room at all.")


def _made(name: str, **labels: str) -> Pod:
    return pod(name, labels=labels, cpu="1", memory="2Gi")


def _send(stage: Stage, world: World, new: Pod, answer: Placement, remark: str) -> None:
    """Create a pod and do with it what the answer says."""
    client = world.client("scheduler")
    settle(client, world.client(YOU).create(new), answer)
    if answer.node is None:
        stage.bad(new.name, f"Pending: {remark}")
    else:
        stage.good(new.name, f"to {answer.node}: {remark}")


def _repel(stage: Stage, world: World, schedule: Any) -> None:
    stage.act(
        "A taint repels, a toleration permits, a selector attracts",
        "Three training jobs, and only one of them says all that there is to say. (kata 14)",
    )
    tolerates, selects = [Toleration(key=GPU, operator="Exists")], {"pool": "gpu"}
    for name, tolerations, selector, remark in (
        ("train-1", tolerates, {}, "it tolerates the taint, which opens gpu-a and pushes nobody"),
        ("train-2", tolerates, selects, "it tolerates the taint, and selects the pool"),
        ("train-3", [], selects, "it selects the pool, and does not tolerate the taint"),
    ):
        new = _made(name, app="train")
        new.spec.tolerations, new.spec.node_selector = list(tolerations), dict(selector)
        _send(stage, world, new, schedule(new, world.list(Node)), remark)
    picture(stage, world, cores=CORES)


def _keep_apart(stage: Stage, world: World, schedule: Any) -> None:
    stage.act(
        "Keep apart",
        "A database wants no second replica in its zone, and there are two zones. The rule holds in both directions: "
        "a pod without any rule is kept away by the rules of those that are there. (kata 15)",
    )
    rule = PodAffinity(
        required_during_scheduling_ignored_during_execution=[
            PodAffinityTerm(topology_key="zone", label_selector=NEAR_DB)
        ]
    )
    for name, remark in (
        ("db-0", "the first one goes anywhere"),
        ("db-1", "zone east is taken"),
        ("db-2", "so is zone west"),
        ("debug", "labelled app=db, without any rule of its own"),
    ):
        new = _made(name, app="db")
        if name != "debug":
            new.spec.affinity = Affinity(pod_anti_affinity=rule)
        _send(stage, world, new, schedule(new, world.list(Node), world.list(Pod)), remark)
    picture(stage, world, cores=CORES)


def _spread_and_pack(stage: Stage, world: World, schedule: Any, place: Any) -> None:
    stage.act(
        "Spread, or pack",
        "Six web pods on empty nodes, as many as kata 14 leaves open to them. The same pods, the same arithmetic, the "
        "other way round. (kata 18)",
    )
    pods = [_made(f"web-{number}") for number in range(1, 7)]
    nodes = [each for each in world.list(Node) if schedule(pods[0], [each]).node]
    for strategy in (SPREAD, PACK):
        layout = place(pods, nodes, strategy)
        stage.says("scheduler", strategy.type)
        stage.rows(
            (name, stage.bar(len(on_it), CORES), ", ".join(on_it) or "empty")
            for name, on_it in sorted(layout.nodes.items())
        )
        room = f"the largest pod that still fits has {layout.largest // 1000} cores"
        stage.says("", f"{layout.empty} of {len(nodes)} nodes are empty, {room}")


def _side_by_side(stage: Stage, world: World, taints: Any, apart: Any, scoring: Any) -> None:
    stage.act(
        "Side by side",
        "One more pod for the cluster of the second act: a cache that would rather share no node with app=db. Each "
        "function alone has its own favourite.",
    )
    cache = _made("cache", app="cache")
    wish = PodAffinityTerm(topology_key="kubernetes.io/hostname", label_selector=NEAR_DB)
    cache.spec.affinity = Affinity(
        pod_anti_affinity=PodAffinity(
            preferred_during_scheduling_ignored_during_execution=[
                WeightedPodAffinityTerm(weight=10, pod_affinity_term=wish)
            ]
        )
    )
    nodes, pods = world.list(Node), world.list(Pod)
    stage.says(
        "kata 14", f"{taints(cache, nodes).node}: gpu-a is closed, and of the rest it is the first by name"
    )
    stage.says("kata 15", f"{apart(cache, nodes, pods).node}: nothing is closed, and no app=db is there")
    for strategy in (SPREAD, PACK):
        scores = {each.name: _score(scoring, strategy, each, pods, cache) for each in nodes}
        best = min(scores, key=lambda name: (-scores[name], name))
        told = ", ".join(f"{name} {points}" for name, points in scores.items())
        stage.says("kata 18", f"{best} by {strategy.type} ({told})")
    stage.says(
        "scheduler", "asks them all: what one filter closes is closed, and on what is left the scores add up"
    )


def _score(scoring: Any, strategy: ScoringStrategy, on: Node, pods: list[Pod], new: Pod) -> int:
    """The strategy's score of a node with the new pod on it."""
    asked = [scoring.assumed(each) for each in (*pods, new) if each is new or each.spec.node_name == on.name]
    size = on.status.allocatable
    points: int = scoring.score(
        strategy,
        {"cpu": milli(size["cpu"]), "memory": whole(size["memory"])},
        {resource: sum(each[resource] for each in asked) for resource in ("cpu", "memory")},
    )
    return points
