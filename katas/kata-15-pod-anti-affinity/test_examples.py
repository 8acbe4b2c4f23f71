"""Examples of kata 15. Run them with: python -m pytest katas/kata-15-pod-anti-affinity"""

from kata import schedule

from kubekata import Affinity, LabelSelector, Placement, PodAffinity, PodAffinityTerm, WeightedPodAffinityTerm
from kubekata.testing import node, pod

EAST, WEST = {"zone": "east"}, {"zone": "west"}
A, B, C, D = node("a", labels=EAST), node("b", labels=EAST), node("c", labels=WEST), node("d")
NO_DB_IN_ZONE = PodAffinityTerm(topology_key="zone", label_selector=LabelSelector(match_labels={"app": "db"}))


def db(name, at=""):
    new = pod(name, labels={"app": "db"}, node=at)
    rules = PodAffinity(required_during_scheduling_ignored_during_execution=[NO_DB_IN_ZONE])
    new.spec.affinity = Affinity(pod_anti_affinity=rules)
    return new


def test_a_zone_is_one_domain():
    assert schedule(db("db-1"), [A, B, C, D], [db("db-0", "a")]) == Placement("c")


def test_a_node_without_the_key_is_in_no_domain():
    assert schedule(
        db("db-3"), [A, B, C, D], [db("db-0", "a"), db("db-1", "c"), db("db-2", "d")]
    ) == Placement("d")


def test_their_rules_count_too():
    debug = pod("debug", labels={"app": "db"})
    assert schedule(debug, [A, B, C], [db("db-0", "a")]) == Placement("c")


def test_more_replicas_than_domains():
    message = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    assert schedule(db("db-4"), [A, B, C], [db("db-0", "a"), db("db-1", "c")]) == Placement(None, message)


def test_their_rules_have_words_of_their_own():
    debug = pod("debug", labels={"app": "db"})
    message = "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules."
    assert schedule(debug, [A, B, C], [db("db-0", "a"), db("db-1", "c")]) == Placement(None, message)


def test_preferred_only_steers():
    web = pod("web")
    wish = WeightedPodAffinityTerm(weight=10, pod_affinity_term=NO_DB_IN_ZONE)
    web.spec.affinity = Affinity(
        pod_anti_affinity=PodAffinity(preferred_during_scheduling_ignored_during_execution=[wish])
    )
    there = pod("db-0", labels={"app": "db"}, node="a")
    assert schedule(web, [A, B, C], [there]) == Placement("c")
    assert schedule(web, [A, B], [there]) == Placement("a")
