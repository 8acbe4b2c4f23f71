"""Hidden tests of kata 01."""

from typing import Any

from kubekata import Namespace, ObjectMeta, Pod, ReplicaSet, Request, Result
from kubekata.grading.hidden import rubric
from kubekata.testing import World, pod, pod_template, replica_set

WORKS = ("test_makes_the_missing_pods",)
DELETES = ("test_deletes_the_surplus",)
WEB = Request("web")


def fill(
    world: World, replicas: int, pods: int = 0, *, ready: int = 0, name: str = "web", **spec: Any
) -> ReplicaSet:
    """Put a ReplicaSet in place with some pods of its own, and a status that tells the truth about them."""
    wanted = replica_set(name, replicas, **spec)
    wanted.status.replicas, wanted.status.ready_replicas = pods, ready
    owner = world.add(wanted)
    for number in range(pods):
        own_pod(world, owner, f"{name}-{'abcdefghij'[number]}", ready=number < ready)
    return owner


def own_pod(world: World, owner: ReplicaSet, name: str, *, ready: bool = False) -> Pod:
    """Add a pod that belongs to a ReplicaSet."""
    labels = owner.spec.selector.match_labels
    return world.add(pod(name, labels=labels, owner=owner, ready=ready, namespace=owner.namespace))


def own(world: World, owner: ReplicaSet) -> list[Pod]:
    return [p for p in world.list(Pod) if any(ref.uid == owner.uid for ref in p.metadata.owner_references)]


def names(pods: list[Pod]) -> str:
    if not pods:
        return "no pods"
    listed = ", ".join(p.name for p in pods[:8]) + (", …" if len(pods) > 8 else "")
    return f"{count_of(len(pods))} ({listed})"


def count_of(number: int) -> str:
    return "1 pod" if number == 1 else f"{number} pods"


def calls(writes: list[Any]) -> str:
    return ", ".join(str(write) for write in writes) or "no writes"


def check_count(scenario: Any, world: World, owner: ReplicaSet, wanted: int, when: str = "") -> None:
    pods = own(world, owner)
    scenario.check(len(pods) == wanted, got=f"{when}{owner.name} owns {names(pods)}")


def check_status(scenario: Any, world: World, owner: ReplicaSet, when: str = "") -> None:
    """The status must tell how many pods there are, and how many of them are ready."""
    pods = own(world, owner)
    ready = sum(p.ready for p in pods)
    found = world.get(ReplicaSet, owner.name, owner.namespace)
    assert found is not None
    status = found.status
    got = f"{when}replicas {status.replicas}, ready_replicas {status.ready_replicas}; there are "
    got += f"{count_of(len(pods))}, {ready} of them ready"
    scenario.check((status.replicas, status.ready_replicas) == (len(pods), ready), got=got)


def call_again_writes_nothing(
    submission: Any, scenario: Any, world: World, request: Request = WEB, call: str = "the second call"
) -> Any:
    before = len(world.log)
    result = submission.reconcile(world.client(), request)
    writes = world.writes(since=before)
    scenario.check(not writes, got=f"{call} wrote: {calls(writes)}")
    return result


# --- converge ------------------------------------------------------------------------------------------------


@rubric("converge")
def test_makes_the_missing_pods(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, and no pods")
    scenario.expected("3 pods that web owns")
    scenario.why("The spec says how many pods there should be; reconcile closes the gap.")
    web = fill(world, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3)


@rubric("converge")
def test_makes_only_what_is_missing(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 5, and 2 pods: web-a, web-b")
    scenario.expected("5 pods: web-a and web-b stay, 3 are made")
    scenario.why("Write only the difference between what there is and what there should be.")
    web = fill(world, 5, 2)
    old = {p.uid for p in own(world, web)}
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 5)
    writes = [w for w in world.writes() if w.kind == "Pod"]
    stayed = old <= {p.uid for p in own(world, web)}
    scenario.check(stayed and len(writes) == 3, got=calls(writes))


@rubric("converge")
def test_deletes_the_surplus(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2, and 5 pods")
    scenario.expected("2 pods")
    scenario.why("More pods than the spec asks for are too many: delete the difference.")
    web = fill(world, 2, 5)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)


@rubric("converge")
def test_deletes_only_the_surplus(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, and 4 pods")
    scenario.expected("1 pod deleted, the other 3 left as they are")
    scenario.why("A pod that may stay is serving somebody: deleting and remaking it is an outage.")
    web = fill(world, 3, 4)
    old = {p.uid for p in own(world, web)}
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3)
    writes = [w for w in world.writes() if w.kind == "Pod"]
    stayed = {p.uid for p in own(world, web)} <= old
    scenario.check(stayed and len(writes) == 1, got=calls(writes))


@rubric("converge")
def test_one_is_a_number_too(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, and no pods")
    scenario.expected("1 pod")
    scenario.why("The gap is 1 - 0 = 1.")
    web = fill(world, 1)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 1)


@rubric("converge")
def test_down_to_zero(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 0, and 3 pods")
    scenario.expected("no pods")
    scenario.why("0 is a number of replicas like any other. It does not mean that none was given.")
    web = fill(world, 0, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 0)


@rubric("converge", needs=WORKS)
def test_zero_wanted_and_zero_there(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 0, and no pods")
    scenario.expected("no pods, and nothing written")
    scenario.why("Nothing is missing and nothing is too many.")
    web = fill(world, 0)
    call_again_writes_nothing(submission, scenario, world, call="the call")
    check_count(scenario, world, web, 0)


@rubric("converge", needs=WORKS)
def test_already_there(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, its 3 pods, and a status that says so")
    scenario.expected("nothing is written")
    scenario.why("The world is as it should be, even if somebody else brought it there.")
    fill(world, 3, 3, ready=1)
    call_again_writes_nothing(submission, scenario, world, call="the call")


@rubric("converge")
def test_follows_every_change_of_the_spec(submission, scenario, world):
    scenario.given("ReplicaSet web, scaled to 2, 4, 1 and 3, with one call after each change")
    scenario.expected("2, 4, 1 and 3 pods")
    scenario.why("Each call looks at the spec as it is now; what an earlier call saw does not matter.")
    web = fill(world, 2)
    for replicas in (2, 4, 1, 3):
        scale(world, replicas)
        submission.reconcile(world.client(), WEB)
        check_count(scenario, world, web, replicas, f"scaled to {replicas}: ")


@rubric("converge")
def test_a_pod_deleted_by_hand_comes_back(submission, scenario, world):
    scenario.given(
        "web was brought to 3 pods; then somebody deletes one by hand, and reconcile is called again"
    )
    scenario.expected("3 pods again")
    scenario.why("Count the pods that are there now. What an earlier call made may be gone.")
    web = fill(world, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3, "after the first call: ")
    world.client("somebody").delete(own(world, web)[1])
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3)


@rubric("converge")
def test_a_pod_added_by_a_second_controller_goes(submission, scenario, world):
    scenario.given(
        "web was brought to 2 pods; then 2 more appear that web owns, and reconcile is called again"
    )
    scenario.expected("2 pods again")
    scenario.why("Count the pods that are there now, whoever made them.")
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2, "after the first call: ")
    for name in ("late-1", "late-2"):
        own_pod(world, web, name)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)


@rubric("converge")
def test_picks_up_where_a_crashed_controller_stopped(submission, scenario, world):
    scenario.given(
        "web was brought to 2 pods, the controller restarts, and web has been scaled to 4 meanwhile"
    )
    scenario.expected("4 pods")
    scenario.why("A restarted controller remembers nothing: all that it needs is in the cluster.")
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    scale(world, 4)
    submission.restart()
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 4)


@rubric("converge")
def test_works_in_the_namespace_of_the_request(submission, scenario, world):
    scenario.given(
        "ReplicaSet web in namespace shop, replicas 3, 1 pod; and another web in namespace default"
    )
    scenario.expected("3 pods in shop, and default left as it was")
    scenario.why(
        "The request names a namespace. The client's calls go to default unless told otherwise, client.list too."
    )
    world.add(Namespace(metadata=ObjectMeta(name="shop")))
    other = fill(world, 1, 2)
    web = fill(world, 3, 1, namespace="shop")
    submission.reconcile(world.client(), Request("web", "shop"))
    found = own(world, web)
    in_place = all(p.namespace == "shop" for p in found)
    scenario.check(
        len(found) == 3 and in_place and len(own(world, other)) == 2,
        got=f"in shop {names(found)}; in default {names(own(world, other))}",
    )


@rubric("converge")
def test_many_pods(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 20, and no pods; then scaled to 7")
    scenario.expected("20 pods, then 7")
    scenario.why("Rule 3 has no limit: one call closes the whole gap.")
    web = fill(world, 20)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 20)
    scale(world, 7)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 7, "scaled to 7: ")


def scale(world: World, replicas: int) -> None:
    """Change spec.replicas, as ``kubectl scale`` does."""
    somebody = world.client("somebody")
    web = somebody.get(ReplicaSet, "web")
    web.spec.replicas = replicas
    somebody.update(web)


# --- idempotent ----------------------------------------------------------------------------------------------


@rubric("idempotent", needs=WORKS)
def test_second_call_writes_nothing_after_scaling_up(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, no pods; reconcile is called twice")
    scenario.expected("the first call makes 3 pods, the second writes nothing")
    scenario.why(
        "After the first call all is as it should be. A write that changes nothing is still a write."
    )
    web = fill(world, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3, "after the first call: ")
    call_again_writes_nothing(submission, scenario, world)


@rubric("idempotent", needs=DELETES)
def test_second_call_writes_nothing_after_scaling_down(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, 4 pods; reconcile is called twice")
    scenario.expected("the first call deletes 3 pods, the second writes nothing")
    scenario.why("After the first call all is as it should be, the status included.")
    web = fill(world, 1, 4)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 1, "after the first call: ")
    call_again_writes_nothing(submission, scenario, world)


@rubric("idempotent", needs=WORKS)
def test_ten_calls_are_like_one(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 4, 2 pods; reconcile is called ten times")
    scenario.expected("the cluster after ten calls is the cluster after one")
    scenario.why("A reconciler is called for any reason or none; only the state of the world may matter.")
    web = fill(world, 4, 2)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 4, "after the first call: ")
    for call in range(2, 11):
        call_again_writes_nothing(submission, scenario, world, call=f"call {call}")


@rubric("idempotent", needs=WORKS)
def test_second_call_after_a_restart_writes_nothing(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 3, no pods; reconcile is called, the controller restarts, and again"
    )
    scenario.expected("3 pods after the first call, and the second writes nothing")
    scenario.why("What is done is to be seen in the cluster, not in the memory of the process that did it.")
    web = fill(world, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3, "after the first call: ")
    submission.restart()
    call_again_writes_nothing(submission, scenario, world, call="the call after the restart")


@rubric("idempotent", needs=WORKS)
def test_two_replica_sets_in_turn(submission, scenario, world):
    scenario.given("ReplicaSets web (2 replicas) and api (1 replica), called in turn: web, api, web, api")
    scenario.expected("2 and 1 pods, and the second round writes nothing")
    scenario.why(
        "Each call is about one ReplicaSet; whatever was done for another one is none of its business."
    )
    web, api = fill(world, 2), fill(world, 1, name="api")
    for request in (WEB, Request("api")):
        submission.reconcile(world.client(), request)
    check_count(scenario, world, web, 2, "web: ")
    check_count(scenario, world, api, 1, "api: ")
    for request in (WEB, Request("api")):
        call = f"the second call for {request.name}"
        call_again_writes_nothing(submission, scenario, world, request, call=call)


@rubric("idempotent", needs=WORKS)
def test_done_is_done(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, no pods; reconcile is called twice")
    scenario.expected("the second call returns Result()")
    scenario.why(
        "requeue_after asks to be called again. Nothing is left to do, so the next change will call."
    )
    fill(world, 3)
    submission.reconcile(world.client(), WEB)
    result = submission.reconcile(world.client(), WEB)
    scenario.check(result == Result(), got=f"{result}")


# --- ownership -----------------------------------------------------------------------------------------------


def stranger(world: World, name: str, owner: ReplicaSet | None, **labels: str) -> Pod:
    return world.add(pod(name, labels=labels or {"app": "web"}, owner=owner))


def untouched(world: World, before: list[Pod]) -> list[str]:
    """Names of the pods that are gone or changed since ``before``."""
    now = {p.uid: p for p in world.list(Pod)}
    return [p.name for p in before if now.get(p.uid) != p]


@rubric("ownership")
def test_pods_of_others_do_not_count(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; 3 pods with web's labels belong to the ReplicaSet canary"
    )
    scenario.expected("2 pods that web owns")
    scenario.why(
        "A pod belongs to the ReplicaSet that its owner reference names by uid. Labels prove nothing."
    )
    web, canary = fill(world, 2), fill(world, 3, name="canary")
    for name in ("canary-1", "canary-2", "canary-3"):
        stranger(world, name, canary)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)


@rubric("ownership", needs=DELETES)
def test_pods_of_others_are_left_alone(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 1, 3 pods; 2 pods with web's labels belong to the ReplicaSet canary"
    )
    scenario.expected("1 pod of web, and both pods of canary as they were")
    scenario.why("Deleting another controller's pod starts a fight: it will make a new one at once.")
    web, canary = fill(world, 1, 3), fill(world, 2, name="canary")
    foreign = [stranger(world, name, canary) for name in ("aaa-1", "zzz-2")]
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 1)
    lost = untouched(world, foreign)
    scenario.check(not lost, got=f"{', '.join(lost)} of canary gone or changed")


@rubric("ownership", needs=DELETES)
def test_labels_do_not_make_a_pod_foreign(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, and 2 pods that it owns; somebody has changed the labels of one"
    )
    scenario.expected("nothing is written")
    scenario.why(
        "Ownership is the owner reference. (What to do about labels that no longer fit comes in kata 02.)"
    )
    web = fill(world, 2, 1)
    stranger(world, "relabelled", web, app="debug")
    world.client("test").update_status(with_status(world, 2))
    call_again_writes_nothing(submission, scenario, world, call="the call")


def with_status(world: World, replicas: int, ready: int = 0) -> ReplicaSet:
    web = world.get(ReplicaSet, "web")
    assert web is not None
    web.status.replicas, web.status.ready_replicas = replicas, ready
    return web


@rubric("ownership")
def test_a_namesake_from_the_past(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, just made; 2 pods still refer to an earlier web, deleted since, by its uid"
    )
    scenario.expected("2 pods with the uid of today's web, and the old ones left to the garbage collector")
    scenario.why("Names are used again, uids are not: compare the uid.")
    earlier = replica_set("web", 2)
    earlier.metadata.uid = "11111111-0000-4000-8000-000000000000"
    old = [stranger(world, name, earlier) for name in ("web-old-1", "web-old-2")]
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)
    lost = untouched(world, old)
    scenario.check(not lost, got=f"{', '.join(lost)} gone or changed")


@rubric("ownership")
def test_pods_without_an_owner(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2, no pods; 2 pods with web's labels have no owner at all")
    scenario.expected("2 pods that web owns, and the others as they were")
    scenario.why("Rule 2: without an owner reference to web a pod is not web's. (Adoption comes in kata 02.)")
    loose = [stranger(world, name, None) for name in ("debug-1", "debug-2")]
    web = fill(world, 2)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)
    lost = untouched(world, loose)
    scenario.check(not lost, got=f"{', '.join(lost)} gone or changed")


@rubric("ownership")
def test_new_pods_name_their_owner(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 1, and no pods")
    scenario.expected(
        "a pod whose owner reference has web's apiVersion, kind, name and uid, and controller true"
    )
    scenario.why("The garbage collector and the next call find the pod by this reference.")
    web = fill(world, 1)
    submission.reconcile(world.client(), WEB)
    pods = world.list(Pod)
    scenario.check(len(pods) == 1, got=names(pods))
    ref = pods[0].metadata.controller
    got = "no owner reference with controller true" if ref is None else f"{ref}"
    named = ref and (ref.api_version, ref.kind, ref.name, ref.uid) == (
        "apps/v1",
        "ReplicaSet",
        "web",
        web.uid,
    )
    scenario.check(named, got=got)


@rubric("ownership")
def test_new_pods_look_like_the_template(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; its template has labels app=web, tier=front and the image shop:7"
    )
    scenario.expected("2 pods with these labels and this image")
    scenario.why(
        "spec.template is the pod that a ReplicaSet makes copies of; the selector is only part of its labels."
    )
    labels = {"app": "web", "tier": "front"}
    template = pod_template(labels, image="shop:7", cpu="250m")
    fill(world, 2, labels={"app": "web"}, template=template)
    submission.reconcile(world.client(), WEB)
    pods = world.list(Pod)
    scenario.check(len(pods) == 2, got=names(pods))
    for made in pods:
        images = [c.image for c in made.spec.containers]
        got = f"{made.name}: labels {made.metadata.labels}, images {images}"
        alike = made.metadata.labels == labels and made.spec.containers == template.spec.containers
        scenario.check(alike, got=got)


@rubric("ownership")
def test_names_that_others_hold(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, no pods; pods of another owner hold the names web-0 to web-3")
    scenario.expected("3 pods that web owns, under names that were free")
    scenario.why("A pod's name is unique in its namespace. With generate_name the server finds a free one.")
    canary = fill(world, 4, name="canary")
    for name in ("web", "web-0", "web-1", "web-2", "web-3"):
        stranger(world, name, canary)
    web = fill(world, 3)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3)


# --- status --------------------------------------------------------------------------------------------------


@rubric("status", needs=WORKS)
def test_status_after_scaling_up(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 4, 1 pod that is ready")
    scenario.expected("status after one call: replicas 4, ready_replicas 1")
    scenario.why("The status tells what is there when the call ends. New pods are there, and not ready yet.")
    web = fill(world, 4, 1, ready=1)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 4)
    check_status(scenario, world, web)


@rubric("status", needs=DELETES)
def test_status_after_scaling_down(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 2, 5 pods, all of them ready")
    scenario.expected("status after one call: replicas 2, ready_replicas 2")
    scenario.why("The status tells what is there when the call ends: deleted pods are not ready any more.")
    web = fill(world, 2, 5, ready=5)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)
    check_status(scenario, world, web)


@rubric("status", needs=DELETES)
def test_status_at_zero(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 0, 2 pods, both ready")
    scenario.expected("status after one call: replicas 0, ready_replicas 0")
    scenario.why("Zero is a number to report like any other.")
    web = fill(world, 0, 2, ready=2)
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)


@rubric("status")
def test_status_corrects_a_lie(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, 3 pods, 2 of them ready; the status says 7 and 1")
    scenario.expected("one write: the status, replicas 3, ready_replicas 2")
    scenario.why("The status is an observation: it is made from the pods, not from what stood there before.")
    web = fill(world, 3, 3, ready=2)
    world.client("test").update_status(with_status(world, 7, 1))
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)
    scenario.check(len(world.writes()) == 1, got=calls(world.writes()))


@rubric("status")
def test_status_when_only_readiness_moved(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, 2 pods; both have just become ready, the status still says 0 ready"
    )
    scenario.expected("status: replicas 2, ready_replicas 2")
    scenario.why("Each of the two numbers has to be right, not only the first.")
    web = fill(world, 2, 2, ready=2)
    world.client("test").update_status(with_status(world, 2, 0))
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)


@rubric("status")
def test_status_when_only_the_count_was_wrong(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, 2 pods, none ready; the status says replicas 0, ready_replicas 0"
    )
    scenario.expected("status: replicas 2, ready_replicas 0")
    scenario.why("Each of the two numbers has to be right, not only the second.")
    web = fill(world, 2, 2)
    world.client("test").update_status(with_status(world, 0, 0))
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)


@rubric("status")
def test_status_is_not_written_when_it_stays_the_same(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, status says 3; one of its pods was deleted by hand")
    scenario.expected("a new pod, and no write of a status that already says so")
    scenario.why(
        "The pods changed and the numbers did not: 3 before, 3 after. Every write wakes all who watch."
    )
    web = fill(world, 3, 3)
    world.client("somebody").delete(own(world, web)[0])
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 3)
    check_status(scenario, world, web)
    empty = [w for w in world.writes() if w.kind == "ReplicaSet" and not w.changed]
    scenario.check(not empty, got=f"a write that changed nothing: {calls(empty)}")


@rubric("status", needs=WORKS)
def test_the_spec_is_not_the_controllers_to_change(submission, scenario, world):
    scenario.given("ReplicaSet web, replicas 3, and 1 pod")
    scenario.expected("only status and pods change; the ReplicaSet's spec and metadata stay")
    scenario.why(
        "Spec is what people want, status is what the controller saw: each side writes its own half."
    )
    web = fill(world, 3, 1)
    submission.reconcile(world.client(), WEB)
    check_status(scenario, world, web)
    found = world.get(ReplicaSet, "web")
    found.metadata.resource_version = web.metadata.resource_version
    scenario.check((found.metadata, found.spec) == (web.metadata, web.spec), got=calls(world.writes()))


# --- races ---------------------------------------------------------------------------------------------------


@rubric("races", needs=WORKS)
def test_a_missing_replica_set_is_success(submission, scenario, world):
    scenario.given(
        "a request for ReplicaSet web, which was deleted before the call; a ReplicaSet api with 2 pods"
    )
    scenario.expected("Result(), and nothing is written")
    scenario.why("Deleted is a state like any other, and there is nothing left to do for it.")
    fill(world, 2, 2, name="api")
    result = call_again_writes_nothing(submission, scenario, world, call="the call")
    scenario.check(result == Result(), got=f"{result}")


@rubric("races", needs=WORKS)
def test_deleted_before_the_status_is_written(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; somebody deletes web just before its status is written"
    )
    scenario.expected("the call ends without an error")
    scenario.why(
        "NotFound on the status means that the ReplicaSet was deleted meanwhile: nothing is left to report."
    )
    fill(world, 2)
    somebody = world.client("somebody")
    world.faults.before(
        lambda: somebody.delete(ReplicaSet, "web"), "update", ReplicaSet, subresource="status"
    )
    submission.reconcile(world.client(), WEB)
    result = submission.reconcile(world.client(), WEB)
    scenario.check(result == Result(), got=f"the next call returned {result}")


@rubric("races", needs=DELETES)
def test_a_pod_that_somebody_else_deleted_first(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 0, pods web-a, web-b, web-c; somebody deletes web-b before reconcile does"
    )
    scenario.expected("no error, no pods left, and a status that says 0")
    scenario.why(
        "NotFound when deleting a pod means that it is gone, which is what was wanted: go on with the rest."
    )
    web = fill(world, 0, 3)
    somebody = world.client("somebody")
    world.faults.before(lambda: somebody.delete(Pod, "web-b"), "delete", Pod)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 0)
    check_status(scenario, world, web)


@rubric("races", needs=WORKS)
def test_conflict_is_asked_for_again_or_retried(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; somebody annotates web just before its status is written"
    )
    scenario.expected("no error; and either the status is right, or requeue_after asks for another call")
    scenario.why(
        "Conflict: the object changed since it was read. Read it again and retry, or ask to be called again."
    )
    web = fill(world, 2)
    world.faults.before(lambda: annotate(world), "update", ReplicaSet, subresource="status")
    result = submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 2)
    found = world.get(ReplicaSet, "web")
    again = result.requeue_after is not None and result.requeue_after > 0
    got = f"{result}, and status.replicas is {found.status.replicas} with 2 pods"
    scenario.check(again or found.status.replicas == 2, got=got)


@rubric("races", needs=WORKS)
def test_conflict_loses_nothing(submission, scenario, world):
    scenario.given(
        "ReplicaSet web, replicas 2, no pods; just before its status is written somebody scales it to 5; "
        "then one more call"
    )
    scenario.expected("5 pods, a status that says 5, and spec.replicas still 5")
    scenario.why("What the other writer wanted counts, and the next look at the world sees it.")
    web = fill(world, 2)
    world.faults.before(lambda: scale(world, 5), "update", ReplicaSet, subresource="status")
    submission.reconcile(world.client(), WEB)
    submission.reconcile(world.client(), WEB)
    check_count(scenario, world, web, 5)
    check_status(scenario, world, web)
    replicas = world.get(ReplicaSet, "web").spec.replicas
    scenario.check(replicas == 5, got=f"spec.replicas {replicas}")


def annotate(world: World) -> None:
    somebody = world.client("somebody")
    web = somebody.get(ReplicaSet, "web")
    web.metadata.annotations = {"team": "checkout"}
    somebody.update(web)
