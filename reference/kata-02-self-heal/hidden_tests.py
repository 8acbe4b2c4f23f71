"""Hidden tests of kata 02."""

from datetime import timedelta
from typing import Any

from kubekata import (
    ContainerStatus,
    LabelSelectorRequirement,
    Namespace,
    ObjectMeta,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    ReplicaSet,
    Request,
    Result,
    ServerTimeout,
    TooManyRequests,
)
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, World, pod, pod_template, replica_set

HEALS = ("test_makes_the_missing_pods",)
DELETES = ("test_deletes_the_surplus",)
WEB = Request("web")
APP = {"app": "web"}
COST = "controller.kubernetes.io/pod-deletion-cost"
MINUTE, HOUR, DAY = 60, 3600, 86400


# --- building and reading a world ----------------------------------------------------------------------------


def fill(world: World, replicas: int, *pods: str, name: str = "web", **spec: Any) -> ReplicaSet:
    """Put a ReplicaSet in place with running, ready pods of its own, and a status that is true."""
    wanted = replica_set(name, replicas, **spec)
    wanted.status.replicas = wanted.status.ready_replicas = len(pods)
    owner = world.add(wanted)
    for pod_name in pods:
        member(world, pod_name, owner)
    return owner


def member(world: World, name: str, owner: ReplicaSet | None, **fields: Any) -> Pod:
    """Add a pod on a node of its own, running and ready unless told otherwise."""
    about = {"labels": APP, "node": f"node-of-{name}", "phase": "Running", "ready": True} | fields
    deleting = about.pop("deleting", False)
    made = pod(name, owner=owner, **about)
    if deleting:
        made.metadata.deletion_timestamp = EPOCH + timedelta(seconds=30)
        made.metadata.deletion_grace_period_seconds = 30
    return world.add(made)


def own(world: World, owner: ReplicaSet) -> list[Pod]:
    """The pods that a ReplicaSet controls, also those that are finished or being deleted."""
    return [p for p in world.list(Pod) if p.metadata.controller and p.metadata.controller.uid == owner.uid]


def active(world: World, owner: ReplicaSet) -> list[Pod]:
    return [p for p in own(world, owner) if p.active]


def listed(pods: list[Pod]) -> str:
    if not pods:
        return "no active pods"
    names = ", ".join(p.name for p in pods[:8]) + (", …" if len(pods) > 8 else "")
    return f"{len(pods)} active pod{'s'[: len(pods) != 1]} ({names})"


def calls(writes: list[Any]) -> str:
    return ", ".join(str(write) for write in writes) or "no writes"


def check_active(scenario: Any, world: World, owner: ReplicaSet, wanted: int, when: str = "") -> None:
    pods = active(world, owner)
    scenario.check(len(pods) == wanted, got=f"{when}{owner.name} has {listed(pods)}")


def check_status(scenario: Any, world: World, owner: ReplicaSet) -> None:
    pods = active(world, owner)
    counts = (len(pods), sum(p.ready for p in pods))
    status = world.get(ReplicaSet, owner.name, owner.namespace).status
    got = f"replicas {status.replicas}, ready_replicas {status.ready_replicas}, with {listed(pods)}, {counts[1]} ready"
    scenario.check((status.replicas, status.ready_replicas) == counts, got=got)


def check_same(scenario: Any, world: World, before: list[Pod]) -> None:
    """The pods must be as they were, down to the last field."""
    now = {p.uid: p for p in world.list(Pod)}
    lost = [p.name for p in before if now.get(p.uid) != p]
    scenario.check(not lost, got=f"{', '.join(lost)} changed or gone; {calls(world.writes())}")


def check_no_writes(submission: Any, scenario: Any, world: World, call: str = "the second call") -> Result:
    before = len(world.log)
    result = submission.reconcile(world.client(), WEB)
    writes = world.writes(since=before)
    scenario.check(not writes, got=f"{call} wrote: {calls(writes)}")
    return result


def check_asks_again(scenario: Any, result: Result, at_least: float = 0) -> None:
    seconds = result.requeue_after
    scenario.check(seconds is not None and seconds > 0 and seconds >= at_least, got=f"{result}")


def until_done(submission: Any, world: World) -> None:
    """Call again for as long as the submission asks for it, and once more."""
    for _ in range(5):
        if submission.reconcile(world.client(), WEB).requeue_after is None:
            break
    submission.reconcile(world.client(), WEB)


# --- heal ----------------------------------------------------------------------------------------------------


@rubric("heal")
def test_makes_the_missing_pods(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, and one active pod")
    scenario.expected(
        "3 active pods; the new ones with the template's labels and containers, controlled by web"
    )
    scenario.why("This is kata 01: make the difference, from the template, with an owner reference.")
    template = pod_template(APP | {"tier": "front"}, image="shop:7")
    web = fill(world, 3, "a", labels=APP, template=template)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)
    for made in active(world, web):
        alike = made.metadata.labels == template.metadata.labels
        alike = alike and made.spec.containers == template.spec.containers
        images = [c.image for c in made.spec.containers]
        scenario.check(
            alike or made.name == "a", got=f"{made.name}: labels {made.metadata.labels}, images {images}"
        )


@rubric("heal")
def test_deletes_the_surplus(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, and 3 active pods")
    scenario.expected("1 active pod; the others are being deleted")
    scenario.why("This is kata 01: delete the difference. A running pod takes its grace period to go.")
    web = fill(world, 1, "a", "b", "c")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1)


@rubric("heal")
def test_a_terminating_pod_is_replaced_at_once(submission, scenario, world):
    scenario.given("web was brought to 3 pods; then a person deletes one, which has 30 seconds to stop")
    scenario.expected("3 active pods beside the one that is going")
    scenario.why(
        "A pod under deletion is on its way out: it does not count, and waiting for its end is an outage."
    )
    web = fill(world, 3, "a", "b")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3, "after the first call: ")
    world.client("person").delete(Pod, "a")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)


@rubric("heal")
def test_a_failed_pod_is_replaced(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3: pods a and b are Running, pod c is Failed")
    scenario.expected("3 active pods, and c as it was")
    scenario.why(
        "A Failed pod never runs again. It does not count, and it stays for whoever wants to read its logs."
    )
    web = fill(world, 3, "a", "b")
    failed = member(world, "c", web, phase="Failed", ready=False)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)
    check_same(scenario, world, [failed])


@rubric("heal")
def test_a_succeeded_pod_is_replaced(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2: pod a is Running, pod b has Succeeded")
    scenario.expected("2 active pods, and b as it was")
    scenario.why("A finished pod does not run any more, however well it ended.")
    web = fill(world, 2, "a")
    finished = member(world, "b", web, phase="Succeeded", ready=False)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_same(scenario, world, [finished])


@rubric("heal", needs=HEALS)
def test_waiting_and_lost_pods_are_active(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3: pods in phases Pending, Unknown and Running, none of them ready"
    )
    scenario.expected("no pod is made or deleted")
    scenario.why("Only Failed, Succeeded and deleted pods are out. The others may still come (back) to life.")
    web = fill(world, 3)
    for name, phase in (("a", "Pending"), ("b", "Unknown"), ("c", "Running")):
        member(world, name, web, phase=phase, ready=False)
    submission.reconcile(world.client(), WEB)
    writes = [w for w in world.writes() if w.kind == "Pod"]
    scenario.check(not writes, got=calls(writes))


@rubric("heal", needs=DELETES)
def test_a_pod_is_not_deleted_twice(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1, 3 active pods; reconcile is called twice within the grace period"
    )
    scenario.expected("the first call deletes 2 pods, the second writes nothing")
    scenario.why("The two are going already. Counting them again would delete the one that should stay.")
    web = fill(world, 1, "a", "b", "c")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1, "after the first call: ")
    check_no_writes(submission, scenario, world)


@rubric("heal")
def test_scaling_down_leaves_finished_and_terminating_pods(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 0: pods a and b are active, c is Failed, d is being deleted")
    scenario.expected("a and b deleted, c and d not touched")
    scenario.why("Only active pods take part. Deleting d again is noise, and c is not in anybody's way.")
    web = fill(world, 0, "a", "b")
    others = [member(world, "c", web, phase="Failed"), member(world, "d", web, deleting=True)]
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 0)
    check_same(scenario, world, others)
    touched = [w for w in world.writes() if w.name in ("c", "d")]
    scenario.check(not touched, got=calls(touched))


@rubric("heal", needs=HEALS)
def test_second_call_writes_nothing_in_a_crowd(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3: 1 active pod, others Failed, being deleted, orphaned or foreign; two calls"
    )
    scenario.expected(
        "3 active pods after the first call, and the second writes nothing and returns Result()"
    )
    scenario.why("Whatever stands around, a world that is as it should be needs no write.")
    web, api = fill(world, 3, "a"), fill(world, 1, name="api")
    member(world, "b", web, phase="Failed", ready=False)
    member(world, "c", web, deleting=True)
    member(world, "d", None)
    member(world, "e", None, labels={"app": "other"})
    member(world, "f", api)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3, "after the first call: ")
    result = check_no_writes(submission, scenario, world)
    scenario.check(result == Result(), got=f"{result}")


@rubric("heal")
def test_status_counts_active_pods(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3, status 0: a is ready, b is not, c is ready and being deleted, "
        "d is Failed with a Ready condition left over"
    )
    scenario.expected("status: replicas 3, ready_replicas 1")
    scenario.why("Only active pods count, for both numbers, as they are when the call ends.")
    web = fill(world, 3)
    member(world, "a", web)
    member(world, "b", web, ready=False)
    member(world, "c", web, deleting=True)
    member(world, "d", web, phase="Failed")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)
    check_status(scenario, world, web)


@rubric("heal")
def test_status_after_scaling_down(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2: 4 active pods, all of them ready")
    scenario.expected("status: replicas 2, ready_replicas 2")
    scenario.why("Pods that this call deleted do not count any more, though they take a while to go.")
    web = fill(world, 2, "a", "b", "c", "d")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_status(scenario, world, web)


@rubric("heal")
def test_status_moves_with_readiness(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, both pods active; the status says 2 ready, but b is not ready any more"
    )
    scenario.expected("one write: the status, with ready_replicas 1")
    scenario.why("The pods are right in number; the status has to tell how they are.")
    web = fill(world, 2, "a")
    member(world, "b", web, ready=False)
    status = world.get(ReplicaSet, "web")
    status.status.replicas = status.status.ready_replicas = 2
    world.client("test").update_status(status)
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)
    scenario.check(len(world.writes()) == 1, got=calls(world.writes()))


@rubric("heal", needs=(*HEALS, *DELETES))
def test_a_replica_set_under_deletion_changes_no_pod(submission, scenario, world):
    for replicas, pods in ((3, ("a",)), (1, ("a", "b", "c"))):
        place = World()
        scenario.given(f"ReplicaSet web is being deleted; replicas {replicas}, {len(pods)} active pods")
        scenario.expected("no pod is made, deleted or changed")
        scenario.why(
            "What becomes of the pods is decided by how the owner is deleted; that is the collector's work."
        )
        web = fill_deleting(place, replicas, *pods)
        before = own(place, web)
        submission.reconcile(place.client(), WEB)
        writes = [w for w in place.writes() if w.kind == "Pod"]
        scenario.check(not writes and own(place, web) == before, got=calls(writes))


@rubric("heal", needs=HEALS)
def test_a_replica_set_under_deletion_still_reports(submission, scenario, world):
    scenario.given("web is being deleted; replicas 3; 2 active pods, an orphan, and a status that says 3")
    scenario.expected("status: replicas 2, ready_replicas 2, and no pod made")
    scenario.why("As long as the object is there, its status tells the truth.")
    web = fill_deleting(world, 3, "a", "b")
    member(world, "0", None)
    found = world.get(ReplicaSet, "web")
    found.status.replicas = found.status.ready_replicas = 3
    world.client("test").update_status(found)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_status(scenario, world, web)


def fill_deleting(world: World, replicas: int, *pods: str) -> ReplicaSet:
    """A ReplicaSet that a finalizer holds while it is being deleted."""
    fill(world, replicas, *pods)
    found = world.get(ReplicaSet, "web")
    found.metadata.finalizers = ["example.com/hold"]
    world.client("test").update(found)
    world.client("test").delete(ReplicaSet, "web")
    return world.get(ReplicaSet, "web")


@rubric("heal", needs=HEALS)
def test_a_missing_replica_set_is_success(submission, scenario, world):
    scenario.given("a request for ReplicaSet web, which does not exist; orphans with the label app=web do")
    scenario.expected("Result(), and nothing is written")
    scenario.why("The ReplicaSet was deleted: nothing is left to do for it.")
    member(world, "a", None)
    result = check_no_writes(submission, scenario, world, "the call")
    scenario.check(result == Result(), got=f"{result}")


@rubric("heal")
def test_works_in_the_namespace_of_the_request(submission, scenario, world):
    scenario.given(
        "ReplicaSet web in namespace shop, replicas 3, 1 active pod; orphans app=web in default and in shop"
    )
    scenario.expected("in shop 3 active pods, the orphan among them; nothing changed in default")
    scenario.why(
        "A ReplicaSet and its pods share a namespace. The client looks into default unless told otherwise."
    )
    world.add(Namespace(metadata=ObjectMeta(name="shop")))
    elsewhere = member(world, "d", None)
    web = fill(world, 3, namespace="shop")
    member(world, "a", web, namespace="shop")
    member(world, "b", None, namespace="shop")
    submission.reconcile(world.client(), Request("web", "shop"))
    check_active(scenario, world, web, 3)
    check_same(scenario, world, [elsewhere])
    away = [p.name for p in own(world, web) if p.namespace != "shop"]
    scenario.check(not away, got=f"pods of web in another namespace: {', '.join(away)}")
    adopted = any(p.name == "b" for p in own(world, web))
    scenario.check(adopted, got=calls(world.writes()))


@rubric("heal")
def test_heals_again_and_again(submission, scenario, world):
    scenario.given(
        "web, replicas 3; three times over, a pod fails, another is deleted, and the controller restarts"
    )
    scenario.expected("3 active pods after every call")
    scenario.why("Each call starts from what is there. Neither memory nor luck is needed.")
    web = fill(world, 3, "a", "b", "c")
    kubelet = world.client("kubelet")
    for round_ in range(1, 4):
        victim, other = active(world, web)[:2]
        victim.status.phase = "Failed"
        kubelet.update_status(victim)
        kubelet.delete(other)
        submission.restart()
        submission.reconcile(world.client(), WEB)
        check_active(scenario, world, web, 3, f"round {round_}: ")


# --- foreign -------------------------------------------------------------------------------------------------


@rubric("foreign")
def test_foreign_pods_do_not_count(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; 2 pods app=web are controlled by the ReplicaSet canary"
    )
    scenario.expected("2 active pods of web, and canary's as they were")
    scenario.why("A pod has one controller. Labels that match do not make a foreign pod yours.")
    canary = fill(world, 2, name="canary", labels=APP)
    foreign = [member(world, name, canary) for name in ("a", "b")]
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_same(scenario, world, foreign)


@rubric("foreign")
def test_foreign_pods_are_never_deleted(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 0, 2 active pods; 2 pods app=web, not yet scheduled, belong to canary"
    )
    scenario.expected("web's pods deleted, canary's as they were")
    scenario.why("However expendable they look, they are canary's to delete.")
    canary = fill(world, 2, name="canary", labels=APP)
    foreign = [member(world, name, canary, node="", phase="Pending", ready=False) for name in ("0", "1")]
    web = fill(world, 0, "a", "b")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 0)
    check_same(scenario, world, foreign)


@rubric("foreign")
def test_a_namesake_from_the_past_is_foreign(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, just made; 2 pods are controlled by an earlier web, with another uid"
    )
    scenario.expected("2 active pods of today's web, and the old ones as they were")
    scenario.why("Controllers are compared by uid: names are used again, uids are not.")
    earlier = replica_set("web", 2)
    earlier.metadata.uid = "11111111-0000-4000-8000-000000000000"
    old = [member(world, name, earlier) for name in ("a", "b")]
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_same(scenario, world, old)


@rubric("foreign")
def test_foreign_pods_with_other_labels_keep_their_owner(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, no pods; a pod app=api is controlled by the ReplicaSet api")
    scenario.expected("1 active pod of web, and api's as it was")
    scenario.why("Release means giving up your own pods, not everything that does not match.")
    api = fill(world, 1, name="api")
    foreign = member(world, "a", api, labels={"app": "api"})
    web = fill(world, 1)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1)
    check_same(scenario, world, [foreign])


# --- claim ---------------------------------------------------------------------------------------------------


@rubric("claim", needs=HEALS)
def test_a_matching_orphan_is_adopted(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2, 1 active pod; pod b has no controller and the label app=web")
    scenario.expected("b gets an owner reference to web with controller true, and no pod is made")
    scenario.why(
        "An orphan that matches is one of the pods asked for; making another one would be one too many."
    )
    web = fill(world, 2, "a")
    orphan = member(world, "b", None)
    submission.reconcile(world.client(), WEB)
    found = world.get(Pod, "b")
    ref = found.metadata.controller
    fits = ref and (ref.api_version, ref.kind, ref.name, ref.uid) == ("apps/v1", "ReplicaSet", "web", web.uid)
    scenario.check(fits and found.uid == orphan.uid and found.metadata.labels == APP, got=f"b: {ref}")
    check_active(scenario, world, web, 2)


@rubric("claim", needs=HEALS)
def test_adoption_keeps_other_owners(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1, no pods; pod a matches and has an owner that is not its controller"
    )
    scenario.expected("a is adopted and keeps its other owner, and no pod is made")
    scenario.why("An orphan is a pod without a *controller*. Other owners may be there, and stay.")
    backup = fill(world, 0, name="backup")
    orphan = pod("a", labels=APP, node="n1", phase="Running", ready=True)
    orphan.metadata.owner_references = [backup.owner_reference(controller=False)]
    world.add(orphan)
    web = fill(world, 1)
    submission.reconcile(world.client(), WEB)
    owners = {ref.uid for ref in world.get(Pod, "a").metadata.owner_references}
    kept = "kept" if backup.uid in owners else "lost"
    got = f"the other owner {kept}, {'adopted' if web.uid in owners else 'not adopted'}; {calls(world.writes())}"
    scenario.check(owners == {backup.uid, web.uid}, got=got)
    check_active(scenario, world, web, 1)


@rubric("claim", needs=DELETES)
def test_adopted_pods_count_before_the_surplus_is_deleted(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2: pods a and b of its own; orphans c and d match and are not ready"
    )
    scenario.expected("c and d are adopted, then deleted as the least ready of four; a and b stay")
    scenario.why("First settle whose the pods are, then count, then choose among all of them.")
    web = fill(world, 2, "a", "b")
    for name in ("c", "d"):
        member(world, name, None, ready=False)
    submission.reconcile(world.client(), WEB)
    stay = {p.name for p in active(world, web)}
    gone = all((p := world.get(Pod, name)) is None or not p.active for name in ("c", "d"))
    scenario.check(stay == {"a", "b"} and gone, got=calls(world.writes()))


@rubric("claim", needs=HEALS)
def test_orphans_that_are_not_active_stay_orphans(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, no pods; matching orphans: a is Failed, b is being deleted")
    scenario.expected("1 new pod, a and b as they were")
    scenario.why("Nothing is gained by adopting what has ended or is about to.")
    others = [member(world, "a", None, phase="Failed"), member(world, "b", None, deleting=True)]
    web = fill(world, 1)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1)
    check_same(scenario, world, others)


@rubric("claim", needs=HEALS)
def test_orphans_that_match_in_part_stay_orphans(submission, scenario, world):
    scenario.given("ReplicaSet web selects app=web and tier=front, replicas 1; an orphan has only app=web")
    scenario.expected("1 new pod, and the orphan as it was")
    scenario.why("A selector matches when all of it matches.")
    other = member(world, "a", None, labels=APP)
    web = fill(world, 1, labels=APP | {"tier": "front"})
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1)
    check_same(scenario, world, [other])


@rubric("claim", needs=HEALS)
def test_selectors_have_expressions_too(submission, scenario, world):
    scenario.given(
        "ReplicaSet web selects app=web and track in (stable, beta), replicas 3, no pods; orphans: "
        "a with track=beta, b with track=nightly"
    )
    scenario.expected("a is adopted, b is not, and 2 pods are made")
    scenario.why("spec.selector has match_labels and match_expressions; both must hold.")
    wanted = replica_set("web", 3, labels=APP, template=pod_template(APP | {"track": "stable"}))
    expression = LabelSelectorRequirement(key="track", operator="In", values=["stable", "beta"])
    wanted.spec.selector.match_expressions = [expression]
    web = world.add(wanted)
    member(world, "a", None, labels=APP | {"track": "beta"})
    other = member(world, "b", None, labels=APP | {"track": "nightly"})
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)
    scenario.check(any(p.name == "a" for p in own(world, web)), got=f"a not adopted; {calls(world.writes())}")
    check_same(scenario, world, [other])


@rubric("claim", needs=HEALS)
def test_a_pod_whose_labels_changed_is_released(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2: pods a and b; a person relabelled b to app=debug")
    scenario.expected("b runs on without an owner, with its labels; a new pod takes its place")
    scenario.why(
        "Taking the label off is how people pull a pod out to look at it: let it go, and replace it."
    )
    web = fill(world, 2, "a")
    stray = member(world, "b", web, labels={"app": "debug"})
    submission.reconcile(world.client(), WEB)
    found = world.get(Pod, "b")
    released = found is not None and not found.metadata.owner_references
    as_it_was = released and found.metadata.labels == stray.metadata.labels and found.active
    scenario.check(as_it_was, got=calls(world.writes()) if not released else "b changed in other ways too")
    check_active(scenario, world, web, 2)
    check_no_writes(submission, scenario, world)


@rubric("claim", needs=HEALS)
def test_release_keeps_other_owners(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1; its pod a no longer matches, and has two other owners besides"
    )
    scenario.expected("only the reference to web is taken off a")
    scenario.why("What others wrote into the list of owners is theirs.")
    web = fill(world, 1)
    stray = pod("a", labels={"app": "debug"}, node="n1", phase="Running")
    stray.metadata.owner_references = [web.owner_reference()]
    for name, digit in (("archive", "0"), ("backup", "f")):
        other = replica_set(name, 0)
        other.metadata.uid = f"{digit * 8}-0000-4000-8000-000000000000"
        stray.metadata.owner_references.append(world.add(other).owner_reference(controller=False))
    world.add(stray)
    submission.reconcile(world.client(), WEB)
    owners = {ref.name for ref in world.get(Pod, "a").metadata.owner_references}
    scenario.check(owners == {"archive", "backup"}, got=f"owners of a: {', '.join(sorted(owners)) or 'none'}")
    check_active(scenario, world, web, 1)


@rubric("claim", needs=HEALS)
def test_under_deletion_nothing_is_adopted_or_released(submission, scenario, world):
    scenario.given("ReplicaSet web is being deleted; an orphan matches, and a pod of web has been relabelled")
    scenario.expected("neither pod is changed")
    scenario.why(
        "An owner that is going takes nobody in, and leaves its dependents to the garbage collector."
    )
    web = fill_deleting(world, 2, "a")
    others = [member(world, "b", None), member(world, "c", web, labels={"app": "debug"})]
    submission.reconcile(world.client(), WEB)
    check_same(scenario, world, others)


# --- victims -------------------------------------------------------------------------------------------------


def candidate(world: World, owner: ReplicaSet, name: str, about: dict[str, Any]) -> str:
    """Add a pod as described and return the description in words. Ages are in seconds."""
    node, phase = about.get("node", f"node-{name}"), about.get("phase", "Running")
    is_ready, age = about.get("ready", False), about.get("age", 100 * DAY)
    cost, restarts = about.get("cost"), about.get("restarts", [])
    made = Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=about.get("uid", f"uid-of-{name}"),
            labels=APP,
            annotations={} if cost is None else {COST: cost},
            owner_references=[owner.owner_reference()],
            creation_timestamp=EPOCH - timedelta(seconds=age),
        ),
        spec=PodSpec(node_name=node),
        status=PodStatus(
            phase=phase,
            container_statuses=[
                ContainerStatus(name=f"c{i}", restart_count=count) for i, count in enumerate(restarts)
            ],
        ),
    )
    scheduled = EPOCH - timedelta(seconds=about.get("scheduled", 50 * DAY))
    made.status.conditions = [
        PodCondition(type="PodScheduled", status="True", last_transition_time=scheduled)
    ]
    ready = PodCondition(type="Ready", status="False" if is_ready is False else "True")
    seconds = about.get("unready", None if is_ready is False else is_ready)
    ready.last_transition_time = None if seconds is None else EPOCH - timedelta(seconds=seconds)
    made.status.conditions.append(ready)
    world.add(made)

    words = [phase, f"on {node}" if about.get("node") else "" if node else "without a node"]
    if is_ready is not False:
        words.append("ready, not known since when" if is_ready is None else f"ready for {span(is_ready)}")
    else:
        words.append(f"not ready for {span(about['unready'])}" if "unready" in about else "not ready")
    words.append(f"cost {cost!r}" if cost is not None else "")
    words.append(f"restarts {restarts}" if restarts else "")
    words.append(f"made {span(age)} ago" if "age" in about else "")
    words.append(f"uid {about['uid']}" if "uid" in about else "")
    return f"{name}: {', '.join(filter(None, words))}"


def span(seconds: float) -> str:
    for name, size in (("days", DAY), ("h", HOUR), ("min", MINUTE)):
        if seconds and seconds % size == 0:
            return f"{seconds // size:g} {name}"
    return f"{seconds:g} s"


def check_victims(
    submission: Any, scenario: Any, why: str, first: dict[str, Any], second: dict[str, Any], **fields: Any
) -> None:
    """Of two pods, ``first`` has to go, whichever of them sorts first by name and uid."""
    for one, other in (("a", "b"), ("b", "a")):
        choose(submission, scenario, why, {one: first | fields, other: second | fields}, {one})


def choose(
    submission: Any, scenario: Any, why: str, pods: dict[str, dict[str, Any]], victims: set[str]
) -> None:
    """Scale a ReplicaSet down by as many pods as there should be victims, and see which ones go."""
    world = World()
    web = fill(world, len(pods) - len(victims))
    described = [candidate(world, web, name, about) for name, about in sorted(pods.items())]
    scenario.given(f"ReplicaSet web, replicas {len(pods) - len(victims)}; {'; '.join(described)}")
    scenario.expected(f"{chosen(victims, pods)} deleted")
    scenario.why(why)
    submission.reconcile(world.client(), WEB)
    gone = set(pods) - {p.name for p in active(world, web)}
    scenario.check(gone == victims, got=f"{chosen(gone, pods)} deleted")


def chosen(names: set[str], pods: dict[str, Any]) -> str:
    stay = set(pods) - names
    if len(names) > 3 and len(stay) < len(names):
        return f"all but {' and '.join(sorted(stay))}"
    return " and ".join(sorted(names)) or "nothing"


@rubric("victims", needs=DELETES)
def test_unscheduled_pods_go_first(submission, scenario):
    check_victims(
        submission,
        scenario,
        "A pod without a node serves nobody yet. This comes before everything else, deletion cost included.",
        {"node": "", "phase": "Pending", "cost": "100"},
        {"node": "n1", "phase": "Pending", "cost": "-100", "age": 1},
    )


@rubric("victims", needs=DELETES)
def test_pending_goes_before_running(submission, scenario):
    why = "Pending goes before Unknown, and Unknown before Running, whatever else is true of them."
    for first, second in (("Pending", "Unknown"), ("Unknown", "Running"), ("Pending", "Running")):
        check_victims(submission, scenario, why, {"phase": first, "cost": "7"}, {"phase": second, "age": 1})


@rubric("victims", needs=DELETES)
def test_unready_pods_go_before_ready_ones(submission, scenario):
    why = "A pod that is not ready serves nobody; its cost does not matter before that."
    check_victims(submission, scenario, why, {"cost": "50"}, {"ready": 10, "age": 10, "restarts": [9]})


@rubric("victims", needs=DELETES)
def test_the_lower_deletion_cost_goes_first(submission, scenario):
    why = "The lower cost goes first: a number, 0 if there is no annotation. It comes before the crowd on the node."
    check_victims(submission, scenario, why, {"cost": "-1", "ready": 9 * HOUR}, {"ready": 5, "age": 5})
    check_victims(submission, scenario, why, {"ready": 9 * HOUR}, {"cost": "1", "ready": 5, "age": 5})
    check_victims(submission, scenario, why, {"cost": "9", "ready": 9 * HOUR}, {"cost": "10", "ready": 5})
    pods = {
        "a": {"node": "n1", "cost": "2"},
        "b": {"node": "n1", "cost": "2"},
        "c": {"node": "n2", "cost": "1"},
    }
    choose(submission, scenario, why, pods, {"c"})


@rubric("victims", needs=DELETES)
def test_a_cost_that_is_no_number_is_zero(submission, scenario):
    why = 'A cost is a 32-bit integer as one writes it: no "+", no leading zeros, no blanks. Anything else counts as 0.'
    above = ("+5", "008", "high", "", " 5", "5 ", "5.0", "1_0", "2147483648", "99999999999")
    odd = {f"odd-{i}": {"cost": cost, "ready": 9 * HOUR} for i, cost in enumerate(above)}
    choose(submission, scenario, why, odd | {"plain": {"cost": "1", "ready": 5}}, set(odd))
    below = ("-2147483649", "- 1", "-", "--2")
    odd = {f"odd-{i}": {"cost": cost, "ready": 5} for i, cost in enumerate(below)}
    choose(submission, scenario, why, odd | {"plain": {"cost": "-1", "ready": 9 * HOUR}}, {"plain"})


@rubric("victims", needs=DELETES)
def test_the_limits_of_a_cost(submission, scenario):
    why = "A 32-bit integer reaches from -2147483648 to 2147483647, both included."
    lowest = {"x": {"cost": "-2147483648", "ready": 9 * HOUR}, "y": {"cost": "-2147483647", "ready": 5}}
    choose(submission, scenario, why, lowest, {"x"})
    highest = {"x": {"cost": "2147483647", "ready": 5}, "y": {"cost": "2147483646", "ready": 9 * HOUR}}
    choose(submission, scenario, why, highest, {"y"})


@rubric("victims", needs=DELETES)
def test_the_crowded_node_gives_first(submission, scenario):
    why = "With more active pods of web on one node, that node gives first: it spreads what is left."
    pods = {
        "a": {"node": "n2", "ready": 5},
        "b": {"node": "n1", "ready": 9 * HOUR},
        "c": {"node": "n1", "ready": 30 * DAY},
    }
    choose(submission, scenario, why, pods, {"b"})


@rubric("victims", needs=DELETES)
def test_only_active_pods_make_a_crowd(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2; a and b on n1, ready for 9 h; c on n2, ready for 5 s, with 3 pods there that "
        "are Failed or being deleted"
    )
    scenario.expected("a or b deleted")
    scenario.why("A node is as crowded as its active pods of web are many: n1 has 2, n2 has 1.")
    web = fill(world, 2)
    for name, node, ready in (("a", "n1", 9 * HOUR), ("b", "n1", 9 * HOUR), ("c", "n2", 5)):
        candidate(world, web, name, {"node": node, "ready": ready})
    member(world, "x", web, node="n2", phase="Failed")
    member(world, "y", web, node="n2", deleting=True)
    member(world, "z", web, node="n2", deleting=True)
    submission.reconcile(world.client(), WEB)
    stay = {p.name for p in active(world, web)}
    scenario.check(stay in ({"a", "c"}, {"b", "c"}), got=f"{listed(active(world, web))} left")


@rubric("victims", needs=DELETES)
def test_the_crowd_is_counted_once(submission, scenario):
    why = (
        "The order is made once, from the pods as they are: 3 on n1, 2 on n2; not again after each deletion."
    )
    pods = {
        "a": {"node": "n1", "ready": 30 * DAY, "age": 40 * DAY},
        "b": {"node": "n1", "ready": 9 * HOUR, "age": 10 * HOUR},
        "c": {"node": "n1", "ready": 3 * HOUR, "age": 4 * HOUR},
        "d": {"node": "n2", "ready": 5, "age": 10},
        "e": {"node": "n2", "ready": 50, "age": 100},
    }
    choose(submission, scenario, why, pods, {"b", "c"})


@rubric("victims", needs=DELETES)
def test_the_shorter_ready_goes_first(submission, scenario):
    why = "The pod that became ready last goes first; restarts and creation come after that."
    check_victims(
        submission,
        scenario,
        why,
        {"ready": 2 * HOUR, "age": 90 * DAY},
        {"ready": 5 * HOUR, "age": 6 * HOUR, "restarts": [8]},
    )
    check_victims(
        submission, scenario, why, {"ready": 0, "age": 90 * DAY}, {"ready": 1, "age": 2, "restarts": [8]}
    )


@rubric("victims", needs=DELETES)
def test_ready_without_a_time_goes_first(submission, scenario):
    why = "A Ready condition without a time goes before one with a time."
    check_victims(
        submission, scenario, why, {"ready": None, "age": 90 * DAY}, {"ready": 0, "age": 5, "restarts": [8]}
    )


@rubric("victims", needs=DELETES)
def test_ages_are_compared_by_powers_of_two(submission, scenario):
    why = (
        "Both ages lie between 2**44 and 2**45 nanoseconds (4 h 53 min to 9 h 46 min): the smaller uid goes first, and "
        "nothing after that is looked at."
    )
    old, young = {"ready": 8 * HOUR, "age": 90 * DAY}, {"ready": 5 * HOUR, "age": 6 * HOUR, "restarts": [8]}
    choose(submission, scenario, why, {"x": old | {"uid": "1"}, "y": young | {"uid": "2"}}, {"x"})
    choose(submission, scenario, why, {"x": old | {"uid": "2"}, "y": young | {"uid": "1"}}, {"y"})


@rubric("victims", needs=DELETES)
def test_the_uid_decides_within_one_power_only(submission, scenario):
    why = "2 h are 2**42 nanoseconds, 5 h are 2**44: different powers of two, so the uids are not asked."
    for one, other in (("1", "2"), ("2", "1")):
        check_victims(
            submission, scenario, why, {"ready": 2 * HOUR, "uid": one}, {"ready": 5 * HOUR, "uid": other}
        )


@rubric("victims", needs=DELETES)
def test_the_edge_between_two_powers(submission, scenario):
    why = "2**44 nanoseconds are 17592.19 s: one age lies below, the other above, so the younger goes first."
    check_victims(
        submission, scenario, why, {"ready": 17590, "age": 90 * DAY}, {"ready": 17595, "age": 90 * DAY}
    )
    why = "2**34 nanoseconds are 17.18 s: one age lies below, the other above, so the younger goes first."
    check_victims(submission, scenario, why, {"ready": 17, "age": 90 * DAY}, {"ready": 18, "age": 90 * DAY})


@rubric("victims", needs=DELETES)
def test_fractions_of_a_second_count(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1; a has been ready for 17592.186045 s, b for 17591.186045 s: the times in the "
        "conditions are whole seconds, the clock is not"
    )
    scenario.expected("b deleted")
    scenario.why(
        "2**44 nanoseconds are 17592.186044416 s: a is older than that, b is not, so b is the younger."
    )
    web = fill(world, 1)
    for name, ready in (("a", 17592), ("b", 17591)):
        candidate(world, web, name, {"ready": ready})
    world.advance(0.186045)
    submission.reconcile(world.client(), WEB)
    scenario.check([p.name for p in active(world, web)] == ["a"], got=f"{listed(active(world, web))} left")


@rubric("victims", needs=DELETES)
def test_more_restarts_go_first(submission, scenario):
    why = "Equally ready: the pod whose container restarted most goes first, before the younger one."
    check_victims(
        submission, scenario, why, {"restarts": [3], "age": 90 * DAY}, {"restarts": [2], "age": 1}, ready=HOUR
    )
    check_victims(submission, scenario, why, {"restarts": [1], "age": 90 * DAY}, {"age": 1})
    why = "Containers that nothing is known about yet have not restarted, as if it said 0: the younger goes first."
    waiting, pulling = {"age": 1}, {"restarts": [0], "age": 90 * DAY}
    check_victims(submission, scenario, why, waiting, pulling, phase="Pending")


@rubric("victims", needs=DELETES)
def test_how_long_a_pod_was_unready_does_not_matter(submission, scenario):
    why = "Only pods that are ready are compared by their ready times. For others restarts are next."
    check_victims(
        submission, scenario, why, {"restarts": [3], "unready": 9 * DAY}, {"restarts": [2], "unready": 5}
    )


@rubric("victims", needs=DELETES)
def test_the_time_of_the_ready_condition_counts(submission, scenario):
    why = "A pod has several conditions, each with a time of its own: the one of type Ready counts."
    check_victims(
        submission, scenario, why, {"ready": HOUR, "scheduled": 90 * DAY}, {"ready": 40 * DAY, "scheduled": 5}
    )


@rubric("victims", needs=DELETES)
def test_restarts_are_those_of_the_worst_container(submission, scenario):
    why = "The container with the most restarts decides, not the sum: 4 against 3 and 3."
    check_victims(
        submission,
        scenario,
        why,
        {"restarts": [1, 4], "age": 90 * DAY},
        {"restarts": [3, 3], "age": 1},
        ready=HOUR,
    )


@rubric("victims", needs=DELETES)
def test_the_younger_goes_first(submission, scenario):
    why = "Nothing else tells them apart: the pod made last goes first."
    check_victims(submission, scenario, why, {"age": 2 * HOUR}, {"age": 5 * HOUR})
    check_victims(submission, scenario, why, {"age": 2 * HOUR}, {"age": 5 * HOUR}, ready=HOUR)
    check_victims(submission, scenario, why, {"age": 2 * HOUR}, {"age": 5 * HOUR}, node="", phase="Pending")


@rubric("victims", needs=DELETES)
def test_creation_is_compared_by_powers_of_two(submission, scenario):
    why = "Both ages lie between 2**44 and 2**45 nanoseconds (4 h 53 min to 9 h 46 min): the smaller uid goes first."
    for one, other in (("1", "2"), ("2", "1")):
        pods = {"x": {"age": 8 * HOUR, "uid": one}, "y": {"age": 5 * HOUR, "uid": other}}
        choose(submission, scenario, why, pods, {"x" if one < other else "y"})


@rubric("victims", needs=HEALS)
def test_pods_made_at_this_very_moment(submission, scenario, world):
    scenario.given("web was brought to 4 pods just now, and is scaled down to 2 at the same moment")
    scenario.expected("2 active pods")
    scenario.why("An age of zero is the youngest of all. It has no logarithm, so it needs a thought.")
    web = fill(world, 4)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 4, "after the first call: ")
    found = world.get(ReplicaSet, "web")
    found.spec.replicas = 2
    world.client("person").update(found)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)


@rubric("victims", needs=DELETES)
def test_a_clock_that_is_behind(submission, scenario):
    why = "A time in the future (clocks differ) counts as an age of zero or less: the youngest of all."
    check_victims(submission, scenario, why, {"age": -90}, {"age": 1})
    why = "Zero and below are one power, -1: the smaller uid goes first."
    for one, other in (("1", "2"), ("2", "1")):
        pods = {"x": {"age": -90, "uid": one}, "y": {"age": 0, "uid": other}}
        choose(submission, scenario, why, pods, {"x" if one < other else "y"})


@rubric("victims", needs=DELETES)
def test_a_mixed_crowd(submission, scenario):
    pods = {
        "a": {"ready": 20 * DAY, "age": 30 * DAY, "node": "n1"},
        "b": {"ready": 2 * HOUR, "age": 30 * DAY, "node": "n2"},
        "c": {"node": "", "phase": "Pending", "age": DAY},
        "d": {"node": "n3", "phase": "Pending", "age": 90 * DAY},
        "e": {"node": "n3", "age": 90 * DAY},
        "f": {"ready": 9 * DAY, "age": 30 * DAY, "node": "n1"},
        "g": {"ready": 8 * HOUR, "age": 30 * DAY, "node": "n4", "cost": "-5"},
        "h": {"ready": 60, "age": 30 * DAY, "node": "n5", "cost": "5"},
    }
    order = "cdegfabh"
    why = "The first rule in which two pods differ decides: node, phase, ready, cost, crowd, ready time, restarts, age."
    for count in range(1, len(pods)):
        choose(submission, scenario, why, pods, set(order[:count]))


# --- errors --------------------------------------------------------------------------------------------------


@rubric("errors", needs=HEALS)
def test_too_many_requests_is_a_requeue(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3, no pods; the server answers the first create with TooManyRequests"
    )
    scenario.expected("no crash; requeue_after asks for another call, which brings web to 3 active pods")
    scenario.why("The server asks for patience: come back later instead of failing or insisting.")
    web = fill(world, 3)
    world.faults.fail(TooManyRequests("slow down"), "create", Pod, times=100)
    check_asks_again(scenario, submission.reconcile(world.client(), WEB))
    world.faults.clear()
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)


@rubric("errors", needs=HEALS)
def test_the_servers_patience_is_respected(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1, no pods; TooManyRequests with retry_after 17 s, whatever is asked"
    )
    scenario.expected("requeue_after of at least 17 seconds")
    scenario.why("The answer says when it makes sense to come back: error.retry_after.")
    fill(world, 1)
    error = TooManyRequests("slow down", details={"retryAfterSeconds": 17})
    world.faults.fail(error, times=1000)
    check_asks_again(scenario, submission.reconcile(world.client(), WEB), at_least=17)


@rubric("errors", needs=HEALS)
def test_a_create_that_fails_midway(submission, scenario, world):
    scenario.given(
        "web, replicas 5, no pods; the third create is refused with ServerTimeout; then one more call"
    )
    scenario.expected(
        "requeue_after from the first call, exactly 5 active pods after the second, nothing deleted"
    )
    scenario.why("What was made before the failure counts: the next call makes only what is still missing.")
    web = fill(world, 5)
    world.faults.fail(ServerTimeout("try again"), "create", Pod, nth=3, times=100)
    check_asks_again(scenario, submission.reconcile(world.client(), WEB))
    world.faults.clear()
    made = len(own(world, web))
    scenario.check(
        made == 2, got=f"{made} pods after the first call", expected="the 2 pods that were made stay"
    )
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 5)
    deleted = [w for w in world.writes() if w.verb == "delete"]
    scenario.check(not deleted, got=calls(deleted))


@rubric("errors", needs=HEALS)
def test_a_create_whose_answer_is_lost(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3, no pods; the second create works, but its answer is lost: ServerTimeout; then "
        "one more call"
    )
    scenario.expected("never more than 3 pods, and exactly 3 active ones after the second call")
    scenario.why(
        "After a ServerTimeout the write may or may not have happened. Look again before you repeat it."
    )
    web = fill(world, 3)
    world.faults.fail_after(ServerTimeout("no answer in time"), "create", Pod, nth=2)
    submission.reconcile(world.client(), WEB)
    made = len(own(world, web))
    scenario.check(made <= 3, got=f"{made} pods after the first call")
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 3)
    scenario.check(len(own(world, web)) == 3, got=f"{len(own(world, web))} pods, some deleted again")


@rubric("errors", needs=HEALS)
def test_reads_are_refused_too(submission, scenario, world):
    web = fill(world, 2, "a")
    for verb, error in (("get", TooManyRequests), ("list", ServerTimeout)):
        scenario.given(
            f"ReplicaSet web, replicas 2, 1 active pod; the server answers {verb} with {error.__name__}"
        )
        scenario.expected("no crash; requeue_after asks for another call, and nothing is written")
        scenario.why("Any call may be refused, reads included. Not knowing is no reason to act.")
        world.faults.fail(error("try again"), verb, times=100)
        check_asks_again(scenario, submission.reconcile(world.client(), WEB))
        scenario.check(not world.writes(), got=calls(world.writes()))
        world.faults.clear()
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)


@rubric("errors", needs=DELETES)
def test_a_delete_that_fails_midway(submission, scenario, world):
    scenario.given(
        "web, replicas 1, 4 active pods; the second delete is refused with TooManyRequests; one more call"
    )
    scenario.expected("requeue_after from the first call; exactly 1 active pod after the second")
    scenario.why(
        "What was deleted before the failure is going; the next call deletes only what is still too much."
    )
    web = fill(world, 1, "a", "b", "c", "d")
    world.faults.fail(TooManyRequests("slow down"), "delete", Pod, nth=2, times=100)
    check_asks_again(scenario, submission.reconcile(world.client(), WEB))
    check_active(scenario, world, web, 3, "after the first call: ")
    world.faults.clear()
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 1)


@rubric("errors", needs=HEALS)
def test_a_restart_after_a_failure(submission, scenario, world):
    scenario.given(
        "web, replicas 4; creates fail from the second on, the controller restarts, and is called again"
    )
    scenario.expected("4 active pods")
    scenario.why("What is half done is in the cluster, and only there.")
    web = fill(world, 4)
    world.faults.fail(ServerTimeout("try again"), "create", Pod, nth=2, times=100)
    submission.reconcile(world.client(), WEB)
    world.faults.clear()
    submission.restart()
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 4)


@rubric("errors", needs=HEALS)
def test_a_status_that_cannot_be_written(submission, scenario, world):
    scenario.given(
        "web, replicas 2, no pods; the status write is answered with ServerTimeout; then one more call"
    )
    scenario.expected("requeue_after from the first call; 2 active pods and a true status after the second")
    scenario.why("The pods are right, the report is not: ask for another call to make up for it.")
    web = fill(world, 2)
    world.faults.fail(ServerTimeout("try again"), "update", ReplicaSet, subresource="status", times=100)
    check_asks_again(scenario, submission.reconcile(world.client(), WEB))
    world.faults.clear()
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 2)
    check_status(scenario, world, web)


@rubric("errors", needs=HEALS)
def test_conflict_on_the_status(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; a person scales it to 4 just before its status is written"
    )
    scenario.expected("no crash; 4 active pods and a true status in the end")
    scenario.why("Conflict: read again and retry, or ask to be called again (rule 7 of kata 01).")
    web = fill(world, 2)
    world.faults.before(lambda: scale(world, 4), "update", ReplicaSet, subresource="status")
    until_done(submission, world)
    check_active(scenario, world, web, 4)
    check_status(scenario, world, web)


def scale(world: World, replicas: int) -> None:
    person = world.client("person")
    web = person.get(ReplicaSet, "web")
    web.spec.replicas = replicas
    person.update(web)


@rubric("errors", needs=("test_a_matching_orphan_is_adopted",))
def test_conflict_on_an_adoption(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1; the kubelet changes the matching orphan just before it is adopted"
    )
    scenario.expected("no crash; the orphan is adopted in the end, and no pod is made beside it")
    scenario.why(
        "The orphan was read before the other write. It is still an orphan, so look again and adopt it then."
    )
    web = fill(world, 1)
    member(world, "a", None)
    world.faults.before(lambda: touch(world, "a"), "update", Pod, name="a")
    until_done(submission, world)
    names = [p.name for p in active(world, web)]
    made = [w for w in world.writes() if w.verb == "create"]
    scenario.check(names == ["a"] and not made, got=f"{listed(active(world, web))}; {calls(world.writes())}")
    note = world.get(Pod, "a").metadata.annotations
    scenario.check(note == {"seen": "yes"}, got="the other writer's change was overwritten")


def touch(world: World, name: str) -> None:
    kubelet = world.client("kubelet")
    found = kubelet.get(Pod, name)
    found.metadata.annotations = {"seen": "yes"}
    kubelet.update(found)


@rubric("errors", needs=("test_a_matching_orphan_is_adopted",))
def test_somebody_else_adopts_first(submission, scenario, world):
    scenario.given("ReplicaSets web and canary select app=web; canary adopts the orphan just before web does")
    scenario.expected("the orphan stays canary's, and web makes a pod of its own")
    scenario.why(
        "An adoption that fails with Conflict has to be thought over, not repeated: a pod has one controller."
    )
    canary, web = fill(world, 1, name="canary", labels=APP), fill(world, 1)
    member(world, "a", None)
    world.faults.before(lambda: take(world, "a", canary), "update", Pod, name="a")
    until_done(submission, world)
    owners = [ref.name for ref in world.get(Pod, "a").metadata.owner_references]
    scenario.check(owners == ["canary"], got=f"owners of the orphan: {owners}")
    check_active(scenario, world, web, 1)


def take(world: World, name: str, owner: ReplicaSet) -> None:
    rival = world.client("rival")
    found = rival.get(Pod, name)
    found.metadata.owner_references = [owner.owner_reference()]
    rival.update(found)


@rubric("errors", needs=("test_a_matching_orphan_is_adopted",))
def test_an_orphan_that_goes_before_it_is_adopted(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, 1 active pod; the matching orphan is deleted just before it is adopted"
    )
    scenario.expected(
        "no crash; 2 active pods, after this call or after another one that requeue_after asks for"
    )
    scenario.why("NotFound: the pod is gone, so it does not count. Nothing else is wrong.")
    web = fill(world, 2, "a")
    member(world, "b", None, node="", phase="Pending", ready=False)
    world.faults.before(lambda: world.client("person").delete(Pod, "b"), "update", Pod, name="b")
    result = submission.reconcile(world.client(), WEB)
    if result.requeue_after is not None:
        until_done(submission, world)
    check_active(scenario, world, web, 2)
    check_status(scenario, world, web)


@rubric("errors", needs=("test_a_pod_whose_labels_changed_is_released",))
def test_a_stray_that_goes_before_it_is_released(submission, scenario, world):
    scenario.given(
        "web, replicas 2, 1 active pod; its relabelled pod b is deleted just before it is released"
    )
    scenario.expected(
        "no crash; 2 active pods, after this call or after another one that requeue_after asks for"
    )
    scenario.why("NotFound: the pod is gone, and with it the reference. Go on.")
    web = fill(world, 2, "a")
    member(world, "b", web, labels={"app": "debug"}, node="", phase="Pending", ready=False)
    world.faults.before(lambda: world.client("person").delete(Pod, "b"), "update", Pod, name="b")
    result = submission.reconcile(world.client(), WEB)
    if result.requeue_after is not None:
        until_done(submission, world)
    check_active(scenario, world, web, 2)


@rubric("errors", needs=DELETES)
def test_a_pod_that_somebody_else_deleted_first(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 0, pods a, b and c; b is gone just before the first delete")
    scenario.expected("no crash, no active pods, and a status that says 0")
    scenario.why("NotFound when deleting means that the pod is gone, as it should be: go on with the rest.")
    web = fill(world, 0, "a", "b", "c")
    person = world.client("person")
    world.faults.before(lambda: person.delete(Pod, "b", grace_period_seconds=0), "delete", Pod)
    submission.reconcile(world.client(), WEB)
    check_active(scenario, world, web, 0)
    check_status(scenario, world, web)
