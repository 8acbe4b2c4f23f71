"""Hidden tests of kata 18."""

from hypothesis import strategies as st

from kubekata import ScoringStrategy, Taint
from kubekata.grading.hidden import rubric
from kubekata.testing import container, node, pod

LEAST, MOST = ScoringStrategy("LeastAllocated"), ScoringStrategy("MostAllocated")
MIB, GIB = 1024**2, 1024**3
BOTH = ("test_half_and_quarter",)
LINE = ("test_along_a_line",)
EVEN = ("test_even_and_uneven",)
ASKED = ("test_what_is_asked_for",)
COUNTS = ("test_counts_become_scores",)
PLACED = ("test_goes_where_it_fits",)


def ratio(*shape, **weights):
    return ScoringStrategy("RequestedToCapacityRatio", weights or {"cpu": 1, "memory": 1}, list(shape))


def amounts(given):
    return ", ".join(f"{name} {amount}" for name, amount in given.items()) or "nothing"


def named(strategy):
    shape = f", shape {strategy.shape}" if strategy.shape else ""
    plain = strategy.weights == {"cpu": 1, "memory": 1}
    return f"{strategy.type}{shape}{'' if plain else ', weights ' + amounts(strategy.weights)}"


def scored(submission, scenario, strategy, capacity, requested, wanted):
    scenario.given(f"{named(strategy)}; capacity {amounts(capacity)}; requested {amounts(requested)}")
    scenario.expected(f"score {wanted}")
    answer = submission.score(strategy, capacity, requested)
    scenario.check(answer == wanted, got=f"score {answer}")


def balanced(submission, scenario, capacity, used, new, wanted):
    scenario.given(f"capacity {amounts(capacity)}; used {amounts(used)}; the pod asks for {amounts(new)}")
    scenario.expected(f"score {wanted}")
    answer = submission.balance(capacity, used, new)
    scenario.check(answer == wanted, got=f"score {answer}")


def taken_as(submission, scenario, given, new, cpu, memory):
    scenario.given(given)
    scenario.expected(f"cpu {cpu}, memory {memory}")
    answer = submission.assumed(new)
    scenario.check(answer == {"cpu": cpu, "memory": memory}, got=amounts(answer))


def normalized(submission, scenario, counts, reverse, wanted):
    scenario.given(f"counts {counts}{', reversed' if reverse else ''}")
    scenario.expected(str(wanted))
    answer = submission.normalize(counts, reverse)
    scenario.check(answer == wanted, got=str(answer))


def drawn(nodes):
    return "; ".join(f"{name}: {', '.join(nodes[name]) or 'empty'}" for name in sorted(nodes)) or "no nodes"


def laid_out(submission, scenario, strategy, pods, nodes, wanted):
    """Place the pods and check the nodes' pods only."""
    wanted = {each.name: wanted.get(each.name, []) for each in nodes}
    scenario.expected(drawn(wanted))
    layout = submission.place(pods, nodes, strategy)
    scenario.check(layout.nodes == wanted, got=drawn(layout.nodes))
    return layout


def pods_of(count, cpu=None, memory=None):
    return [pod(f"p{i}", cpu=cpu, memory=memory) for i in range(1, count + 1)]


def soft(number):
    return [Taint(key=f"soft-{i}", effect="PreferNoSchedule") for i in range(number)]


# --- allocated -----------------------------------------------------------------------------------------------


@rubric("allocated")
def test_half_and_quarter(submission, scenario):
    scenario.why("Least is the free part in percent.")
    for requested, wanted in ((500, 50), (250, 75)):
        scored(
            submission,
            scenario,
            LEAST,
            {"cpu": 1000, "memory": 1000},
            {"cpu": requested, "memory": requested},
            wanted,
        )


@rubric("allocated", needs=BOTH)
def test_most_is_the_requested_part(submission, scenario):
    scenario.why("MostAllocated is the requested part in percent.")
    for requested, wanted in ((500, 50), (250, 25), (1000, 100)):
        scored(
            submission,
            scenario,
            MOST,
            {"cpu": 1000, "memory": 1000},
            {"cpu": requested, "memory": requested},
            wanted,
        )


@rubric("allocated", needs=BOTH)
def test_each_resource_is_rounded_down(submission, scenario):
    scenario.why("Each resource's score is an integer before they are added.")
    capacity, requested = {"cpu": 3000, "memory": 3000}, {"cpu": 1000, "memory": 1000}
    scored(submission, scenario, LEAST, capacity, requested, 66)
    scored(submission, scenario, MOST, capacity, requested, 33)
    # 66.9 and 66.9 are 66 and 66, not 133 together
    odd = {"cpu": 8, "memory": 8}
    scored(submission, scenario, LEAST, odd, {"cpu": 1, "memory": 3}, 74)
    scored(submission, scenario, MOST, odd, {"cpu": 1, "memory": 3}, 24)


@rubric("allocated", needs=BOTH)
def test_the_average_is_rounded_down(submission, scenario):
    scenario.why("The quotient of the sums is an integer, too.")
    capacity = {"cpu": 100, "memory": 100}
    scored(submission, scenario, LEAST, capacity, {"cpu": 25, "memory": 26}, 74)
    scored(submission, scenario, MOST, capacity, {"cpu": 25, "memory": 26}, 25)
    scored(submission, scenario, MOST, capacity, {"cpu": 1, "memory": 0}, 0)


@rubric("allocated", needs=BOTH)
def test_the_free_part_is_not_100_minus_the_requested_one(submission, scenario):
    scenario.why("Both round down, so that they may make 99 together.")
    scored(submission, scenario, LEAST, {"cpu": 300}, {"cpu": 100}, 66)
    scored(submission, scenario, MOST, {"cpu": 300}, {"cpu": 100}, 33)


@rubric("allocated", needs=BOTH)
def test_weights(submission, scenario):
    scenario.why("A weight multiplies a resource's score, and the sum is divided by the weights.")
    capacity, requested = {"cpu": 4000, "memory": 10000}, {"cpu": 3000, "memory": 5000}
    for kind, weights, wanted in (
        ("LeastAllocated", {"cpu": 1, "memory": 2}, 41),
        ("LeastAllocated", {"cpu": 3, "memory": 1}, 31),
        ("MostAllocated", {"cpu": 1, "memory": 4}, 55),
        ("MostAllocated", {"memory": 1}, 50),
    ):
        scored(submission, scenario, ScoringStrategy(kind, weights), capacity, requested, wanted)


@rubric("allocated", needs=BOTH)
def test_other_resources_count_by_their_weights(submission, scenario):
    scenario.why("What has a weight is looked at, whatever its name, and what has none is not.")
    capacity = {"cpu": 6000, "memory": 10000, "example.com/gpu": 10}
    requested = {"cpu": 3000, "memory": 5000, "example.com/gpu": 2}
    weights = {"cpu": 1, "memory": 1, "example.com/gpu": 1}
    scored(submission, scenario, ScoringStrategy("LeastAllocated", weights), capacity, requested, 60)
    scored(submission, scenario, ScoringStrategy("MostAllocated", weights), capacity, requested, 40)
    scored(submission, scenario, LEAST, capacity, requested, 50)


@rubric("allocated", needs=BOTH)
def test_more_requested_than_there_is(submission, scenario):
    scenario.why(
        "Scoring assumes requests that nobody made, so a node can look more than full; a score stays in its range."
    )
    capacity, requested = {"cpu": 4000, "memory": 10000}, {"cpu": 6000, "memory": 5000}
    scored(submission, scenario, LEAST, capacity, requested, 25)
    scored(submission, scenario, MOST, capacity, requested, 75)


@rubric("allocated", needs=BOTH)
def test_exactly_full_and_empty(submission, scenario):
    scenario.why("0 to 100, ends included.")
    capacity = {"cpu": 4000, "memory": 8000}
    scored(submission, scenario, LEAST, capacity, capacity, 0)
    scored(submission, scenario, MOST, capacity, capacity, 100)
    scored(submission, scenario, LEAST, capacity, {}, 100)
    scored(submission, scenario, MOST, capacity, {"cpu": 0}, 0)


@rubric("allocated", needs=BOTH)
def test_what_the_node_does_not_have_is_left_out(submission, scenario):
    scenario.why("A resource without capacity is neither 0 nor 100: it is left out with its weight.")
    weights = {"cpu": 1, "memory": 1, "example.com/gpu": 2}
    requested = {"cpu": 3000, "memory": 4000}
    for capacity in ({"cpu": 6000, "memory": 10000}, {"cpu": 6000, "memory": 10000, "example.com/gpu": 0}):
        scored(submission, scenario, ScoringStrategy("MostAllocated", weights), capacity, requested, 45)
        scored(submission, scenario, ScoringStrategy("LeastAllocated", weights), capacity, requested, 55)


@rubric("allocated", needs=BOTH)
def test_a_node_without_anything(submission, scenario):
    scenario.why("If every resource is left out the score is 0, and nothing is divided by 0.")
    for strategy in (LEAST, MOST):
        scored(submission, scenario, strategy, {"cpu": 0, "memory": 0}, {"cpu": 3000}, 0)
        scored(submission, scenario, strategy, {}, {}, 0)


@rubric("allocated", needs=BOTH)
def test_very_large_amounts(submission, scenario):
    scenario.why("Amounts are integers of any size: floats would be off by one here.")
    whole = 10**18
    scored(submission, scenario, MOST, {"memory": whole}, {"memory": whole - 1}, 99)
    scored(submission, scenario, LEAST, {"memory": whole}, {"memory": whole // 2 + 1}, 49)


# --- ratio ---------------------------------------------------------------------------------------------------


@rubric("ratio")
def test_along_a_line(submission, scenario):
    scenario.why("The score follows the shape up, and down.")
    for shape, higher, lower in (
        ([(0, 0), (30, 3), (60, 6), (100, 10)], 500, 200),
        ([(0, 10), (30, 7), (60, 4), (100, 0)], 200, 500),
    ):
        strategy, capacity = ratio(*shape), {"cpu": 1000, "memory": 1000}
        scenario.given(
            f"{named(strategy)}; capacity {amounts(capacity)}; requested {higher} or {lower} of each"
        )
        scenario.expected(f"a higher score for {higher}")
        high, low = (
            submission.score(strategy, capacity, {"cpu": used, "memory": used}) for used in (higher, lower)
        )
        scenario.check(high > low, got=f"{high} for {higher}, {low} for {lower}")


@rubric("ratio", needs=LINE)
def test_several_pieces(submission, scenario):
    scenario.why("Between two points the line goes from one to the other.")
    hat = ratio((0, 2), (40, 10), (100, 0), cpu=1)
    for used, wanted in ((0, 20), (20, 60), (30, 80), (40, 100), (70, 50), (100, 0)):
        scored(submission, scenario, hat, {"cpu": 100}, {"cpu": used}, wanted)


@rubric("ratio", needs=LINE)
def test_before_the_first_and_after_the_last_point(submission, scenario):
    scenario.why("Beyond its ends the line is level.")
    middle = ratio((30, 3), (70, 9), cpu=1)
    for used, wanted in ((0, 30), (29, 30), (30, 30), (31, 31), (69, 88), (70, 90), (71, 90), (100, 90)):
        scored(submission, scenario, middle, {"cpu": 100}, {"cpu": used}, wanted)


@rubric("ratio", needs=LINE)
def test_one_point(submission, scenario):
    scenario.why("One point is a level line.")
    for used in (10, 50, 90):
        scored(submission, scenario, ratio((50, 7), cpu=1), {"cpu": 100}, {"cpu": used}, 70)


@rubric("ratio", needs=LINE)
def test_quotients_are_cut_toward_zero(submission, scenario):
    scenario.why("On the way down the quotient is negative, and -33.3 becomes -33, not -34.")
    down = ratio((0, 10), (30, 0), cpu=1)
    for used, wanted in ((10, 67), (20, 34), (29, 4)):
        scored(submission, scenario, down, {"cpu": 100}, {"cpu": used}, wanted)
    up = ratio((0, 0), (30, 10), cpu=1)
    for used, wanted in ((10, 33), (20, 66)):
        scored(submission, scenario, up, {"cpu": 100}, {"cpu": used}, wanted)


@rubric("ratio", needs=LINE)
def test_points_are_scaled_before_the_line_is_followed(submission, scenario):
    scenario.why("The tenfold scores are interpolated: half of the way from 1 to 2 is 15.")
    scored(submission, scenario, ratio((0, 1), (100, 2), cpu=1), {"cpu": 100}, {"cpu": 50}, 15)


@rubric("ratio", needs=LINE)
def test_the_utilization_is_an_integer(submission, scenario):
    scenario.why("Utilization is rounded down to whole percents before the shape is looked at.")
    steep = ratio((33, 0), (34, 10), cpu=1)
    scored(submission, scenario, steep, {"cpu": 1000}, {"cpu": 339}, 0)
    scored(submission, scenario, steep, {"cpu": 1000}, {"cpu": 340}, 100)


@rubric("ratio", needs=LINE)
def test_more_than_full_is_full(submission, scenario):
    scenario.why("The utilization is at most 100.")
    scored(
        submission, scenario, ratio((0, 10), (100, 4)), {"cpu": 4, "memory": 4}, {"cpu": 6, "memory": 2}, 55
    )


@rubric("ratio", needs=LINE)
def test_resources_that_score_nothing_are_left_out(submission, scenario):
    scenario.why("With this strategy a 0 takes its weight away with it.")
    rising = ratio((0, 0), (100, 10))
    scored(submission, scenario, rising, {"cpu": 100, "memory": 100}, {"cpu": 60}, 60)
    heavy = ratio((0, 0), (100, 10), cpu=1, memory=5)
    scored(submission, scenario, heavy, {"cpu": 100, "memory": 100}, {"cpu": 60}, 60)
    scored(submission, scenario, rising, {"cpu": 100, "memory": 100}, {}, 0)


@rubric("ratio", needs=LINE)
def test_rounded_to_the_nearest(submission, scenario):
    scenario.why("This strategy rounds its average, halves up.")
    falling = ratio((0, 10), (100, 0))
    for memory, wanted in ((50, 38), (51, 37), (52, 37), (53, 36)):
        scored(
            submission, scenario, falling, {"cpu": 100, "memory": 100}, {"cpu": 75, "memory": memory}, wanted
        )
    thirds = ratio((0, 0), (100, 10), cpu=2, memory=1)
    for memory, wanted in ((51, 50), (52, 51)):
        scored(
            submission, scenario, thirds, {"cpu": 100, "memory": 100}, {"cpu": 50, "memory": memory}, wanted
        )


@rubric("ratio", needs=LINE)
def test_missing_resources_in_a_ratio(submission, scenario):
    scenario.why("A resource without capacity is left out with its weight, with every strategy.")
    level = ratio((0, 4), (100, 10), cpu=1, memory=3)
    scored(submission, scenario, level, {"cpu": 100, "memory": 0}, {"cpu": 50, "memory": 50}, 70)
    scored(submission, scenario, level, {"cpu": 0}, {"cpu": 50}, 0)


# --- balance -------------------------------------------------------------------------------------------------

SQUARE = {"cpu": 8000, "memory": 8000}


@rubric("balance")
def test_even_and_uneven(submission, scenario):
    scenario.why("A pod that makes a node even scores more than one that makes it uneven.")
    even, uneven = {"cpu": 4000, "memory": 4000}, {"cpu": 6000, "memory": 1000}
    for used, better, worse in (({}, even, uneven), ({"cpu": 1000, "memory": 6000}, uneven, even)):
        scenario.given(
            f"capacity {amounts(SQUARE)}; used {amounts(used)}; "
            f"pods that ask for {amounts(better)} and for {amounts(worse)}"
        )
        scenario.expected("a higher score for the first pod")
        high, low = submission.balance(SQUARE, used, better), submission.balance(SQUARE, used, worse)
        scenario.check(high > low, got=f"{high} for the first, {low} for the second")


@rubric("balance", needs=EVEN)
def test_nothing_changed_is_75(submission, scenario):
    scenario.why("50, and half of 50 for no change at all.")
    balanced(submission, scenario, SQUARE, {}, {"cpu": 2000, "memory": 2000}, 75)
    balanced(submission, scenario, SQUARE, {"cpu": 2000}, {"cpu": 2000, "memory": 2000}, 75)


@rubric("balance", needs=EVEN)
def test_evens_out(submission, scenario):
    scenario.why("What counts is the change: from 50 to 100 is the best there is.")
    balanced(submission, scenario, SQUARE, {"cpu": 8000}, {"memory": 8000}, 100)
    balanced(submission, scenario, SQUARE, {"memory": 4000}, {"cpu": 4000}, 87)
    balanced(submission, scenario, SQUARE, {}, {"cpu": 8000}, 50)


@rubric("balance", needs=EVEN)
def test_evenness_is_cut_to_an_integer(submission, scenario):
    scenario.why("Before and after are integers, and so is half of the difference.")
    balanced(submission, scenario, SQUARE, {"cpu": 4000, "memory": 4000}, {"cpu": 2000, "memory": 1000}, 71)
    balanced(submission, scenario, SQUARE, {}, {"cpu": 3000}, 65)
    balanced(submission, scenario, SQUARE, {"cpu": 1000}, {"cpu": 4000}, 62)


@rubric("balance", needs=EVEN)
def test_shares_are_at_most_one(submission, scenario):
    scenario.why("A node that is more than full is full.")
    balanced(submission, scenario, SQUARE, {"cpu": 12000, "memory": 8000}, {"cpu": 1000}, 75)
    balanced(submission, scenario, SQUARE, {"memory": 6000}, {"cpu": 16000, "memory": 2000}, 94)


@rubric("balance", needs=EVEN)
def test_a_third_resource_that_the_pod_asks_for(submission, scenario):
    scenario.why(
        "The deviation is the root of the mean squared difference from the mean, over all resources."
    )
    capacity = {"cpu": 8, "memory": 8, "example.com/gpu": 8}
    balanced(submission, scenario, capacity, {}, {"cpu": 8, "example.com/gpu": 1}, 52)
    balanced(
        submission,
        scenario,
        {"cpu": 3500, "memory": 40000, "example.com/gpu": 8},
        {"cpu": 3000, "memory": 5000, "example.com/gpu": 3},
        {"example.com/gpu": 1},
        75,
    )
    balanced(
        submission,
        scenario,
        capacity,
        {"example.com/gpu": 8},
        {"cpu": 4, "memory": 4, "example.com/gpu": 0},
        75,
    )


@rubric("balance", needs=EVEN)
def test_a_third_resource_that_the_pod_does_not_ask_for(submission, scenario):
    scenario.why("A GPU says nothing about a pod that does not ask for one.")
    capacity = {"cpu": 8, "memory": 8, "example.com/gpu": 8}
    for new in ({"cpu": 2, "memory": 2}, {"cpu": 2, "memory": 2, "example.com/gpu": 0}):
        balanced(submission, scenario, capacity, {"cpu": 2, "memory": 2, "example.com/gpu": 6}, new, 75)
    balanced(submission, scenario, capacity, {"example.com/gpu": 5}, {"cpu": 4}, 62)


@rubric("balance", needs=EVEN)
def test_cpu_and_memory_always_take_part(submission, scenario):
    scenario.why("A pod that asks only for one of them still changes the balance of both.")
    balanced(submission, scenario, SQUARE, {"cpu": 4000}, {"memory": 3000}, 84)
    balanced(submission, scenario, SQUARE, {"memory": 2000}, {"memory": 2000}, 69)


@rubric("balance", needs=EVEN)
def test_without_capacity(submission, scenario):
    scenario.why("What a node does not have is left out; one resource alone is always even.")
    balanced(submission, scenario, {"cpu": 8, "memory": 0}, {"cpu": 1}, {"cpu": 4, "memory": 3}, 75)
    balanced(submission, scenario, {"cpu": 8}, {}, {"cpu": 8}, 75)
    balanced(submission, scenario, {"cpu": 0, "memory": 0}, {}, {"cpu": 8}, 75)


@rubric("balance", needs=EVEN)
def test_a_pod_that_asks_for_nothing(submission, scenario):
    scenario.why("It changes no balance and gets 0 everywhere; otherwise all such pods would go to one node.")
    for nothing in ({}, {"cpu": 0, "memory": 0}):
        balanced(submission, scenario, SQUARE, {"cpu": 4000}, nothing, 0)
        balanced(submission, scenario, SQUARE, {}, nothing, 0)


# --- assumed -------------------------------------------------------------------------------------------------


@rubric("assumed")
def test_what_is_asked_for(submission, scenario):
    scenario.why("A request is taken as it is.")
    taken_as(
        submission, scenario, "a pod of 1500m and 2Gi", pod("a", cpu="1500m", memory="2Gi"), 1500, 2 * GIB
    )
    taken_as(submission, scenario, "a pod of 1m and 1Mi", pod("a", cpu="1m", memory="1Mi"), 1, MIB)


@rubric("assumed", needs=ASKED)
def test_missing_requests(submission, scenario):
    scenario.why("Each resource that is not asked for has its own default.")
    taken_as(submission, scenario, "a pod without requests", pod("a"), 100, 200 * MIB)
    taken_as(submission, scenario, "a pod of 250m", pod("a", cpu="250m"), 250, 200 * MIB)
    taken_as(submission, scenario, "a pod of 1Gi", pod("a", memory="1Gi"), 100, GIB)


@rubric("assumed", needs=ASKED)
def test_zero_is_a_request(submission, scenario):
    scenario.why("Only what is absent is assumed: 0 was asked for.")
    taken_as(submission, scenario, 'a pod of "0" cores and "0" memory', pod("a", cpu="0", memory="0"), 0, 0)


@rubric("assumed", needs=ASKED)
def test_every_container_has_its_defaults(submission, scenario):
    scenario.why("The default is for a container, not for the pod.")
    new = pod("a")
    new.spec.containers = [
        container(name="a"),
        container(name="b"),
        container(name="c", cpu="1", memory="1Gi"),
    ]
    taken_as(
        submission,
        scenario,
        "two containers without requests, one of 1 core and 1Gi",
        new,
        1200,
        GIB + 400 * MIB,
    )


@rubric("assumed", needs=ASKED)
def test_init_containers_have_them_too(submission, scenario):
    scenario.why(
        "An init container without requests counts as 100m and 200Mi; the largest one is compared with the sum."
    )
    new = pod("a", cpu="50m", memory="10Mi")
    new.spec.init_containers = [container(name="i")]
    taken_as(
        submission,
        scenario,
        "a container of 50m and 10Mi, an init container without requests",
        new,
        100,
        200 * MIB,
    )
    new.spec.init_containers = [container(name="i"), container(name="j")]
    taken_as(submission, scenario, "the same with two such init containers", new, 100, 200 * MIB)
    new.spec.init_containers = [container(name="i", cpu="2", memory="5Mi"), container(name="j", cpu="3")]
    taken_as(submission, scenario, "init containers of 2 cores and 5Mi, and of 3 cores", new, 3000, 200 * MIB)


@rubric("assumed", needs=ASKED)
def test_overhead_on_top(submission, scenario):
    scenario.why("Overhead is added last, and has no default.")
    new = pod("a", cpu="1")
    new.spec.overhead = {"cpu": "250m"}
    taken_as(submission, scenario, "a pod of 1 core, overhead 250m", new, 1250, 200 * MIB)
    new.spec.init_containers = [container(name="i", cpu="2", memory="1Gi")]
    new.spec.overhead = {"cpu": "250m", "memory": "24Mi"}
    taken_as(
        submission,
        scenario,
        "with an init container of 2 cores and 1Gi, overhead 250m and 24Mi",
        new,
        2250,
        1048 * MIB,
    )


@rubric("assumed", needs=ASKED)
def test_limits_are_no_requests(submission, scenario):
    scenario.why("A limit reserves nothing.")
    new = pod("a")
    new.spec.containers[0].resources.limits = {"cpu": "4", "memory": "4Gi"}
    taken_as(
        submission, scenario, "a pod with limits of 4 cores and 4Gi, and no requests", new, 100, 200 * MIB
    )


# --- normalize -----------------------------------------------------------------------------------------------


@rubric("normalize")
def test_counts_become_scores(submission, scenario):
    scenario.why("A larger count is a higher score.")
    for counts in ([1, 2, 4], [4, 2, 1]):
        scenario.given(f"counts {counts}")
        scenario.expected("three scores in the order of the counts")
        scores = submission.normalize(counts, False)
        ranked = len(scores) == 3 and sorted(set(scores), reverse=counts[0] == 4) == scores
        scenario.check(ranked, got=str(scores))


@rubric("normalize", needs=COUNTS)
def test_the_largest_becomes_100(submission, scenario):
    scenario.why("The largest count becomes 100, and the others their share of it.")
    normalized(submission, scenario, [1, 2, 4], False, [25, 50, 100])
    normalized(submission, scenario, [5], False, [100])
    normalized(submission, scenario, [0, 1], False, [0, 100])


@rubric("normalize", needs=COUNTS)
def test_reversed(submission, scenario):
    scenario.why("Reversed, the largest count becomes 0.")
    normalized(submission, scenario, [1, 2, 4], True, [75, 50, 0])
    normalized(submission, scenario, [3, 3], True, [0, 0])


@rubric("normalize", needs=COUNTS)
def test_rounding(submission, scenario):
    scenario.why("Rounded down first, and then taken from 100.")
    normalized(submission, scenario, [2, 1, 3], False, [66, 33, 100])
    normalized(submission, scenario, [2, 1, 3], True, [34, 67, 0])


@rubric("normalize", needs=COUNTS)
def test_all_zero(submission, scenario):
    scenario.why("Nothing counted: the worst score, or with reverse the best, for everybody.")
    normalized(submission, scenario, [0, 0], False, [0, 0])
    normalized(submission, scenario, [0, 0], True, [100, 100])


@rubric("normalize", needs=COUNTS)
def test_no_counts(submission, scenario):
    scenario.why("No counts, no scores.")
    normalized(submission, scenario, [], False, [])
    normalized(submission, scenario, [], True, [])


@rubric("normalize", needs=COUNTS)
def test_the_smallest_is_not_moved_to_zero(submission, scenario):
    scenario.why("Counts are measured from 0, not from the smallest of them.")
    normalized(submission, scenario, [50, 100, 75], False, [50, 100, 75])
    normalized(submission, scenario, [200, 150], True, [0, 25])


# --- layout --------------------------------------------------------------------------------------------------


@rubric("layout")
def test_goes_where_it_fits(submission, scenario):
    scenario.why("A pod goes to a node that has room for it.")
    for roomy in ("node-a", "node-b"):
        nodes = [node(name, cpu="4" if name == roomy else "1") for name in ("node-a", "node-b")]
        scenario.given(f"a pod of 2 cores; {roomy} has 4 cores, the other has 1")
        laid_out(submission, scenario, LEAST, [pod("p1", cpu="2", memory="1Gi")], nodes, {roomy: ["p1"]})


@rubric("layout", needs=PLACED)
def test_spread(submission, scenario):
    scenario.given("LeastAllocated; six pods of 1 core and 2Gi; three nodes of 4 cores and 8Gi")
    scenario.why("Each pod goes to the node with the most room left.")
    layout = laid_out(
        submission,
        scenario,
        LEAST,
        pods_of(6, "1", "2Gi"),
        [node("c"), node("a"), node("b")],
        {"a": ["p1", "p4"], "b": ["p2", "p5"], "c": ["p3", "p6"]},
    )
    told = (layout.waiting, layout.empty, layout.largest)
    scenario.expected("nobody waits, 0 nodes empty, largest 2000")
    scenario.check(told == ([], 0, 2000), got=f"waiting {told[0]}, {told[1]} nodes empty, largest {told[2]}")


@rubric("layout", needs=PLACED)
def test_pack(submission, scenario):
    scenario.given("MostAllocated; six pods of 1 core and 2Gi; three nodes of 4 cores and 8Gi")
    scenario.why("Each pod goes to the fullest node that it fits.")
    layout = laid_out(
        submission,
        scenario,
        MOST,
        pods_of(6, "1", "2Gi"),
        [node("c"), node("a"), node("b")],
        {"a": ["p1", "p2", "p3", "p4"], "b": ["p5", "p6"]},
    )
    told = (layout.waiting, layout.empty, layout.largest)
    scenario.expected("nobody waits, 1 node empty, largest 4000")
    scenario.check(told == ([], 1, 4000), got=f"waiting {told[0]}, {told[1]} nodes empty, largest {told[2]}")


@rubric("layout", needs=PLACED)
def test_a_shape_can_stop_short_of_full(submission, scenario):
    scenario.given(
        "RequestedToCapacityRatio, shape (0, 5), (50, 10), (100, 0); four pods, each a quarter of one of two nodes"
    )
    scenario.why("This shape likes nodes that are half full.")
    half = ratio((0, 5), (50, 10), (100, 0))
    laid_out(
        submission,
        scenario,
        half,
        pods_of(4, "1", "2Gi"),
        [node("a"), node("b")],
        {"a": ["p1", "p2"], "b": ["p3", "p4"]},
    )


@rubric("layout", needs=PLACED)
def test_weights_decide(submission, scenario):
    scenario.why("The strategy's weights are used in every choice.")
    nodes = [node("a", cpu="4", memory="16Gi"), node("b", cpu="8", memory="8Gi")]
    for heavy, light, wanted in (("cpu", "memory", "b"), ("memory", "cpu", "a")):
        scenario.given(
            f"LeastAllocated, {heavy} weighs 9 times as much; a has 4 cores and 16Gi, b 8 cores and 8Gi"
        )
        strategy = ScoringStrategy("LeastAllocated", {heavy: 9, light: 1})
        laid_out(submission, scenario, strategy, [pod("p1", cpu="1", memory="2Gi")], nodes, {wanted: ["p1"]})


@rubric("layout", needs=PLACED)
def test_ties_go_to_the_first_by_name(submission, scenario):
    scenario.given("one pod, three nodes that are the same: node-9, node-10, node-2")
    scenario.why("As text, node-10 comes before node-2.")
    nodes = [node("node-9"), node("node-10"), node("node-2")]
    for strategy in (LEAST, MOST):
        laid_out(submission, scenario, strategy, pods_of(1, "1", "1Gi"), nodes, {"node-10": ["p1"]})


@rubric("layout", needs=PLACED)
def test_assumed_requests_spread_pods_that_ask_for_nothing(submission, scenario):
    scenario.given("LeastAllocated; four pods without requests, two nodes")
    scenario.why("Scoring assumes 100m and 200Mi for each; with 0 all of them would go to the first node.")
    laid_out(
        submission,
        scenario,
        LEAST,
        pods_of(4),
        [node("a"), node("b")],
        {"a": ["p1", "p3"], "b": ["p2", "p4"]},
    )


@rubric("layout", needs=PLACED)
def test_assumed_requests_do_not_take_room(submission, scenario):
    scenario.given("one node of 1 core and 1Gi; a pod of all of it, then two pods without requests")
    scenario.why("Room is given by real requests; what is assumed is for scoring alone.")
    pods = [pod("p1", cpu="1", memory="1Gi"), pod("p2"), pod("p3")]
    small = node("a", cpu="1", memory="1Gi")
    layout = laid_out(submission, scenario, MOST, pods, [small], {"a": ["p1", "p2", "p3"]})
    scenario.check(layout.largest == 0, got=f"largest {layout.largest}", expected="largest 0")
    scenario.given("one node of 1 core and 1Gi; two pods without requests")
    layout = laid_out(submission, scenario, MOST, pods[1:], [small], {"a": ["p2", "p3"]})
    scenario.check(layout.largest == 1000, got=f"largest {layout.largest}", expected="largest 1000")


@rubric("layout", needs=PLACED)
def test_exactly_full(submission, scenario):
    scenario.why("What is requested may be all there is, of cpu and of memory, and no more.")
    for cpu, memory in (("2", "1Gi"), ("1", "4Gi")):
        scenario.given(f"three pods of {cpu} cores and {memory}; one node of 4 cores and 8Gi")
        layout = laid_out(
            submission, scenario, MOST, pods_of(3, cpu, memory), [node("a")], {"a": ["p1", "p2"]}
        )
        scenario.check(layout.waiting == ["p3"], got=f"waiting: {layout.waiting}", expected="p3 waits")


@rubric("layout", needs=PLACED)
def test_who_waits_holds_nobody_up(submission, scenario):
    scenario.given("pods of 3, 3, 9, 2 and 1 cores; one node of 4 cores, one of 2")
    scenario.why("A pod that fits nowhere waits, and the next one has its turn.")
    sizes = ("3", "3", "9", "2", "1")
    pods = [pod(f"p{i}", cpu=cpu, memory="1Mi") for i, cpu in enumerate(sizes, 1)]
    nodes = [node("a", cpu="4"), node("b", cpu="2")]
    layout = laid_out(submission, scenario, MOST, pods, nodes, {"a": ["p1", "p5"], "b": ["p4"]})
    told = (layout.waiting, layout.largest)
    scenario.expected("p2 and p3 wait, largest 0")
    scenario.check(told == (["p2", "p3"], 0), got=f"waiting: {told[0]}, largest {told[1]}")


@rubric("layout", needs=PLACED)
def test_balance_is_part_of_the_total(submission, scenario):
    scenario.given("LeastAllocated; a pod of 3 cores and 3Gi; a has 24 cores and 6Gi, b 8 cores and 8Gi")
    scenario.why(
        "a scores 68 and balance 65, b scores 62 and balance 75: the totals are 133 and 137, before taints."
    )
    nodes = [node("a", cpu="24", memory="6Gi"), node("b", cpu="8", memory="8Gi")]
    laid_out(submission, scenario, LEAST, pods_of(1, "3", "3Gi"), nodes, {"b": ["p1"]})


@rubric("layout", needs=PLACED)
def test_balance_goes_by_real_requests(submission, scenario):
    scenario.why("What scoring assumes is for the strategy's score; balance compares what is asked for.")
    scenario.given("LeastAllocated; a pod of 1 core; a has 4 cores and 8Gi, b 8 cores and 1Gi")
    nodes = [node("a", memory="8Gi"), node("b", cpu="8", memory="1Gi")]
    laid_out(submission, scenario, LEAST, pods_of(1, "1"), nodes, {"a": ["p1"]})
    scenario.given(
        "LeastAllocated; pods of 1 core, and of 2 cores and 2Gi; a has 4 cores and 4Gi, b 8 and 4Gi"
    )
    nodes = [node("a", memory="4Gi"), node("b", cpu="8", memory="4Gi")]
    pods = [pod("p1", cpu="1"), pod("p2", cpu="2", memory="2Gi")]
    laid_out(submission, scenario, LEAST, pods, nodes, {"b": ["p1", "p2"]})


@rubric("layout", needs=PLACED)
def test_allocatable_not_capacity(submission, scenario):
    scenario.given(
        "a pod of 4 cores and 8Gi; a has a capacity of 4 cores and 8Gi, of which less is allocatable"
    )
    scenario.why("The system keeps part of the capacity.")
    for resource, amount in (("cpu", "3900m"), ("memory", "7Gi")):
        kept = node("a")
        kept.status.allocatable[resource] = amount
        laid_out(submission, scenario, LEAST, pods_of(1, "4", "8Gi"), [kept, node("b")], {"b": ["p1"]})
    scenario.given(
        "LeastAllocated; a pod of 1 core and 1Gi; of 8 cores and 8Gi of a, half is allocatable; b has 6 and 6Gi"
    )
    kept = node("a", cpu="8", memory="8Gi")
    kept.status.allocatable.update(cpu="4", memory="4Gi")
    laid_out(
        submission,
        scenario,
        LEAST,
        pods_of(1, "1", "1Gi"),
        [kept, node("b", cpu="6", memory="6Gi")],
        {"b": ["p1"]},
    )


@rubric("layout", needs=PLACED)
def test_soft_taints_count_most(submission, scenario):
    scenario.given(
        "MostAllocated; pods of 1 core and 2Gi; a has one PreferNoSchedule taint, b has none, and room for two"
    )
    scenario.why("3 x 100 for b outweighs any other score, until b is full.")
    nodes = [node("a", taints=soft(1)), node("b", cpu="2", memory="4Gi")]
    laid_out(submission, scenario, MOST, pods_of(3, "1", "2Gi"), nodes, {"b": ["p1", "p2"], "a": ["p3"]})


@rubric("layout", needs=PLACED)
def test_soft_taints_weigh_three(submission, scenario):
    scenario.why("Normalised and reversed, 5 taints are 0 and 4 taints are 20; times 3, that is 60 for b.")
    for size, room, more, wanted in ((10, 5, 50, "b"), (40, 5, 70, "a")):
        scenario.given(
            f"LeastAllocated; a has 5 PreferNoSchedule taints and scores {more} more; b has 4 such taints"
        )
        nodes = [
            node("a", cpu=str(size), memory=f"{size}Gi", taints=soft(5)),
            node("b", cpu=str(room), memory=f"{room}Gi", taints=soft(4)),
        ]
        amount = 5 if more == 50 else 4
        laid_out(submission, scenario, LEAST, pods_of(1, str(amount), f"{amount}Gi"), nodes, {wanted: ["p1"]})


@rubric("layout", needs=PLACED)
def test_normalised_over_the_nodes_that_fit(submission, scenario):
    scenario.given(
        "LeastAllocated; a scores 50 more than b and has one soft taint, b has none; c is too small and has ten"
    )
    scenario.why("A node that the pod does not fit takes no part in the scores: 0 for a, 3 x 100 for b.")
    nodes = [
        node("a", cpu="10", memory="10Gi", taints=soft(1)),
        node("b", cpu="5", memory="5Gi"),
        node("c", cpu="1", memory="1Gi", taints=soft(10)),
    ]
    laid_out(submission, scenario, LEAST, pods_of(1, "5", "5Gi"), nodes, {"b": ["p1"]})


@rubric("layout", needs=PLACED)
def test_hard_taints_are_another_katas(submission, scenario):
    scenario.given("a has a NoSchedule and a NoExecute taint, b a PreferNoSchedule taint")
    scenario.why("Only PreferNoSchedule taints count here.")
    hard = [Taint(key="x", effect="NoSchedule"), Taint(key="y", effect="NoExecute")]
    nodes = [node("a", taints=hard), node("b", taints=soft(1))]
    laid_out(submission, scenario, LEAST, pods_of(1, "1", "2Gi"), nodes, {"a": ["p1"]})


@rubric("layout", needs=PLACED)
def test_no_nodes_and_no_pods(submission, scenario):
    scenario.why("Nothing to place, or nowhere to go, is no error.")
    scenario.given("two pods, no nodes")
    layout = laid_out(submission, scenario, LEAST, pods_of(2, "1"), [], {})
    told = (layout.waiting, layout.empty, layout.largest)
    scenario.expected("p1 and p2 wait, 0 nodes empty, largest 0")
    scenario.check(
        told == (["p1", "p2"], 0, 0), got=f"waiting {told[0]}, {told[1]} nodes empty, largest {told[2]}"
    )
    scenario.given("no pods, nodes of 2 and 3 cores")
    layout = laid_out(submission, scenario, LEAST, [], [node("a", cpu="2"), node("b", cpu="3")], {})
    told = (layout.empty, layout.largest)
    scenario.expected("2 nodes empty, largest 3000")
    scenario.check(told == (2, 3000), got=f"{told[0]} nodes empty, largest {told[1]}")


@rubric("layout", needs=PLACED)
def test_nothing_given_is_changed(submission, scenario):
    scenario.given("two pods, two nodes")
    scenario.expected("a pod on each, and pods and nodes are the same after the call")
    scenario.why("They belong to the caller.")
    pods, nodes = pods_of(2, "1", "2Gi"), [node("b"), node("a")]
    layout = submission.place(pods, nodes, LEAST)
    scenario.check(layout.nodes == {"a": ["p1"], "b": ["p2"]}, got=drawn(layout.nodes))
    after = submission.arguments_after
    scenario.check(after[0] == pods, got="the pods changed or are in another order")
    scenario.check(after[1] == nodes, got="the nodes changed or are in another order")


# --- compared with the reference -----------------------------------------------------------------------------

NAMES = ["cpu", "memory", "example.com/gpu"]
some_amounts = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 12), max_size=3)
some_weights = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4), min_size=1, max_size=3)
some_shape = st.dictionaries(st.integers(0, 100), st.integers(0, 10), min_size=1, max_size=3).map(
    lambda points: sorted(points.items())
)
plain = st.builds(ScoringStrategy, st.sampled_from(["LeastAllocated", "MostAllocated"]), some_weights)
ratios = st.builds(ScoringStrategy, st.just("RequestedToCapacityRatio"), some_weights, some_shape)


def question(strategy, capacity, requested):
    return f"{named(strategy)}; capacity {amounts(capacity)}; requested {amounts(requested)}"


@rubric("allocated", needs=BOTH)
def test_same_scores_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.score,
        reference.score,
        st.tuples(plain, some_amounts, some_amounts),
        show=question,
        max_examples=40,
        why="Integer scores of the resources that the node has, by their weights.",
    )


@rubric("ratio", needs=LINE)
def test_same_ratios_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.score,
        reference.score,
        st.tuples(ratios, some_amounts, some_amounts),
        show=question,
        max_examples=40,
        why="The shape is followed in tenfold scores, zeros are left out, and the average is rounded.",
    )


@st.composite
def eighths(draw):
    """Shares of an eighth each, so that no float is rounded."""
    capacity = dict.fromkeys(draw(st.sets(st.sampled_from(NAMES))), 8)
    return capacity, draw(some_amounts), draw(some_amounts)


@rubric("balance", needs=EVEN)
def test_same_balance_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.balance,
        reference.balance,
        eighths(),
        show=lambda capacity, used, new: (
            f"capacity {amounts(capacity)}; used {amounts(used)}; the pod asks for {amounts(new)}"
        ),
        max_examples=40,
        why="Evenness after, compared with evenness before.",
    )


@rubric("normalize", needs=COUNTS)
def test_same_normalisation_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.normalize,
        reference.normalize,
        st.tuples(st.lists(st.integers(0, 30), max_size=4), st.booleans()),
        max_examples=40,
        why="A share of the largest count, rounded down; reversed, what it leaves of 100.",
    )


some_pod = st.tuples(st.sampled_from([None, "1", "2"]), st.sampled_from([None, "1Gi", "4Gi"]))
some_node = st.tuples(st.sampled_from(["2", "4", "8"]), st.sampled_from(["4Gi", "8Gi"]), st.integers(0, 2))
some_strategy = st.sampled_from([LEAST, MOST, ratio((0, 0), (50, 10), (100, 0))])


@st.composite
def clusters(draw):
    pods = [
        pod(f"p{i}", cpu=cpu, memory=memory)
        for i, (cpu, memory) in enumerate(draw(st.lists(some_pod, max_size=4)), 1)
    ]
    nodes = [
        node(name, cpu=cpu, memory=memory, taints=soft(taints))
        for name, (cpu, memory, taints) in zip("bca", draw(st.lists(some_node, max_size=3)), strict=False)
    ]
    return pods, nodes, draw(some_strategy)


def cluster_shown(pods, nodes, strategy):
    asked = "; ".join(f"{p.name} {amounts(p.spec.containers[0].resources.requests)}" for p in pods)
    sizes = "; ".join(
        f"{n.name} {n.status.allocatable['cpu']} cores, {n.status.allocatable['memory']}, "
        f"{len(n.spec.taints)} soft taints"
        for n in nodes
    )
    return f"{named(strategy)}; pods: {asked or 'none'}; nodes: {sizes or 'none'}"


@rubric("layout", needs=PLACED)
def test_same_layout_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.place,
        reference.place,
        clusters(),
        show=cluster_shown,
        max_examples=40,
        why="Of the nodes that fit, the one with the highest total, then the first by name.",
    )
