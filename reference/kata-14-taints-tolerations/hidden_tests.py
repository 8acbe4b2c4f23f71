"""Hidden tests of kata 14."""

from hypothesis import strategies as st

from kubekata import Placement, Taint, Toleration
from kubekata.grading.hidden import rubric
from kubekata.testing import node, pod

TAINTS = "node(s) had untolerated taint(s)"
SELECTOR = "node(s) didn't match Pod's node affinity/selector"
YES_AND_NO = ("test_equal_values_match",)
GOES = ("test_a_tainted_node_is_closed",)


def taint(key, effect="NoSchedule", value=""):
    return Taint(key=key, value=value, effect=effect)


def written(t):
    return f"{t.key}{'=' + t.value if t.value else ''}:{t.effect}"


def asked(t):
    parts = {"key": t.key, "operator": t.operator, "value": t.value, "effect": t.effect}
    return ", ".join(f"{name} {value}" for name, value in parts.items() if value) or "all fields empty"


def match(submission, scenario, toleration, target, wanted):
    """Ask about one pair, and check the answer."""
    scenario.given(f"toleration ({asked(toleration)}); taint {written(target)}")
    scenario.expected("it matches" if wanted else "it does not match")
    answer = submission.tolerates(toleration, target)
    scenario.check(answer is wanted, got="it matches" if answer else "it does not match")


def where(placement):
    return f"goes to {placement.node}" if placement.node else "stays Pending"


def place(submission, scenario, new, nodes, wanted):
    """Ask for a placement and check the node only; the message has an item of its own."""
    scenario.expected(where(Placement(wanted)))
    answer = submission.schedule(new, nodes)
    scenario.check(answer.node == wanted, got=where(answer))


def told(submission, scenario, new, nodes, message):
    """Ask for a placement that is Pending and check the words."""
    scenario.expected(f'Pending: "{message}"')
    answer = submission.schedule(new, nodes)
    got = f'Pending: "{answer.message}"' if answer.node is None else where(answer)
    scenario.check(answer == Placement(None, message), got=got)


def wanting(**selector):
    new = pod("new")
    new.spec.node_selector = selector
    return new


# --- tolerates -----------------------------------------------------------------------------------------------


@rubric("tolerates")
def test_equal_values_match(submission, scenario):
    scenario.why("Equal compares the values.")
    equal = Toleration(key="team", operator="Equal", value="ml", effect="NoSchedule")
    match(submission, scenario, equal, taint("team", value="ml"), True)
    match(submission, scenario, equal, taint("team", value="web"), False)


@rubric("tolerates", needs=YES_AND_NO)
def test_exists_ignores_the_value(submission, scenario):
    scenario.why("Exists asks only whether the key is there.")
    exists = Toleration(key="team", operator="Exists", effect="NoSchedule")
    match(submission, scenario, exists, taint("team", value="ml"), True)
    match(submission, scenario, exists, taint("team"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_exists_ignores_its_own_value(submission, scenario):
    scenario.why("With Exists the value does not matter, neither side's.")
    odd = Toleration(key="team", operator="Exists", value="web")
    match(submission, scenario, odd, taint("team", value="ml"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_no_operator_means_equal(submission, scenario):
    scenario.why("The default operator is Equal, and no value is the value of nothing.")
    match(submission, scenario, Toleration(key="k", value="v"), taint("k", value="v"), True)
    match(submission, scenario, Toleration(key="k", value="v"), taint("k", value="w"), False)
    match(submission, scenario, Toleration(key="k"), taint("k", value="v"), False)
    match(submission, scenario, Toleration(key="k"), taint("k"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_equal_without_a_value(submission, scenario):
    scenario.why("An empty value is a value, not a wildcard.")
    match(submission, scenario, Toleration(key="k", operator="Equal"), taint("k", value="v"), False)
    match(submission, scenario, Toleration(key="k", operator="Equal", value="v"), taint("k"), False)
    match(submission, scenario, Toleration(key="k", operator="Equal"), taint("k"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_effects_must_agree(submission, scenario):
    scenario.why("A toleration for one effect does nothing about another.")
    effects = ("NoSchedule", "PreferNoSchedule", "NoExecute")
    for mine in effects:
        for theirs in effects:
            given = Toleration(key="k", operator="Exists", effect=mine)
            match(submission, scenario, given, taint("k", theirs), mine == theirs)


@rubric("tolerates", needs=YES_AND_NO)
def test_no_effect_means_every_effect(submission, scenario):
    scenario.why("An empty effect matches all of them.")
    for effect in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
        given = Toleration(key="k", operator="Equal", value="v")
        match(submission, scenario, given, taint("k", effect, "v"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_keys_must_agree(submission, scenario):
    scenario.why("Keys are compared letter by letter.")
    for key in ("gpu2", "GPU", "gp", "nvidia.com/gpu"):
        match(submission, scenario, Toleration(key=key, operator="Exists"), taint("gpu"), False)


@rubric("tolerates", needs=YES_AND_NO)
def test_a_bare_exists_matches_everything(submission, scenario):
    scenario.why("No key, no effect, Exists: that is the toleration of a DaemonSet that must run everywhere.")
    for target in (taint("a"), taint("b", "NoExecute", "x"), taint("c", "PreferNoSchedule")):
        match(submission, scenario, Toleration(operator="Exists"), target, True)


@rubric("tolerates", needs=YES_AND_NO)
def test_an_empty_key_still_looks_at_the_effect(submission, scenario):
    scenario.why("Every key, but one effect.")
    given = Toleration(operator="Exists", effect="NoExecute")
    match(submission, scenario, given, taint("a", "NoExecute", "x"), True)
    match(submission, scenario, given, taint("a", "NoSchedule", "x"), False)


@rubric("tolerates", needs=YES_AND_NO)
def test_an_empty_key_with_equal_compares_values(submission, scenario):
    scenario.why("The key is empty, so any key will do; Equal still compares the values.")
    match(submission, scenario, Toleration(operator="Equal", value="v"), taint("k", value="v"), True)
    match(submission, scenario, Toleration(operator="Equal", value="v"), taint("k", value="w"), False)
    match(submission, scenario, Toleration(value="v"), taint("k", value="v"), True)


@rubric("tolerates", needs=YES_AND_NO)
def test_other_operators_match_nothing(submission, scenario):
    scenario.why("An operator that is not known matches nothing.")
    for operator in ("In", "NotIn", "Gt", "Lt", "exists", "equal"):
        match(
            submission,
            scenario,
            Toleration(key="k", operator=operator, value="v"),
            taint("k", value="v"),
            False,
        )


@rubric("tolerates", needs=YES_AND_NO)
def test_seconds_play_no_part(submission, scenario):
    scenario.why("How long a pod may stay is the eviction's business.")
    for seconds in (0, 300):
        given = Toleration(key="k", operator="Exists", effect="NoExecute", toleration_seconds=seconds)
        match(submission, scenario, given, taint("k", "NoExecute"), True)
        match(submission, scenario, given, taint("k", "NoSchedule"), False)


# --- filter --------------------------------------------------------------------------------------------------


@rubric("filter")
def test_a_tainted_node_is_closed(submission, scenario):
    scenario.why("A pod without a toleration does not go to a tainted node.")
    for closed, free in (("node-a", "node-b"), ("node-b", "node-a")):
        scenario.given(f"{closed} has the taint gpu:NoSchedule, {free} has none")
        nodes = [node(closed, taints=[taint("gpu")]), node(free)]
        place(submission, scenario, pod("new"), nodes, free)


@rubric("filter", needs=GOES)
def test_no_node_is_open(submission, scenario):
    scenario.given("two nodes, both with the taint gpu:NoSchedule")
    scenario.why("Rather Pending than where it may not be.")
    place(
        submission,
        scenario,
        pod("new"),
        [node("a", taints=[taint("gpu")]), node("b", taints=[taint("gpu")])],
        None,
    )


@rubric("filter", needs=GOES)
def test_a_toleration_opens(submission, scenario):
    scenario.given("one node with gpu=present:NoSchedule; the pod tolerates gpu, Exists")
    scenario.why("A tolerated taint closes nothing.")
    new = pod("new", tolerations=[Toleration(key="gpu", operator="Exists")])
    place(submission, scenario, new, [node("a", taints=[taint("gpu", value="present")])], "a")


@rubric("filter", needs=GOES)
def test_no_execute_closes_too(submission, scenario):
    scenario.given("one node with sick:NoExecute")
    scenario.why("What would throw a running pod out does not let a new one in.")
    place(submission, scenario, pod("new"), [node("a", taints=[taint("sick", "NoExecute")])], None)
    new = pod(
        "new",
        tolerations=[Toleration(key="sick", operator="Exists", toleration_seconds=30, effect="NoExecute")],
    )
    scenario.given("one node with sick:NoExecute, tolerated for 30 seconds")
    scenario.why("Tolerated is tolerated, for however long.")
    place(submission, scenario, new, [node("a", taints=[taint("sick", "NoExecute")])], "a")


@rubric("filter", needs=GOES)
def test_prefer_closes_nothing(submission, scenario):
    scenario.given("one node with old:PreferNoSchedule, not tolerated")
    scenario.why("PreferNoSchedule only steers.")
    place(submission, scenario, pod("new"), [node("a", taints=[taint("old", "PreferNoSchedule")])], "a")


@rubric("filter", needs=GOES)
def test_every_taint_needs_a_toleration(submission, scenario):
    scenario.given("one node with gpu:NoSchedule and team=ml:NoSchedule; only gpu is tolerated")
    scenario.why("One tolerated taint does not make up for another.")
    both = [taint("gpu"), taint("team", value="ml")]
    for taints in (both, both[::-1]):
        new = pod("new", tolerations=[Toleration(key="gpu", operator="Exists")])
        place(submission, scenario, new, [node("a", taints=taints)], None)
    scenario.given("the same node; gpu and team=ml are tolerated")
    new.spec.tolerations.append(Toleration(key="team", value="ml"))
    place(submission, scenario, new, [node("a", taints=both)], "a")


@rubric("filter", needs=GOES)
def test_two_effects_of_one_key_are_two_taints(submission, scenario):
    scenario.why(
        "Same key, other effect: another taint, with a toleration of its own or one without an effect."
    )
    taints = [taint("a"), taint("a", "NoExecute")]
    scenario.given("one node with a:NoSchedule and a:NoExecute; a:NoSchedule is tolerated")
    one = pod("new", tolerations=[Toleration(key="a", operator="Exists", effect="NoSchedule")])
    place(submission, scenario, one, [node("n", taints=taints)], None)
    scenario.given("one node with a:NoSchedule and a:NoExecute; a is tolerated whatever the effect")
    every = pod("new", tolerations=[Toleration(key="a", operator="Exists")])
    place(submission, scenario, every, [node("n", taints=taints)], "n")


@rubric("filter", needs=GOES)
def test_any_of_the_tolerations_will_do(submission, scenario):
    scenario.given("one node with gpu=b:NoSchedule; tolerations for gpu=a, gpu=b and gpu=c")
    scenario.why("One that matches is enough, wherever it stands.")
    new = pod("new", tolerations=[Toleration(key="gpu", value=value) for value in "abc"])
    place(submission, scenario, new, [node("a", taints=[taint("gpu", value="b")])], "a")


@rubric("filter", needs=GOES)
def test_the_selector_closes(submission, scenario):
    scenario.why("Every entry of the selector must be among the node's labels, with the same value.")
    nodes = [
        node("a", labels={"pool": "gpu"}),
        node("b", labels={"pool": "cpu", "zone": "z1"}),
        node("c", labels={"pool": "gpu", "zone": "z1"}),
    ]
    scenario.given("selector pool=gpu and zone=z1; a has the pool, b the zone, c both")
    place(submission, scenario, wanting(pool="gpu", zone="z1"), nodes, "c")
    scenario.given("selector pool=tpu; nodes with pool gpu and cpu")
    place(submission, scenario, wanting(pool="tpu"), nodes, None)
    scenario.given("selector disk= (an empty value); no node has the label disk")
    place(submission, scenario, wanting(disk=""), nodes, None)
    scenario.given("selector kubernetes.io/hostname=b; nodes a and b, which have no other label")
    scenario.why("A selector may well name every label that a node has.")
    place(submission, scenario, wanting(**{"kubernetes.io/hostname": "b"}), [node("a"), node("b")], "b")


@rubric("filter", needs=GOES)
def test_selector_and_taints_both_count(submission, scenario):
    scenario.given("a: right label, wrong taint; b: wrong label, no taint")
    scenario.why("A node must pass both.")
    nodes = [node("a", labels={"pool": "gpu"}, taints=[taint("gpu")]), node("b", labels={"pool": "cpu"})]
    place(submission, scenario, wanting(pool="gpu"), nodes, None)


# --- prefer --------------------------------------------------------------------------------------------------


@rubric("prefer", needs=GOES)
def test_a_node_without_a_soft_taint_is_better(submission, scenario):
    scenario.given("a has old:PreferNoSchedule, b has nothing")
    scenario.why("The fewest soft taints that are not tolerated.")
    place(
        submission,
        scenario,
        pod("new"),
        [node("a", taints=[taint("old", "PreferNoSchedule")]), node("b")],
        "b",
    )


@rubric("prefer", needs=GOES)
def test_soft_taints_are_counted(submission, scenario):
    scenario.given("a has two soft taints, b has one, c has three")
    scenario.why("One is fewer than two.")

    def soft(n):
        return [taint(f"t{i}", "PreferNoSchedule") for i in range(n)]

    nodes = [node("a", taints=soft(2)), node("b", taints=soft(1)), node("c", taints=soft(3))]
    place(submission, scenario, pod("new"), nodes, "b")


@rubric("prefer", needs=GOES)
def test_a_tolerated_soft_taint_does_not_count(submission, scenario):
    scenario.given("a has slow:PreferNoSchedule; b has old:PreferNoSchedule, which the pod tolerates")
    scenario.why("Only what is not tolerated counts.")
    nodes = [
        node("a", taints=[taint("slow", "PreferNoSchedule")]),
        node("b", taints=[taint("old", "PreferNoSchedule")]),
    ]
    for effect in ("", "PreferNoSchedule"):
        new = pod("new", tolerations=[Toleration(key="old", operator="Exists", effect=effect)])
        place(submission, scenario, new, nodes, "b")


@rubric("prefer", needs=GOES)
def test_a_toleration_of_a_hard_effect_does_not_help(submission, scenario):
    scenario.given("a has old:PreferNoSchedule, b nothing; the pod tolerates old:NoSchedule")
    scenario.why("The effect of the toleration is another one.")
    new = pod("new", tolerations=[Toleration(key="old", operator="Exists", effect="NoSchedule")])
    place(submission, scenario, new, [node("a", taints=[taint("old", "PreferNoSchedule")]), node("b")], "b")


@rubric("prefer", needs=GOES)
def test_tolerated_hard_taints_do_not_count(submission, scenario):
    scenario.given("a has two hard taints, tolerated; b has one soft taint, not tolerated")
    scenario.why("A hard taint that is tolerated is no point against a node.")
    nodes = [
        node("a", taints=[taint("x"), taint("y", "NoExecute")]),
        node("b", taints=[taint("z", "PreferNoSchedule")]),
    ]
    new = pod("new", tolerations=[Toleration(key=k, operator="Exists") for k in "xy"])
    place(submission, scenario, new, nodes, "a")


@rubric("prefer", needs=GOES)
def test_a_closed_node_is_no_choice(submission, scenario):
    scenario.given("a is closed and has no soft taint; b is open and has two")
    scenario.why("Preference is only among open nodes.")
    soft = [taint("p", "PreferNoSchedule"), taint("q", "PreferNoSchedule")]
    place(submission, scenario, pod("new"), [node("a", taints=[taint("x")]), node("b", taints=soft)], "b")


# --- attract -------------------------------------------------------------------------------------------------

GPU = {"labels": {"pool": "gpu"}, "taints": [taint("nvidia.com/gpu", value="present")]}
ANY_GPU = Toleration(key="nvidia.com/gpu", operator="Exists")


@rubric("attract", needs=GOES)
def test_a_toleration_does_not_attract(submission, scenario):
    scenario.given("cpu-1 without taints, gpu-1 with the GPU taint; the pod tolerates it")
    scenario.why("A toleration opens a door. Without a selector the pod goes where any pod would go.")
    nodes = [node("gpu-1", **GPU), node("cpu-1")]
    place(submission, scenario, pod("train", tolerations=[ANY_GPU]), nodes, "cpu-1")


@rubric("attract", needs=GOES)
def test_a_toleration_does_not_repel_either(submission, scenario):
    scenario.given("a-gpu with the GPU taint, b-cpu without taints; the pod tolerates the taint")
    scenario.why("Both are open, both have no point against them: the first by name.")
    nodes = [node("b-cpu"), node("a-gpu", **GPU)]
    place(submission, scenario, pod("train", tolerations=[ANY_GPU]), nodes, "a-gpu")


@rubric("attract", needs=GOES)
def test_toleration_and_selector_together_bring_it_there(submission, scenario):
    scenario.given("the same nodes; the pod tolerates the taint and selects pool=gpu")
    scenario.why("The selector closes all other nodes, the toleration opens this one.")
    new = pod("train", tolerations=[ANY_GPU])
    new.spec.node_selector = {"pool": "gpu"}
    place(submission, scenario, new, [node("gpu-2", **GPU), node("cpu-1"), node("gpu-1", **GPU)], "gpu-1")


@rubric("attract", needs=GOES)
def test_names_are_text(submission, scenario):
    scenario.given("three open nodes: node-2, node-10, node-9")
    scenario.why("As text, node-10 comes before node-2.")
    place(submission, scenario, pod("new"), [node("node-2"), node("node-10"), node("node-9")], "node-10")


@rubric("attract", needs=GOES)
def test_arguments_are_left_alone(submission, scenario):
    scenario.given("nodes listed as c, a, b; a is closed")
    scenario.expected("goes to b, and the list and objects are the same after the call")
    scenario.why("They belong to the caller.")
    nodes = [node("c"), node("a", taints=[taint("x")]), node("b")]
    new = pod("new", tolerations=[ANY_GPU])
    answer = submission.schedule(new, nodes)
    scenario.check(answer.node == "b", got=where(answer))
    after = submission.arguments_after
    scenario.check(after[1] == nodes, got="the nodes changed or are in another order")
    scenario.check(after[0] == new, got="the pod changed")


# --- message -------------------------------------------------------------------------------------------------


@rubric("message", needs=GOES)
def test_all_tainted(submission, scenario):
    scenario.given("three nodes with different taints, none tolerated")
    scenario.why("One reason, whatever the taints are called.")
    nodes = [
        node("a", taints=[taint("x")]),
        node("b", taints=[taint("y", "NoExecute")]),
        node("c", taints=[taint("x"), taint("y")]),
    ]
    told(submission, scenario, pod("new"), nodes, f"0/3 nodes are available: 3 {TAINTS}.")


@rubric("message", needs=GOES)
def test_taints_come_before_the_selector(submission, scenario):
    scenario.given("one node fails on both, one on the selector; the pod selects pool=gpu")
    scenario.why("A node that is closed by a taint is not looked at again: one reason a node.")
    nodes = [node("a", taints=[taint("x")]), node("b")]
    told(
        submission,
        scenario,
        wanting(pool="gpu"),
        nodes,
        f"0/2 nodes are available: 1 {SELECTOR}, 1 {TAINTS}.",
    )


@rubric("message", needs=GOES)
def test_entries_are_sorted_as_text(submission, scenario):
    scenario.given("ten nodes fail on the selector, two on a taint")
    scenario.why('As text, "10 …" comes before "2 …".')
    nodes = [node(f"n{i:02}", taints=[taint("x")] if i < 2 else []) for i in range(12)]
    told(
        submission,
        scenario,
        wanting(pool="gpu"),
        nodes,
        f"0/12 nodes are available: 10 {SELECTOR}, 2 {TAINTS}.",
    )


@rubric("message", needs=GOES)
def test_counts_lead_the_order(submission, scenario):
    scenario.given("one node fails on a taint, two on the selector")
    scenario.why("Entries are sorted with their counts: 1 before 2.")
    nodes = [node("a", taints=[taint("x")]), node("b"), node("c")]
    told(
        submission,
        scenario,
        wanting(pool="gpu"),
        nodes,
        f"0/3 nodes are available: 1 {TAINTS}, 2 {SELECTOR}.",
    )


@rubric("message", needs=GOES)
def test_no_nodes(submission, scenario):
    scenario.given("a cluster without nodes")
    scenario.why("There is nothing to count.")
    told(submission, scenario, pod("new"), [], "no nodes available to schedule pods")


@rubric("message", needs=GOES)
def test_a_pod_that_goes_somewhere_has_no_message(submission, scenario):
    scenario.given("a is closed, b is open")
    scenario.expected("goes to b, message empty")
    scenario.why("A refusal by one node is no news once another takes the pod.")
    answer = submission.schedule(pod("new"), [node("a", taints=[taint("x")]), node("b")])
    scenario.check(answer == Placement("b"), got=f'{where(answer)}, message "{answer.message}"')


# --- compared with the reference -----------------------------------------------------------------------------

KEYS, VALUES = ["gpu", "team"], ["", "x"]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
some_taint = st.builds(taint, st.sampled_from(KEYS), st.sampled_from(EFFECTS), st.sampled_from(VALUES))
soft_taint = st.builds(taint, st.sampled_from(KEYS), st.just("PreferNoSchedule"), st.sampled_from(VALUES))
some_toleration = st.builds(
    Toleration,
    key=st.sampled_from(["", *KEYS]),
    operator=st.sampled_from(["", "Equal", "Exists", "Gt"]),
    value=st.sampled_from(VALUES),
    effect=st.sampled_from(["", *EFFECTS]),
)


@st.composite
def clusters(draw, taints=some_taint):
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3, unique=True))
    nodes = [
        node(
            name,
            taints=draw(st.lists(taints, max_size=2)),
            labels={"pool": draw(st.sampled_from(["cpu", "gpu"]))},
        )
        for name in names
    ]
    new = pod("new", tolerations=draw(st.lists(some_toleration, max_size=2)))
    pool = draw(st.sampled_from(["", "gpu"]))
    new.spec.node_selector = {"pool": pool} if pool else {}
    return new, nodes


def shown(new, nodes):
    has = "; ".join(
        f"{n.name} (pool {n.metadata.labels['pool']}) {', '.join(map(written, n.spec.taints)) or 'without taints'}"
        for n in nodes
    )
    tolerated = "; ".join(f"({asked(t)})" for t in new.spec.tolerations) or "nothing"
    selects = new.spec.node_selector.get("pool", "")
    return f"the pod tolerates {tolerated}{', selects pool=' + selects if selects else ''}; nodes: {has or 'none'}"


@rubric("tolerates", needs=YES_AND_NO)
def test_same_matches_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.tolerates,
        reference.tolerates,
        st.tuples(some_toleration, some_taint),
        max_examples=80,
        show=lambda toleration, target: f"toleration ({asked(toleration)}); taint {written(target)}",
        why="Effect, key and operator each have to agree.",
    )


@rubric("filter", needs=GOES)
def test_same_node_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(),
        show=shown,
        max_examples=60,
        equal=lambda mine, theirs: (
            isinstance(mine, Placement) and (mine.node is None) == (theirs.node is None)
        ),
        why="A node is open if every hard taint is tolerated and the selector agrees.",
    )


@rubric("prefer", needs=GOES)
def test_same_choice_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(soft_taint),
        show=shown,
        max_examples=60,
        equal=lambda mine, theirs: isinstance(mine, Placement) and mine.node == theirs.node,
        why="Of the open nodes, the one with the fewest soft taints that are not tolerated, then the first by name.",
    )
