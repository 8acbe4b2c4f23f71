"""Hidden tests of kata 16."""

from datetime import timedelta

from hypothesis import strategies as st

from kubekata import (
    BudgetStatus,
    Condition,
    EvictionAnswer,
    LabelSelector,
    Node,
    NotFound,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
)
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import EPOCH, deployment, node, pod, replica_set

NOW = EPOCH + timedelta(hours=1)
WEB = {"app": "web"}
COUNTS = ("test_an_integer_minimum",)
HEALTHY = (*COUNTS, "test_pods_that_are_not_ready")
DECIDES = ("test_the_status_decides",)
REFUSES = (*DECIDES, "test_needs_more_than_it_has")
DRAINS = ("test_a_node_is_emptied",)
DAEMON = OwnerReference(
    api_version="apps/v1", kind="DaemonSet", name="agent", uid="uid-agent", controller=True
)


# --- words and builders --------------------------------------------------------------------------------------


def budget(name="web", *, namespace="default", selector=WEB, policy=None, **spec):
    matching = None if selector is None else LabelSelector(match_labels=dict(selector))
    return PodDisruptionBudget(
        metadata=ObjectMeta(name=name, namespace=namespace, generation=1),
        spec=PodDisruptionBudgetSpec(selector=matching, unhealthy_pod_eviction_policy=policy, **spec),
    )


def known(allowed, healthy, desired, *, name="web", condition=None, observed=1, generation=1, **fields):
    """A budget with a status."""
    made = budget(name, min_available=1, **fields)
    made.metadata.generation = generation
    made.status.observed_generation = observed
    made.status.disruptions_allowed = allowed
    made.status.current_healthy, made.status.desired_healthy = healthy, desired
    if condition:
        made.status.conditions = [Condition(**condition)]
    return made


def web(name, *, ready=True, phase="Running", deleting=False, labels=WEB, owner=None, namespace="default"):
    made = pod(name, labels=labels, phase=phase, ready=ready, owner=owner, namespace=namespace)
    if deleting:
        made.metadata.deletion_timestamp = NOW
    return made


def owner(name):
    made = replica_set(name)
    made.metadata.uid = f"uid-{name}"
    return made


def owned(name, count, size=None, **fields):
    """`count` pods of one ReplicaSet, and its size for `replicas`."""
    pods = [web(f"{name}-{i}", owner=owner(name), **fields) for i in range(count)]
    return pods, {f"uid-{name}": count if size is None else size}


NUMBERS = ("disruptions_allowed", "current_healthy", "desired_healthy", "expected_pods")
WORDS = ("allowed", "healthy", "desired", "expected")


def told(status):
    return ", ".join(f"{word} {getattr(status, name)}" for name, word in zip(NUMBERS, WORDS, strict=True))


def counts(submission, scenario, asked, pods, replicas=None, **wanted):
    """Compute a status and check the numbers that are named by their short words."""
    scenario.expected(", ".join(f"{word} {value}" for word, value in wanted.items()))
    status = submission.budget_status(asked, pods, replicas or {}, NOW)
    got = {word: getattr(status, name) for name, word in zip(NUMBERS, WORDS, strict=True)}
    scenario.check(all(got[word] == value for word, value in wanted.items()), got=told(status))


def answered(answer):
    if answer.code == 201:
        return "201, charged" if answer.charged else "201, nothing charged"
    return f"{answer.code}" if answer.code == 500 else f"429, retry after {answer.retry_after}"


def decides(submission, scenario, evicted, budgets, code, *, charged=False, dry_run=None):
    """Ask for a decision and check code and charge; the words of a refusal have an item of their own."""
    scenario.expected(answered(EvictionAnswer(code, charged)) if code != 429 else "429")
    options = {} if dry_run is None else {"dry_run": dry_run}
    answer = submission.decide_eviction(evicted, budgets, **options)
    scenario.check((answer.code, answer.charged) == (code, charged), got=answered(answer))


def refuses(submission, scenario, status, text):
    """Ask for a decision that is a 429 and check its cause."""
    cause = f"The disruption budget web {text}"
    scenario.expected(f'429: "{cause}"')
    answer = submission.decide_eviction(web("w"), [status])
    got = f'{answer.code}: "{answer.cause}"' if answer.code == 429 else answered(answer)
    scenario.check(answer.code == 429 and answer.cause == cause, got=got)


# --- counts --------------------------------------------------------------------------------------------------


@rubric("counts")
def test_an_integer_minimum(submission, scenario):
    scenario.why("An integer minAvailable counts the pods that there are.")
    for count, allowed in ((4, 1), (6, 3)):
        scenario.given(f"minAvailable 3; {count} ready pods without a controller")
        pods = [web(f"w{i}") for i in range(count)]
        counts(
            submission,
            scenario,
            budget(min_available=3),
            pods,
            allowed=allowed,
            desired=3,
            expected=count,
        )


@rubric("counts", needs=COUNTS)
def test_a_minimum_above_the_pods(submission, scenario):
    scenario.given("minAvailable 5; 3 ready pods")
    scenario.why("desired is what the budget says, and less than nothing cannot be allowed.")
    pods = [web(f"w{i}") for i in range(3)]
    counts(submission, scenario, budget(min_available=5), pods, allowed=0, desired=5, expected=3)
    scenario.given("minAvailable 3; 3 ready pods")
    counts(submission, scenario, budget(min_available=3), pods, allowed=0, desired=3, expected=3)
    scenario.given("minAvailable 0; 3 ready pods")
    counts(submission, scenario, budget(min_available=0), pods, allowed=3, desired=0, expected=3)


@rubric("counts", needs=COUNTS)
def test_an_integer_minimum_needs_no_controller(submission, scenario):
    scenario.given("minAvailable 2; 3 ready pods of a ReplicaSet with 10 replicas")
    scenario.why("With an integer minAvailable the pods are counted, not their controller's replicas.")
    pods, replicas = owned("rs", 3, 10)
    counts(submission, scenario, budget(min_available=2), pods, replicas, allowed=1, desired=2, expected=3)


@rubric("counts", needs=COUNTS)
def test_a_maximum_counts_what_there_should_be(submission, scenario):
    scenario.why("maxUnavailable is relative to the replicas of the controller, not to the pods that exist.")
    for size, desired, allowed in ((7, 5, 0), (5, 3, 1), (4, 2, 2)):
        scenario.given(f"maxUnavailable 2; 4 ready pods of a ReplicaSet with {size} replicas")
        pods, replicas = owned("rs", 4, size)
        counts(
            submission,
            scenario,
            budget(max_unavailable=2),
            pods,
            replicas,
            allowed=allowed,
            desired=desired,
            expected=size,
        )


@rubric("counts", needs=COUNTS)
def test_a_maximum_of_nothing_and_of_too_much(submission, scenario):
    pods, replicas = owned("rs", 3)
    scenario.why("maxUnavailable 0 blocks every eviction; a maximum above the replicas blocks none.")
    for most, desired in ((0, 3), (3, 0), (10, 0)):
        scenario.given(f"maxUnavailable {most}; 3 ready pods of 3")
        counts(
            submission,
            scenario,
            budget(max_unavailable=most),
            pods,
            replicas,
            allowed=3 - desired,
            desired=desired,
            expected=3,
        )


@rubric("counts", needs=COUNTS)
def test_a_minimum_in_percent_rounds_up(submission, scenario):
    scenario.why("50% of 7 is 4 pods that have to stay.")
    for percent, size, desired in (("50%", 7, 4), ("50%", 8, 4), ("1%", 3, 1), ("0%", 3, 0), ("100%", 3, 3)):
        scenario.given(f"minAvailable {percent}; {size} ready pods of {size}")
        pods, replicas = owned("rs", size)
        counts(
            submission,
            scenario,
            budget(min_available=percent),
            pods,
            replicas,
            allowed=size - desired,
            desired=desired,
            expected=size,
        )


@rubric("counts", needs=COUNTS)
def test_a_maximum_in_percent_rounds_up_too(submission, scenario):
    scenario.why("50% of 7 is 4 pods that may be away: both percentages round up.")
    for percent, size, desired in (("50%", 7, 3), ("1%", 3, 2), ("30%", 3, 2), ("0%", 3, 3), ("100%", 3, 0)):
        scenario.given(f"maxUnavailable {percent}; {size} ready pods of {size}")
        pods, replicas = owned("rs", size)
        counts(
            submission,
            scenario,
            budget(max_unavailable=percent),
            pods,
            replicas,
            allowed=size - desired,
            desired=desired,
            expected=size,
        )


@rubric("counts", needs=COUNTS)
def test_percentages_are_exact(submission, scenario):
    scenario.why("28% of 25 is exactly 7; 0.28 * 25 is not.")
    for percent, size, share in ((28, 25, 7), (7, 100, 7), (29, 100, 29), (55, 20, 11), (50, 1000, 500)):
        pods, replicas = owned("rs", 1, size)
        scenario.given(f"minAvailable {percent}%; a controller with {size} replicas")
        counts(submission, scenario, budget(min_available=f"{percent}%"), pods, replicas, desired=share)
        scenario.given(f"maxUnavailable {percent}%; a controller with {size} replicas")
        counts(
            submission, scenario, budget(max_unavailable=f"{percent}%"), pods, replicas, desired=size - share
        )


@rubric("counts", needs=COUNTS)
def test_several_controllers_are_added(submission, scenario):
    scenario.given("minAvailable 28%; 11 ready pods each of two controllers with 11 replicas")
    scenario.why("Each controller counts once, and equal sizes are not the same controller.")
    first, one = owned("rc", 11)
    second, two = owned("rs", 11)
    counts(
        submission,
        scenario,
        budget(min_available="28%"),
        first + second,
        one | two,
        allowed=15,
        desired=7,
        expected=22,
    )


@rubric("counts", needs=COUNTS)
def test_only_controllers_of_covered_pods(submission, scenario):
    scenario.given(
        "maxUnavailable 1; 2 ready pods of a controller with 2; another controller with 5 has no covered pods"
    )
    scenario.why("A controller without covered pods is invisible to the budget.")
    pods, replicas = owned("rs", 2)
    others, more = owned("other", 5, labels={"app": "api"})
    counts(
        submission,
        scenario,
        budget(max_unavailable=1),
        pods + others,
        replicas | more | {"uid-empty": 4},
        allowed=1,
        desired=1,
        expected=2,
    )


@rubric("counts", needs=COUNTS)
def test_an_owner_that_is_no_controller(submission, scenario):
    scenario.given("maxUnavailable 1; one of two ready pods has an owner that is not its controller")
    scenario.why("Only the owner reference with controller: true counts.")
    pods, replicas = owned("rs", 2)
    pods[0].metadata.owner_references = [
        OwnerReference(api_version="v1", kind="ConfigMap", name="c", uid="uid-c"),
        *pods[0].metadata.owner_references,
    ]
    counts(
        submission,
        scenario,
        budget(max_unavailable=1),
        pods,
        replicas | {"uid-c": 9},
        allowed=1,
        desired=1,
        expected=2,
    )


@rubric("counts", needs=COUNTS)
def test_pods_without_a_controller_add_nothing(submission, scenario):
    scenario.why(
        "There is nobody who says how many there should be; where nothing is expected, nothing is allowed."
    )
    pods = [web("w0"), web("w1")]
    for given, asked in (
        ("maxUnavailable 1", budget(max_unavailable=1)),
        ("minAvailable 50%", budget(min_available="50%")),
        ("neither field set", budget()),
    ):
        scenario.given(f"{given}; 2 ready pods without a controller")
        counts(submission, scenario, asked, pods, allowed=0, desired=0, expected=0)
    scenario.given("maxUnavailable 1; a pod without a controller and 3 of a controller with 3, all ready")
    three, replicas = owned("rs", 3)
    counts(
        submission,
        scenario,
        budget(max_unavailable=1),
        pods[:1] + three,
        replicas,
        allowed=2,
        desired=2,
        expected=3,
    )


@rubric("counts", needs=COUNTS)
def test_a_budget_that_says_nothing(submission, scenario):
    scenario.given("neither minAvailable nor maxUnavailable; 3 ready pods of a controller with 3")
    scenario.why("Neither field set: expected and desired are 0.")
    pods, replicas = owned("rs", 3)
    counts(submission, scenario, budget(), pods, replicas, allowed=0, desired=0, expected=0)


@rubric("counts", needs=COUNTS)
def test_every_phase_is_counted(submission, scenario):
    scenario.given("minAvailable 1; 2 ready pods, a Pending, a Failed and a leaving one")
    scenario.why("Expected counts every covered pod.")
    pods = [web("a"), web("b"), web("c", phase="Pending", ready=None), web("d", phase="Failed", ready=False)]
    pods.append(web("e", deleting=True))
    counts(submission, scenario, budget(min_available=1), pods, desired=1, expected=5)


@rubric("counts", needs=COUNTS)
def test_no_pods_at_all(submission, scenario):
    scenario.why("Nothing is expected, so nothing is allowed; an integer minimum stays what it is.")
    for asked, desired in ((budget(min_available=3), 3), (budget(min_available="34%"), 0)):
        scenario.given(f"minAvailable {asked.spec.min_available}; no pods")
        counts(
            submission, scenario, asked, [], {"uid-rs": 3}, allowed=0, healthy=0, desired=desired, expected=0
        )


@rubric("counts", needs=COUNTS)
def test_namespace_and_selector(submission, scenario):
    pods = [
        web("a"),
        web("b"),
        web("c", namespace="lab"),
        web("d", labels={"app": "api"}),
        web("e", labels={"app": "web", "tier": "front"}),
    ]
    scenario.why("Same namespace, and the selector matches; an empty one matches all, None matches none.")
    scenario.given("selector app=web in default; web pods a, b, e in default, c in lab; d is an api pod")
    counts(submission, scenario, budget(min_available=0), pods, healthy=3, expected=3)
    scenario.given("the same pods, and an empty selector")
    counts(submission, scenario, budget(min_available=0, selector={}), pods, healthy=4, expected=4)
    scenario.given("the same pods, and no selector")
    counts(submission, scenario, budget(min_available=0, selector=None), pods, healthy=0, expected=0)


@rubric("counts", needs=COUNTS)
def test_specs_that_make_no_sense(submission, scenario):
    scenario.why("The API server would not store this budget.")
    for spec in (
        {"min_available": 1, "max_unavailable": 1},
        {"min_available": 0, "max_unavailable": 0},
        {"min_available": "101%"},
        {"max_unavailable": "101%"},
        {"min_available": -1},
        {"max_unavailable": -1},
        {"max_unavailable": "20"},
        {"min_available": "-5%"},
        {"min_available": "2.5%"},
        {"max_unavailable": "x%"},
        {"max_unavailable": "%"},
    ):
        scenario.given(", ".join(f"{name} {value!r}" for name, value in spec.items()))
        scenario.expected("raises ValueError")
        asked = budget(**spec)
        scenario.raises(lambda asked=asked: submission.budget_status(asked, [], {}, NOW), "ValueError")


# --- healthy -------------------------------------------------------------------------------------------------


@rubric("healthy", needs=COUNTS)
def test_pods_that_are_not_ready(submission, scenario):
    scenario.given("minAvailable 2; of 5 pods one is not ready, one has no Ready condition")
    scenario.why("Healthy means ready: pods that failed on their own use the budget up as well.")
    pods = [web("a"), web("b"), web("c"), web("d", ready=False), web("e", ready=None)]
    counts(submission, scenario, budget(min_available=2), pods, healthy=3, allowed=1)


@rubric("healthy", needs=HEALTHY)
def test_pods_that_are_leaving(submission, scenario):
    scenario.given("minAvailable 1; of 4 ready pods two are being deleted")
    scenario.why("A pod that is being deleted may still be ready; it will not be for long.")
    pods = [web("a", deleting=True), web("b"), web("c"), web("d", deleting=True)]
    counts(submission, scenario, budget(min_available=1), pods, healthy=2, allowed=1)


def disrupted(submission, scenario, ages, pods, kept, healthy):
    """Compute a status with grants of some age, and check which of them are kept."""
    asked = budget(min_available=1)
    asked.status.disrupted_pods = {name: NOW - timedelta(seconds=age) for name, age in ages.items()}
    wanted = {name: NOW - timedelta(seconds=ages[name]) for name in kept}
    scenario.expected(f"disrupted {', '.join(kept) or 'nobody'}; healthy {healthy}")
    status = submission.budget_status(asked, pods, {}, NOW)
    names = ", ".join(sorted(status.disrupted_pods)) or "nobody"
    got = f"disrupted {names}; healthy {status.current_healthy}"
    if sorted(status.disrupted_pods) == sorted(kept) and status.disrupted_pods != wanted:
        got += "; the time of a grant has changed"
    scenario.check(status.disrupted_pods == wanted and status.current_healthy == healthy, got=got)


@rubric("healthy", needs=HEALTHY)
def test_grants_whose_pods_have_not_gone(submission, scenario):
    scenario.given("3 ready pods; an eviction of b was granted 60 seconds ago")
    scenario.why("The API server has granted it; the pod is as good as gone.")
    disrupted(submission, scenario, {"b": 60}, [web("a"), web("b"), web("c")], ["b"], 2)


@rubric("healthy", needs=HEALTHY)
def test_grants_run_out(submission, scenario):
    scenario.why("A grant is kept for 120 seconds. If the pod is still there, it counts again.")
    for age, kept, healthy in ((0, "a", 2), (119.5, "a", 2), (120, "a", 2), (120.5, "", 3), (180, "", 3)):
        scenario.given(f"3 ready pods; an eviction of a was granted {age} seconds ago")
        disrupted(submission, scenario, {"a": age}, [web("a"), web("b"), web("c")], list(kept), healthy)


@rubric("healthy", needs=HEALTHY)
def test_grants_that_are_settled(submission, scenario):
    scenario.given("grants for a (being deleted), b (still there), c (gone) and d (not covered)")
    scenario.why("A grant is settled when its pod is seen to go, and means nothing for pods of others.")
    pods = [web("a", deleting=True), web("b"), web("d", labels={"app": "api"}), web("e"), web("f")]
    disrupted(submission, scenario, dict.fromkeys("abcd", 10), pods, ["b"], 2)


@rubric("healthy", needs=HEALTHY)
def test_a_grant_for_a_pod_that_is_not_ready(submission, scenario):
    scenario.given("4 pods; a and b are not ready, a and c have a grant")
    scenario.why("A pod that is not healthy anyway is not subtracted a second time.")
    pods = [web("a", ready=False), web("b", ready=False), web("c"), web("d")]
    disrupted(submission, scenario, {"a": 30, "c": 30}, pods, ["a", "c"], 1)


@rubric("healthy", needs=HEALTHY)
def test_the_old_status_plays_no_part(submission, scenario):
    scenario.given("a budget whose status says other numbers; minAvailable 1, 3 ready pods")
    scenario.why("The numbers are counted afresh, and the arguments stay as they are.")
    asked = known(9, 8, 7)
    asked.status.disrupted_pods = {"gone": NOW}
    pods = [web("a"), web("b"), web("c")]
    counts(submission, scenario, asked, pods, allowed=2, healthy=3, desired=1, expected=3)
    after = submission.arguments_after
    scenario.check(after[0] == asked and after[1] == pods, got="an argument was changed")


# --- decide --------------------------------------------------------------------------------------------------


@rubric("decide")
def test_the_status_decides(submission, scenario):
    scenario.why("The stored disruptionsAllowed decides, and a granted eviction takes one off it.")
    scenario.given("a ready pod; its budget allows 1, healthy 3, desired 3")
    decides(submission, scenario, web("w"), [known(1, 3, 3)], 201, charged=True)
    scenario.given("a ready pod; its budget allows 0, healthy 4, desired 3")
    decides(submission, scenario, web("w"), [known(0, 4, 3)], 429)
    scenario.given("a ready pod; its budget allows 3, healthy 5, desired 2")
    decides(submission, scenario, web("w"), [known(3, 5, 2)], 201, charged=True)


@rubric("decide", needs=DECIDES)
def test_pods_that_need_no_budget(submission, scenario):
    scenario.why("What is not running serves nobody.")
    for phase in ("Pending", "Succeeded", "Failed"):
        scenario.given(f"a {phase} pod; its budget allows nothing")
        decides(submission, scenario, web("w", phase=phase, ready=False), [known(0, 2, 2)], 201)
        scenario.given(f"a {phase} pod; its budget allows 1")
        decides(submission, scenario, web("w", phase=phase, ready=False), [known(1, 0, 0)], 201)
    scenario.given("a ready pod that is being deleted; its budget allows nothing")
    decides(submission, scenario, web("w", deleting=True), [known(0, 2, 2)], 201)
    scenario.given("a pod of phase Unknown; its budget allows nothing")
    scenario.why("Unknown is none of the three.")
    decides(submission, scenario, web("w", phase="Unknown", ready=False), [known(0, 1, 2)], 429)


@rubric("decide", needs=DECIDES)
def test_two_budgets(submission, scenario):
    scenario.why("The server cannot charge two budgets at once, so it does not try.")
    both = [known(5, 9, 2, name="one"), known(5, 9, 2, name="two", selector={})]
    scenario.given("a ready pod under two budgets, both with room")
    decides(submission, scenario, web("w"), both, 500)
    scenario.given("a pod that is not ready under two budgets with AlwaysAllow")
    lenient = [known(0, 1, 1, name=name, policy="AlwaysAllow") for name in ("one", "two")]
    decides(submission, scenario, web("w", ready=False), lenient, 500)
    scenario.given("a Pending pod under two budgets")
    decides(submission, scenario, web("w", phase="Pending", ready=False), both, 201)


@rubric("decide", needs=DECIDES)
def test_budgets_that_do_not_cover_the_pod(submission, scenario):
    scenario.why("Only budgets of the pod's namespace whose selector matches are asked.")
    others = [
        known(0, 1, 1, name="lab", namespace="lab"),
        known(0, 1, 1, name="api", selector={"app": "api"}),
        known(0, 1, 1, name="none", selector=None),
    ]
    scenario.given("a ready pod; budgets in another namespace, for other labels, and without a selector")
    decides(submission, scenario, web("w"), others, 201)
    scenario.given("the same, and one budget that covers the pod and allows 1")
    decides(submission, scenario, web("w"), [*others, known(1, 3, 2)], 201, charged=True)
    scenario.given("one budget with an empty selector, which allows nothing")
    decides(submission, scenario, web("w"), [known(0, 3, 3, selector={})], 429)
    scenario.given("no budget")
    decides(submission, scenario, web("w"), [], 201)


@rubric("decide", needs=DECIDES)
def test_unready_pods_under_a_satisfied_budget(submission, scenario):
    scenario.why("A pod that does not serve may go, if enough others do: healthy ≥ desired > 0.")
    for healthy, desired, code in (
        (2, 2, 201),
        (3, 2, 201),
        (1, 2, 429),
        (0, 0, 429),
        (1, 0, 429),
        (1, 1, 201),
    ):
        scenario.given(f"a pod that is not ready; its budget allows 0, healthy {healthy}, desired {desired}")
        for policy in (None, "IfHealthyBudget"):
            asked = known(0, healthy, desired, policy=policy)
            decides(submission, scenario, web("w", ready=False), [asked], code)
    scenario.given("a pod that is not ready; its budget allows 1, healthy 3, desired 2")
    decides(submission, scenario, web("w", ready=False), [known(1, 3, 2)], 201)
    scenario.given("a pod that is not ready; its budget allows 1, healthy 1, desired 0")
    scenario.why("desired is 0: the budget is asked as usual, and charged.")
    decides(submission, scenario, web("w", ready=False), [known(1, 1, 0)], 201, charged=True)


@rubric("decide", needs=DECIDES)
def test_always_allow(submission, scenario):
    scenario.why("AlwaysAllow is about pods that are not ready; the others stay guarded.")
    scenario.given("a pod that is not ready; AlwaysAllow, allows 0, healthy 0, desired 2")
    decides(submission, scenario, web("w", ready=False), [known(0, 0, 2, policy="AlwaysAllow")], 201)
    scenario.given("a ready pod; AlwaysAllow, allows 0, healthy 2, desired 2")
    decides(submission, scenario, web("w"), [known(0, 2, 2, policy="AlwaysAllow")], 429)


@rubric("decide", needs=DECIDES)
def test_a_status_that_is_behind(submission, scenario):
    scenario.why("The numbers are of an older spec.")
    for observed, generation, code in ((1, 2, 429), (0, 1, 429), (2, 2, 201), (3, 2, 201)):
        scenario.given(f"a ready pod; its budget allows 1; observed generation {observed} of {generation}")
        asked = known(1, 3, 2, observed=observed, generation=generation)
        decides(submission, scenario, web("w"), [asked], code, charged=code == 201)
    scenario.given("a pod that is not ready; healthy 2, desired 2; observed generation 1 of 2")
    scenario.why("A pod that may go without being charged is let go before that question is asked.")
    asked = known(0, 2, 2, observed=1, generation=2)
    decides(submission, scenario, web("w", ready=False), [asked], 201)


@rubric("decide", needs=DECIDES)
def test_a_dry_run(submission, scenario):
    scenario.why("A dry run gets the same answer and changes nothing.")
    scenario.given("a ready pod; its budget allows 1; a dry run")
    decides(submission, scenario, web("w"), [known(1, 3, 2)], 201, dry_run=True)
    scenario.given("a ready pod; its budget allows 0; a dry run")
    decides(submission, scenario, web("w"), [known(0, 2, 2)], 429, dry_run=True)
    scenario.given("a ready pod; its budget allows 1; no dry run, and said so")
    decides(submission, scenario, web("w"), [known(1, 3, 2)], 201, charged=True, dry_run=False)


@rubric("decide", needs=DECIDES)
def test_a_condition_does_not_decide(submission, scenario):
    scenario.given("a ready pod; its budget allows 1, and an old condition says InsufficientPods")
    scenario.why("The number decides, the condition only explains.")
    stale = {"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": ""}
    asked = known(1, 3, 2, condition=stale)
    decides(submission, scenario, web("w"), [asked], 201, charged=True)
    after = submission.arguments_after
    scenario.check(after[1] == [asked], got="the budget was changed")


@rubric("decide", needs=DECIDES)
def test_same_decision_as_the_reference(submission, scenario, reference):
    small = st.integers(0, 2)
    budgets = st.builds(
        known,
        st.integers(0, 1),
        small,
        small,
        observed=st.integers(1, 2),
        generation=st.just(2),
        policy=st.sampled_from([None, "AlwaysAllow"]),
        selector=st.sampled_from([WEB, {}, {"app": "api"}]),
    )
    pods = st.builds(
        web,
        st.just("w"),
        ready=st.booleans(),
        phase=st.sampled_from(["Running", "Pending"]),
        deleting=st.sampled_from([False, False, True]),
    )
    scenario.agree(
        submission.decide_eviction,
        reference.decide_eviction,
        st.tuples(pods, st.lists(budgets, max_size=2)),
        max_examples=40,
        show=lambda evicted, asked: (
            f"{described(evicted)}; budgets: {'; '.join(map(spelled, asked)) or 'none'}"
        ),
        equal=lambda mine, theirs: (
            isinstance(mine, EvictionAnswer) and (mine.code, mine.charged) == (theirs.code, theirs.charged)
        ),
        why="Phase, number of budgets, readiness, generation, allowance: in this order.",
    )


def described(evicted):
    words = [
        "ready" if evicted.ready else "not ready",
        *(["being deleted"] if evicted.metadata.deleting else []),
    ]
    return f"a {evicted.status.phase} pod, {', '.join(words)}"


def spelled(asked):
    labels = ",".join(f"{k}={v}" for k, v in asked.spec.selector.match_labels.items()) or "everything"
    s = asked.status
    return (
        f"for {labels}, allows {s.disruptions_allowed}, healthy {s.current_healthy}, desired {s.desired_healthy}, "
        f"policy {asked.spec.unhealthy_pod_eviction_policy or 'not set'}, "
        f"observed generation {s.observed_generation} of {asked.metadata.generation}"
    )


# --- cause ---------------------------------------------------------------------------------------------------


def condition(reason, message="", status="False", kind="DisruptionAllowed"):
    return {"type": kind, "status": status, "reason": reason, "message": message}


@rubric("cause", needs=DECIDES)
def test_needs_more_than_it_has(submission, scenario):
    scenario.why("Desired first, then healthy.")
    for healthy, desired in ((2, 2), (1, 2), (0, 0)):
        scenario.given(f"a ready pod; its budget allows 0, healthy {healthy}, desired {desired}")
        text = f"needs {desired} healthy pods and has {healthy} currently"
        refuses(submission, scenario, known(0, healthy, desired), text)
    scenario.given("allows 0, healthy 2, desired 2, condition InsufficientPods")
    scenario.why("The numbers say more than the condition does.")
    asked = known(0, 2, 2, condition=condition("InsufficientPods"))
    refuses(submission, scenario, asked, "needs 2 healthy pods and has 2 currently")


@rubric("cause", needs=REFUSES)
def test_still_being_processed(submission, scenario):
    scenario.given("a ready pod; observed generation 1 of 2, and a failed sync before that")
    scenario.expected("429, retry after 10, still being processed")
    scenario.why("Soon there will be new numbers: the server says when to come back.")
    asked = known(0, 2, 2, observed=1, generation=2, condition=condition("SyncFailed", "boom"))
    refuses(submission, scenario, asked, "is still being processed by the server.")
    answer = submission.decide_eviction(web("w"), [asked])
    scenario.check(answer.retry_after == 10, got=answered(answer), expected="429, retry after 10")
    scenario.given("a ready pod; observed generation 2 of 2, allows nothing")
    scenario.why("Nobody knows when a budget will have room again.")
    answer = submission.decide_eviction(web("w"), [known(0, 2, 2, observed=2, generation=2)])
    scenario.check(
        (answer.code, answer.retry_after) == (429, 0), got=answered(answer), expected="429, retry after 0"
    )


@rubric("cause", needs=REFUSES)
def test_a_failed_sync(submission, scenario):
    scenario.why("A controller that failed has not counted, so its numbers are not quoted.")
    scenario.given('allows 0, healthy 1, desired 2; DisruptionAllowed is False, SyncFailed, "boom"')
    asked = known(0, 1, 2, condition=condition("SyncFailed", "boom"))
    text = "does not allow evicting pods currently because it failed sync: boom"
    refuses(submission, scenario, asked, text)
    scenario.given("allows 0, healthy 1, desired 2; DisruptionAllowed is Unknown, SyncFailed")
    scenario.why("Only status False refuses.")
    asked = known(0, 1, 2, condition=condition("SyncFailed", "boom", status="Unknown"))
    refuses(submission, scenario, asked, "needs 2 healthy pods and has 1 currently")


@rubric("cause", needs=REFUSES)
def test_another_reason(submission, scenario):
    scenario.given('allows 0, healthy 4, desired 3; DisruptionAllowed is False, Frozen, "until Monday"')
    scenario.why("The numbers would allow it, so the condition has to explain.")
    asked = known(0, 4, 3, condition=condition("Frozen", "until Monday"))
    refuses(submission, scenario, asked, "does not allow evicting pods currently (Frozen): until Monday")


@rubric("cause", needs=REFUSES)
def test_no_reason_known(submission, scenario):
    text = "does not allow evicting pods currently"
    scenario.why("This is how it looks after a grant, before the controller has counted again.")
    scenario.given("allows 0, healthy 4, desired 3, no conditions")
    refuses(submission, scenario, known(0, 4, 3), text)
    scenario.given("allows 0, healthy 4, desired 3; DisruptionAllowed is True, SufficientPods")
    refuses(submission, scenario, known(0, 4, 3, condition=condition("SufficientPods", "", "True")), text)
    scenario.given("allows 0, healthy 4, desired 3; another condition is False")
    asked = known(0, 4, 3, condition=condition("Frozen", "x", kind="Audited"))
    refuses(submission, scenario, asked, text)
    scenario.given('the same, and then DisruptionAllowed is False, Frozen, "y"')
    scenario.why("The condition is found by its type, wherever it stands.")
    asked.status.conditions.append(Condition(**condition("Frozen", "y")))
    refuses(submission, scenario, asked, f"{text} (Frozen): y")


@rubric("cause", needs=REFUSES)
def test_a_grant_has_no_cause(submission, scenario):
    scenario.given("a ready pod, a budget that allows 1")
    scenario.expected("201, charged, no cause, retry after 0")
    scenario.why("There is nothing to explain.")
    answer = submission.decide_eviction(web("w"), [known(1, 3, 2)])
    got = f'{answered(answer)}, cause "{answer.cause}", retry after {answer.retry_after}'
    scenario.check(answer == EvictionAnswer(201, charged=True), got=got)


# --- drain ---------------------------------------------------------------------------------------------------


class Drain:
    """Calls the submission as kubectl's loop would, and watches the pods meanwhile."""

    def __init__(self, submission, scenario, world, floor=None, seconds=600, name="node-1"):
        self.submission = submission
        self.scenario = scenario
        self.world = world
        self.name = name
        self.start = world.now()
        self.deadline = self.start + timedelta(seconds=seconds)
        self.floor = floor
        self.report = None
        if floor is not None:
            scenario.bounds(floor=floor)

    @property
    def seconds(self):
        return int((self.world.now() - self.start).total_seconds())

    def call(self):
        """Call once, and check what holds after every call."""
        try:
            self.report = self.submission.drain(self.world.client(), self.name, self.deadline)
        except SubmissionRaised as raised:
            if "Conflict" not in raised.bases:
                raise
            self.report = None
        self.watch()
        return self.report

    def run(self, most=130):
        """Call until it does not wait any more, waiting as long as it asks for."""
        for _ in range(most):
            report = self.call()
            if report is not None and report.state != "waiting":
                return report
            self._wait(1 if report is None else report.retry_after)
        self.scenario.check(False, got=f"still waiting after {most} calls and {self.seconds} s: {self.told}")
        return None

    @property
    def told(self):
        if self.report is None:
            return "let a Conflict through"
        left = ", ".join(sorted(self.report.left)) or "nothing"
        return f"{self.report.state}, left: {left}"

    @property
    def here(self):
        found = self.world.list(Pod, fields=f"spec.nodeName={self.name}")
        return [f"{each.namespace}/{each.name}" for each in found]

    def says(self, state, left=None):
        """Check the state, and which pods are said to be left."""
        got = f"{self.told} (after {self.seconds} s)"
        self.scenario.check(self.report is not None and self.report.state == state, got=got)
        if left is not None:
            self.scenario.check(
                sorted(self.report.left) == sorted(left),
                got=got,
                expected=f"{state}, left: {', '.join(sorted(left)) or 'nothing'}",
            )

    def because(self, key, text):
        """Check the reason that is given for one pod."""
        said = self.report.left.get(key, "")
        self.scenario.check(text in said, got=f'{key}: "{said}"')

    def _wait(self, seconds):
        sane = seconds is not None and 0 < seconds <= 10
        self.scenario.check(
            sane,
            got=f"waiting, with retry_after {seconds}",
            expected="waiting, with retry_after more than 0 and at most 10",
        )
        self.world.advance(max(seconds, 5))  # a busy loop comes back later than it was asked to
        self.watch()

    def watch(self):
        if self.floor is None:
            return
        pods = [each for each in self.world.list(Pod, labels=WEB) if not each.metadata.deleting]
        ready = sum(each.ready for each in pods)
        self.scenario.step(f"{self.seconds} s", ready=ready, total=len(pods))
        self.scenario.check(ready >= self.floor, got=f"after {self.seconds} s: {ready} pods ready")


def shop(world, replicas=6, *, rooms=(3, 4, 4), ready_after=20, settle=60, max_surge=1, **spec):
    """A Deployment at work under a budget; node-1 is filled first."""
    for number, room in enumerate(rooms, start=1):
        world.add(node(f"node-{number}", pods=room))
    plane = world.start_control_plane(ready_after=ready_after)
    if spec:
        world.client("admin").create(budget(**spec))
    world.client("admin").create(deployment("web", replicas, max_surge=max_surge, max_unavailable=1))
    world.advance(settle)
    return plane


def standing(world, name, *, kind="ReplicaSet", namespace="default", labels=WEB, ready=True, **fields):
    """A pod on node-1 that nobody moves: no actor is at work."""
    made = pod(
        name, labels=labels, node="node-1", namespace=namespace, ready=ready, **{"phase": "Running", **fields}
    )
    if kind:
        made.metadata.owner_references = [
            OwnerReference(api_version="apps/v1", kind=kind, name="x", uid=f"uid-{kind}", controller=True)
        ]
    return world.add(made)


def asked_for(world):
    return [call.name for call in world.log.calls(user="submission") if call.subresource == "eviction"]


def gone_or_leaving(world, name, namespace="default"):
    found = world.get(Pod, name, namespace)
    return found is None or found.metadata.deleting


@rubric("drain")
def test_a_node_is_emptied(submission, scenario, world):
    scenario.given("6 pods of web, 3 of them on node-1, no budget; new pods are ready after 20 seconds")
    scenario.expected("first waiting while pods stop, then done; node-1 is empty")
    scenario.why("Done means that the node can be switched off.")
    shop(world)
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("waiting")
    drain.run()
    drain.says("done")
    scenario.check(not drain.here, got=f"done, and on node-1: {', '.join(drain.here)}")


@rubric("drain", needs=DRAINS)
def test_the_budget_holds(submission, scenario, world):
    scenario.given("6 pods of web, 3 on node-1; maxUnavailable 1; new pods are ready after 20 seconds")
    scenario.expected("at least 5 pods ready at every moment, and done in the end")
    scenario.why("A refused eviction is tried again when a replacement is ready.")
    shop(world, max_unavailable=1)
    drain = Drain(submission, scenario, world, floor=5)
    here = drain.here
    drain.call()
    drain.says("waiting", left=here)
    drain.run()
    drain.says("done", left=[])
    scenario.check(drain.report.retry_after is None, got=f"done, with retry_after {drain.report.retry_after}")
    scenario.check(drain.seconds >= 40, got=f"done after {drain.seconds} s")
    scenario.check(not drain.here, got=f"done, and on node-1: {', '.join(drain.here)}")


@rubric("drain", needs=DRAINS)
def test_restarts_do_not_matter(submission, scenario, world):
    scenario.given("6 pods of web, 3 on node-1; minAvailable 80%; the drain restarts before every call")
    scenario.expected("at least 5 pods ready at every moment, and done in the end")
    scenario.why("Everything that it needs to know is in the cluster.")
    shop(world, min_available="80%")
    drain = Drain(submission, scenario, world, floor=5)
    for _ in range(60):
        submission.restart()
        if drain.call().state != "waiting":
            break
        world.advance(10)
    drain.says("done", left=[])


@rubric("drain", needs=DRAINS)
def test_two_drains_at_once(submission, scenario, world):
    scenario.given(
        "8 pods of web on nodes 1 and 2 and 3; maxUnavailable 2; node-1 and node-2 are drained together"
    )
    scenario.expected("at least 6 pods ready at every moment, and both done")
    scenario.why("Each eviction charges the budget at once, so that nobody overspends it.")
    shop(world, 8, rooms=(3, 3, 12), max_unavailable=2)
    both = [Drain(submission, scenario, world, floor=6, name=name) for name in ("node-1", "node-2")]
    for _ in range(60):
        reports = [each.call() for each in both]
        if all(report.state == "done" for report in reports):
            break
        world.advance(5)
    for each in both:
        each.says("done", left=[])
        scenario.check(not each.here, got=f"done, and on {each.name}: {', '.join(each.here)}")


@rubric("drain", needs=DRAINS)
def test_a_failure_uses_the_budget_up(submission, scenario, world):
    scenario.given(
        "6 pods of web, 3 on node-1; maxUnavailable 1; one pod on node-2 is not ready for 60 seconds"
    )
    scenario.expected("no eviction of a ready pod while it lasts, and done afterwards")
    scenario.why("A failure asks no budget, but what it costs is missing from it.")
    plane = shop(world, max_unavailable=1)
    sick = next(each.name for each in world.list(Pod) if each.spec.node_name == "node-2")
    plane.kubelet.set_ready_after(None, name=sick)
    world.settle()
    drain = Drain(submission, scenario, world, floor=5)
    for _ in range(12):
        drain.call()
        drain.says("waiting")
        scenario.check(len(drain.report.left) == 3, got=f"after {drain.seconds} s: {drain.told}")
        world.advance(5)
    plane.kubelet.set_ready_after(0, name=sick)
    world.settle()
    drain.run()
    drain.says("done", left=[])


@rubric("drain", needs=DRAINS)
def test_beside_a_rolling_update(submission, scenario, world):
    scenario.given(
        "6 pods of web, 3 on node-1; maxUnavailable 1 for the budget and for the update that has just begun"
    )
    scenario.expected("at least 5 pods ready at every moment, node-1 empty, all pods of the new version")
    scenario.why("The update is bounded by its strategy, the drain by the budget, which sees both.")
    shop(world, rooms=(3, 6, 6), max_unavailable=1)
    admin = world.client("admin")
    web_deployment = admin.get(type(deployment("x")), "web")
    web_deployment.spec.template.spec.containers[0].image = "app:2"
    admin.update(web_deployment)
    world.settle()
    drain = Drain(submission, scenario, world, floor=5)
    drain.run()
    drain.says("done", left=[])
    for _ in range(30):
        world.advance(10)
        drain.watch()
    images = {each.spec.containers[0].image for each in world.list(Pod)}
    scenario.check(images == {"app:2"}, got=f"in the end there are pods of {', '.join(sorted(images))}")


@rubric("drain", needs=DRAINS)
def test_evicted_and_never_deleted(submission, scenario, world):
    scenario.given("two pods of web on node-1; the budget allows one disruption")
    scenario.expected("one eviction granted and one refused; no pod deleted in any other way")
    scenario.why("A delete asks no budget.")
    world.add(node("node-1"))
    world.add(known(1, 2, 1))
    for name in ("a", "b"):
        standing(world, name)
    drain = Drain(submission, scenario, world)
    drain.call()
    others = [str(c) for c in world.writes() if c.kind == "Pod" and c.subresource != "eviction"]
    scenario.check(not others, got=f"wrote: {', '.join(others)}")
    leaving = [name for name in ("a", "b") if gone_or_leaving(world, name)]
    scenario.check(len(leaving) == 1, got=f"{len(leaving)} pods are going")
    drain.says("waiting", left=["default/a", "default/b"])


@rubric("drain", needs=DRAINS)
def test_one_refusal_is_not_everybodys(submission, scenario, world):
    scenario.given(
        "on node-1 a web pod whose budget allows nothing, and api pods without a budget, in two namespaces"
    )
    scenario.expected("the api pods evicted in the same call, the web pod left alone")
    scenario.why("The next pod may have another budget, or none.")
    world.add(node("node-1"))
    world.add(known(0, 1, 1))
    world.ensure_namespace("lab")
    standing(world, "b-web")
    standing(world, "a-api", labels={"app": "api"})
    standing(world, "c-api", labels={"app": "api"})
    standing(world, "d-api", labels={"app": "api"}, namespace="lab")
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("waiting", left=["default/a-api", "default/b-web", "default/c-api", "lab/d-api"])
    for name, namespace in (("a-api", "default"), ("c-api", "default"), ("d-api", "lab")):
        scenario.check(gone_or_leaving(world, name, namespace), got=f"{namespace}/{name} was not evicted")
    scenario.check(not gone_or_leaving(world, "b-web"), got="b-web is going")


@rubric("drain", needs=DRAINS)
def test_cordoned_before_anything_else(submission, scenario, world):
    scenario.given("a node with one web pod, and somebody else writes to the node at the same time")
    scenario.expected("no eviction before the node is cordoned; cordoned in the end, with the other's label")
    scenario.why("Otherwise the replacement may land on the very node.")
    world.add(node("node-1"))
    standing(world, "a")

    def label():
        found = world.get(Node, "node-1")
        found.metadata.labels["rack"] = "r1"
        world.client("admin").update(found)

    world.faults.before(label, "update", Node)
    early = []

    def look():
        if not world.get(Node, "node-1").spec.unschedulable:
            early.append("an eviction while the node was open")

    world.faults.before(look, "create", Pod)
    drain = Drain(submission, scenario, world)
    for _ in range(3):
        drain.call()
    scenario.check(not early, got=early[0] if early else "")
    found = world.get(Node, "node-1")
    scenario.check(found.spec.unschedulable, got="the node is not cordoned")
    scenario.check(found.metadata.labels.get("rack") == "r1", got="the other's label is lost")
    scenario.check(asked_for(world) == ["a"], got=f"evictions asked for: {asked_for(world)}")


@rubric("drain", needs=DRAINS)
def test_a_cordoned_node_is_not_written(submission, scenario, world):
    scenario.given("a node that is cordoned already, with one web pod")
    scenario.expected("the pod evicted, and no write to the node")
    scenario.why("What is as it should be is left alone.")
    cordoned = node("node-1")
    cordoned.spec.unschedulable = True
    world.add(cordoned)
    standing(world, "a")
    drain = Drain(submission, scenario, world)
    drain.call()
    wrote = [str(c) for c in world.writes() if c.kind == "Node"]
    scenario.check(not wrote, got=f"wrote: {', '.join(wrote)}")
    scenario.check(asked_for(world) == ["a"], got=f"evictions asked for: {asked_for(world)}")


@rubric("drain", needs=DRAINS)
def test_a_pod_that_is_stopping(submission, scenario, world):
    scenario.given("one web pod on node-1 that takes long to stop, called three times; then it is gone")
    scenario.expected("evicted once, waiting as long as it is there, then done")
    scenario.why("A pod that is being deleted needs no second eviction, but the node is not empty.")
    world.add(node("node-1"))
    standing(world, "a")
    drain = Drain(submission, scenario, world)
    for _ in range(3):
        drain.call()
        drain.says("waiting", left=["default/a"])
        world.advance(5)
    scenario.check(asked_for(world) == ["a"], got=f"evictions asked for: {asked_for(world)}")
    world.client("kubelet").delete(Pod, "a", grace_period_seconds=0)
    drain.call()
    drain.says("done", left=[])


@rubric("drain", needs=DRAINS)
def test_a_pod_that_has_just_gone(submission, scenario, world):
    scenario.given("two web pods on node-1; one is gone when its eviction is asked for")
    scenario.expected("no error; the other one evicted and left as stopping")
    scenario.why("NotFound means that the goal is reached.")
    world.add(node("node-1"))
    for name in ("a", "b"):
        standing(world, name)
    world.faults.before(
        lambda: world.client("kubelet").delete(Pod, "a", grace_period_seconds=0), "create", Pod
    )
    try:
        drain = Drain(submission, scenario, world)
        drain.call()
    except SubmissionRaised as raised:
        scenario.check(NotFound.__name__ not in raised.bases, got=f"raised {raised}")
        raise
    drain.says("waiting", left=["default/b"])
    scenario.check(gone_or_leaving(world, "b"), got="b was not evicted")


@rubric("drain", needs=DRAINS)
def test_other_nodes_and_daemons_stay(submission, scenario, world):
    scenario.given(
        "node-1 with a web pod, an agent of a DaemonSet, and a pod that has a DaemonSet among its owners"
    )
    scenario.expected("done once the web pods are gone; agents and pods on node-2 untouched")
    scenario.why("A DaemonSet would put its pod back at once: it tolerates a cordoned node.")
    world.add(node("node-1"))
    world.add(node("node-2"))
    standing(world, "agent", kind="DaemonSet", labels={"app": "agent"})
    standing(world, "a")
    odd = standing(world, "b")
    odd.metadata.owner_references.append(
        OwnerReference(api_version="apps/v1", kind="DaemonSet", name="y", uid="uid-y")
    )
    world.add(odd)
    world.add(pod("far", labels=WEB, node="node-2", phase="Running", ready=True, owner=owner("web")))
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("waiting", left=["default/a", "default/b"])
    for name in ("a", "b"):
        world.client("kubelet").delete(Pod, name, grace_period_seconds=0)
    drain.call()
    drain.says("done", left=[])
    scenario.check(sorted(asked_for(world)) == ["a", "b"], got=f"evictions asked for: {asked_for(world)}")


# --- ends ----------------------------------------------------------------------------------------------------


@rubric("ends", needs=DRAINS)
def test_a_deadline(submission, scenario, world):
    scenario.given("one web pod on node-1; its budget never has room; the deadline is after 60 seconds")
    scenario.expected("waiting until 59 s, stuck at 60 s, with the budget's words for the pod")
    scenario.why("A drain that hangs until morning tells nobody anything.")
    world.add(node("node-1"))
    world.add(known(0, 3, 3))
    standing(world, "a")
    drain = Drain(submission, scenario, world, seconds=60)
    for step in (0, 30, 29):
        world.advance(step)
        drain.call()
        drain.says("waiting", left=["default/a"])
        drain.because("default/a", "The disruption budget web needs 3 healthy pods and has 3 currently")
    world.advance(1)
    drain.call()
    drain.says("stuck", left=["default/a"])
    drain.because("default/a", "The disruption budget web needs 3 healthy pods and has 3 currently")
    scenario.check(
        drain.report.retry_after is None, got=f"stuck, with retry_after {drain.report.retry_after}"
    )
    scenario.check(world.get(Node, "node-1").spec.unschedulable, got="node-1 is not cordoned")


@rubric("ends", needs=DRAINS)
def test_after_the_deadline(submission, scenario, world):
    scenario.given("called once, after the deadline, with a web pod that may be evicted and one that may not")
    scenario.expected("the last call still asks: one is stopping, the other refused, both left: stuck")
    scenario.why("From the deadline on nobody calls again, so it is stuck, whatever it has just set going.")
    world.add(node("node-1"))
    world.add(known(0, 3, 3))
    standing(world, "a")
    standing(world, "b", labels={"app": "api"})
    drain = Drain(submission, scenario, world, seconds=-5)
    drain.call()
    drain.says("stuck", left=["default/a", "default/b"])
    scenario.check(gone_or_leaving(world, "b"), got="b was not evicted")
    for name in ("a", "b"):
        world.client("kubelet").delete(Pod, name, grace_period_seconds=0)
    drain.call()
    scenario.given("called after the deadline, with nothing left on the node")
    scenario.expected("done")
    scenario.why("Nothing left is done, however late.")
    drain.says("done", left=[])


@rubric("ends", needs=DRAINS)
def test_a_pod_that_nobody_would_replace(submission, scenario, world):
    scenario.given("node-1 with a web pod and two pods without a controller, one of them with an owner")
    scenario.expected("stuck because of those two, and no eviction at all")
    scenario.why("They would be gone for ever; somebody has to decide, before anything is moved.")
    world.add(node("node-1"))
    standing(world, "a")
    standing(world, "b", kind="")
    odd = standing(world, "c", kind="")
    odd.metadata.owner_references = [
        OwnerReference(api_version="v1", kind="ConfigMap", name="x", uid="uid-x")
    ]
    world.add(odd)
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("stuck", left=["default/b", "default/c"])
    scenario.check(asked_for(world) == [], got=f"evictions asked for: {asked_for(world)}")
    scenario.check(all(drain.report.left.values()), got=f"no reason is given: {drain.report.left}")
    scenario.check(world.get(Node, "node-1").spec.unschedulable, got="node-1 is not cordoned")


@rubric("ends", needs=DRAINS)
def test_pods_without_a_controller_that_do_not_matter(submission, scenario, world):
    scenario.given("node-1 with a web pod, and without a controller: a finished, a failed and a stopping pod")
    scenario.expected("all are evicted except the stopping one, and it is waited for")
    scenario.why("Nothing is lost with a pod that is finished or on its way out.")
    world.add(node("node-1"))
    standing(world, "a")
    standing(world, "b", kind="", phase="Succeeded", ready=False)
    standing(world, "c", kind="", phase="Failed", ready=False)
    leaving = standing(world, "d", kind="")
    world.client("admin").delete(leaving)
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("waiting")
    scenario.check("default/d" in drain.report.left, got=drain.told)
    scenario.check(
        sorted(asked_for(world)) == ["a", "b", "c"], got=f"evictions asked for: {asked_for(world)}"
    )


@rubric("ends", needs=DRAINS)
def test_two_budgets_over_one_pod(submission, scenario, world):
    scenario.given("node-1 with web pods a and c, and b under two budgets; the deadline is far away")
    scenario.expected("a and c evicted, b refused for good: stuck")
    scenario.why("Two budgets cannot be charged at once, and no waiting changes that.")
    world.add(node("node-1"))
    world.add(known(5, 9, 1))
    world.add(known(5, 9, 1, name="canary", selector={"track": "canary"}))
    standing(world, "a")
    standing(world, "b", labels={"app": "web", "track": "canary"})
    standing(world, "c")
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("stuck", left=["default/a", "default/b", "default/c"])
    scenario.check(all(drain.report.left.values()), got=f"no reason is given: {drain.report.left}")
    for name in ("a", "c"):
        scenario.check(gone_or_leaving(world, name), got=f"{name} was not evicted")
    scenario.check(
        drain.report.retry_after is None, got=f"stuck, with retry_after {drain.report.retry_after}"
    )


@rubric("ends", needs=DRAINS)
def test_each_pod_has_its_own_reason(submission, scenario, world):
    scenario.given("node-1 with pods of two budgets; neither has room, one has not been counted yet")
    scenario.expected("waiting; each pod with the words of its own budget")
    scenario.why("Whoever reads it wants to know which budget to talk about.")
    world.add(node("node-1"))
    world.add(known(0, 2, 2))
    world.add(known(1, 2, 1, name="api", selector={"app": "api"}, observed=0))
    standing(world, "a", labels={"app": "api"})
    standing(world, "b")
    drain = Drain(submission, scenario, world)
    drain.call()
    drain.says("waiting", left=["default/a", "default/b"])
    drain.because("default/a", "The disruption budget api is still being processed by the server.")
    drain.because("default/b", "The disruption budget web needs 2 healthy pods and has 2 currently")


@rubric("ends", needs=DRAINS)
def test_a_budget_that_blocks_for_ever(submission, scenario, world):
    scenario.given("6 pods of web at work, 3 on node-1; maxUnavailable 0; the deadline is after 100 seconds")
    scenario.expected("all 6 ready at every moment; stuck after 100 seconds, with the three pods left")
    scenario.why("Such a budget blocks every drain; the drain says so and ends.")
    shop(world, max_unavailable=0)
    drain = Drain(submission, scenario, world, floor=6, seconds=100)
    here = drain.here
    drain.run()
    drain.says("stuck", left=here)
    scenario.check(100 <= drain.seconds <= 110, got=f"stuck after {drain.seconds} s")
    for key in here:
        drain.because(key, "needs 6 healthy pods and has 6 currently")


# --- compared with the reference -----------------------------------------------------------------------------


@st.composite
def situations(draw):
    """A budget of some kind over pods of up to two controllers; all pods are ready."""
    field = draw(st.sampled_from(["min_available", "max_unavailable"]))
    number = draw(st.integers(0, 100))
    asked = budget(**{field: f"{number}%" if draw(st.booleans()) else number % 6})
    sizes = draw(st.lists(st.integers(1, 30), min_size=1, max_size=2))
    pods, replicas = [], {}
    for index, size in enumerate(sizes):
        some, one = owned(f"rs{index}", min(size, 4), size)
        pods += some
        replicas |= one
    if draw(st.booleans()):
        pods.append(web("alone"))
    return asked, pods, replicas, NOW


@rubric("counts", needs=COUNTS)
def test_same_numbers_as_the_reference(submission, scenario, reference):
    def shown(asked, pods, replicas, _now):
        spec = asked.spec
        rule = (
            f"minAvailable {spec.min_available}"
            if spec.min_available is not None
            else f"maxUnavailable {spec.max_unavailable}"
        )
        return f"{rule}; {len(pods)} ready pods; replicas of their controllers: {list(replicas.values())}"

    scenario.agree(
        submission.budget_status,
        reference.budget_status,
        situations(),
        max_examples=40,
        show=shown,
        equal=lambda mine, theirs: (
            isinstance(mine, BudgetStatus)
            and all(getattr(mine, name) == getattr(theirs, name) for name in NUMBERS)
        ),
        why="Integer minimum: the pods. Everything else: the replicas of the controllers, percentages rounded up.",
    )
