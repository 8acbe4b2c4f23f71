"""Hidden tests of kata 15."""

from datetime import timedelta

from hypothesis import strategies as st

from kubekata import (
    Affinity,
    LabelSelector,
    LabelSelectorRequirement,
    NodeAffinity,
    Placement,
    PodAffinity,
    PodAffinityTerm,
    WeightedPodAffinityTerm,
)
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, node, pod

OWN = "node(s) didn't match pod anti-affinity rules"
THEIRS = "node(s) didn't satisfy existing pods anti-affinity rules"
HOST = "kubernetes.io/hostname"
APART = ("test_keeps_away_from_its_like",)
BOTH_WAYS = ("test_their_rules_close_nodes_too",)
STEERS = ("test_a_wish_steers",)


def where(placement):
    return f"goes to {placement.node}" if placement.node else "stays Pending"


def place(submission, scenario, new, nodes, pods, wanted):
    """Ask for a placement and check the node only; the message has an item of its own."""
    scenario.expected(where(Placement(wanted)))
    answer = submission.schedule(new, nodes, pods)
    scenario.check(answer.node == wanted, got=where(answer))


def told(submission, scenario, new, nodes, pods, message):
    """Ask for a placement that is Pending and check the words."""
    scenario.expected(f'Pending: "{message}"')
    answer = submission.schedule(new, nodes, pods)
    got = f'Pending: "{answer.message}"' if answer.node is None else where(answer)
    scenario.check(answer == Placement(None, message), got=got)


def term(key=HOST, namespaces=(), selector=None, **labels):
    """A term about pods with these labels; `selector` replaces them."""
    about = LabelSelector(match_labels=labels) if selector is None else selector
    return PodAffinityTerm(topology_key=key, label_selector=about, namespaces=list(namespaces))


def where_key(key, operator, *values):
    return LabelSelector(
        match_expressions=[LabelSelectorRequirement(key=key, operator=operator, values=list(values))]
    )


def one(name, at="", *, apart=(), wishes=(), namespace="default", phase="Running", **labels):
    """A pod: `apart` are its required terms, `wishes` its preferred ones as (weight, term)."""
    made = pod(name, labels=labels, node=at, namespace=namespace, phase=phase if at else "Pending")
    if apart or wishes:
        rules = PodAffinity(
            required_during_scheduling_ignored_during_execution=list(apart),
            preferred_during_scheduling_ignored_during_execution=[
                WeightedPodAffinityTerm(weight=weight, pod_affinity_term=wish) for weight, wish in wishes
            ],
        )
        made.spec.affinity = Affinity(pod_anti_affinity=rules)
    return made


def hosts(names="abc"):
    return [node(name) for name in names]


def zoned(**zones):
    """Nodes by zone; None is a node without the label."""
    return [node(name, labels={"zone": zone} if zone else {}) for name, zone in zones.items()]


# --- required ------------------------------------------------------------------------------------------------


@rubric("required")
def test_keeps_away_from_its_like(submission, scenario):
    scenario.why("A required term closes the node of a pod that it matches.")
    new = one("db-1", apart=[term(app="db")], app="db")
    for taken, free in (("a", "b"), ("b", "a")):
        scenario.given(f"db-1 wants no app=db on its host; db-0 is on {taken}, {free} is empty")
        place(submission, scenario, new, hosts("ab"), [one("db-0", taken, app="db")], free)


@rubric("required", needs=APART)
def test_replicas_one_after_the_other(submission, scenario):
    scenario.given("five replicas with anti-affinity against their own label, by host; three nodes")
    scenario.expected("a, b, c, Pending, Pending")
    scenario.why("One a node, and the rest waits: fewer nodes than replicas is no reason to bend a rule.")
    nodes, placed, went = hosts("abc"), [], []
    for number in range(5):
        new = one(f"db-{number}", apart=[term(app="db")], app="db")
        answer = submission.schedule(new, nodes, placed)
        went.append(answer.node or "Pending")
        placed.append(one(f"db-{number}", answer.node or "", apart=[term(app="db")], app="db"))
    scenario.check(went == ["a", "b", "c", "Pending", "Pending"], got=", ".join(went))


@rubric("required", needs=APART)
def test_a_rule_about_others(submission, scenario):
    scenario.given("web wants no app=batch on its host; batch is on a")
    scenario.why("The selector says who is meant; the pod itself need not be among them.")
    place(
        submission,
        scenario,
        one("web", apart=[term(app="batch")], app="web"),
        hosts("ab"),
        [one("job", "a", app="batch")],
        "b",
    )


@rubric("required", needs=APART)
def test_a_rule_that_matches_nobody(submission, scenario):
    scenario.given("web wants no app=batch on its host; another web is on a")
    scenario.why("Pods that the selector does not match are nobody's concern, not even its own replicas.")
    new = one("web-1", apart=[term(app="batch")], app="web")
    place(submission, scenario, new, hosts("ab"), [one("web-0", "a", app="web")], "a")


@rubric("required", needs=APART)
def test_one_of_several_terms_is_enough(submission, scenario):
    scenario.given("a pod with a term against app=x and one against app=y; x is on a, y on b")
    scenario.why("Each term is a rule of its own.")
    new = one("new", apart=[term(app="x"), term(app="y")])
    there = [one("x", "a", app="x"), one("y", "b", app="y")]
    place(submission, scenario, new, hosts("abc"), there, "c")
    scenario.given("the same; only y is there, on a")
    place(submission, scenario, new, hosts("ab"), [one("y", "a", app="y")], "b")


@rubric("required", needs=APART)
def test_all_labels_of_a_selector(submission, scenario):
    scenario.given("a term against app=db with tier=hot; a has app=db with tier=cold")
    scenario.why("A selector matches if all of it does.")
    new = one("new", apart=[term(app="db", tier="hot")])
    place(submission, scenario, new, hosts("ab"), [one("cold", "a", app="db", tier="cold")], "a")
    scenario.given("a term against app=db with tier=hot; the pod on a has these labels and one more")
    place(submission, scenario, new, hosts("ab"), [one("hot", "a", app="db", tier="hot", team="x")], "b")


@rubric("required", needs=APART)
def test_expressions(submission, scenario):
    scenario.why("match_expressions are part of the selector.")
    for selector, words, closes in (
        (where_key("app", "In", "db", "cache"), "app in (db, cache)", True),
        (where_key("app", "In", "web"), "app in (web)", False),
        (where_key("app", "NotIn", "db"), "app notin (db)", False),
        (where_key("team", "DoesNotExist"), "no label team", True),
        (where_key("app", "Exists"), "any label app", True),
    ):
        scenario.given(f"a term against pods with {words}; db-0 with app=db is on a")
        new = one("new", apart=[term(selector=selector)])
        place(submission, scenario, new, hosts("ab"), [one("db-0", "a", app="db")], "b" if closes else "a")


@rubric("required", needs=APART)
def test_no_selector_and_an_empty_one(submission, scenario):
    scenario.why("No selector matches no pod, an empty one matches every pod.")
    scenario.given("a term without a selector; some pod is on a")
    silent = one("new", apart=[PodAffinityTerm(topology_key=HOST)])
    place(submission, scenario, silent, hosts("ab"), [one("other", "a", app="db")], "a")
    scenario.given("a term with an empty selector; some pod is on a")
    alone = one("new", apart=[term(selector=LabelSelector())])
    place(submission, scenario, alone, hosts("ab"), [one("other", "a", app="db")], "b")


@rubric("required", needs=APART)
def test_no_affinity_of_any_kind(submission, scenario):
    scenario.why("Without rules everything is open.")
    for affinity, words in (
        (None, "no affinity"),
        (Affinity(), "an empty affinity"),
        (Affinity(node_affinity=NodeAffinity()), "node affinity only"),
        (Affinity(pod_anti_affinity=PodAffinity()), "empty anti-affinity"),
    ):
        scenario.given(f"a pod with {words}, and another such pod on a")
        new, other = one("new", app="web"), one("old", "a", app="web")
        new.spec.affinity = other.spec.affinity = affinity
        place(submission, scenario, new, hosts("ab"), [other], "a")


@rubric("required", needs=APART)
def test_nothing_given_is_changed(submission, scenario):
    scenario.given("two nodes, listed as b, a; db-0 is on a, and db-1 comes")
    scenario.expected("goes to b, and the lists and objects are the same after the call")
    scenario.why("They belong to the caller.")
    new, nodes = one("db-1", apart=[term(app="db")], app="db"), hosts("ba")
    pods = [one("z", "", app="x"), one("db-0", "a", apart=[term(app="db")], app="db")]
    answer = submission.schedule(new, nodes, pods)
    scenario.check(answer.node == "b", got=where(answer))
    after = submission.arguments_after
    scenario.check(after[0] == new, got="the pod changed")
    scenario.check(after[1] == nodes, got="the nodes changed or are in another order")
    scenario.check(after[2] == pods, got="the pods changed or are in another order")


# --- symmetric -----------------------------------------------------------------------------------------------


@rubric("symmetric")
def test_their_rules_close_nodes_too(submission, scenario):
    scenario.why("A pod that is there keeps newcomers away that its rule matches.")
    for taken, free in (("a", "b"), ("b", "a")):
        scenario.given(f"debug has app=db and no rules; db-0 on {taken} wants no app=db on its host")
        there = [one("db-0", taken, apart=[term(app="db")], app="db")]
        place(submission, scenario, one("debug", app="db"), hosts("ab"), there, free)


@rubric("symmetric", needs=BOTH_WAYS)
def test_their_rule_against_somebody_else(submission, scenario):
    scenario.given("web comes; db-0 on a wants no app=db on its host")
    scenario.why("A rule of a pod that is there counts only if it matches the newcomer.")
    there = [one("db-0", "a", apart=[term(app="db")], app="db")]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "a")


@rubric("symmetric", needs=BOTH_WAYS)
def test_the_rule_of_one_and_the_labels_of_the_other(submission, scenario):
    scenario.given(
        "web comes, with a rule against app=cache; the loner on a has a rule against app=web, and no labels"
    )
    scenario.why("Their rule is checked against the newcomer's labels, not against their own.")
    new = one("web", apart=[term(app="cache")], app="web")
    place(submission, scenario, new, hosts("ab"), [one("loner", "a", apart=[term(app="web")])], "b")


@rubric("symmetric", needs=BOTH_WAYS)
def test_any_of_their_terms(submission, scenario):
    scenario.given("the pod on a has a term against app=x and one against app=web; web comes")
    scenario.why("One matching term is enough, in this direction as well.")
    there = [one("loner", "a", apart=[term(app="x"), term(app="web")])]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "b")


@rubric("symmetric", needs=BOTH_WAYS)
def test_any_of_those_that_are_there(submission, scenario):
    scenario.given(
        "on a are a pod without rules, one with a rule against app=web, and one with another rule; web comes"
    )
    scenario.why("Every pod that is there is asked.")
    there = [
        one("plain", "a"),
        one("loner", "a", apart=[term(app="web")]),
        one("other", "a", apart=[term(app="x")]),
    ]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "b")


@rubric("symmetric", needs=BOTH_WAYS)
def test_both_directions_at_once(submission, scenario):
    scenario.given(
        "web does not want app=batch, which is on a; the loner on b does not want app=web; c is empty"
    )
    scenario.why("A node is open only if neither side objects.")
    there = [one("job", "a", app="batch"), one("loner", "b", apart=[term(app="web")])]
    new = one("web", apart=[term(app="batch")], app="web")
    place(submission, scenario, new, hosts("abc"), there, "c")


# --- domains -------------------------------------------------------------------------------------------------


@rubric("domains", needs=APART)
def test_a_zone_is_one_domain(submission, scenario):
    scenario.given("db-1 wants no app=db in its zone; a and b are zone east, c is zone west; db-0 is on a")
    scenario.why("All nodes with the same value of the key are one domain.")
    new = one("db-1", apart=[term("zone", app="db")], app="db")
    place(submission, scenario, new, zoned(a="east", b="east", c="west"), [one("db-0", "a", app="db")], "c")


@rubric("domains", needs=APART)
def test_fewer_zones_than_replicas(submission, scenario):
    scenario.given("four nodes in two zones, and a replica in each zone; a third comes")
    scenario.why("What counts is the number of domains, not the number of nodes.")
    new = one("db-2", apart=[term("zone", app="db")], app="db")
    there = [one("db-0", "a", app="db"), one("db-1", "c", app="db")]
    place(submission, scenario, new, zoned(a="east", b="east", c="west", d="west"), there, None)


@rubric("domains", needs=APART)
def test_a_host_is_a_domain_by_its_label(submission, scenario):
    scenario.given("a rule by host; db-0 is on a, whose zone b shares")
    scenario.why("Each term has its own key: by host, b is another domain.")
    new = one("db-1", apart=[term(app="db")], app="db")
    place(submission, scenario, new, zoned(a="east", b="east"), [one("db-0", "a", app="db")], "b")


@rubric("domains", needs=APART)
def test_each_term_has_its_own_key(submission, scenario):
    scenario.given(
        "no app=db on the host, no app=cache in the zone; db on a, cache on c; a and b are east, c and d west"
    )
    scenario.why("The key belongs to the term.")
    new = one("new", apart=[term(app="db"), term("zone", app="cache")])
    there = [one("db", "a", app="db"), one("cache", "c", app="cache")]
    place(submission, scenario, new, zoned(a="east", b="east", c="west", d="west"), there, "b")


@rubric("domains", needs=APART)
def test_a_node_without_the_key_is_open(submission, scenario):
    scenario.given("db-1 wants no app=db in its zone; a is zone east and has one, b has no zone")
    scenario.why("Without the label there is no domain, and so nothing to share.")
    new = one("db-1", apart=[term("zone", app="db")], app="db")
    place(submission, scenario, new, zoned(a="east", b=None), [one("db-0", "a", app="db")], "b")


@rubric("domains", needs=APART)
def test_not_even_in_a_domain_with_itself(submission, scenario):
    scenario.given("db-1 wants no app=db in its zone; db-0 is on a, which has no zone")
    scenario.why("The node lacks the label, so that the pods on it are in no domain either.")
    new = one("db-1", apart=[term("zone", app="db")], app="db")
    place(submission, scenario, new, zoned(a=None, b=None), [one("db-0", "a", app="db")], "a")


@rubric("domains", needs=BOTH_WAYS)
def test_their_selector_and_their_domain(submission, scenario):
    scenario.given(
        "the loner on a wants no app=web in its zone; a and b are zone east, c is zone west; web comes"
    )
    scenario.why("The domain is that of the term's key, around the pod that carries the term.")
    there = [one("loner", "a", apart=[term("zone", app="web")])]
    place(submission, scenario, one("web", app="web"), zoned(a="east", b="east", c="west"), there, "c")


@rubric("domains", needs=BOTH_WAYS)
def test_without_the_key_in_the_other_direction(submission, scenario):
    scenario.given("the loner on a wants no app=web in its zone; neither a nor b has one")
    scenario.why("Their rule has no domain to speak about.")
    there = [one("loner", "a", apart=[term("zone", app="web")])]
    place(submission, scenario, one("web", app="web"), zoned(a=None, b=None), there, "a")


@rubric("domains", needs=APART)
def test_values_of_different_keys_do_not_mix(submission, scenario):
    scenario.given("a rule by rack; db-0 is on a with rack=1 and zone=2, b has rack=2 and zone=1")
    scenario.why("Only the value of the term's own key is compared.")
    nodes = [node("a", labels={"rack": "1", "zone": "2"}), node("b", labels={"rack": "2", "zone": "1"})]
    new = one("db-1", apart=[term("rack", app="db")], app="db")
    place(submission, scenario, new, nodes, [one("db-0", "a", app="db")], "b")


# --- who -----------------------------------------------------------------------------------------------------


@rubric("who", needs=APART)
def test_other_namespaces_are_left_alone(submission, scenario):
    scenario.given(
        "db-1 in namespace default has a rule without namespaces; an app=db of namespace staging is on a"
    )
    scenario.why("Without namespaces a term means the namespace of the pod that carries it.")
    new = one("db-1", apart=[term(app="db")], app="db")
    place(submission, scenario, new, hosts("ab"), [one("db-0", "a", namespace="staging", app="db")], "a")


@rubric("who", needs=APART)
def test_the_pods_own_namespace(submission, scenario):
    scenario.given("db-1 and db-0 are both in namespace staging")
    scenario.why("The pod's own namespace is not always default.")
    new = one("db-1", apart=[term(app="db")], namespace="staging", app="db")
    place(submission, scenario, new, hosts("ab"), [one("db-0", "a", namespace="staging", app="db")], "b")


@rubric("who", needs=APART)
def test_given_namespaces_replace_the_own_one(submission, scenario):
    scenario.given(
        "a rule for namespaces blue and green, of a pod in default; app=db in default on a, in green on b"
    )
    scenario.why("Namespaces that are given are the only ones.")
    new = one("new", apart=[term(namespaces=["blue", "green"], app="db")])
    there = [one("mine", "a", app="db"), one("theirs", "b", namespace="green", app="db")]
    place(submission, scenario, new, hosts("ab"), there, "a")
    place(submission, scenario, new, hosts("bc"), there, "c")


@rubric("who", needs=BOTH_WAYS)
def test_their_rule_means_their_namespace(submission, scenario):
    scenario.given("the loner in namespace staging on a wants no app=web; web of namespace default comes")
    scenario.why("Without namespaces it is the namespace of the pod with the rule, not of the newcomer.")
    there = [one("loner", "a", apart=[term(app="web")], namespace="staging")]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "a")
    scenario.given(
        "the loner in namespace staging on a wants no app=web of namespace default; web of default comes"
    )
    there = [one("loner", "a", apart=[term(namespaces=["default"], app="web")], namespace="staging")]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "b")


@rubric("who", needs=(*APART, *BOTH_WAYS))
def test_finished_pods_do_not_count(submission, scenario):
    scenario.why("What has ended is in nobody's way, and has no wishes.")
    for phase in ("Succeeded", "Failed"):
        scenario.given(f"db-0 on a is {phase}; db-1 comes with the same rule")
        there = [one("db-0", "a", apart=[term(app="db")], phase=phase, app="db")]
        place(submission, scenario, one("db-1", apart=[term(app="db")], app="db"), hosts("ab"), there, "a")


@rubric("who", needs=APART)
def test_a_pod_that_is_being_deleted_counts(submission, scenario):
    scenario.given("db-0 on a is being deleted; db-1 comes")
    scenario.why("Until it is gone it is there.")
    leaving = one("db-0", "a", app="db")
    leaving.metadata.deletion_timestamp = EPOCH + timedelta(seconds=30)
    place(submission, scenario, one("db-1", apart=[term(app="db")], app="db"), hosts("ab"), [leaving], "b")


@rubric("who", needs=APART)
def test_a_pod_that_has_only_been_given_its_node_counts(submission, scenario):
    scenario.why("A pod is on its node from the moment it is given one.")
    for phase in ("Pending", "Unknown"):
        scenario.given(f"db-0 has node a and phase {phase}; db-1 comes")
        there = [one("db-0", "a", phase=phase, app="db")]
        place(submission, scenario, one("db-1", apart=[term(app="db")], app="db"), hosts("ab"), there, "b")


@rubric("who", needs=APART)
def test_pods_without_a_node_or_on_a_lost_one(submission, scenario):
    scenario.given("one app=db has no node yet, one is on a node that is gone; db-1 comes")
    scenario.why("Where no node is, no domain is.")
    there = [
        one("db-0", "", apart=[term(app="db")], app="db"),
        one("db-2", "gone", apart=[term(app="db")], app="db"),
    ]
    place(submission, scenario, one("db-1", apart=[term(app="db")], app="db"), hosts("ab"), there, "a")


# --- preferred -----------------------------------------------------------------------------------------------


@rubric("preferred")
def test_a_wish_steers(submission, scenario):
    scenario.why("Of the open nodes the one with the smallest penalty.")
    new = one("web-1", wishes=[(10, term(app="web"))], app="web")
    for taken, free in (("a", "b"), ("b", "a")):
        scenario.given(f"web-1 would rather have no app=web on its host; web-0 is on {taken}")
        place(submission, scenario, new, hosts("ab"), [one("web-0", taken, app="web")], free)


@rubric("preferred", needs=STEERS)
def test_ties_go_to_the_first_by_name(submission, scenario):
    scenario.given("three empty nodes: node-9, node-10, node-2")
    scenario.why("The first by name, as text.")
    nodes = hosts(["node-9", "node-10", "node-2"])
    place(submission, scenario, one("web-1", wishes=[(10, term(app="web"))], app="web"), nodes, [], "node-10")


@rubric("preferred", needs=STEERS)
def test_a_wish_closes_nothing(submission, scenario):
    scenario.given("web-2 would rather have no app=web on its host; there is one on each node")
    scenario.why("If no node is free of penalty, one of them has to do.")
    new = one("web-2", wishes=[(100, term(app="web"))], app="web")
    there = [one("web-0", "a", app="web"), one("web-1", "b", app="web")]
    place(submission, scenario, new, hosts("ab"), there, "a")


@rubric("preferred", needs=STEERS)
def test_every_pod_adds_its_weight(submission, scenario):
    scenario.given("two app=web on a, one on b; web-3 would rather be without")
    scenario.why("The weight counts once for every pod that the term matches.")
    new = one("web-3", wishes=[(10, term(app="web"))], app="web")
    there = [one("web-0", "a", app="web"), one("web-1", "a", app="web"), one("web-2", "b", app="web")]
    place(submission, scenario, new, hosts("ab"), there, "b")


@rubric("preferred", needs=STEERS)
def test_weights_are_compared(submission, scenario):
    scenario.why("Penalties are sums of weights, not numbers of pods.")
    new = one("new", wishes=[(50, term(app="db")), (20, term(app="web"))])
    scenario.given("50 against app=db, 20 against app=web; a has one db, b has two web")
    two = [one("w1", "b", app="web"), one("w2", "b", app="web")]
    place(submission, scenario, new, hosts("ab"), [one("db", "a", app="db"), *two], "b")
    scenario.given("50 against app=db, 20 against app=web; a has one db, b has three web")
    place(
        submission,
        scenario,
        new,
        hosts("ab"),
        [one("db", "a", app="db"), *two, one("w3", "b", app="web")],
        "a",
    )


@rubric("preferred", needs=STEERS)
def test_all_matching_wishes_add_up(submission, scenario):
    scenario.given(
        "20 against app=web, 15 against tier=hot; a has a pod with both labels, b has one with weight 30 against it"
    )
    scenario.why("Each term that matches adds its weight: 35 for a, 30 for b.")
    new = one("new", wishes=[(20, term(app="web")), (15, term(tier="hot")), (30, term(app="db"))])
    there = [one("both", "a", app="web", tier="hot"), one("db", "b", app="db")]
    place(submission, scenario, new, hosts("ab"), there, "b")


@rubric("preferred", needs=STEERS)
def test_wishes_of_those_that_are_there(submission, scenario):
    scenario.given("web comes without wishes; the loner on a would rather have no app=web on its host")
    scenario.why("Wishes work in both directions, too.")
    there = [one("loner", "a", wishes=[(1, term(app="web"))])]
    place(submission, scenario, one("web", app="web"), hosts("ab"), there, "b")
    scenario.given("web would rather have no app=db (30), which is on b; the loner on a no app=web (20)")
    there = [one("loner", "a", wishes=[(20, term(app="web"))]), one("db", "b", app="db")]
    place(submission, scenario, one("web", wishes=[(30, term(app="db"))], app="web"), hosts("ab"), there, "a")


@rubric("preferred", needs=STEERS)
def test_their_wish_about_somebody_else(submission, scenario):
    scenario.given("db comes; the loner on a would rather have no app=web on its host")
    scenario.why("A wish of a pod that is there counts only if it matches the newcomer.")
    there = [one("loner", "a", wishes=[(10, term(app="web"))], app="db")]
    place(submission, scenario, one("db", app="db"), hosts("ab"), there, "a")


@rubric("preferred", needs=STEERS)
def test_wishes_in_both_directions_are_added(submission, scenario):
    scenario.given(
        "web-0 on a and web-1 have the same wish of 10; c on b is one that web-1 would avoid with 15"
    )
    scenario.why("On a 10 of web-1's own and 10 of web-0's, on b 15.")
    wish = (10, term(app="web"))
    new = one("web-1", wishes=[wish, (15, term(app="c"))], app="web")
    there = [one("web-0", "a", wishes=[wish], app="web"), one("c", "b", app="c")]
    place(submission, scenario, new, hosts("ab"), there, "b")


@rubric("preferred", needs=STEERS)
def test_wishes_have_domains_and_namespaces(submission, scenario):
    scenario.given("a wish by zone; web-0 is on b of zone east, like a; c is zone west")
    scenario.why("A preferred term has the same parts as a required one.")
    new = one("web-1", wishes=[(10, term("zone", app="web"))], app="web")
    nodes = zoned(a="east", b="east", c="west")
    place(submission, scenario, new, nodes, [one("web-0", "b", app="web")], "c")
    scenario.given("a wish by zone; web-0 of another namespace is on a")
    place(submission, scenario, new, nodes, [one("web-0", "a", namespace="x", app="web")], "a")
    scenario.given("a wish by zone; web-0 is on b, which has no zone; a has one without pods")
    place(submission, scenario, new, zoned(b=None, c="west"), [one("web-0", "b", app="web")], "b")


@rubric("preferred", needs=(*STEERS, *APART))
def test_a_rule_outweighs_any_wish(submission, scenario):
    scenario.given("db-1 must not be on a, and would rather not be on b")
    scenario.why("First the open nodes, then the penalty.")
    new = one("db-1", apart=[term(app="db")], wishes=[(100, term(app="web"))], app="db")
    there = [one("db-0", "a", app="db"), one("web", "b", app="web"), one("web-2", "b", app="web")]
    place(submission, scenario, new, hosts("ab"), there, "b")


@rubric("preferred", needs=STEERS)
def test_finished_pods_have_no_wishes(submission, scenario):
    scenario.given("a finished app=web on a, with a wish of its own; web-1 comes with the same wish")
    scenario.why("Only pods that count add to the penalty.")
    wish = (10, term(app="web"))
    there = [one("web-0", "a", wishes=[wish], phase="Succeeded", app="web")]
    place(submission, scenario, one("web-1", wishes=[wish], app="web"), hosts("ab"), there, "a")


# --- message -------------------------------------------------------------------------------------------------


@rubric("message", needs=APART)
def test_own_rules(submission, scenario):
    scenario.given("three nodes, each with an app=db that has no rules; a fourth comes that has one")
    scenario.why("The pod's own rule closed them.")
    there = [one(f"db-{at}", at, app="db") for at in "abc"]
    new = one("db-4", apart=[term(app="db")], app="db")
    told(submission, scenario, new, hosts("abc"), there, f"0/3 nodes are available: 3 {OWN}.")


@rubric("message", needs=BOTH_WAYS)
def test_their_rules(submission, scenario):
    scenario.given(
        "three nodes, each with an app=db that wants no other; debug comes, with the label and no rule"
    )
    scenario.why("The rules of the pods that are there closed them.")
    there = [one(f"db-{at}", at, apart=[term(app="db")], app="db") for at in "abc"]
    told(
        submission,
        scenario,
        one("debug", app="db"),
        hosts("abc"),
        there,
        f"0/3 nodes are available: 3 {THEIRS}.",
    )


@rubric("message", needs=(*APART, *BOTH_WAYS))
def test_own_rules_are_looked_at_first(submission, scenario):
    scenario.given("two nodes, each with a replica; a third with the same rule comes")
    scenario.why("Both sides object; a node has one reason, and the pod's own rule comes first.")
    there = [one(f"db-{at}", at, apart=[term(app="db")], app="db") for at in "ab"]
    new = one("db-2", apart=[term(app="db")], app="db")
    told(submission, scenario, new, hosts("ab"), there, f"0/2 nodes are available: 2 {OWN}.")


@rubric("message", needs=(*APART, *BOTH_WAYS))
def test_own_rule_first_whoever_is_listed_first(submission, scenario):
    scenario.given("on a are a loner that does not want web, and a job that web does not want")
    scenario.why("The pod's own rules are checked against all pods before theirs are.")
    there = [one("loner", "a", apart=[term(app="web")]), one("job", "a", app="batch")]
    new = one("web", apart=[term(app="batch")], app="web")
    for pods in (there, there[::-1]):
        told(submission, scenario, new, hosts("a"), pods, f"0/1 nodes are available: 1 {OWN}.")


@rubric("message", needs=(*APART, *BOTH_WAYS))
def test_both_reasons_sorted_as_text(submission, scenario):
    scenario.why("Entries are sorted as text, with their counts: 1 before 2, and 10 before 2.")
    new = one("web", apart=[term(app="batch")], app="web")
    for own, theirs in ((1, 2), (2, 1), (1, 1), (2, 10)):
        scenario.given(f"{own} nodes are closed by the pod's own rule, {theirs} by another pod's")
        names = [f"n{i:02}" for i in range(own + theirs)]
        there = [one(f"job-{at}", at, app="batch") for at in names[:own]]
        there += [one(f"loner-{at}", at, apart=[term(app="web")]) for at in names[own:]]
        entries = ", ".join(sorted([f"{own} {OWN}", f"{theirs} {THEIRS}"]))
        message = f"0/{own + theirs} nodes are available: {entries}."
        told(submission, scenario, new, hosts(names), there, message)


@rubric("message", needs=APART)
def test_no_nodes(submission, scenario):
    scenario.given("a cluster without nodes")
    scenario.why("There is nothing to count.")
    told(submission, scenario, one("new"), [], [], "no nodes available to schedule pods")


@rubric("message", needs=APART)
def test_a_pod_that_goes_somewhere_has_no_message(submission, scenario):
    scenario.given("a is closed, b is open")
    scenario.expected("goes to b, message empty")
    scenario.why("A refusal by one node is no news once another takes the pod.")
    new = one("db-1", apart=[term(app="db")], app="db")
    answer = submission.schedule(new, hosts("ab"), [one("db-0", "a", app="db")])
    scenario.check(answer == Placement("b"), got=f'{where(answer)}, message "{answer.message}"')


# --- compared with the reference -----------------------------------------------------------------------------

some_term = st.builds(
    lambda key, app, namespaces: term(key, namespaces, app=app),
    st.sampled_from([HOST, "zone"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from([(), ("default",), ("other",)]),
)
some_rules = st.tuples(
    st.lists(some_term, max_size=1), st.lists(st.tuples(st.integers(1, 3), some_term), max_size=2)
)
some_labels = st.sampled_from([{"app": "x"}, {"app": "y"}])
some_namespace = st.sampled_from(["default", "default", "other"])


@st.composite
def clusters(draw):
    zones = draw(st.lists(st.sampled_from([None, "east", "west"]), max_size=3))
    nodes = zoned(**dict(zip("bac", zones, strict=False)))
    new = draw(st.tuples(some_rules, some_labels, some_namespace))
    there = draw(
        st.lists(st.tuples(st.sampled_from("abc"), some_rules, some_labels, some_namespace), max_size=3)
    )
    (apart, wishes), labels, namespace = new
    pods = [
        one(f"p{i}", at, apart=required, wishes=preferred, namespace=other, **has)
        for i, (at, (required, preferred), has, other) in enumerate(there)
    ]
    return one("new", apart=apart, wishes=wishes, namespace=namespace, **labels), nodes, pods


def said(each):
    key = "host" if each.topology_key == HOST else each.topology_key
    spaces = f" of {', '.join(each.namespaces)}" if each.namespaces else ""
    return f"app={each.label_selector.match_labels['app']}{spaces} by {key}"


def described(each):
    rules = each.spec.affinity.pod_anti_affinity if each.spec.affinity else PodAffinity()
    words = [f"not with {said(t)}" for t in rules.required_during_scheduling_ignored_during_execution]
    words += [
        f"rather not ({t.weight}) with {said(t.pod_affinity_term)}"
        for t in rules.preferred_during_scheduling_ignored_during_execution
    ]
    at = f" on {each.spec.node_name}" if each.spec.node_name else ""
    words = ", ".join([f"app={each.metadata.labels['app']}", f"namespace {each.metadata.namespace}", *words])
    return f"{each.name}{at} ({words})"


def shown(new, nodes, pods):
    zones = ", ".join(f"{n.name} ({n.metadata.labels.get('zone', 'no zone')})" for n in nodes)
    return f"{described(new)}; nodes: {zones or 'none'}; there: {', '.join(map(described, pods)) or 'nobody'}"


@rubric("required", needs=APART)
def test_open_and_closed_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(),
        show=shown,
        max_examples=40,
        equal=lambda mine, theirs: (
            isinstance(mine, Placement) and (mine.node is None) == (theirs.node is None)
        ),
        why="A node is open if no required term of either side has its match in the node's domain.",
    )


@rubric("preferred", needs=STEERS)
def test_same_choice_as_the_reference(submission, scenario, reference):
    scenario.agree(
        submission.schedule,
        reference.schedule,
        clusters(),
        show=shown,
        max_examples=40,
        equal=lambda mine, theirs: isinstance(mine, Placement) and mine.node == theirs.node,
        why="Of the open nodes the one with the smallest penalty, then the first by name.",
    )
