"""Hidden tests of kata 17."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from kubekata import (
    ClusterView,
    LabelSelector,
    NodeGroup,
    ObjectMeta,
    OwnerReference,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    ScaleDown,
    ScaleUp,
    Taint,
    Toleration,
)
from kubekata.cluster.fit import fits
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, node, pod

GROUP = "autoscaler.example.com/group"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
NOW = EPOCH + timedelta(hours=2)
UP = ("test_waiting_pods_bring_nodes",)
REFUSES = (*UP, "test_a_pod_that_fits_no_group")
DOWN = ("test_the_idle_node_is_unneeded",)
GOES = (*DOWN, "test_ten_minutes")
GPU = Taint(key="gpu", value="yes", effect="NoSchedule")


# --- words and builders --------------------------------------------------------------------------------------


def machine(name, group="g", cpu="4", memory="16Gi", *, cordoned=False, labels=None, **fields):
    """A node of a group; by default 4 cores and 16Gi."""
    member = {GROUP: group} if group else {}
    made = node(name, cpu=cpu, memory=memory, labels={**member, **(labels or {})}, **fields)
    made.spec.unschedulable = cordoned
    return made


def group(name="g", cpu="4", memory="16Gi", *, least=0, most=10, upcoming=0, **fields):
    return NodeGroup(name, machine(f"template-{name}", name, cpu, memory, **fields), least, most, upcoming)


def app(
    name,
    cpu="1",
    memory="1Gi",
    *,
    on="",
    kind="ReplicaSet",
    phase=None,
    deleting=False,
    selector=None,
    **fields,
):
    """A pod; without `on` it waits."""
    made = pod(
        name, cpu=cpu, memory=memory, node=on, phase=phase or ("Running" if on else "Pending"), **fields
    )
    if kind:
        made.metadata.owner_references = [
            OwnerReference(api_version="apps/v1", kind=kind, name="x", uid=f"uid-{kind}", controller=True)
        ]
    if deleting:
        made.metadata.deletion_timestamp = NOW
    made.spec.node_selector = selector or {}
    return made


def apps(*cores, memory="1Gi", on=""):
    return [app(f"p{i}", str(size), memory, on=on) for i, size in enumerate(cores)]


def view(pods=(), nodes=(), groups=None, **fields):
    return ClusterView(NOW, list(nodes), list(pods), [group()] if groups is None else list(groups), **fields)


def asked(up):
    return f"{up.nodes} of {up.group}" if up.group else "no nodes"


def brings(submission, scenario, cluster, name, nodes=None):
    """Ask which nodes are needed, and check group and number."""
    wanted = ScaleUp(name, (1 if nodes is None else nodes) if name else 0)
    scenario.expected(asked(wanted))
    up = submission.scale_up(cluster)
    scenario.check((up.group, up.nodes) == (wanted.group, wanted.nodes), got=asked(up))
    return up


def refuses(submission, scenario, cluster, **refused):
    """Ask which nodes are needed, and check who is refused."""
    spelled = "; ".join(f"{name}: {why}" for name, why in refused.items()) or "nobody refused"
    scenario.expected(spelled)
    up = submission.scale_up(cluster)
    got = "; ".join(f"{name}: {why}" for name, why in sorted(up.refused.items())) or "nobody refused"
    scenario.check(up.refused == refused, got=got)


def unneeded(submission, scenario, cluster, *names):
    """Ask for the unneeded nodes, and check their names."""
    scenario.expected(f"unneeded: {', '.join(names) or 'none'}")
    down = submission.scale_down(cluster)
    got = ", ".join(sorted(down.unneeded_since)) or "none"
    scenario.check(sorted(down.unneeded_since) == sorted(names), got=f"unneeded: {got}")


def minutes(number):
    return NOW - timedelta(minutes=number)


def ripe(*names, since=20):
    return dict.fromkeys(names, minutes(since))


def removes(submission, scenario, cluster, name):
    """Ask which node goes."""
    scenario.expected(f"remove {name}" if name else "nothing removed")
    down = submission.scale_down(cluster)
    scenario.check(down.remove == name, got=f"remove {down.remove}" if down.remove else "nothing removed")


# --- group ---------------------------------------------------------------------------------------------------


@rubric("group")
def test_waiting_pods_bring_nodes(submission, scenario):
    scenario.why("Pods that have no room bring a node from the group whose template fits them.")
    scenario.given("one waiting pod of 3 cores; one group, nodes of 4 cores; no nodes yet")
    brings(submission, scenario, view(apps(3)), "g", 1)
    scenario.given("three waiting pods of 3 cores; one group, nodes of 4 cores; no nodes yet")
    brings(submission, scenario, view(apps(3, 3, 3)), "g", 3)


@rubric("group", needs=UP)
def test_new_nodes_are_filled(submission, scenario):
    scenario.why("A new node takes as many pods as fit.")
    scenario.given("nine waiting pods of 1 core; nodes of 4 cores")
    brings(submission, scenario, view(apps(*[1] * 9)), "g", 3)
    scenario.given("eight waiting pods of 1 core; nodes of 4 cores")
    brings(submission, scenario, view(apps(*[1] * 8)), "g", 2)
    scenario.given("five waiting pods of 1 core and 6Gi; nodes of 4 cores and 16Gi")
    brings(submission, scenario, view(apps(*[1] * 5, memory="6Gi")), "g", 3)
    scenario.given("five waiting pods of 100m; nodes with room for two pods")
    brings(submission, scenario, view(apps(*["100m"] * 5), groups=[group(pods=2)]), "g", 3)


@rubric("group", needs=UP)
def test_first_fit_in_the_order_given(submission, scenario):
    scenario.why("Each pod, in the order of the list, goes to the first new node that it fits.")
    scenario.given("waiting pods of 1, 4, 3, 2 and 2 cores in this order; nodes of 4 cores")
    brings(submission, scenario, view(apps(1, 4, 3, 2, 2)), "g", 3)
    scenario.given("waiting pods of 1, 1, 3 and 3 cores in this order; nodes of 4 cores")
    brings(submission, scenario, view(apps(1, 1, 3, 3)), "g", 3)


@rubric("group", needs=UP)
def test_taints_and_labels_of_the_template(submission, scenario):
    scenario.why("The template has the taints and labels that the new node will have.")
    groups = [
        group("a-gpu", taints=[GPU]),
        group("b-ssd", labels={"disk": "ssd"}, cpu="16"),
        group("c", cpu="16"),
    ]
    scenario.given(
        "groups a-gpu (tainted), b-ssd (label disk=ssd, 16 cores), c (16 cores); a pod that tolerates nothing"
    )
    brings(submission, scenario, view([app("p")], groups=[groups[0], groups[2]]), "c")
    scenario.given("the same groups; a pod that tolerates the taint, for which 4 cores are less waste")
    tolerant = app("p", tolerations=[Toleration(key="gpu", operator="Exists")])
    brings(submission, scenario, view([tolerant], groups=groups), "a-gpu")
    scenario.given("the same groups; a pod that selects disk=ssd")
    brings(submission, scenario, view([app("p", selector={"disk": "ssd"})], groups=groups), "b-ssd")


@rubric("group", needs=UP)
def test_pods_that_fit_only_one_group(submission, scenario):
    scenario.given("a pod of 6 cores; groups with nodes of 4 and of 8 cores")
    scenario.why("Only the larger one is large enough.")
    groups = [group("big", "8"), group("small", "4")]
    for listed in (groups, groups[::-1]):
        brings(submission, scenario, view(apps(6), groups=listed), "big")
    scenario.given("a pod of 1 core and 20Gi; groups with 4 cores and 16Gi, and with 2 cores and 64Gi")
    scenario.why("Memory has to fit as well.")
    fat = [group("cpu", "4", "16Gi"), group("mem", "2", "64Gi")]
    brings(submission, scenario, view([app("p", "1", "20Gi")], groups=fat), "mem")


@rubric("group", needs=UP)
def test_least_waste(submission, scenario):
    scenario.why("The share of CPU and the share of memory that stay unused, added.")
    groups = [group("a", "8", "16Gi"), group("b", "4", "16Gi"), group("c", "16", "16Gi")]
    scenario.given("a pod of 3 cores; nodes of 8 (a), 4 (b) and 16 cores (c), memory the same")
    brings(submission, scenario, view(apps(3), groups=groups), "b")
    scenario.given("three pods of 3 cores; nodes of 4 cores (b) and 9 cores (d), memory the same")
    brings(submission, scenario, view(apps(3, 3, 3), groups=[groups[1], group("d", "9", "16Gi")]), "d")
    scenario.given("a pod of 2 cores and 4Gi; nodes of 4 cores with 32Gi (a), 8Gi (b) and 64Gi (c)")
    groups = [group("a", "4", "32Gi"), group("b", "4", "8Gi"), group("c", "4", "64Gi")]
    brings(submission, scenario, view([app("p", "2", "4Gi")], groups=groups), "b")
    scenario.given("a pod of 2 cores and 1Gi; nodes of 2 cores with 16Gi (a), and of 4 cores with 2Gi (b)")
    groups = [group("a", "2", "16Gi"), group("b", "4", "2Gi")]
    brings(submission, scenario, view([app("p", "2", "1Gi")], groups=groups), "a")
    scenario.given("a pod of 1 core and 2Gi; nodes of 4 cores with 2Gi (a), and of 2 cores with 16Gi (b)")
    groups = [group("a", "4", "2Gi"), group("b", "2", "16Gi")]
    brings(submission, scenario, view([app("p", "1", "2Gi")], groups=groups), "a")


@rubric("group", needs=UP)
def test_waste_is_a_share(submission, scenario):
    scenario.given(
        "five pods of 3 cores and 1Gi; nodes of 4 cores (five of them), and of 16 cores, with 4Gi a core"
    )
    scenario.why("Shares, not cores: 1 of 4 cores unused on each of five nodes is 25 %, 1 of 16 is 6 %.")
    groups = [group("a", "4", "4Gi"), group("b", "16", "16Gi")]
    brings(submission, scenario, view(apps(3, 3, 3, 3, 3), groups=groups), "b", 1)
    scenario.given(
        "two pods of 2 cores and 1Gi; nodes of 2 cores with 8Gi (two of them), and of 4 cores with 64Gi"
    )
    scenario.why("Unused memory is a share of all new nodes' memory: 14 of 16Gi against 62 of 64Gi.")
    groups = [group("b", "2", "8Gi"), group("a", "4", "64Gi")]
    brings(submission, scenario, view(apps(2, 2), groups=groups), "b", 2)


@rubric("group", needs=UP)
def test_only_helped_pods_count_as_use(submission, scenario):
    scenario.given("pods of 3, 3 and 12 cores; nodes of 4 cores (a), and of 32 cores (b)")
    scenario.why("a would hold the two small pods and waste 25 %; b all three, and waste 44 %.")
    groups = [group("a", "4", "16Gi"), group("b", "32", "16Gi")]
    brings(submission, scenario, view(apps(3, 3, 12, memory="0"), groups=groups), "a", 2)


@rubric("group", needs=UP)
def test_equal_waste(submission, scenario):
    scenario.given("a pod of 1 core; three equal groups, listed as m, b, z")
    scenario.why("Equal waste: the first by name.")
    brings(submission, scenario, view(apps(1), groups=[group("m"), group("b"), group("z")]), "b")


@rubric("group", needs=UP)
def test_one_group_a_call(submission, scenario):
    scenario.why("One group a call; the next call sees its nodes on their way, and does the rest.")
    scenario.given("a pod of 4 cores, and a pod of 1 core that only the GPU group takes")
    pods = [app("plain", "4"), app("train", "1", selector={"pool": "gpu"})]
    groups = [group("gpu", labels={"pool": "gpu"}, taints=[GPU]), group("web")]
    pods[1].spec.tolerations = [Toleration(key="gpu", value="yes")]
    brings(submission, scenario, view(pods, groups=groups), "web", 1)
    scenario.given("the same, and the node for the first pod is on its way")
    brings(submission, scenario, view(pods, groups=[groups[0], replace(groups[1], upcoming=1)]), "gpu", 1)


@rubric("group", needs=UP)
def test_a_pod_that_does_not_fit_is_skipped(submission, scenario):
    scenario.given("waiting pods of 9, 1 and 1 cores in this order; nodes of 4 cores")
    scenario.why("A pod that fits nowhere does not keep the others from a node.")
    brings(submission, scenario, view(apps(9, 1, 1)), "g", 1)
    scenario.given("one waiting pod of 9 cores; nodes of 4 cores")
    scenario.why("A node that the pod does not fit helps nobody.")
    brings(submission, scenario, view(apps(9)), None)


@rubric("group", needs=UP)
def test_nothing_waits(submission, scenario):
    scenario.given("no waiting pod, and an empty cluster with a minimum of 2 nodes")
    scenario.why("Nodes come for pods. Who fills a group up to its minimum is another's business.")
    up = brings(submission, scenario, view(groups=[group(least=2)]), None)
    scenario.check(up == ScaleUp(), got=f"{asked(up)}, refused {up.refused}")


# --- coming --------------------------------------------------------------------------------------------------


@rubric("coming", needs=UP)
def test_nodes_on_their_way(submission, scenario):
    pods = apps(3, 3, 3)
    scenario.why("A node that has been asked for will have room: it is no reason to ask again.")
    for upcoming, more in ((3, 0), (2, 1), (5, 0), (0, 3)):
        scenario.given(f"three waiting pods that need a node each; {upcoming} nodes on their way")
        cluster = view(pods, groups=[group(upcoming=upcoming)])
        brings(submission, scenario, cluster, "g" if more else None, more)


@rubric("coming", needs=UP)
def test_nodes_that_are_there(submission, scenario):
    scenario.why("The scheduler will find that room by itself.")
    scenario.given("a waiting pod of 2 cores; a ready node with 2 cores left")
    brings(submission, scenario, view([app("p", "2"), app("q", "2", on="n")], [machine("n")]), None)
    scenario.given("two waiting pods of 2 cores; a ready node with 2 cores left")
    scenario.why("The room is taken once.")
    cluster = view([app("p", "2"), app("r", "2"), app("q", "2", on="n")], [machine("n")])
    brings(submission, scenario, cluster, "g", 1)
    scenario.given("a waiting pod of 2 cores; a ready node of no group, empty")
    scenario.why("Room is room, whoever's node it is.")
    brings(submission, scenario, view([app("p", "2")], [machine("n", "")]), None)
    scenario.given("a waiting pod of 3 cores; a ready node with 2 cores left")
    scenario.why("Too little room is no room.")
    brings(submission, scenario, view([app("p", "3"), app("q", "2", on="n")], [machine("n")]), "g", 1)


@rubric("coming", needs=UP)
def test_nodes_that_take_nobody(submission, scenario):
    scenario.why("Nobody will be placed on it.")
    scenario.given("a waiting pod of 1 core; an empty node that is not ready")
    brings(submission, scenario, view(apps(1), [machine("n", ready=False)]), "g", 1)
    scenario.given("a waiting pod of 1 core; an empty node that is cordoned")
    brings(submission, scenario, view(apps(1), [machine("n", cordoned=True)]), "g", 1)
    scenario.given("a waiting pod of 1 core; an empty node with a taint")
    brings(submission, scenario, view(apps(1), [machine("n", taints=[GPU])]), "g", 1)
    scenario.given("a waiting pod of 1 core; a GPU node, tainted, on its way")
    cluster = view(apps(1), groups=[group("gpu", taints=[GPU], upcoming=1), group("web")])
    brings(submission, scenario, cluster, "web", 1)


@rubric("coming", needs=UP)
def test_who_takes_room(submission, scenario):
    scenario.given("a waiting pod of 4 cores; a node of 4 cores with a Succeeded and a Failed pod")
    scenario.why("Finished pods take no room.")
    done = [app(phase.lower(), "2", on="n", phase=phase) for phase in ("Succeeded", "Failed")]
    brings(submission, scenario, view([app("p", "4"), *done], [machine("n")]), None)
    scenario.given("a waiting pod of 4 cores; a node of 4 cores with a pod that is being deleted")
    scenario.why("It runs until it is gone.")
    leaving = app("q", "2", on="n", deleting=True)
    brings(submission, scenario, view([app("p", "4"), leaving], [machine("n")]), "g", 1)


@rubric("coming", needs=UP)
def test_who_waits(submission, scenario):
    scenario.given("no node; without a node are: a finished, a failed, a leaving pod, and one that waits")
    scenario.why("Only a pod that is neither finished nor being deleted waits for a node.")
    pods = [
        app("a", "3", phase="Succeeded"),
        app("b", "3", phase="Failed"),
        app("c", "3", deleting=True),
        app("d", "3"),
    ]
    brings(submission, scenario, view(pods), "g", 1)
    scenario.given(
        "a Pending pod that has been given a node, which is not there any more, and one that waits"
    )
    scenario.why("A pod that has a node does not wait for one.")
    brings(submission, scenario, view([app("a", "3", on="gone", phase="Pending"), app("b", "3")]), "g", 1)


@rubric("coming", needs=UP)
def test_places_are_taken_in_order(submission, scenario):
    scenario.why(
        "First-fit: nodes by name, then those on their way, groups by name. A pod stays where it found a place."
    )
    scenario.given("waiting pods of 1 and 2 cores; node b with 1 core and node a with 2 cores left")
    nodes = [machine("b", cpu="1"), machine("a", cpu="2")]
    brings(submission, scenario, view(apps(1, 2), nodes), "g", 1)
    scenario.given("waiting pods of 1 and 2 cores; node z with 2 cores left, a node of 1 core on its way")
    cluster = view(apps(1, 2), [machine("z", "", cpu="2")], [group("a", "1", upcoming=1), group("g")])
    brings(submission, scenario, cluster, "g", 1)
    scenario.given(
        "waiting pods of 1 and 2 cores; on their way: one node of 1 core (group b), one of 2 cores (group a)"
    )
    cluster = view(apps(1, 2), groups=[group("b", "1", upcoming=1), group("a", "2", upcoming=1)])
    brings(submission, scenario, cluster, "a", 1)
    scenario.given("waiting pods of 2 and 1 cores, in this order; the same nodes on their way")
    cluster = replace(cluster, pods=apps(2, 1))
    brings(submission, scenario, cluster, None)


@rubric("coming", needs=UP)
def test_ten_ticks(submission, scenario):
    scenario.given(
        "ten waiting pods of 1 core, nodes of 4 cores that take 2 minutes to come; a call every 10 seconds"
    )
    scenario.expected("3 nodes asked for in all, and all pods placed")
    scenario.why("Ten calls see the same pods; only the first one may ask.")
    hour = Hour(submission, [group()], 10)
    hour.run(5, every=10)
    scenario.check(hour.asked == 3, got=f"{hour.asked} nodes asked for")
    scenario.check(not hour.waiting, got=f"{len(hour.waiting)} pods still wait")


@rubric("coming", needs=UP)
def test_the_view_is_left_alone(submission, scenario):
    scenario.given("waiting pods, a node with room, a node on its way")
    scenario.expected("the right answer, and the cluster view as it was")
    scenario.why("It belongs to the caller.")
    cluster = view(apps(2, 2, 2, 4), [machine("n", cpu="2")], [group(upcoming=1)])
    brings(submission, scenario, cluster, "g", 1)
    scenario.check(
        submission.arguments_after[0] == cluster, got="the view was changed", expected="the view as it was"
    )


# --- limits --------------------------------------------------------------------------------------------------


@rubric("limits", needs=UP)
def test_never_above_the_maximum(submission, scenario):
    scenario.why("Nodes that are there and nodes on their way count; cordoned ones are on their way out.")
    pods = apps(*[4] * 8)
    full = [app(f"q{i}", "4", on=f"n{i}") for i in range(3)]
    nodes = [machine(f"n{i}") for i in range(3)]
    scenario.given("eight waiting pods that need a node each; no nodes, maximum 5")
    brings(submission, scenario, view(pods, groups=[group(most=5)]), "g", 5)
    scenario.given("the same; three full nodes, maximum 5")
    brings(submission, scenario, view(pods + full, nodes, [group(most=5)]), "g", 2)
    scenario.given("the same; three full nodes, one node on its way, maximum 5")
    brings(submission, scenario, view(pods + full, nodes, [group(most=5, upcoming=1)]), "g", 1)
    scenario.given("the same; three full nodes, two more on their way, maximum 5")
    brings(submission, scenario, view(pods + full, nodes, [group(most=5, upcoming=2)]), None)
    scenario.given("the same; three full nodes, one of them cordoned, maximum 5")
    some = [*nodes[:2], machine("n2", cordoned=True)]
    brings(submission, scenario, view(pods + full, some, [group(most=5)]), "g", 3)
    scenario.given("the same; three full nodes of another group, maximum 5")
    others = [machine(f"n{i}", "other") for i in range(3)]
    brings(submission, scenario, view(pods + full, others, [group(most=5), group("other", "1")]), "g", 5)
    scenario.given("the same; three full nodes, maximum 2")
    brings(submission, scenario, view(pods + full, nodes, [group(most=2)]), None)


@rubric("limits", needs=UP)
def test_the_next_best_group(submission, scenario):
    scenario.given("a pod of 4 cores; group a (4 cores) is at its maximum of 0, group b has 8 cores")
    scenario.why("A group that may not grow is no choice.")
    cluster = view(apps(4), groups=[group("a", most=0), group("b", "8")])
    brings(submission, scenario, cluster, "b", 1)
    refuses(submission, scenario, cluster)


@rubric("limits", needs=UP)
def test_a_cap_changes_the_waste(submission, scenario):
    scenario.given("waiting pods of 1, 4 and 4 cores; a: nodes of 4 cores, at most 1; b: nodes of 6 cores")
    scenario.why(
        "a may only bring one node, for the pod of 1 core: 75 % unused. Three pods on two nodes of b: 25 %."
    )
    groups = [group("a", "4", most=1), group("b", "6")]
    brings(submission, scenario, view(apps(1, 4, 4, memory="0"), groups=groups), "b", 2)


@rubric("limits", needs=UP)
def test_a_pod_that_fits_no_group(submission, scenario):
    scenario.why("A pod that fits no empty template waits for ever, and somebody has to be told.")
    scenario.given("pods: giant of 9 cores, p0 of 1 core; nodes of 4 cores")
    refuses(submission, scenario, view([app("giant", "9"), *apps(1)]), giant="fits no group")
    scenario.given("pods: x selects disk=ssd, y asks for 17Gi; nodes of 16Gi without the label")
    pods = [app("x", selector={"disk": "ssd"}), app("y", memory="17Gi")]
    refuses(submission, scenario, view(pods), x="fits no group", y="fits no group")
    scenario.given("pod x of 1 core, and no groups")
    refuses(submission, scenario, view([app("x")], groups=[]), x="fits no group")


@rubric("limits", needs=REFUSES)
def test_a_maximum_that_is_reached(submission, scenario):
    scenario.why("It fits, but each group that it fits is as large as it may be.")
    scenario.given(
        "pod x of 1 core; the only group has 1 node on its way, which another pod needs, maximum 1"
    )
    cluster = view([app("w", "4"), app("x")], groups=[group(most=1, upcoming=1)])
    refuses(submission, scenario, cluster, x="max size reached")
    scenario.given("pod x of 1 core; a group above its maximum")
    nodes = [machine(f"n{i}") for i in range(2)]
    full = [app(f"q{i}", "4", on=f"n{i}") for i in range(2)]
    refuses(submission, scenario, view([app("x"), *full], nodes, [group(most=1)]), x="max size reached")
    scenario.given("pod x of 1 core; group a at its maximum, group b with a taint that x does not tolerate")
    groups = [group("a", most=0), group("b", taints=[GPU])]
    refuses(submission, scenario, view([app("x")], groups=groups), x="max size reached")
    scenario.given(
        "pods x of 1 core and y of 6 cores; a (4 cores) at its maximum, b (8 cores) at its maximum, c has 1 core"
    )
    groups = [group("a", most=0), group("b", "8", most=0), group("c", "1")]
    pods = [app("x", "2"), app("y", "6")]
    refuses(submission, scenario, view(pods, groups=groups), x="max size reached", y="max size reached")


@rubric("limits", needs=REFUSES)
def test_who_is_not_refused(submission, scenario):
    scenario.why(
        "Whoever finds room, or fits a group that may still grow, is not refused: the next call may help."
    )
    scenario.given("five pods that need a node each; maximum 2, no nodes yet")
    refuses(submission, scenario, view(apps(4, 4, 4, 4, 4), groups=[group(most=2)]))
    scenario.given("pod x of 9 cores; a ready node of 16 cores; groups with 4 cores")
    refuses(submission, scenario, view([app("x", "9")], [machine("n", "", cpu="16")]))
    scenario.given("pod x of 4 cores; a node for it on its way, which is the last one allowed")
    refuses(submission, scenario, view([app("x", "4")], groups=[group(most=1, upcoming=1)]))
    scenario.given("pods of 1 core and of 16 cores; groups with 1 and 16 cores, of which one is chosen")
    refuses(submission, scenario, view(apps(1, 16, memory="0"), groups=[group("a", "1"), group("b", "16")]))
    scenario.given("a finished pod of 9 cores and a leaving one, both without a node")
    pods = [
        app("a", "9", phase="Failed"),
        app("b", "9", deleting=True),
        app("c", "9", on="gone", phase="Pending"),
    ]
    refuses(submission, scenario, view(pods))


# --- unneeded ------------------------------------------------------------------------------------------------


@rubric("unneeded")
def test_the_idle_node_is_unneeded(submission, scenario):
    scenario.why("Below half used, and its pods fit elsewhere.")
    for idle, busy in (("a", "b"), ("b", "a")):
        scenario.given(f"node {idle} with 1 of 4 cores requested, node {busy} with 3 of 4")
        cluster = view([app("p", "1", on=idle), app("q", "3", on=busy)], [machine("a"), machine("b")])
        unneeded(submission, scenario, cluster, idle)


def beside(pods, *more, size="8", **fields):
    """Node `n` of 4 cores and 16Gi with these pods, and a large busy node that has room for them."""
    busy = app("busy", "16", "64Gi", on="z")
    nodes = [machine("n", **fields), machine("z", cpu="32", memory="128Gi"), *more]
    return view([*pods, busy], nodes)


@rubric("unneeded", needs=DOWN)
def test_the_threshold(submission, scenario):
    scenario.why("Below 0.5, of CPU or of memory, whichever is more.")
    for cpu, memory, gone in (
        ("2", "1Gi", False),
        ("1999m", "1Gi", True),
        ("2001m", "1Gi", False),
        ("100m", "8Gi", False),
        ("100m", "8191Mi", True),
        ("100m", "9Gi", False),
        ("1900m", "7Gi", True),
    ):
        scenario.given(f"a node of 4 cores and 16Gi, {cpu} and {memory} of it requested; room elsewhere")
        unneeded(submission, scenario, beside([app("p", cpu, memory, on="n")]), *(["n"] if gone else []))
    scenario.given("two pods of 1 core on a node of 4 cores; room elsewhere")
    scenario.why("The sum of what all its pods request.")
    unneeded(submission, scenario, beside(apps(1, 1, on="n")))


@rubric("unneeded", needs=DOWN)
def test_who_counts_as_use(submission, scenario):
    scenario.given("a node of 4 cores: a DaemonSet's pod requests 1, another pod 1")
    scenario.why("A DaemonSet's pod takes room like any other.")
    unneeded(submission, scenario, beside([app("d", "1", on="n", kind="DaemonSet"), app("p", "1", on="n")]))
    scenario.given("a node of 4 cores: a pod that is being deleted requests 1, another pod 1")
    scenario.why("A pod that is being deleted still takes room.")
    unneeded(submission, scenario, beside([app("d", "1", on="n", deleting=True), app("p", "1", on="n")]))
    scenario.given("a node of 4 cores: finished pods request 3, another pod 1")
    scenario.why("Finished pods take no room.")
    done = [app("s", "2", on="n", phase="Succeeded"), app("f", "1", on="n", phase="Failed")]
    unneeded(submission, scenario, beside([*done, app("p", "1", on="n")]), "n")


@rubric("unneeded", needs=DOWN)
def test_an_empty_node(submission, scenario):
    scenario.given("one node, with nothing on it")
    scenario.why("Nobody has to move, so no room elsewhere is needed.")
    unneeded(submission, scenario, view([], [machine("n")]), "n")
    scenario.given("one node, with a DaemonSet's pod and a finished one on it")
    pods = [app("d", "1", on="n", kind="DaemonSet"), app("f", "1", on="n", phase="Failed")]
    unneeded(submission, scenario, view(pods, [machine("n")]), "n")
    scenario.given("one node, with a small pod that is being deleted")
    unneeded(submission, scenario, view([app("l", "1", on="n", deleting=True)], [machine("n")]), "n")


@rubric("unneeded", needs=DOWN)
def test_nodes_that_are_not_ours(submission, scenario):
    scenario.why("Only ready nodes of the groups, and not those that are on their way out already.")
    nodes = [machine("none", ""), machine("other", "elsewhere"), machine("sick", ready=False)]
    nodes += [machine("out", cordoned=True), machine("mine")]
    scenario.given("empty nodes: of no group, of an unknown group, not ready, cordoned, and one of ours")
    unneeded(submission, scenario, view([], nodes), "mine")


@rubric("unneeded", needs=DOWN)
def test_no_room_elsewhere(submission, scenario):
    scenario.why("A pod that has to move needs a place to go to.")
    pods = [app("p", "1", on="n"), app("q", "3500m", on="m")]
    scenario.given("node n with a pod of 1 core; node m has half a core left")
    unneeded(submission, scenario, view(pods, [machine("n"), machine("m")]))
    scenario.given("one node, with a pod of 1 core")
    scenario.why("The node itself is no place to go to.")
    unneeded(submission, scenario, view([app("p", on="n")], [machine("n")]))
    scenario.given("node n with a pod of 1 core; the other nodes are not ready, cordoned, and tainted")
    scenario.why("Nobody is placed there.")
    others = [machine("a", ready=False), machine("b", cordoned=True), machine("c", "", taints=[GPU])]
    unneeded(submission, scenario, view([app("p", on="n")], [machine("n"), *others]))
    scenario.given("node n with a pod of 1 core; one node on its way")
    scenario.why("A node that is not there yet takes nobody.")
    unneeded(submission, scenario, view([app("p", on="n")], [machine("n")], [group(upcoming=1)]))
    scenario.given("node n with a pod that selects disk=ssd; the other node has no such label")
    scenario.why("The pod does not fit there.")
    cluster = view([app("p", on="n", selector={"disk": "ssd"})], [machine("n"), machine("m", "")])
    unneeded(submission, scenario, cluster)


@rubric("unneeded", needs=DOWN)
def test_room_anywhere_will_do(submission, scenario):
    scenario.given("node n with a pod of 1 core; an empty node of no group")
    scenario.why("It may belong to anybody.")
    unneeded(submission, scenario, view([app("p", on="n")], [machine("n"), machine("m", "")]), "n")
    scenario.given("nodes a and b with a pod of 1 core each")
    scenario.why("Each could be emptied onto the other; which one goes is another question.")
    cluster = view([app("p", on="a"), app("q", on="b")], [machine("a"), machine("b")])
    unneeded(submission, scenario, cluster, "a", "b")
    scenario.given("node n with a pod of 1 core; node m has 1 core left; a pod of 4 cores waits")
    scenario.why("Waiting pods play no part here.")
    pods = [app("w", "1"), app("p", "1", on="n"), app("q", "3", on="m")]
    unneeded(submission, scenario, view(pods, [machine("n"), machine("m")]), "n")


@rubric("unneeded", needs=DOWN)
def test_all_pods_together(submission, scenario):
    scenario.given("node n with two pods of 900m; node m has 1 core left")
    scenario.why("Each would fit alone. Together they do not.")
    pods = [*apps("900m", "900m", on="n"), app("q", "3", on="m")]
    unneeded(submission, scenario, view(pods, [machine("n"), machine("m")]))
    scenario.given("node n with two pods of 900m; nodes m and o have 1 core left each")
    scenario.why("They may go to different nodes.")
    pods.append(app("r", "3", on="o"))
    unneeded(submission, scenario, view(pods, [machine("n"), machine("m"), machine("o")]), "n")


@rubric("unneeded", needs=DOWN)
def test_places_by_name(submission, scenario):
    scenario.given("node n of 8 cores with pods of 1 and 2 cores; node b has 1 core and node a 2 cores left")
    scenario.why("First-fit by name: the pod of 1 core takes a, and nothing is left for the other one.")
    nodes = [machine("n", cpu="8"), machine("b", "", cpu="1"), machine("a", "", cpu="2")]
    unneeded(submission, scenario, view(apps(1, 2, on="n"), nodes))
    scenario.given("the same nodes; the pods in the other order")
    unneeded(submission, scenario, view(apps(1, 2, on="n")[::-1], nodes), "n")


@rubric("unneeded", needs=DOWN)
def test_who_need_not_move(submission, scenario):
    scenario.given("node n with a DaemonSet's pod, a finished and a leaving pod; no room elsewhere")
    scenario.why("None of them needs a new place.")
    pods = [
        app("d", "500m", on="n", kind="DaemonSet"),
        app("f", "500m", on="n", phase="Failed"),
        app("l", "500m", on="n", deleting=True),
    ]
    cluster = view([*pods, app("q", "4", on="m")], [machine("n"), machine("m")])
    unneeded(submission, scenario, cluster, "n")
    scenario.given(
        "node n with a pod of 1 core; node m has 3 cores requested by a leaving pod, 1 by another one"
    )
    scenario.why("A pod that is being deleted still takes its room.")
    pods = [app("p", "1", on="n"), app("l", "3", on="m", deleting=True), app("q", "1", on="m")]
    unneeded(submission, scenario, view(pods, [machine("n"), machine("m")]))


@rubric("unneeded", needs=DOWN)
def test_same_nodes_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.scale_down,
        reference.scale_down,
        clusters(),
        max_examples=50,
        show=pictured,
        equal=lambda mine, theirs: (
            isinstance(mine, ScaleDown) and set(mine.unneeded_since) == set(theirs.unneeded_since)
        ),
        why="Below half used, and all its pods find places on the others, first-fit by name.",
    )


# --- move ----------------------------------------------------------------------------------------------------


@rubric("move", needs=DOWN)
def test_pods_without_a_controller(submission, scenario):
    scenario.given("node n with a pod without a controller; room elsewhere")
    scenario.why("Nobody would make another one.")
    unneeded(submission, scenario, beside([app("p", on="n", kind="")]))
    scenario.given("node n with a pod whose only owner is not its controller; room elsewhere")
    odd = app("p", on="n", kind="")
    odd.metadata.owner_references = [OwnerReference(api_version="v1", kind="ConfigMap", name="c", uid="u")]
    unneeded(submission, scenario, beside([odd]))
    scenario.given("node n with a pod that has a controller and another one that has none")
    scenario.why("One that may not move is enough.")
    unneeded(submission, scenario, beside([app("a", "100m", on="n"), app("p", on="n", kind="")]))
    scenario.given("node n without controllers: a finished and a leaving pod")
    scenario.why("They need not move.")
    pods = [app("f", on="n", kind="", phase="Succeeded"), app("l", on="n", kind="", deleting=True)]
    unneeded(submission, scenario, beside(pods), "n")


def annotated(value, **fields):
    made = app("p", on="n", **fields)
    made.metadata.annotations = {SAFE_TO_EVICT: value}
    return made


@rubric("move", needs=DOWN)
def test_pods_that_must_not_be_evicted(submission, scenario):
    for value, gone in (("false", False), ("true", True)):
        scenario.given(f'node n with a pod with safe-to-evict: "{value}"; room elsewhere')
        scenario.why('The annotation "false" keeps a pod where it is.')
        unneeded(submission, scenario, beside([annotated(value)]), *(["n"] if gone else []))
    scenario.given('node n with a pod with safe-to-evict: "true", and no controller')
    scenario.why("It still needs a controller that makes another one.")
    unneeded(submission, scenario, beside([annotated("true", kind="")]))
    scenario.given('node n with a DaemonSet\'s pod with safe-to-evict: "false"')
    scenario.why("It need not move.")
    unneeded(submission, scenario, beside([annotated("false", kind="DaemonSet")]), "n")


def budget(allowed, labels=None, *, namespace="default", name="b", selector=True):
    made = PodDisruptionBudget(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=PodDisruptionBudgetSpec(
            min_available=1, selector=LabelSelector(match_labels=labels or {}) if selector else None
        ),
    )
    made.status.disruptions_allowed = allowed
    return made


@rubric("move", needs=DOWN)
def test_budgets(submission, scenario):
    labels = {"app": "web"}
    pods = [app(f"p{i}", "500m", on="n", labels=labels) for i in range(2)]
    scenario.why("A budget has to spare all the pods that it covers on the node.")
    for allowed, gone in ((0, False), (1, False), (2, True), (3, True)):
        scenario.given(f"node n with two web pods; their budget allows {allowed}")
        cluster = replace(beside(pods), budgets=[budget(allowed, labels)])
        unneeded(submission, scenario, cluster, *(["n"] if gone else []))
    scenario.given("node n with a web pod and another one; the budget of web allows 1")
    scenario.why("Only the pods that it covers count.")
    cluster = replace(beside([pods[0], app("q", "500m", on="n")]), budgets=[budget(1, labels)])
    unneeded(submission, scenario, cluster, "n")
    scenario.given("node n with two web pods; two budgets that match them, of which one allows 1")
    scenario.why("Every budget has to spare them.")
    cluster = replace(beside(pods), budgets=[budget(2, labels), budget(1, labels, name="c")])
    unneeded(submission, scenario, cluster)
    scenario.given("node n with two pods; a budget with an empty selector that allows 1")
    scenario.why("An empty selector matches every pod of the namespace.")
    unneeded(submission, scenario, replace(beside(pods), budgets=[budget(1)]))


@rubric("move", needs=DOWN)
def test_budgets_of_others(submission, scenario):
    labels = {"app": "web"}
    scenario.given(
        "node n with a web pod; budgets that allow nothing: in other namespaces, for other labels, without a selector"
    )
    scenario.why("None of them covers the pod.")
    others = [budget(0, labels, namespace=name) for name in ("apps", "lab")]
    others += [budget(0, {"app": "api"}), budget(0, selector=False)]
    cluster = beside([app("p", on="n", labels=labels)])
    cluster.pods[-1].metadata.labels = {"app": "api"}
    unneeded(submission, scenario, replace(cluster, budgets=others), "n")
    scenario.given(
        "node n with web pods that are finished, leaving, and of a DaemonSet; their budget allows nothing"
    )
    scenario.why("They need not move, so they cost the budget nothing.")
    pods = [
        app("f", "400m", on="n", labels=labels, phase="Failed"),
        app("l", "400m", on="n", labels=labels, deleting=True),
        app("d", "400m", on="n", labels=labels, kind="DaemonSet"),
    ]
    unneeded(submission, scenario, replace(beside(pods), budgets=[budget(0, labels)]), "n")


# --- time ----------------------------------------------------------------------------------------------------


def idle(*names, least=0, **fields):
    """Empty nodes of one group."""
    return view([], [machine(name) for name in names], [group(least=least)], **fields)


@rubric("time", needs=DOWN)
def test_ten_minutes(submission, scenario):
    scenario.why("A node goes once it has been unneeded for 10 minutes, not before.")
    for age, gone in ((9.99, False), (10, True), (60, True), (0, False)):
        scenario.given(f"an empty node that has been unneeded for {age} minutes")
        cluster = idle("n", unneeded_since={"n": minutes(age)})
        removes(submission, scenario, cluster, "n" if gone else None)


@rubric("time", needs=DOWN)
def test_since_when(submission, scenario):
    cluster = view(
        [app("p", "3", on="c")],
        [machine("a"), machine("b"), machine("c")],
        unneeded_since={"a": minutes(4), "c": minutes(7), "gone": minutes(8)},
    )
    scenario.given(
        "a and b are empty, c is busy; a is known since 4 minutes, c since 7, and so is a node that is gone"
    )
    scenario.expected("a since 4 minutes, b since now, nobody else")
    scenario.why("Known ones keep their moment, new ones begin now, needed ones are forgotten.")
    down = submission.scale_down(cluster)
    ages = {name: (NOW - moment).total_seconds() / 60 for name, moment in down.unneeded_since.items()}
    got = ", ".join(f"{name} since {age:g} minutes" for name, age in sorted(ages.items())) or "nobody"
    scenario.check(down.unneeded_since == {"a": minutes(4), "b": NOW}, got=got)


@rubric("time", needs=GOES)
def test_a_needed_node_does_not_go(submission, scenario):
    scenario.given("a busy node that was unneeded for 20 minutes until now")
    scenario.why("What it was does not matter.")
    cluster = view([app("p", "3", on="n")], [machine("n")], unneeded_since=ripe("n"))
    removes(submission, scenario, cluster, None)


@rubric("time", needs=GOES)
def test_after_a_scale_up(submission, scenario):
    scenario.why("For 10 minutes after nodes were asked for nothing is removed; the clocks run on.")
    for age, gone in ((0, False), (9.99, False), (10, True), (30, True)):
        scenario.given(f"an empty node, unneeded for 20 minutes; nodes were asked for {age} minutes ago")
        cluster = idle("n", unneeded_since=ripe("n"), last_scale_up=minutes(age))
        removes(submission, scenario, cluster, "n" if gone else None)
    scenario.given("two empty nodes, one known since 20 minutes; nodes were asked for 5 minutes ago")
    scenario.expected("the first unneeded since 20 minutes, the other since now")
    cluster = idle("a", "b", unneeded_since=ripe("a"), last_scale_up=minutes(5))
    down = submission.scale_down(cluster)
    scenario.check(
        down.unneeded_since == {"a": minutes(20), "b": NOW},
        got=f"{sorted(down.unneeded_since)}, with other moments",
    )


@rubric("time", needs=GOES)
def test_never_below_the_minimum(submission, scenario):
    names = ("a", "b", "c")
    scenario.why("The size of a group does not fall below its minimum.")
    for least, gone in ((3, None), (2, "a"), (4, None), (0, "a")):
        scenario.given(f"three empty nodes, unneeded for 20 minutes; minimum {least}")
        removes(submission, scenario, idle(*names, least=least, unneeded_since=ripe(*names)), gone)
    scenario.given("three empty nodes, one of them cordoned; minimum 2")
    scenario.why("A cordoned node is on its way out and does not count.")
    nodes = [machine("a"), machine("b"), machine("c", cordoned=True)]
    cluster = view([], nodes, [group(least=2)], unneeded_since=ripe(*names))
    removes(submission, scenario, cluster, None)
    scenario.given("two empty nodes, and one on its way; minimum 2")
    scenario.why("A node on its way counts.")
    cluster = view([], nodes[:2], [group(least=2, upcoming=1)], unneeded_since=ripe(*names))
    removes(submission, scenario, cluster, "a")


@rubric("time", needs=GOES)
def test_which_one_goes(submission, scenario):
    scenario.why("One a call: the lowest utilisation, then the first by name.")
    nodes = [machine(name) for name in ("c", "a", "b")]
    scenario.given("nodes c, a, b, all empty, all unneeded for 20 minutes")
    removes(submission, scenario, view([], nodes, unneeded_since=ripe("a", "b", "c")), "a")
    scenario.given("the same; c is unneeded for longest")
    since = {**ripe("a", "b"), "c": minutes(50)}
    removes(submission, scenario, view([], nodes, unneeded_since=since), "a")
    scenario.given("a with 1.5 of 4 cores, b with 0.5, c with 1 requested; all unneeded for 20 minutes")
    pods = [app("p", "1500m", on="a"), app("q", "500m", on="b"), app("r", "1", on="c")]
    removes(submission, scenario, view(pods, nodes, unneeded_since=ripe("a", "b", "c")), "b")
    scenario.given("the same; b is unneeded for 5 minutes only")
    since = {**ripe("a", "c"), "b": minutes(5)}
    removes(submission, scenario, view(pods, nodes, unneeded_since=since), "c")
    scenario.given("a with 1 of 4 cores and 1Gi, b with 0.5 cores and 6 of 16Gi requested")
    scenario.why("CPU or memory, whichever is more: 0.25 is lower than 0.375.")
    pods = [app("p", "1", on="a"), app("q", "500m", "6Gi", on="b")]
    nodes = [machine("b"), machine("a")]
    removes(submission, scenario, view(pods, nodes, unneeded_since=ripe("a", "b")), "a")


@rubric("time", needs=GOES)
def test_groups_have_their_own_minimum(submission, scenario):
    scenario.given(
        "empty node a of group g at its minimum of 1, node b of group h with a pod, both unneeded for long"
    )
    scenario.why("A node that has to stay for the minimum does not keep another group's node.")
    nodes = [machine("a"), machine("b", "h")]
    cluster = view(
        [app("p", on="b")], nodes, [group(least=1), group("h", least=0)], unneeded_since=ripe("a", "b")
    )
    removes(submission, scenario, cluster, "b")


class Hour:
    """A cluster with a scheduler and a cloud, and the submission called as an autoscaler in it.

    Nodes come two minutes after they have been asked for; a removed node is drained at once.
    """

    def __init__(self, submission, groups, pods):
        self.submission = submission
        self.groups = groups
        self.pods = apps(*[1] * pods)
        self.nodes = []
        self.coming = []
        self.now = EPOCH
        self.since = {}
        self.last_scale_up = None
        self.asked = 0
        self.removed = []
        self.made = 0

    @property
    def waiting(self):
        return [each for each in self.pods if not each.spec.node_name]

    def resize(self, number):
        """Let there be as many pods; the oldest go first."""
        self.pods = self.pods[max(0, len(self.pods) - number) :]
        while len(self.pods) < number:
            self.made += 1
            self.pods.append(app(f"new-{self.made}", "1"))

    def run(self, minutes, every=60):
        """Let time pass, with a call of both functions every so many seconds."""
        for _ in range(minutes * 60 // every):
            self._tick()
            self.now += timedelta(seconds=every)

    def _tick(self):
        for name, kind, due in [entry for entry in self.coming if entry[2] <= self.now]:
            self.coming.remove((name, kind, due))
            self.nodes.append(machine(name, kind))
        for each in self.waiting:
            for place in sorted(self.nodes, key=lambda node: node.name):
                if fits(each, place, [other for other in self.pods if other.spec.node_name == place.name]):
                    each.spec.node_name, each.status.phase = place.name, "Running"
                    break
        up = self.submission.scale_up(self._view())
        if up.group is not None:
            self.last_scale_up = self.now
        for _ in range(up.nodes):
            self.asked += 1
            self.coming.append((f"{up.group}-{self.asked:02}", up.group, self.now + timedelta(minutes=2)))
        down = self.submission.scale_down(self._view())
        self.since = down.unneeded_since
        if down.remove is not None:
            self.removed.append((down.remove, (self.now - EPOCH).total_seconds() / 60))
            self.nodes = [each for each in self.nodes if each.name != down.remove]
            for each in self.pods:
                if each.spec.node_name == down.remove:
                    each.spec.node_name, each.status.phase = "", "Pending"

    def _view(self):
        groups = [
            replace(each, upcoming=sum(kind == each.name for _, kind, _ in self.coming))
            for each in self.groups
        ]
        return ClusterView(
            self.now,
            self.nodes,
            self.pods,
            groups,
            unneeded_since=self.since,
            last_scale_up=self.last_scale_up,
        )


@rubric("time", needs=(*UP, *GOES))
def test_a_busy_hour(submission, scenario):
    scenario.given(
        "20 pods of 1 core, from minute 10 on only 6; nodes of 4 cores, minimum 1; a call every minute"
    )
    scenario.expected("5 nodes asked for; 3 removed, none before minute 20; all pods placed, 2 nodes left")
    scenario.why("Up at once, down late, and never up again for the pods that had to move.")
    hour = Hour(submission, [group(least=1)], 20)
    hour.run(10)
    hour.resize(6)
    hour.run(40)
    submission.restart()
    hour.run(10)
    gone = ", ".join(f"{name} in minute {minute:g}" for name, minute in hour.removed) or "none"
    got = f"{hour.asked} asked for; removed: {gone}; {len(hour.waiting)} pods wait; {len(hour.nodes)} nodes left"
    right = (hour.asked, len(hour.removed), len(hour.waiting), len(hour.nodes)) == (5, 3, 0, 2)
    scenario.check(right and all(minute >= 20 for _, minute in hour.removed), got=got)


@rubric("time", needs=(*UP, *GOES))
def test_no_flapping(submission, scenario):
    scenario.given(
        "12 pods of 1 core for 5 minutes, 4 pods for 8 minutes, and so on for an hour; nodes of 4 cores"
    )
    scenario.expected("3 nodes asked for, and none removed")
    scenario.why("A node that is needed again within 10 minutes stays; its clock begins anew.")
    hour = Hour(submission, [group()], 12)
    for _ in range(4):
        hour.run(5)
        hour.resize(4)
        hour.run(8)
        hour.resize(12)
    got = f"{hour.asked} nodes asked for, {len(hour.removed)} removed"
    scenario.check((hour.asked, len(hour.removed)) == (3, 0), got=got)


# --- compared with the reference -----------------------------------------------------------------------------


@st.composite
def clusters(draw):
    """Up to three nodes with up to three pods each, and a few pods that wait."""
    cores = st.sampled_from(["500m", "1", "1500m", "2", "3"])
    nodes, pods = [], []
    for name in draw(st.lists(st.sampled_from("abc"), unique=True, max_size=3)):
        nodes.append(machine(name, draw(st.sampled_from(["g", "g", ""]))))
        pods += [app(f"{name}{i}", size, on=name) for i, size in enumerate(draw(st.lists(cores, max_size=2)))]
    pods += [app(f"w{i}", size) for i, size in enumerate(draw(st.lists(cores, max_size=4)))]
    groups = [group(upcoming=draw(st.integers(0, 1)), most=draw(st.integers(1, 5)))]
    return (view(pods, nodes, groups),)


def pictured(cluster):
    def held(name):
        sizes = [
            each.spec.containers[0].resources.requests["cpu"]
            for each in cluster.pods
            if each.spec.node_name == name
        ]
        return ", ".join(sizes) or "nothing"

    nodes = "; ".join(
        f"{each.name}{'' if GROUP in each.metadata.labels else ' (of no group)'}: {held(each.name)}"
        for each in cluster.nodes
    )
    only = cluster.groups[0]
    return (
        f"nodes of 4 cores with pods of {nodes or '(no nodes)'}; waiting: {held('')}; "
        f"{only.upcoming} nodes on their way, maximum {only.max_size}"
    )


@rubric("group", needs=UP)
def test_same_number_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.scale_up,
        reference.scale_up,
        clusters(),
        max_examples=50,
        show=pictured,
        equal=lambda mine, theirs: (
            isinstance(mine, ScaleUp) and (mine.group, mine.nodes) == (theirs.group, theirs.nodes)
        ),
        why="First the room that is there, then the room on its way, then as many new nodes as first-fit fills.",
    )
