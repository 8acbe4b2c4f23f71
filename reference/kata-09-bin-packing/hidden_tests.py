"""Hidden tests of kata 09."""

from datetime import timedelta

from hypothesis import strategies as st

from kubekata import Placement
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, container, node, pod

GOES = ("test_goes_where_the_room_is",)
STAYS = ("test_stays_pending_when_nothing_fits",)
BOTH = GOES + STAYS


def where(placement):
    return f"goes to {placement.node}" if placement.node else "stays Pending"


def place(submission, scenario, new, nodes, pods, wanted):
    """Ask for one placement and check the node only; the message has an item of its own."""
    scenario.expected(where(Placement(wanted)))
    answer = submission.schedule(new, nodes, pods)
    scenario.check(answer.node == wanted, got=where(answer))


def told(submission, scenario, new, nodes, pods, message):
    """Ask for a placement that is Pending and check the words."""
    scenario.expected(f'Pending: "{message}"')
    answer = submission.schedule(new, nodes, pods)
    got = f'Pending: "{answer.message}"' if answer.node is None else where(answer)
    scenario.check(answer == Placement(None, message), got=got)


def running(name, at, cpu=None, memory=None, **more):
    return pod(name, node=at, cpu=cpu, memory=memory, **{"phase": "Running", "ready": True, **more})


def deleted(victim):
    victim.metadata.deletion_timestamp = EPOCH + timedelta(seconds=30)
    victim.metadata.deletion_grace_period_seconds = 30
    return victim


# --- fit -----------------------------------------------------------------------------------------------------


@rubric("fit")
def test_goes_where_the_room_is(submission, scenario):
    scenario.why("A pod goes to a node that has room for it.")
    nodes = [node("node-a", cpu="2"), node("node-b", cpu="4"), node("node-c", cpu="2")]
    for crowded, roomy in (("node-a", "node-b"), ("node-b", "node-a")):
        scenario.given(f"a pod of 2 cores; {crowded} is full, {roomy} has room")
        taken = [running("old", crowded, "4" if crowded == "node-b" else "2"), running("c", "node-c", "1")]
        place(submission, scenario, pod("new", cpu="2"), nodes, taken, roomy)


@rubric("fit", needs=GOES)
def test_stays_pending_when_nothing_fits(submission, scenario):
    scenario.given("a pod of 3 cores; two nodes with 2 cores left each")
    scenario.why("A pod is never put where it does not fit, and no room is not an error.")
    nodes = [node("node-a"), node("node-b")]
    taken = [running("a", "node-a", "2"), running("b", "node-b", "2")]
    place(submission, scenario, pod("new", cpu="3"), nodes, taken, None)


@rubric("fit", needs=BOTH)
def test_exactly_full_fits(submission, scenario):
    scenario.given("a pod of 1 core and 2Gi; the node has 1 core and 2Gi left")
    scenario.why("What is needed may be equal to what is left.")
    place(
        submission,
        scenario,
        pod("new", cpu="1", memory="2Gi"),
        [node("node-a")],
        [running("a", "node-a", "3", "6Gi")],
        "node-a",
    )


@rubric("fit", needs=BOTH)
def test_a_thousandth_too_much_does_not_fit(submission, scenario):
    scenario.given("a pod of 1001m; the node has 1 core left")
    scenario.why("CPU is counted in thousandths of a core.")
    place(
        submission, scenario, pod("new", cpu="1001m"), [node("node-a")], [running("a", "node-a", "3")], None
    )


@rubric("fit", needs=BOTH)
def test_a_byte_too_much_does_not_fit(submission, scenario):
    scenario.given("a pod of 2147483649 bytes; the node has 2Gi left")
    scenario.why("Memory is counted in bytes, and 2Gi are 2147483648 of them.")
    place(
        submission,
        scenario,
        pod("new", memory="2147483649"),
        [node("node-a")],
        [running("a", "node-a", memory="6Gi")],
        None,
    )


@rubric("fit", needs=BOTH)
def test_memory_alone_can_refuse(submission, scenario):
    scenario.given("a pod of 100m and 5Gi; 4 cores and 4Gi are left")
    scenario.why("Both resources have to fit.")
    place(
        submission,
        scenario,
        pod("new", cpu="100m", memory="5Gi"),
        [node("node-a")],
        [running("a", "node-a", memory="4Gi")],
        None,
    )


@rubric("fit", needs=BOTH)
def test_cpu_alone_can_refuse(submission, scenario):
    scenario.given("a pod of 2 cores and 1Gi; 1 core and 8Gi are left")
    scenario.why("Both resources have to fit.")
    place(
        submission,
        scenario,
        pod("new", cpu="2", memory="1Gi"),
        [node("node-a")],
        [running("a", "node-a", "3")],
        None,
    )


@rubric("fit", needs=BOTH)
def test_the_last_place_can_be_taken(submission, scenario):
    scenario.given("a node that takes 3 pods and has 2")
    scenario.why("One more makes 3, and 3 are allowed.")
    taken = [running("a", "node-a"), running("b", "node-a")]
    place(submission, scenario, pod("new", cpu="1"), [node("node-a", pods=3)], taken, "node-a")


@rubric("fit", needs=BOTH)
def test_no_place_left(submission, scenario):
    scenario.given("a node that takes 2 pods and has 2 small ones; cores and memory are plenty")
    scenario.why("A node also has a number of pods that it can run.")
    taken = [running("a", "node-a", "10m"), running("b", "node-a", "10m")]
    place(submission, scenario, pod("new", cpu="1"), [node("node-a", pods=2)], taken, None)


@rubric("fit", needs=BOTH)
def test_a_pod_that_asks_for_nothing_needs_a_place_too(submission, scenario):
    scenario.given("a pod without requests; the node has no place left")
    scenario.why("A pod without requests is still a pod.")
    place(submission, scenario, pod("new"), [node("node-a", pods=1)], [running("a", "node-a")], None)


@rubric("fit", needs=BOTH)
def test_a_need_of_zero_is_not_compared(submission, scenario):
    scenario.why("What a pod does not ask for cannot be missing, even on an overcommitted node.")
    taken = [running("a", "node-a", "2", "9Gi"), running("b", "node-a", "1")]
    scenario.given("a pod of 1 core and no memory; the node has 1 core left, and 1Gi less than nothing")
    place(submission, scenario, pod("new", cpu="1"), [node("node-a")], taken, "node-a")
    scenario.given('a pod of "0" cores and 1Gi; the node has 1 core less than nothing, and 8Gi left')
    place(
        submission,
        scenario,
        pod("new", cpu="0", memory="1Gi"),
        [node("node-a")],
        [running("a", "node-a", "5")],
        "node-a",
    )


@rubric("fit", needs=BOTH)
def test_allocatable_not_capacity(submission, scenario):
    scenario.given("a pod of 4 cores; capacity 4 cores, allocatable 3920m")
    scenario.why("The system keeps part of the capacity; pods get what is allocatable.")
    kept = node("node-a")
    kept.status.allocatable["cpu"] = "3920m"
    place(submission, scenario, pod("new", cpu="4"), [kept], [], None)
    scenario.given("a pod of 8Gi; capacity 8Gi, allocatable 7Gi")
    kept = node("node-a")
    kept.status.allocatable["memory"] = "7Gi"
    place(submission, scenario, pod("new", memory="8Gi"), [kept], [], None)
    scenario.given("one more pod; capacity 110 pods, allocatable 1, one is running")
    kept = node("node-a")
    kept.status.allocatable["pods"] = "1"
    place(submission, scenario, pod("new", cpu="1"), [kept], [running("a", "node-a")], None)


# --- needs ---------------------------------------------------------------------------------------------------


@rubric("needs", needs=BOTH)
def test_containers_add_up(submission, scenario):
    scenario.given("a pod with containers of 1500m and 600m, and of 1Gi and 1.5Gi; two nodes")
    scenario.why("All containers run at the same time.")
    new = pod("new")
    new.spec.containers = [
        container(cpu="1500m", memory="1Gi", name="app"),
        container(cpu="600m", memory="1.5Gi", name="sidecar"),
    ]
    place(submission, scenario, new, [node("node-a", cpu="2"), node("node-b", cpu="2100m")], [], "node-b")
    place(
        submission,
        scenario,
        new,
        [node("node-a", memory="2Gi"), node("node-b", memory="2560Mi")],
        [],
        "node-b",
    )


@rubric("needs", needs=BOTH)
def test_the_largest_init_container_counts_if_it_is_larger(submission, scenario):
    scenario.given("containers of 1 core and 1Gi; init containers of 3 and 2 cores, 1Gi and 2Gi")
    scenario.why("Init containers run one at a time, before the others: 3 cores and 2Gi, not their sum.")
    new = pod("new", cpu="1", memory="1Gi")
    new.spec.init_containers = [
        container(cpu="3", memory="1Gi", name="fetch"),
        container(cpu="2", memory="2Gi", name="unpack"),
    ]
    for size, fits in (("2900m", False), ("3", True)):
        scenario.given(f"needs 3 cores for its largest init container; a node of {size} cores")
        place(submission, scenario, new, [node("node-a", cpu=size)], [], "node-a" if fits else None)
    for size, fits in (("2047Mi", False), ("2Gi", True)):
        scenario.given(f"needs 2Gi for another init container; a node of {size}")
        place(submission, scenario, new, [node("node-a", memory=size)], [], "node-a" if fits else None)


@rubric("needs", needs=BOTH)
def test_small_init_containers_add_nothing(submission, scenario):
    scenario.given("containers of 2 cores; an init container of 1 core; a node of 2 cores")
    scenario.why("It is done before the others start.")
    new = pod("new", cpu="2")
    new.spec.init_containers = [container(cpu="1", name="migrate")]
    place(submission, scenario, new, [node("node-a", cpu="2")], [], "node-a")


@rubric("needs", needs=BOTH)
def test_overhead_comes_on_top(submission, scenario):
    scenario.why("Overhead is what the sandbox itself takes, beside the containers.")
    new = pod("new", cpu="1", memory="1Gi")
    new.spec.overhead = {"cpu": "250m", "memory": "120Mi"}
    for left, fits in (("1250m", True), ("1249m", False)):
        scenario.given(f"1 core, overhead 250m; {left} left")
        place(submission, scenario, new, [node("node-a", cpu=left)], [], "node-a" if fits else None)
    for left, fits in (("1144Mi", True), ("1143Mi", False)):
        scenario.given(f"1Gi, overhead 120Mi; {left} left")
        place(submission, scenario, new, [node("node-a", memory=left)], [], "node-a" if fits else None)


@rubric("needs", needs=BOTH)
def test_overhead_comes_on_top_of_an_init_container_too(submission, scenario):
    scenario.why(
        "The sandbox is there before the first init container, so overhead comes on top of the larger."
    )
    new = pod("new", cpu="1", memory="1Gi")
    new.spec.init_containers = [container(cpu="3", memory="1Gi", name="fetch")]
    new.spec.overhead = {"cpu": "250m", "memory": "120Mi"}
    for left, fits in (("3250m", True), ("3249m", False)):
        scenario.given(f"3 cores in an init container, overhead 250m; {left} left")
        place(submission, scenario, new, [node("node-a", cpu=left)], [], "node-a" if fits else None)


@rubric("needs", needs=BOTH)
def test_limits_do_not_count(submission, scenario):
    scenario.given("a pod that requests 1 core with a limit of 8; 4 cores are left")
    scenario.why("Limits cap usage at run time; room is given by requests.")
    new = pod("new", cpu="1")
    new.spec.containers[0].resources.limits = {"cpu": "8", "memory": "64Gi"}
    place(submission, scenario, new, [node("node-a")], [], "node-a")


@rubric("needs", needs=BOTH)
def test_quantities_in_all_spellings(submission, scenario):
    scenario.why('"0.5" is 500m, "2e3" is 2000, "1G" is less than "1Gi".')
    for cpu, size, fits in (("0.5", "500m", True), ("0.5", "499m", False), ("2e0", "2", True)):
        scenario.given(f"a pod of {cpu} cores; a node of {size}")
        place(
            submission,
            scenario,
            pod("new", cpu=cpu),
            [node("node-a", cpu=size)],
            [],
            "node-a" if fits else None,
        )
    for memory, size, fits in (("1Gi", "1G", False), ("1G", "1Gi", True), ("524288Ki", "512Mi", True)):
        scenario.given(f"a pod of {memory}; a node of {size}")
        place(
            submission,
            scenario,
            pod("new", memory=memory),
            [node("node-a", memory=size)],
            [],
            "node-a" if fits else None,
        )


@rubric("needs", needs=BOTH)
def test_running_pods_are_measured_the_same_way(submission, scenario):
    scenario.given(
        "a running pod of 1 core, with an init container of 3 cores and 500m overhead; 4 cores in all"
    )
    scenario.why("What a pod needs is the same question for a running pod: this one holds 3500m.")
    old = running("old", "node-a", "1")
    old.spec.init_containers = [container(cpu="3", name="fetch")]
    old.spec.overhead = {"cpu": "500m"}
    place(submission, scenario, pod("new", cpu="600m"), [node("node-a")], [old], None)
    place(submission, scenario, pod("new", cpu="500m"), [node("node-a")], [old], "node-a")


# --- room ----------------------------------------------------------------------------------------------------


@rubric("room", needs=BOTH)
def test_pods_of_a_node_add_up(submission, scenario):
    scenario.given("pods of 1, 1 and 1500m cores on a node of 4; a pod of 600m comes")
    scenario.why("Every pod on the node takes its part.")
    taken = [running("a", "node-a", "1"), running("b", "node-a", "1"), running("c", "node-a", "1500m")]
    place(submission, scenario, pod("new", cpu="600m"), [node("node-a")], taken, None)
    place(submission, scenario, pod("new", cpu="500m"), [node("node-a")], taken, "node-a")


@rubric("room", needs=BOTH)
def test_a_terminating_pod_holds_its_room(submission, scenario):
    scenario.given("a pod that is being deleted has 3 of 4 cores; a pod of 2 cores comes")
    scenario.why("Until its grace period is over it runs.")
    taken = [deleted(running("old", "node-a", "3"))]
    place(submission, scenario, pod("new", cpu="2"), [node("node-a")], taken, None)


@rubric("room", needs=BOTH)
def test_a_terminating_pod_holds_its_place(submission, scenario):
    scenario.given("a node for one pod, and that one is being deleted")
    scenario.why("Until its grace period is over it runs.")
    place(
        submission,
        scenario,
        pod("new", cpu="1"),
        [node("node-a", pods=1)],
        [deleted(running("old", "node-a"))],
        None,
    )


@rubric("room", needs=BOTH)
def test_finished_pods_hold_nothing(submission, scenario):
    scenario.why("What has ended runs no more, whether it succeeded or failed.")
    for phase in ("Succeeded", "Failed"):
        scenario.given(f"a {phase} pod of 4 cores on a node of 4 cores and one place")
        taken = [pod("old", node="node-a", cpu="4", memory="8Gi", phase=phase)]
        place(
            submission, scenario, pod("new", cpu="4", memory="8Gi"), [node("node-a", pods=1)], taken, "node-a"
        )


@rubric("room", needs=BOTH)
def test_pods_that_are_not_ready_hold_their_room(submission, scenario):
    scenario.why("A pod that has a node holds its room from that moment on, running or not.")
    for phase in ("Pending", "Unknown", "Running"):
        scenario.given(f"a pod of 3 cores, phase {phase}, not ready, on the node; a pod of 2 cores comes")
        taken = [pod("old", node="node-a", cpu="3", phase=phase, ready=False)]
        place(submission, scenario, pod("new", cpu="2"), [node("node-a")], taken, None)


@rubric("room", needs=BOTH)
def test_other_nodes_and_no_node_do_not_matter(submission, scenario):
    scenario.given("4 cores taken on node-b, and a Pending pod of 4 cores without a node")
    scenario.why("A pod takes room only on the node that it has.")
    others = [running("b", "node-b", "4"), pod("waiting", cpu="4")]
    place(submission, scenario, pod("new", cpu="4"), [node("node-a", pods=1)], others, "node-a")


@rubric("room", needs=BOTH)
def test_all_namespaces_share_a_node(submission, scenario):
    scenario.given("a pod of another namespace has 3 of 4 cores; a pod of 2 cores comes")
    scenario.why("A node does not know namespaces.")
    taken = [running("old", "node-a", "3", namespace="kube-system")]
    place(submission, scenario, pod("new", cpu="2"), [node("node-a")], taken, None)


@rubric("room", needs=BOTH)
def test_a_name_that_begins_the_same_is_another_node(submission, scenario):
    scenario.given("node-10 is full, node-1 is empty")
    scenario.why("node-1 and node-10 are two nodes.")
    place(
        submission,
        scenario,
        pod("new", cpu="4"),
        [node("node-1"), node("node-10")],
        [running("x", "node-10", "4")],
        "node-1",
    )


# --- order ---------------------------------------------------------------------------------------------------


@rubric("order", needs=BOTH)
def test_first_by_name_whatever_the_order(submission, scenario):
    scenario.why("The order in which nodes are listed says nothing.")
    for names in (("node-c", "node-a", "node-b"), ("node-b", "node-c", "node-a")):
        scenario.given(f"three empty nodes, listed as {', '.join(names)}")
        place(submission, scenario, pod("new", cpu="1"), [node(name) for name in names], [], "node-a")


@rubric("order", needs=BOTH)
def test_names_are_text(submission, scenario):
    scenario.given("three empty nodes: node-2, node-10, node-9")
    scenario.why("As text, node-10 comes before node-2.")
    nodes = [node(name) for name in ("node-2", "node-10", "node-9")]
    place(submission, scenario, pod("new", cpu="1"), nodes, [], "node-10")


@rubric("order", needs=BOTH)
def test_first_that_fits_not_the_emptiest_or_fullest(submission, scenario):
    scenario.given("node-a is full; b, c and d have 2, 4 and 1 cores left; a pod of 1 core")
    scenario.why("The first by name that fits: no scoring here.")
    nodes = [node(f"node-{letter}") for letter in "dcba"]
    taken = [running("a", "node-a", "4"), running("b", "node-b", "2"), running("d", "node-d", "3")]
    place(submission, scenario, pod("new", cpu="1"), nodes, taken, "node-b")


@rubric("order", needs=BOTH)
def test_packing_pods_one_after_the_other(submission, scenario):
    scenario.given("pods of 3, 2, 1, 2 and 3 cores come one after the other; three nodes of 4 cores")
    scenario.expected("a, b, a, b, c")
    scenario.why("First fit fills the gaps that earlier pods left.")
    nodes = [node(f"node-{letter}") for letter in "cab"]
    placed = []
    for number, cores in enumerate(("3", "2", "1", "2", "3")):
        answer = submission.schedule(pod(f"p{number}", cpu=cores), nodes, list(placed))
        placed.append(running(f"p{number}", answer.node or "", cores))
    path = ", ".join((p.spec.node_name or "Pending").removeprefix("node-") for p in placed)
    scenario.check(path == "a, b, a, b, c", got=path)


@rubric("order", needs=BOTH)
def test_arguments_are_left_alone(submission, scenario):
    scenario.given("nodes listed as c, a, b")
    scenario.expected("the lists and objects are the same after the call")
    scenario.why("They belong to the caller, who may be iterating over them.")
    nodes = [node(f"node-{letter}") for letter in "cab"]
    taken = [running("a", "node-a", "4")]
    new = pod("new", cpu="1")
    answer = submission.schedule(new, nodes, taken)
    scenario.check(answer.node == "node-b", got=where(answer), expected="goes to node-b")
    after = submission.arguments_after
    scenario.check(after[1] == nodes, got="the nodes changed or are in another order")
    scenario.check(after[2] == taken, got="the pods changed or are in another order")
    scenario.check(after[0] == new, got="the pod changed")


# --- message -------------------------------------------------------------------------------------------------


@rubric("message", needs=BOTH)
def test_one_reason(submission, scenario):
    scenario.given("a pod of 5 cores; three nodes of 4")
    scenario.why("Three nodes, one reason.")
    told(
        submission,
        scenario,
        pod("new", cpu="5"),
        [node(f"n{i}") for i in range(3)],
        [],
        "0/3 nodes are available: 3 Insufficient cpu.",
    )


@rubric("message", needs=BOTH)
def test_entries_are_sorted_as_text(submission, scenario):
    scenario.given("two nodes without cores left, one without memory left")
    scenario.why("Entries are sorted with their counts: 1 before 2.")
    nodes = [node(f"n{i}") for i in range(3)]
    taken = [running("a", "n0", "4"), running("b", "n1", "4"), running("c", "n2", memory="8Gi")]
    told(
        submission,
        scenario,
        pod("new", cpu="1", memory="1Gi"),
        nodes,
        taken,
        "0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.",
    )


@rubric("message", needs=BOTH)
def test_ten_comes_before_two(submission, scenario):
    scenario.given("ten nodes without memory left, two without cores left")
    scenario.why('As text, "10 …" comes before "2 …".')
    nodes = [node(f"n{i:02}") for i in range(12)]
    taken = [running(f"p{i}", f"n{i:02}", *(("4", None) if i < 2 else (None, "8Gi"))) for i in range(12)]
    told(
        submission,
        scenario,
        pod("new", cpu="1", memory="1Gi"),
        nodes,
        taken,
        "0/12 nodes are available: 10 Insufficient memory, 2 Insufficient cpu.",
    )


@rubric("message", needs=BOTH)
def test_equal_counts_are_sorted_by_reason(submission, scenario):
    scenario.given("one node without memory left, one without a place, one without cores")
    scenario.why("Equal counts are followed by the reasons in alphabetical order.")
    nodes = [node("n0"), node("n1", pods=1), node("n2")]
    taken = [running("a", "n0", memory="8Gi"), running("b", "n1"), running("c", "n2", "4")]
    told(
        submission,
        scenario,
        pod("new", cpu="1", memory="1Gi"),
        nodes,
        taken,
        "0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 Too many pods.",
    )


@rubric("message", needs=BOTH)
def test_a_node_counts_under_each_of_its_reasons(submission, scenario):
    scenario.given("a node without cores, memory and places, and one without cores")
    scenario.why("Every reason counts, so the counts may add up to more than the nodes.")
    nodes = [node("n0", pods=1), node("n1")]
    taken = [running("a", "n0", "4", "8Gi"), running("b", "n1", "4")]
    told(
        submission,
        scenario,
        pod("new", cpu="1", memory="1Gi"),
        nodes,
        taken,
        "0/2 nodes are available: 1 Insufficient memory, 1 Too many pods, 2 Insufficient cpu.",
    )


@rubric("message", needs=BOTH)
def test_no_nodes(submission, scenario):
    scenario.given("a cluster without nodes")
    scenario.why("There is nothing to count.")
    told(submission, scenario, pod("new", cpu="1"), [], [], "no nodes available to schedule pods")


@rubric("message", needs=BOTH)
def test_a_pod_that_goes_somewhere_has_no_message(submission, scenario):
    scenario.given("node-a is full, node-b fits")
    scenario.expected("goes to node-b, message empty")
    scenario.why("A refusal by one node is no news once another takes the pod.")
    answer = submission.schedule(
        pod("new", cpu="1"), [node("node-a"), node("node-b")], [running("a", "node-a", "4")]
    )
    scenario.check(answer == Placement("node-b"), got=f'{where(answer)}, message "{answer.message}"')


# --- compared with the reference -----------------------------------------------------------------------------

CPU = st.sampled_from([None, "0", "250m", "500m", "1", "1500m", "2"])
MEMORY = st.sampled_from([None, "0", "256Mi", "512Mi", "1Gi", "2Gi", "3Gi"])
NAMES = ["node-1", "node-10", "node-2", "node-3"]


@st.composite
def clusters(draw, most=4):
    names = draw(st.lists(st.sampled_from(NAMES), max_size=most, unique=True))
    nodes = [
        node(
            name,
            cpu=draw(st.sampled_from(["1", "2", "4"])),
            memory=draw(st.sampled_from(["1Gi", "2Gi", "4Gi"])),
            pods=draw(st.integers(0, 4)),
        )
        for name in names
    ]
    phases = st.sampled_from(["Running", "Pending", "Succeeded", "Failed"])
    taken = [
        pod(
            f"p{number}",
            node=draw(st.sampled_from([*NAMES, ""])),
            cpu=draw(CPU),
            memory=draw(MEMORY),
            phase=draw(phases),
        )
        for number in range(draw(st.integers(0, 6)))
    ]
    return pod("new", cpu=draw(CPU), memory=draw(MEMORY)), nodes, taken


def asks(p):
    requests = p.spec.containers[0].resources.requests
    return " and ".join(f"{amount} {resource}" for resource, amount in requests.items()) or "nothing"


def shown(new, nodes, taken):
    has = ", ".join(
        f"{n.name} ({n.status.allocatable['cpu']} cpu, {n.status.allocatable['memory']} memory, "
        f"{n.status.allocatable['pods']} places)"
        for n in nodes
    )
    on = "; ".join(
        f"{p.name}, {p.status.phase}, on {p.spec.node_name or 'no node'}: {asks(p)}" for p in taken
    )
    return f"a pod asks for {asks(new)}; nodes: {has or 'none'}; pods: {on or 'none'}"


@rubric("fit", needs=BOTH)
def test_same_fit_as_the_reference(submission, scenario, reference):
    # One node at most: which of several it is belongs to another item.
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(most=1),
        show=shown,
        max_examples=60,
        equal=lambda mine, theirs: isinstance(mine, Placement) and mine.node == theirs.node,
        why="A node is fit if everything that the pod asks for is left on it, and a place.",
    )


@rubric("message", needs=BOTH)
def test_same_words_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(),
        show=shown,
        max_examples=60,
        equal=lambda mine, theirs: isinstance(mine, Placement) and mine.message == theirs.message,
        why="Count each node under every reason that it has, then sort the entries as text.",
    )
