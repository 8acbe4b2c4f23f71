"""Hidden tests of kata 07."""

import re
from datetime import timedelta
from typing import Any

from kubekata import Conflict, Deployment, Pod, ReplicaSet, Request, ServerTimeout
from kubekata.cluster.scheme import to_manifest
from kubekata.grading.hidden import SubmissionRaised, rubric
from kubekata.testing import EPOCH, World, deployment, node, pod_template, replica_set

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
HASH = "pod-template-hash"
WEB = Request("web")

RECORDS = ("test_first_template_is_revision_1",)
ROLLS_BACK = ("test_back_to_the_previous_revision",)
PRUNES = ("test_the_oldest_go",)


# --- the scene -----------------------------------------------------------------------------------------------


def web(
    world: World,
    image: str = "a:3",
    revision: str | None = "3",
    *,
    replicas: int = 2,
    limit: int = 10,
    paused: bool = False,
    name: str = "web",
    namespace: str = "default",
) -> Deployment:
    """Put a Deployment in place whose rollout is complete."""
    world.ensure_namespace(namespace)
    wanted = deployment(name, replicas, image=image, namespace=namespace)
    wanted.metadata.generation = 4
    wanted.spec.revision_history_limit = limit
    wanted.spec.paused = paused
    if revision is not None:
        wanted.metadata.annotations[REVISION] = revision
    status = wanted.status
    status.observed_generation = 4
    status.replicas = status.updated_replicas = status.ready_replicas = status.available_replicas = replicas
    return world.add(wanted)


def past(
    world: World,
    owner: Deployment | None,
    image: str,
    revision: str | None,
    *,
    name: str,
    age: int = 0,
    replicas: int = 0,
    running: int | None = None,
    observed: int = 2,
    history: str | None = None,
    deleting: bool = False,
    namespace: str = "default",
) -> ReplicaSet:
    """Put a ReplicaSet in place that belongs to a Deployment; ``age`` is in seconds before now."""
    labels = {"app": "web", HASH: name.rpartition("-")[2]}
    template = pod_template(labels, image=image)
    wanted = replica_set(name, replicas, labels=labels, template=template, namespace=namespace)
    metadata = wanted.metadata
    metadata.creation_timestamp = EPOCH - timedelta(seconds=age)
    metadata.generation = 2
    metadata.annotations = {"deployment.kubernetes.io/desired-replicas": "2"}
    if revision is not None:
        metadata.annotations[REVISION] = revision
    if history is not None:
        metadata.annotations[HISTORY] = history
    if owner is not None:
        metadata.owner_references = [owner.owner_reference()]
    if deleting:
        metadata.deletion_timestamp, metadata.finalizers = EPOCH, ["example.com/hold"]
    wanted.status.observed_generation = observed
    wanted.status.replicas = replicas if running is None else running
    return world.add(wanted)


def three_revisions(world: World, **settings: Any) -> Deployment:
    """a:1, a:2 and a:3 as revisions 1 to 3; names and ages are in another order than the revisions."""
    owner = web(world, **settings)
    past(world, owner, "a:1", "1", name="web-kqzdb", age=10)
    past(world, owner, "a:2", "2", name="web-bxwmn", age=30)
    past(world, owner, "a:3", "3", name="web-fghjz", age=20, replicas=2)
    return owner


THREE = "Deployment web runs a:3; revisions: a:1 is 1, a:2 is 2, a:3 is 3"


def image_of(template: Any) -> str:
    return template.spec.containers[0].image


def own(world: World, owner: Deployment) -> list[ReplicaSet]:
    return [rs for rs in world.list(ReplicaSet, owner=owner) if rs.namespace == owner.namespace]


def present(world: World, owner: Deployment) -> Deployment:
    found = world.get(Deployment, owner.name, owner.namespace)
    assert found is not None
    return found


def revisions(world: World, owner: Deployment) -> dict[str, str | None]:
    return {image_of(rs.spec.template): rs.metadata.annotations.get(REVISION) for rs in own(world, owner)}


def listed(numbers: dict[str, str | None]) -> str:
    return ", ".join(f"{image} is {number or 'none'}" for image, number in sorted(numbers.items())) or "none"


def plain(template: Any) -> Any:
    """A template as a manifest, without the hash label."""
    manifest = to_manifest(Deployment())
    holder = Deployment()
    holder.spec.template = template
    manifest = to_manifest(holder)["spec"].get("template", {})
    manifest.get("metadata", {}).get("labels", {}).pop(HASH, None)
    return manifest


def calls(writes: list[Any]) -> str:
    return ", ".join(map(str, writes)) or "no writes"


def wrote_nothing(scenario: Any, world: World, since: int, what: str = "the call") -> None:
    writes = world.writes(since=since)
    scenario.check(not writes, got=f"{what} wrote: {calls(writes)}")


def runs(scenario: Any, world: World, owner: Deployment, image: str, numbers: dict[str, str | None]) -> None:
    """Check which image the Deployment wants, and which revision each image has."""
    found, having = image_of(present(world, owner).spec.template), revisions(world, owner)
    got = f"web runs {found}; revisions: {listed(having)}"
    scenario.check(
        (found, having) == (image, numbers),
        got=got,
        expected=f"web runs {image}; revisions: {listed(numbers)}",
    )
    count = len(own(world, owner))
    scenario.check(count == len(numbers), got=f"{count} ReplicaSets", expected=f"{len(numbers)} ReplicaSets")


def until_done(call: Any, *, tries: int = 4) -> Any:
    """Call again after a refusal of the API server, as a person or a work queue would."""
    for _ in range(tries - 1):
        try:
            return call()
        except SubmissionRaised as raised:
            if raised.type_name not in ("Conflict", "ServerTimeout"):
                raise
    return call()


def roll_back_until_done(
    submission: Any, world: World, owner: Deployment, to_revision: int, image: str
) -> None:
    """Roll back; where a refusal gets through, call again, or let the next sync record what has happened."""

    def next_call() -> None:
        if image_of(present(world, owner).spec.template) == image:
            submission.record_revision(world.client(), WEB)
        else:
            submission.rollback(world.client(), WEB, to_revision)

    until_done(next_call)


# --- record --------------------------------------------------------------------------------------------------


@rubric("record")
def test_first_template_is_revision_1(submission, scenario, world):
    scenario.given("Deployment web with image a:1, no ReplicaSets")
    scenario.expected("answer 1, and one ReplicaSet of a:1 with revision 1")
    scenario.why("Every template is a revision, and counting starts at 1.")
    owner = web(world, "a:1", None)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 1, got=f"answer {answer}")
    runs(scenario, world, owner, "a:1", {"a:1": "1"})


@rubric("record")
def test_new_template_is_the_next_revision(submission, scenario, world):
    scenario.given("web was changed to a:4; revisions: a:1 is 1, a:2 is 2, a:3 is 3")
    scenario.expected("answer 4, and a ReplicaSet of a:4 with revision 4")
    scenario.why("The number is the highest of the others plus 1.")
    owner = three_revisions(world, image="a:4")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    runs(scenario, world, owner, "a:4", {"a:1": "1", "a:2": "2", "a:3": "3", "a:4": "4"})


@rubric("record")
def test_new_replica_set_fits_its_deployment(submission, scenario, world):
    scenario.given("web was changed to a:4, in namespace shop; there is a web in namespace default, too")
    scenario.why(
        "The ReplicaSet is the Deployment's: its pods are the template's, and it starts none by itself."
    )
    three_revisions(world)
    owner = web(world, "a:4", None, namespace="shop", replicas=3)
    submission.record_revision(world.client(), Request("web", "shop"))
    found = own(world, owner)
    scenario.check(
        len(found) == 1, got=f"{len(found)} ReplicaSets", expected="one ReplicaSet, in namespace shop"
    )
    rs = found[0]
    controller = rs.metadata.controller
    scenario.check(
        controller is not None and controller.uid == owner.uid,
        got=f"controller reference {controller}",
        expected="an owner reference to web with controller true",
    )
    scenario.equal(rs.spec.replicas, 0, got=f"replicas {rs.spec.replicas}", expected="replicas 0")
    scenario.check(
        plain(rs.spec.template) == plain(owner.spec.template),
        got=f"template {plain(rs.spec.template)}",
        expected=f"the Deployment's template, {plain(owner.spec.template)}",
    )


@rubric("record")
def test_new_replica_set_selects_its_own_pods_only(submission, scenario, world):
    scenario.given(
        "web was changed to a:4, then to a:5, and recorded each time; revisions a:1 to a:3 were there"
    )
    scenario.expected(f"labels, template labels and selector with app=web and a {HASH} that is nobody else's")
    scenario.why("With the same labels two ReplicaSets would count (and delete) each other's pods.")
    owner = three_revisions(world, image="a:4")
    submission.record_revision(world.client(), WEB)
    change_image(world, "a:5")
    submission.restart()
    submission.record_revision(world.client(), WEB)
    values = [rs.spec.template.metadata.labels.get(HASH) for rs in own(world, owner)]
    scenario.check(len(values) == 5 and len(set(values)) == 5, got=f"{HASH} in the templates: {values}")
    for rs in own(world, owner):
        labels = {"app": "web", HASH: rs.spec.template.metadata.labels[HASH]}
        selected, carried = rs.spec.selector.match_labels, rs.metadata.labels
        scenario.check(selected == labels, got=f"{rs.name} selects {selected}")
        scenario.check(carried == labels, got=f"{rs.name} carries {carried}")
        scenario.check(
            rs.spec.template.metadata.labels == labels, got=f"template {rs.spec.template.metadata}"
        )


def change_image(world: World, image: str) -> None:
    """What a person does with kubectl set image."""
    person = world.client("person")
    found = person.get(Deployment, "web")
    found.spec.template.spec.containers[0].image = image
    person.update(found)


@rubric("record")
def test_an_old_template_again(submission, scenario, world):
    scenario.given("web was changed from a:3 back to a:1; revisions: a:1 is 1, a:2 is 2, a:3 is 3")
    scenario.expected("answer 4; a:1 is revision 4, its history is 1, and no ReplicaSet was made")
    scenario.why("The template has its ReplicaSet already. Used again, it gets the newest number.")
    owner = three_revisions(world, image="a:1")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    runs(scenario, world, owner, "a:1", {"a:1": "4", "a:2": "2", "a:3": "3"})
    found = world.get(ReplicaSet, "web-kqzdb").metadata.annotations.get(HISTORY)
    scenario.equal(found, "1", got=f"history {found}", expected="history 1")


@rubric("record", needs=RECORDS)
def test_the_newest_keeps_its_number(submission, scenario, world):
    scenario.given("web runs a:3, which is revision 7; a:1 is 1, a:2 is 4")
    scenario.expected("answer 7, nothing written")
    scenario.why("A ReplicaSet that is above all old ones keeps its number, gaps or not.")
    owner = web(world, "a:3", "7")
    past(world, owner, "a:1", "1", name="web-kqzdb")
    past(world, owner, "a:2", "4", name="web-bxwmn")
    past(world, owner, "a:3", "7", name="web-fghjz", replicas=2)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 7, got=f"answer {answer}")
    wrote_nothing(scenario, world, 0)


@rubric("record")
def test_two_with_the_same_number(submission, scenario, world):
    scenario.given("web runs a:3, which is revision 3; so is a:2")
    scenario.expected("answer 4; a:3 is revision 4 with history 1,3")
    scenario.why("The current one has to be above all others, not level with one.")
    owner = web(world, "a:3", "3")
    past(world, owner, "a:2", "3", name="web-bxwmn")
    past(world, owner, "a:3", "3", name="web-fghjz", replicas=2, history="1")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    runs(scenario, world, owner, "a:3", {"a:2": "3", "a:3": "4"})
    found = world.get(ReplicaSet, "web-fghjz").metadata.annotations.get(HISTORY)
    scenario.equal(found, "1,3", got=f"history {found}")


@rubric("record")
def test_a_replica_set_without_a_number(submission, scenario, world):
    scenario.given("web runs a:1, whose ReplicaSet has no revision yet")
    scenario.expected("answer 1; revision 1, and no history: there was no number before")
    scenario.why("Without the annotation a ReplicaSet is revision 0; there is nothing to remember.")
    owner = web(world, "a:1", None)
    past(world, owner, "a:1", None, name="web-kqzdb", replicas=2)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 1, got=f"answer {answer}")
    runs(scenario, world, owner, "a:1", {"a:1": "1"})
    found = world.get(ReplicaSet, "web-kqzdb").metadata.annotations
    scenario.check(HISTORY not in found, got=f"history {found.get(HISTORY)!r}")


@rubric("record")
def test_numbers_that_are_none(submission, scenario, world):
    scenario.given("web was changed to a:9; revisions: a:1 is 1, a:2 is 'abc', a:3 has none")
    scenario.expected("answer 2")
    scenario.why("What is not a whole number is no revision, and none at all is 0.")
    owner = web(world, "a:9", "1")
    past(world, owner, "a:1", "1", name="web-kqzdb")
    past(world, owner, "a:2", "abc", name="web-bxwmn")
    past(world, owner, "a:3", None, name="web-fghjz")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 2, got=f"answer {answer}")
    scenario.given("web was changed to a:9; revisions: a:2 is 'abc', a:3 has none")
    scenario.expected("answer 1")
    world = World()
    owner = web(world, "a:9", None)
    past(world, owner, "a:2", "abc", name="web-bxwmn")
    past(world, owner, "a:3", None, name="web-fghjz")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 1, got=f"answer {answer}")


@rubric("record")
def test_a_number_that_is_none_on_the_current_one(submission, scenario, world):
    scenario.given("web runs a:3, whose ReplicaSet says 'abc'; a:2 is 6")
    scenario.expected("answer 7; a:3 is revision 7")
    scenario.why(
        "What is not a whole number is no revision, so the current ReplicaSet is not above the others."
    )
    owner = web(world, "a:3", "6")
    past(world, owner, "a:2", "6", name="web-bxwmn")
    past(world, owner, "a:3", "abc", name="web-fghjz", replicas=2)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 7, got=f"answer {answer}")
    runs(scenario, world, owner, "a:3", {"a:2": "6", "a:3": "7"})


@rubric("record")
def test_numbers_are_numbers(submission, scenario, world):
    scenario.given("web was changed to a:11; revisions: a:9 is 9, a:10 is 10")
    scenario.expected("answer 11")
    scenario.why("Annotations are text, revisions are numbers: 10 is more than 9.")
    owner = web(world, "a:11", "10")
    past(world, owner, "a:9", "9", name="web-kqzdb")
    past(world, owner, "a:10", "10", name="web-bxwmn")
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 11, got=f"answer {answer}")
    runs(scenario, world, owner, "a:11", {"a:9": "9", "a:10": "10", "a:11": "11"})


@rubric("record")
def test_the_deployment_shows_the_number(submission, scenario, world):
    scenario.given("web runs a:3, which is revision 3, and its own annotation says 1")
    scenario.expected("the Deployment's annotation says 3, and nothing else changed")
    scenario.why("kubectl rollout reads the Deployment's annotation; it follows the current ReplicaSet.")
    owner = three_revisions(world, revision="1")
    submission.record_revision(world.client(), WEB)
    after = present(world, owner)
    scenario.equal(after.metadata.annotations.get(REVISION), "3")
    same = after.spec == owner.spec and after.metadata.labels == owner.metadata.labels
    scenario.check(same, got=f"the spec became {after.spec}")
    untouched = all(write.kind == "Deployment" for write in world.writes())
    scenario.check(untouched, got=calls(world.writes()))


@rubric("record", needs=RECORDS)
def test_recording_again_writes_nothing(submission, scenario, world):
    scenario.given("web was changed to a:4 and recorded; a fresh process records it again, twice")
    scenario.expected("answer 4 each time, nothing written")
    scenario.why("It is called at every sync: what is as it should be is left alone.")
    three_revisions(world, image="a:4")
    submission.record_revision(world.client(), WEB)
    submission.restart()
    for call in ("the second call", "the third call"):
        before = len(world.log)
        answer = submission.record_revision(world.client(), WEB)
        scenario.equal(answer, 4, got=f"{call} answered {answer}")
        wrote_nothing(scenario, world, before, call)


@rubric("record")
def test_annotations_of_the_template_count(submission, scenario, world):
    scenario.given("web runs a:3 (revision 3); kubectl rollout restart put an annotation on the template")
    scenario.expected("answer 4, and a ReplicaSet with the annotation in its template")
    scenario.why("A template with another annotation is another template: this is how a restart works.")
    owner = three_revisions(world)
    person = world.client("person")
    found = person.get(Deployment, "web")
    found.spec.template.metadata.annotations["kubectl.kubernetes.io/restartedAt"] = "2026-01-01T00:00:00Z"
    person.update(found)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    made = [rs for rs in own(world, owner) if rs.metadata.annotations.get(REVISION) == "4"]
    scenario.check(
        len(made) == 1 and plain(made[0].spec.template) == plain(found.spec.template),
        got=f"{len(made)} ReplicaSets with revision 4",
    )


@rubric("record", needs=RECORDS)
def test_labels_of_the_template_count(submission, scenario, world):
    scenario.given("web runs a:3 (revision 3); somebody put a label tier=front on the template")
    scenario.expected("answer 4, and the old ReplicaSet keeps revision 3")
    scenario.why(f"Only {HASH} is left out when templates are compared.")
    three_revisions(world)
    person = world.client("person")
    found = person.get(Deployment, "web")
    found.spec.template.metadata.labels["tier"] = "front"
    person.update(found)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    kept = world.get(ReplicaSet, "web-fghjz").metadata.annotations[REVISION]
    scenario.equal(kept, "3", got=f"the old ReplicaSet is revision {kept}")


@rubric("record")
def test_replica_sets_of_others(submission, scenario, world):
    scenario.given(
        "web was changed to a:3 (revisions: a:2 is 2). With the labels of web: an orphan of a:3 with revision 8, and a "
        "ReplicaSet of another Deployment with revision 9"
    )
    scenario.expected("answer 3, a ReplicaSet of its own, and the others as they were")
    scenario.why("Only ReplicaSets with an owner reference to web's uid are its history.")
    owner = web(world, "a:3", "2")
    other = web(world, "a:3", "9", name="webshop")
    past(world, owner, "a:2", "2", name="web-bxwmn", replicas=2)
    strangers = [
        past(world, None, "a:3", "8", name="web-orphan", age=90),
        past(world, other, "a:3", "9", name="web-other", age=90),
    ]
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 3, got=f"answer {answer}")
    runs(scenario, world, owner, "a:3", {"a:2": "2", "a:3": "3"})
    for stranger in strangers:
        same = world.get(ReplicaSet, stranger.name) == stranger
        scenario.check(same, got=f"{stranger.name} was changed: {calls(world.writes())}")


@rubric("record")
def test_the_oldest_of_several(submission, scenario, world):
    scenario.given(
        "web runs a:3; two ReplicaSets have this template: web-b (older, revision 1) and web-a; a:2 is 4"
    )
    scenario.expected("answer 5; web-b is revision 5, web-a stays 3")
    scenario.why(
        "Of several with the same template the oldest is the current one, whatever its number or name."
    )
    owner = web(world, "a:3", "3")
    past(world, owner, "a:2", "4", name="web-c", age=99)
    past(world, owner, "a:3", "3", name="web-a", age=10)
    past(world, owner, "a:3", "1", name="web-b", age=20)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 5, got=f"answer {answer}")
    found = {rs.name: rs.metadata.annotations[REVISION] for rs in own(world, owner)}
    scenario.equal(found, {"web-a": "3", "web-b": "5", "web-c": "4"}, got=f"revisions {found}")


@rubric("record")
def test_of_the_same_age_the_first_name(submission, scenario, world):
    scenario.given(
        "web runs a:3; web-b (revision 3) and web-a (revision 1) have this template and the same age"
    )
    scenario.expected("answer 4; web-a is revision 4, web-b stays 3")
    scenario.why("Of the same age the first by name is the current one.")
    owner = web(world, "a:3", "3")
    past(world, owner, "a:3", "3", name="web-b", age=20)
    past(world, owner, "a:3", "1", name="web-a", age=20)
    answer = submission.record_revision(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    found = {rs.name: rs.metadata.annotations[REVISION] for rs in own(world, owner)}
    scenario.equal(found, {"web-a": "4", "web-b": "3"}, got=f"revisions {found}")


@rubric("record")
def test_the_answer_to_a_create_is_lost(submission, scenario, world):
    scenario.given("web was changed to a:4; the ReplicaSet is created, but the answer is a ServerTimeout")
    scenario.expected("after calling again: one ReplicaSet of a:4, revision 4")
    scenario.why("A write that timed out may have happened: look before making another.")
    owner = three_revisions(world, image="a:4")
    world.faults.fail_after(ServerTimeout("the server timed out"), "create", ReplicaSet)
    answer = until_done(lambda: submission.record_revision(world.client(), WEB))
    scenario.equal(answer, 4, got=f"answer {answer}")
    runs(scenario, world, owner, "a:4", {"a:1": "1", "a:2": "2", "a:3": "3", "a:4": "4"})


# --- target --------------------------------------------------------------------------------------------------


def goes_back(
    submission: Any, scenario: Any, world: World, owner: Deployment, image: str, *args: int
) -> None:
    """Roll back, and check the image only: numbers are another item's business."""
    asked = f"rollback to {args[0]}" if args else "rollback to the previous revision"
    scenario.expected(f"{asked}: web runs {image}")
    submission.rollback(world.client(), Request("web", owner.namespace), *args)
    found = image_of(present(world, owner).spec.template)
    scenario.equal(found, image, got=f"web runs {found}")


@rubric("target")
def test_back_to_the_previous_revision(submission, scenario, world):
    scenario.given(THREE)
    scenario.why("The previous revision is the second-highest number.")
    goes_back(submission, scenario, world, three_revisions(world), "a:2")


@rubric("target")
def test_back_to_a_number(submission, scenario, world):
    scenario.given(THREE)
    scenario.why("Any number but 0 means exactly that revision.")
    goes_back(submission, scenario, world, three_revisions(world), "a:1", 1)


@rubric("target")
def test_previous_goes_by_number_not_by_age(submission, scenario, world):
    scenario.given("web runs a:1, revision 4 and the oldest; a:2 is 2 and the newest, a:3 is 3")
    scenario.why("After a rollback an old ReplicaSet has a new number: ages and names say nothing.")
    owner = web(world, "a:1", "4")
    past(world, owner, "a:1", "4", name="web-z", age=90, replicas=2)
    past(world, owner, "a:2", "2", name="web-y", age=10)
    past(world, owner, "a:3", "3", name="web-a", age=50)
    goes_back(submission, scenario, world, owner, "a:3")


@rubric("target")
def test_previous_goes_by_number_not_by_text(submission, scenario, world):
    scenario.given("web runs a:11; revisions: a:9 is 9, a:10 is 10, a:11 is 11")
    scenario.why("Annotations are text, revisions are numbers: 10 comes after 9.")
    owner = web(world, "a:11", "11")
    past(world, owner, "a:9", "9", name="web-a")
    past(world, owner, "a:11", "11", name="web-b", replicas=2)
    past(world, owner, "a:10", "10", name="web-c")
    goes_back(submission, scenario, world, owner, "a:10")


@rubric("target")
def test_twice_toggles(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to the previous one, and then again")
    scenario.why("After the first rollback the second-highest number is that of a:3.")
    owner = three_revisions(world)
    goes_back(submission, scenario, world, owner, "a:2")
    submission.restart()
    goes_back(submission, scenario, world, owner, "a:3")
    goes_back(submission, scenario, world, owner, "a:2")


@rubric("target")
def test_numbers_that_have_moved(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to 1, then to 4, then to 2")
    scenario.why(
        "a:1 is revision 4 after the first rollback; going to 4 changes nothing, and a:2 is still 2."
    )
    owner = three_revisions(world)
    goes_back(submission, scenario, world, owner, "a:1", 1)
    goes_back(submission, scenario, world, owner, "a:1", 4)
    goes_back(submission, scenario, world, owner, "a:2", 2)


@rubric("target")
def test_history_of_others(submission, scenario, world):
    scenario.given(f"{THREE}. With the labels of web: an orphan with revision 7, another Deployment's with 8")
    scenario.why("Only ReplicaSets with an owner reference to web's uid are its history.")
    owner = three_revisions(world)
    past(world, None, "b:7", "7", name="web-orphan")
    past(world, web(world, "b:8", "8", name="webshop"), "b:8", "8", name="web-other", replicas=2)
    goes_back(submission, scenario, world, owner, "a:2")


@rubric("target")
def test_a_revision_without_a_number(submission, scenario, world):
    scenario.given("web runs a:2, revision 1; the ReplicaSet of a:1 has no annotation")
    scenario.why("Without the annotation it is revision 0, and that is the second-highest here.")
    owner = web(world, "a:2", "1")
    past(world, owner, "a:1", None, name="web-kqzdb")
    past(world, owner, "a:2", "1", name="web-bxwmn", replicas=2)
    goes_back(submission, scenario, world, owner, "a:1")


@rubric("target")
def test_a_revision_that_is_no_number(submission, scenario, world):
    scenario.given("web runs a:3, revision 3; a:2 says 'two', a:1 is 1")
    scenario.why("What is not a whole number is no revision to go back to.")
    owner = web(world, "a:3", "3")
    past(world, owner, "a:1", "1", name="web-kqzdb")
    past(world, owner, "a:2", "two", name="web-bxwmn")
    past(world, owner, "a:3", "3", name="web-fghjz", replicas=2)
    goes_back(submission, scenario, world, owner, "a:1")


@rubric("target")
def test_the_namespace_of_the_request(submission, scenario, world):
    scenario.given(
        "web in namespace shop runs b:2 (b:1 is 1, b:2 is 2); there is a web in namespace default, too"
    )
    scenario.why("The request names the namespace, of the Deployment and of its ReplicaSets.")
    elsewhere = three_revisions(world)
    owner = web(world, "b:2", "2", namespace="shop")
    past(world, owner, "b:1", "1", name="web-kqzdb", namespace="shop")
    past(world, owner, "b:2", "2", name="web-fghjz", replicas=2, namespace="shop")
    goes_back(submission, scenario, world, owner, "b:1")
    runs(scenario, world, elsewhere, "a:3", {"a:1": "1", "a:2": "2", "a:3": "3"})


# --- reuse ---------------------------------------------------------------------------------------------------


@rubric("reuse")
def test_the_old_set_gets_the_newest_number(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to the previous one")
    scenario.expected("answer 4; a:2 is revision 4 on the ReplicaSet that it had, the others as before")
    scenario.why("A rollback is a new revision with an old template; its old number is gone.")
    owner = three_revisions(world)
    others = {rs.name: rs for rs in own(world, owner) if rs.name != "web-bxwmn"}
    answer = submission.rollback(world.client(), WEB)
    scenario.equal(answer, 4, got=f"answer {answer}")
    runs(scenario, world, owner, "a:2", {"a:1": "1", "a:2": "4", "a:3": "3"})
    for name, before in others.items():
        scenario.check(
            world.get(ReplicaSet, name) == before, got=f"{name} was changed: {calls(world.writes())}"
        )


@rubric("reuse")
def test_the_former_number_is_remembered(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to 1, then to 2, then to 4 (which is a:1 again)")
    scenario.expected("history of a:1 is 1, and later 1,4")
    scenario.why("The number that is replaced is appended to the revision-history annotation.")
    three_revisions(world)
    for target, wanted in ((1, "1"), (2, "1"), (4, "1,4")):
        submission.rollback(world.client(), WEB, target)
        annotations = world.get(ReplicaSet, "web-kqzdb").metadata.annotations
        found = annotations.get(HISTORY)
        scenario.equal(found, wanted, got=f"after the rollback to {target}: history {found}")
    desired = "deployment.kubernetes.io/desired-replicas"
    scenario.equal(annotations.get(desired), "2", expected="other annotations stay", got=f"{annotations}")


@rubric("reuse")
def test_the_deployment_follows(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to 1")
    scenario.expected("the Deployment's annotation says 4")
    scenario.why("The Deployment shows the number of its current ReplicaSet.")
    owner = three_revisions(world)
    submission.rollback(world.client(), WEB, 1)
    found = present(world, owner).metadata.annotations.get(REVISION)
    scenario.equal(found, "4", got=f"the annotation says {found}")


@rubric("reuse")
def test_the_template_as_it_was(submission, scenario, world):
    scenario.given(
        "revision 1 of web has other resources, labels and annotations in its template than revision 2"
    )
    scenario.why(f"The whole template goes back, without the {HASH} that belongs to the ReplicaSet.")
    owner = web(world, "a:2", "2")
    old = past(world, owner, "a:1", "1", name="web-kqzdb")
    old.spec.template.spec.containers[0].resources.requests = {"cpu": "250m"}
    old.spec.template.metadata.labels["tier"] = "front"
    old.spec.template.metadata.annotations["team"] = "blue"
    world.add(old)
    past(world, owner, "a:2", "2", name="web-fghjz", replicas=2)
    submission.rollback(world.client(), WEB)
    found = present(world, owner).spec.template
    scenario.check(
        plain(found) == plain(old.spec.template),
        got=f"template {plain(found)}",
        expected=f"{plain(old.spec.template)}",
    )
    labels = found.metadata.labels
    scenario.check(HASH not in labels, got=f"labels {labels}", expected=f"no label {HASH} in the Deployment")
    count = len(own(world, owner))
    scenario.equal(count, 2, got=f"{count} ReplicaSets", expected="the two ReplicaSets that were there")


@rubric("reuse", needs=ROLLS_BACK)
def test_nothing_else_of_the_spec_goes_back(submission, scenario, world):
    scenario.given(f"{THREE}; since then web was scaled to 7 and got a history limit of 5; rolled back")
    scenario.expected("another template; replicas 7, limit 5 and all the rest as before")
    scenario.why(
        "A revision is a template. How many pods there are, and how they are replaced, is not part of it."
    )
    owner = three_revisions(world, replicas=7, limit=5)
    submission.rollback(world.client(), WEB)
    after = present(world, owner)
    after.spec.template = owner.spec.template
    scenario.check(after.spec == owner.spec, got=f"the spec became {after.spec}")


@rubric("reuse", needs=ROLLS_BACK)
def test_to_the_template_that_runs_already(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to 3")
    scenario.expected("answer 3, nothing written")
    scenario.why("The template is the current one already: there is nothing to roll back.")
    three_revisions(world)
    answer = submission.rollback(world.client(), WEB, 3)
    scenario.equal(answer, 3, got=f"answer {answer}")
    wrote_nothing(scenario, world, 0)


@rubric("reuse", needs=ROLLS_BACK)
def test_somebody_scales_meanwhile(submission, scenario, world):
    scenario.given(f"{THREE}; while it is rolled back, somebody scales web to 9")
    scenario.expected(
        "a:2 runs, as revision 4, and replicas is 9 (a Conflict may be let through; then we call again)"
    )
    scenario.why(
        "The write of an object that was read before somebody else's change must not undo that change."
    )
    owner = three_revisions(world)
    world.faults.before(lambda: scale(world, 9), "update", Deployment)
    roll_back_until_done(submission, world, owner, 2, "a:2")
    found = present(world, owner).spec.replicas
    scenario.equal(found, 9, got=f"replicas {found}")
    runs(scenario, world, owner, "a:2", {"a:1": "1", "a:2": "4", "a:3": "3"})


def scale(world: World, replicas: int) -> None:
    person = world.client("person")
    found = person.get(Deployment, "web")
    found.spec.replicas = replicas
    person.update(found)


@rubric("reuse", needs=ROLLS_BACK)
def test_the_replica_set_is_written_meanwhile(submission, scenario, world):
    scenario.given(f"{THREE}; while it is rolled back, the rolling update gives a:2 a pod")
    scenario.expected(
        "a:2 is revision 4 and has replicas 1 (a Conflict may be let through; then we call again)"
    )
    scenario.why(
        "The write of an object that was read before somebody else's change must not undo that change."
    )
    owner = three_revisions(world)
    world.faults.before(lambda: grow(world), "update", ReplicaSet)
    roll_back_until_done(submission, world, owner, 2, "a:2")
    found = world.get(ReplicaSet, "web-bxwmn").spec.replicas
    scenario.equal(found, 1, got=f"replicas {found}")
    runs(scenario, world, owner, "a:2", {"a:1": "1", "a:2": "4", "a:3": "3"})


def grow(world: World) -> None:
    controller = world.client("deployment-controller")
    found = controller.get(ReplicaSet, "web-bxwmn")
    found.spec.replicas = 1
    controller.update(found)


@rubric("reuse", needs=ROLLS_BACK)
def test_a_rollback_that_fails_halfway(submission, scenario):
    scenario.expected(
        "in the end a:1 runs, as revision 4, and the Deployment says so (we call again, or record once it runs)"
    )
    scenario.why(
        "Until the template is written, revision 1 must still be there; after it, recording finishes the job."
    )
    for kind, nth in ((Deployment, 1), (ReplicaSet, 1), (Deployment, 2)):
        world = World()
        scenario.given(
            f"{THREE}; rolled back to 1, and write {nth} of a {kind.kind} fails with a ServerTimeout"
        )
        owner = three_revisions(world)
        world.faults.fail(ServerTimeout("try again"), "update", kind, nth=nth)
        roll_back_until_done(submission, world, owner, 1, "a:1")
        runs(scenario, world, owner, "a:1", {"a:1": "4", "a:2": "2", "a:3": "3"})
        shown = present(world, owner).metadata.annotations.get(REVISION)
        scenario.equal(shown, "4", got=f"the Deployment's annotation says {shown}")
        submission.restart()


@rubric("reuse", needs=ROLLS_BACK)
def test_conflicts_at_every_write(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to 1; the first write of each object is refused with a Conflict")
    scenario.expected("a:1 runs, as revision 4 (a Conflict may be let through; then we call again)")
    scenario.why("A Conflict changes nothing: read again, and do what is still to do.")
    owner = three_revisions(world)
    for kind in (Deployment, ReplicaSet):
        world.faults.fail(Conflict("the object has been modified"), "update", kind)
    roll_back_until_done(submission, world, owner, 1, "a:1")
    runs(scenario, world, owner, "a:1", {"a:1": "4", "a:2": "2", "a:3": "3"})


# --- refused -------------------------------------------------------------------------------------------------


def refuses(
    submission: Any,
    scenario: Any,
    world: World,
    error: str,
    to_revision: int,
    numbers: set[int] | None = None,
) -> None:
    """Roll back, and check the error, the numbers in its message, and that nothing was written."""
    expected = f"{error}, nothing written"
    if numbers is not None:
        wanted = f"{', '.join(map(str, sorted(numbers)))} and " if numbers else ""
        expected += f"; the message contains {wanted}no number that is not there"
    scenario.expected(expected)
    raised = scenario.raises(lambda: submission.rollback(world.client(), WEB, to_revision), error)
    if numbers is not None:
        named = {int(text) for text in re.findall(r"\d+", raised.message)}
        scenario.check(
            numbers <= named <= numbers | {abs(to_revision)}, got=f"the message is {raised.message!r}"
        )
    wrote_nothing(scenario, world, 0)


@rubric("refused", needs=ROLLS_BACK)
def test_a_revision_that_is_not_there(submission, scenario, world):
    scenario.given("web runs a:2; revisions: a:1 is 1, a:3 is 3, a:2 is 14; rolled back to 2")
    scenario.why("Number 2 has moved on. Whoever asks for it needs to know which numbers there are.")
    owner = web(world, "a:2", "14")
    past(world, owner, "a:1", "1", name="web-kqzdb")
    past(world, owner, "a:2", "14", name="web-bxwmn", replicas=2, history="2")
    past(world, owner, "a:3", "3", name="web-fghjz")
    refuses(submission, scenario, world, "RevisionNotFoundError", 2, {1, 3, 14})
    scenario.given("web runs a:2; revisions: a:1 is 1, a:3 is 3, a:2 is 14; rolled back to 99")
    refuses(submission, scenario, world, "RevisionNotFoundError", 99, {1, 3, 14})


@rubric("refused", needs=ROLLS_BACK)
def test_a_negative_revision(submission, scenario, world):
    scenario.given(f"{THREE}; rolled back to -1")
    scenario.why("There are no negative revisions; -1 is not the last one, as in a Python list.")
    three_revisions(world)
    refuses(submission, scenario, world, "RevisionNotFoundError", -1, {1, 2, 3})


@rubric("refused", needs=ROLLS_BACK)
def test_nothing_to_go_back_to(submission, scenario, world):
    scenario.given("web runs a:1, revision 5, the only one; another Deployment has revisions 1 and 2")
    scenario.why("With a single revision there is no previous one.")
    owner = web(world, "a:1", "5")
    past(world, owner, "a:1", "5", name="web-kqzdb", replicas=2)
    other = web(world, "b:2", "2", name="webshop")
    past(world, other, "b:1", "1", name="webshop-a")
    past(world, other, "b:2", "2", name="webshop-b", replicas=2)
    refuses(submission, scenario, world, "RevisionNotFoundError", 0, {5})
    scenario.given("web runs a:1; somebody has deleted its ReplicaSets, and no sync has run since")
    scenario.why("Without any revision there is no previous one either, and no number to name.")
    world = World()
    web(world, "a:1", "5")
    refuses(submission, scenario, world, "RevisionNotFoundError", 0, set())
    refuses(submission, scenario, world, "RevisionNotFoundError", 5, set())


@rubric("refused", needs=ROLLS_BACK)
def test_only_revisions_are_named(submission, scenario, world):
    scenario.given("web runs a:3; revisions: a:1 none, a:2 'x7', a:3 is 3; rolled back to 2")
    scenario.why("Without the annotation it is revision 0, and what is not a whole number is none.")
    owner = web(world, "a:3", "3")
    past(world, owner, "a:1", None, name="web-kqzdb")
    past(world, owner, "a:2", "x7", name="web-bxwmn")
    past(world, owner, "a:3", "3", name="web-fghjz", replicas=2)
    refuses(submission, scenario, world, "RevisionNotFoundError", 2, {0, 3})


@rubric("refused", needs=ROLLS_BACK)
def test_paused(submission, scenario, world):
    scenario.given(f"{THREE}; web is paused; rolled back")
    scenario.why(
        "A paused Deployment would take the template and roll nothing out: it must be resumed first."
    )
    three_revisions(world, paused=True)
    refuses(submission, scenario, world, "DeploymentPausedError", 0)
    refuses(submission, scenario, world, "DeploymentPausedError", 1)
    scenario.given(f"{THREE}; web is paused; rolled back to 3")
    refuses(submission, scenario, world, "DeploymentPausedError", 3)


@rubric("refused", needs=ROLLS_BACK)
def test_paused_and_not_there(submission, scenario, world):
    scenario.given(f"{THREE}; web is paused; rolled back to 8")
    scenario.why("Resuming would not help here: the revision is looked up first.")
    three_revisions(world, paused=True)
    refuses(submission, scenario, world, "RevisionNotFoundError", 8, {1, 2, 3})


@rubric("refused", needs=ROLLS_BACK)
def test_no_deployment(submission, scenario, world):
    scenario.given("no Deployment of that name")
    scenario.why("A person who mistyped the name has to hear of it.")
    scenario.expected("NotFound goes through")
    web(world, name="webshop")
    for call in (submission.rollback, submission.record_revision, submission.prune_history):
        scenario.raises(lambda call=call: call(world.client(), WEB), "NotFound")


# --- budget --------------------------------------------------------------------------------------------------


@rubric("budget", needs=ROLLS_BACK)
def test_a_rollback_scales_nothing(submission, scenario, world):
    scenario.given("web (4 replicas) is in the middle of a rollout: a:1 has 3 pods, a:2 has 2; rolled back")
    scenario.expected("web runs a:1; ReplicaSets of 3 and 2, as before")
    scenario.why(
        "Pods are replaced by the rolling update, within its budget. A rollback only says what should run."
    )
    owner = web(world, "a:2", "2", replicas=4)
    past(world, owner, "a:1", "1", name="web-kqzdb", replicas=3)
    past(world, owner, "a:2", "2", name="web-bxwmn", replicas=2)
    submission.rollback(world.client(), WEB)
    found = {image_of(rs.spec.template): rs.spec.replicas for rs in own(world, owner)}
    scenario.equal(found, {"a:1": 3, "a:2": 2}, got=f"replicas {found}")
    found_image = image_of(present(world, owner).spec.template)
    scenario.equal(found_image, "a:1", got=f"web runs {found_image}")


class Watch:
    """Follows a rollout, change by change, as the ReplicaSets are told their sizes."""

    def __init__(self, scenario: Any, world: World, *, floor: int, ceiling: int) -> None:
        self.scenario, self.world, self.floor, self.ceiling = scenario, world, floor, ceiling
        self.broken = ""
        self._last: tuple[int, ...] = ()
        scenario.bounds(floor=floor, ceiling=ceiling)
        world.api.store.subscribe(self._hear)

    def _hear(self, event: Any) -> None:
        if event.resource != "replicasets.apps":
            return
        sets = {rs.uid: rs for rs in self.world.list(ReplicaSet)}
        ready: dict[str, int] = dict.fromkeys(sets, 0)
        for pod in self.world.list(Pod):
            controller = pod.metadata.controller
            if controller is not None and pod.ready and pod.active:
                ready[controller.uid] += 1
        # A set that is told to shrink keeps no more pods than that.
        serving = sum(min(rs.spec.replicas, ready[uid]) for uid, rs in sets.items())
        total = sum(rs.spec.replicas for rs in sets.values())
        good = sum(rs.spec.replicas for rs in sets.values() if image_of(rs.spec.template) == "a:1")
        if (serving, total, good) == self._last:
            return
        self._last = (serving, total, good)
        moment = (self.world.now() - EPOCH).total_seconds()
        self.scenario.step(f"{moment:g} s", ready=serving, total=total, old=total - good, new=good)
        if not self.broken and not (serving >= self.floor and total <= self.ceiling):
            self.broken = f"{serving} pods that serve, {total} in total"

    def check(self) -> None:
        self.scenario.check(not self.broken, got=self.broken)


def live(world: World, replicas: int, *, nodes: int = 4, **strategy: Any) -> Any:
    """A cluster at work, in which web runs a:1 and everything is ready."""
    for number in range(nodes):
        world.add(node(f"node-{number}"))
    actors = world.start_control_plane(ready_after=2)
    world.client("person").create(deployment("web", replicas, image="a:1", **strategy))
    world.advance(30)
    return actors


def settled(scenario: Any, world: World, replicas: int) -> None:
    """The rollback must have come to its end."""
    pods = [pod for pod in world.list(Pod) if pod.active]
    good = sum(pod.ready and pod.spec.containers[0].image == "a:1" for pod in pods)
    got = f"{len(pods)} pods, {good} of them a:1 and ready"
    expected = f"in the end {replicas} pods, all of them a:1 and ready"
    scenario.check((len(pods), good) == (replicas, replicas), got=got, expected=expected)


@rubric("budget", needs=ROLLS_BACK)
def test_out_of_a_stuck_rollout(submission, scenario, world):
    scenario.given(
        "web (4 replicas, 25 %/25 %) is stuck: 3 pods of a:1, 2 of bad:1 that never become ready; rolled back"
    )
    scenario.expected(
        "never fewer than 3 pods that serve, never more than 5 in total, and a:1 everywhere in the end"
    )
    scenario.why(
        "The good pods that are left carry all the load: none may go, and no pod beyond the surge may come."
    )
    actors = live(world, 4)
    actors.kubelet.set_ready_after(None, image="bad:1")
    change_image(world, "bad:1")
    world.advance(60)
    watch = Watch(scenario, world, floor=3, ceiling=5)
    submission.rollback(world.client(), WEB)
    world.advance(60)
    watch.check()
    settled(scenario, world, 4)
    owner = world.get(Deployment, "web")
    runs(scenario, world, owner, "a:1", {"a:1": "3", "bad:1": "2"})


@rubric("budget", needs=ROLLS_BACK)
def test_two_rollouts_deep(submission, scenario, world):
    scenario.given(
        "web: 6 replicas, surge 2, none unavailable; a:2 was replaced by a:3 halfway; then rolled back to 1"
    )
    scenario.expected(
        "never fewer than 6 pods that serve, never more than 8 in total, and a:1 everywhere in the end"
    )
    scenario.why("Three versions run at once. The rolling update sorts them out, if nobody else scales.")
    live(world, 6, max_surge=2, max_unavailable=0)
    change_image(world, "a:2")
    world.advance(5)
    change_image(world, "a:3")
    world.advance(5)
    watch = Watch(scenario, world, floor=6, ceiling=8)
    submission.rollback(world.client(), WEB, 1)
    world.advance(60)
    watch.check()
    settled(scenario, world, 6)


# --- prune ---------------------------------------------------------------------------------------------------


def prunes(
    submission: Any, scenario: Any, world: World, owner: Deployment, wanted: set[str], request: Request = WEB
) -> None:
    """Prune, and check which of the Deployment's ReplicaSets are left."""
    scenario.expected(f"left: {', '.join(sorted(wanted))}")
    submission.prune_history(world.client(), request)
    left = {rs.name for rs in own(world, owner)}
    scenario.check(left == wanted, got=f"left: {', '.join(sorted(left)) or 'none'}")


def current(world: World, owner: Deployment, revision: str = "9", **settings: Any) -> ReplicaSet:
    return past(world, owner, "a:9", revision, name="web-now", replicas=2, **settings)


@rubric("prune")
def test_the_oldest_go(submission, scenario, world):
    scenario.given(
        "history limit 2; old ReplicaSets web-a to web-d with revisions 1 to 4, web-now is current"
    )
    scenario.why("Two old revisions may stay; the lowest numbers go.")
    owner = web(world, "a:9", "9", limit=2)
    current(world, owner)
    for number, letter in enumerate("abcd", 1):
        past(world, owner, f"a:{number}", str(number), name=f"web-{letter}")
    prunes(submission, scenario, world, owner, {"web-c", "web-d", "web-now"})
    before = len(world.log)
    prunes(submission, scenario, world, owner, {"web-c", "web-d", "web-now"})
    wrote_nothing(scenario, world, before, "the second call")


@rubric("prune")
def test_oldest_means_lowest_revision(submission, scenario, world):
    scenario.given(
        "history limit 1; web-a is revision 10 and was made first, web-b is 9 and was made last, web-c is 2; "
        "web-now is current"
    )
    scenario.why(
        "An old ReplicaSet that was used again is recent. Neither age nor name counts, and 10 is more than 9."
    )
    owner = web(world, "a:9", "11", limit=1)
    current(world, owner, "11", age=40)
    past(world, owner, "a:1", "10", name="web-a", age=90)
    past(world, owner, "a:2", "9", name="web-b", age=10)
    past(world, owner, "a:3", "2", name="web-c", age=50)
    prunes(submission, scenario, world, owner, {"web-a", "web-now"})


@rubric("prune")
def test_without_a_number_first(submission, scenario, world):
    scenario.given("history limit 1; web-a is revision 1, web-b has none, web-c says 'x'; web-now is current")
    scenario.why("Without a number it counts as 0, the lowest.")
    owner = web(world, "a:9", "9", limit=1)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a")
    past(world, owner, "a:2", None, name="web-b")
    past(world, owner, "a:3", "x", name="web-c")
    prunes(submission, scenario, world, owner, {"web-a", "web-now"})


@rubric("prune")
def test_the_same_revision(submission, scenario, world):
    scenario.given(
        "history limit 1; web-a (made last), web-b and web-c (made together before it) have no revision"
    )
    scenario.why("Of the same revision the oldest go first, of the same age the first by name.")
    owner = web(world, "a:9", "9", limit=1)
    current(world, owner)
    past(world, owner, "a:1", None, name="web-a", age=10)
    past(world, owner, "a:2", None, name="web-c", age=20)
    past(world, owner, "a:3", None, name="web-b", age=20)
    prunes(submission, scenario, world, owner, {"web-a", "web-now"})
    scenario.given("history limit 2; web-d, web-c and web-b were made together and have no revision")
    world = World()
    owner = web(world, "a:9", "9", limit=2)
    current(world, owner)
    for letter in "dcb":
        past(world, owner, f"a:{letter}", None, name=f"web-{letter}", age=20)
    prunes(submission, scenario, world, owner, {"web-c", "web-d", "web-now"})


@rubric("prune")
def test_the_current_one_never_goes(submission, scenario, world):
    scenario.given(
        "web is scaled to 0, history limit 0; web-now is current with revision 1 and the oldest; web-a is 2"
    )
    scenario.why(
        "The current ReplicaSet is no history: it is not counted and not deleted, even when it is empty."
    )
    owner = web(world, "a:9", "1", limit=0, replicas=0)
    past(world, owner, "a:9", "1", name="web-now", age=90)
    past(world, owner, "a:1", "2", name="web-a", age=10)
    prunes(submission, scenario, world, owner, {"web-now"})


@rubric("prune", needs=PRUNES)
def test_within_the_limit(submission, scenario, world):
    scenario.given("history limit 2; old ReplicaSets web-a and web-b, and web-now is current")
    scenario.why("The limit counts old ReplicaSets only, and two are not more than two.")
    owner = web(world, "a:9", "9", limit=2)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a")
    past(world, owner, "a:2", "2", name="web-b")
    prunes(submission, scenario, world, owner, {"web-a", "web-b", "web-now"})
    for names in (["web-a"], ["web-a", "web-b", "web-c"]):
        scenario.given(f"history limit 10; old ReplicaSets: {', '.join(names)}")
        world = World()
        owner = web(world, "a:9", "9")
        current(world, owner)
        for number, name in enumerate(names, 1):
            past(world, owner, f"a:{number}", str(number), name=name)
        prunes(submission, scenario, world, owner, {*names, "web-now"})


@rubric("prune")
def test_one_with_pods_is_passed_over(submission, scenario):
    for what, settings in (
        ("is told to run 1 pod", {"replicas": 1, "running": 0}),
        ("still has 1 pod", {"replicas": 0, "running": 1}),
        ("has 1 pod", {"replicas": 1}),
        ("was changed, and its controller has not seen it yet", {"observed": 1}),
    ):
        scenario.given(f"history limit 1; revisions 1 to 3 are web-a, web-b, web-c; web-a {what}")
        scenario.why(
            "Up for deletion are the lowest two. web-a is not empty and stays; web-c is not taken instead."
        )
        world = World()
        owner = web(world, "a:9", "9", limit=1)
        current(world, owner)
        past(world, owner, "a:1", "1", name="web-a", **settings)
        past(world, owner, "a:2", "2", name="web-b")
        past(world, owner, "a:3", "3", name="web-c")
        prunes(submission, scenario, world, owner, {"web-a", "web-c", "web-now"})


@rubric("prune", needs=PRUNES)
def test_not_before_the_rollout_is_complete(submission, scenario):
    scenario.why("While a rollout is under way, the way back is kept.")
    for what, changes in (
        ("the new spec has not been seen yet", {"observed_generation": 3}),
        ("one pod is not updated yet", {"updated_replicas": 1}),
        ("one pod is not available yet", {"available_replicas": 1}),
        ("an old pod is still there", {"replicas": 3}),
        ("an old pod is still there and available", {"replicas": 3, "available_replicas": 3}),
        ("nothing runs yet", {"replicas": 0, "updated_replicas": 0, "available_replicas": 0}),
    ):
        scenario.given(f"web wants 2 replicas, {what}; history limit 0; one old ReplicaSet, web-a")
        world = World()
        owner = web(world, "a:9", "9", limit=0)
        for name, value in changes.items():
            setattr(owner.status, name, value)
        owner = world.add(owner)
        current(world, owner)
        past(world, owner, "a:1", "1", name="web-a")
        prunes(submission, scenario, world, owner, {"web-a", "web-now"})


@rubric("prune")
def test_paused_or_ahead_is_enough(submission, scenario, world):
    scenario.given("web is paused in the middle of a rollout; history limit 0; one old ReplicaSet, web-a")
    scenario.why("A paused Deployment is pruned as well.")
    owner = web(world, "a:9", "9", limit=0, paused=True)
    owner.status.updated_replicas = 1
    owner = world.add(owner)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a")
    prunes(submission, scenario, world, owner, {"web-now"})
    scenario.given(
        "complete, with observed_generation 5 at generation 4; history limit 0; one old ReplicaSet, web-a"
    )
    scenario.why("At least the generation is enough.")
    world = World()
    owner = web(world, "a:9", "9", limit=0)
    owner.status.observed_generation = 5
    owner = world.add(owner)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a")
    prunes(submission, scenario, world, owner, {"web-now"})
    scenario.given("complete; history limit 0; web-a is old, with observed_generation 3 at generation 2")
    world = World()
    owner = web(world, "a:9", "9", limit=0)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a", observed=3)
    prunes(submission, scenario, world, owner, {"web-now"})


@rubric("prune")
def test_one_that_is_going_already(submission, scenario, world):
    scenario.given(
        "history limit 1; web-a (revision 1) is being deleted, web-b to web-d are 2 to 4; web-now runs"
    )
    scenario.why("What is being deleted does not count any more, and is not deleted again.")
    owner = web(world, "a:9", "9", limit=1)
    current(world, owner)
    past(world, owner, "a:1", "1", name="web-a", deleting=True)
    for number, letter in enumerate("bcd", 2):
        past(world, owner, f"a:{number}", str(number), name=f"web-{letter}")
    prunes(submission, scenario, world, owner, {"web-a", "web-d", "web-now"})
    again = [write for write in world.writes() if write.name == "web-a"]
    scenario.check(not again, got=calls(again))


@rubric("prune")
def test_history_of_others_is_theirs(submission, scenario, world):
    scenario.given(
        "history limit 1; web-c and web-d are web's (revisions 3 and 4); an orphan and another Deployment's have "
        "the same labels and revisions 1 and 2; shop/web has one, too"
    )
    scenario.why("Only what the Deployment owns is its history, to count and to delete.")
    owner = web(world, "a:9", "9", limit=1)
    current(world, owner)
    past(world, None, "a:1", "1", name="web-a")
    past(world, web(world, "b:9", "9", name="webshop"), "a:2", "2", name="web-b")
    elsewhere = web(world, "a:9", "9", namespace="shop")
    past(world, elsewhere, "a:1", "1", name="web-c", namespace="shop")
    past(world, owner, "a:3", "3", name="web-c")
    past(world, owner, "a:4", "4", name="web-d")
    prunes(submission, scenario, world, owner, {"web-d", "web-now"})
    left = {f"{rs.namespace}/{rs.name}" for rs in world.list(ReplicaSet)}
    others = {"default/web-a", "default/web-b", "shop/web-c"}
    scenario.check(others <= left, got=f"left: {sorted(left)}", expected=f"{sorted(others)} untouched")


@rubric("prune")
def test_the_namespace_of_the_request_is_pruned(submission, scenario, world):
    scenario.given("shop/web has history limit 0 and one old ReplicaSet, web-a; so has default/web")
    scenario.why("The request names the namespace.")
    elsewhere = web(world, "a:9", "9", limit=0)
    past(world, elsewhere, "a:1", "1", name="web-a")
    owner = web(world, "a:9", "9", limit=0, namespace="shop")
    current(world, owner, namespace="shop")
    past(world, owner, "a:1", "1", name="web-a", namespace="shop")
    prunes(submission, scenario, world, owner, {"web-now"}, Request("web", "shop"))
    scenario.check(world.get(ReplicaSet, "web-a") is not None, got="default/web-a was deleted")


@rubric("prune")
def test_somebody_is_faster(submission, scenario, world):
    scenario.given(
        "history limit 0; web-a, web-b and web-c are old; somebody deletes web-a at the same moment"
    )
    scenario.why("Gone is what it should be: go on with the others.")
    owner = web(world, "a:9", "9", limit=0)
    current(world, owner)
    for number, letter in enumerate("abc", 1):
        past(world, owner, f"a:{number}", str(number), name=f"web-{letter}")
    person = world.client("person")
    world.faults.before(lambda: person.delete(ReplicaSet, "web-a"), "delete", ReplicaSet, name="web-a")
    prunes(submission, scenario, world, owner, {"web-now"})
