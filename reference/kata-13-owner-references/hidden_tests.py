"""Hidden tests of kata 13."""

import random
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from kubekata import (
    Condition,
    ConfigMap,
    Deletion,
    Deployment,
    Job,
    Namespace,
    Node,
    ObjectMeta,
    Pod,
    RackNode,
    ReplicaSet,
    Request,
    Resource,
    Result,
    ServerTimeout,
    TooManyRequests,
)
from kubekata.grading.hidden import rubric
from kubekata.testing import EPOCH, World, deployment, pod, rack_node, replica_set

MAKES = ("test_makes_the_job",)
DELETES = ("test_nobody_left_who_owns_it",)
R1 = Request("r1")
FOREGROUND = "foregroundDeletion"


# --- the RackNode and its Jobs -------------------------------------------------------------------------------


def fill(world: World, *, generation: int = 1, **status: Any) -> RackNode:
    """Put RackNode r1 in place."""
    wanted = rack_node("r1", "2.1.0")
    wanted.metadata.generation = generation
    for key, value in status.items():
        setattr(wanted.status, key, value)
    return world.add(wanted)


def add_job(
    world: World, name: str, owner: Resource | None = None, *, end: str = "", controller: bool = True
) -> Job:
    """Put a Job in place; ``end`` is Complete or Failed."""
    made = Job(metadata=ObjectMeta(name=name, namespace="default"))
    if owner is not None:
        made.metadata.owner_references = [owner.owner_reference(controller=controller)]
    if end:
        made.status.conditions = [Condition(type=end, status="True")]
    return world.add(made)


def job_named(scenario: Any, world: World, name: str) -> Job:
    """The Job; without it the test has failed."""
    found = world.get(Job, name)
    scenario.check(found is not None, got=f"{name} is not there; Jobs: {', '.join(jobs(world)) or 'none'}")
    assert found is not None
    return found


def finish_job(world: World, name: str, end: str = "Complete") -> None:
    job_controller = world.client("job-controller")
    found = job_controller.get(Job, name)
    found.status.conditions = [
        Condition(type="Suspended", status="False"),
        Condition(type=end, status="True"),
    ]
    job_controller.update_status(found)


def change_firmware(world: World, firmware: str) -> None:
    person = world.client("person")
    found = person.get(RackNode, "r1")
    found.spec.desired_firmware = firmware
    person.update(found)


def collect(world: World, name: str) -> None:
    """What the garbage collector does once the pods of a Job have stopped."""
    collector = world.client("garbage-collector")
    found = collector.get(Job, name)
    found.metadata.finalizers = []
    collector.update(found)


def jobs(world: World) -> list[str]:
    return [f"{job.name}{' (being deleted)' if job.metadata.deleting else ''}" for job in world.list(Job)]


def check_jobs(scenario: Any, world: World, wanted: list[str], when: str = "") -> None:
    found = jobs(world)
    scenario.check(found == wanted, got=f"{when}Jobs: {', '.join(found) or 'none'}")


def check_status(scenario: Any, world: World, phase: str, firmware: str, generation: int) -> None:
    status = world.get(RackNode, "r1").status
    got = f"phase {status.phase!r}, firmware {status.firmware!r}, observed_generation {status.observed_generation}"
    found = (status.phase, status.firmware, status.observed_generation)
    scenario.check(found == (phase, firmware, generation), got=got)


def check_no_writes(submission: Any, scenario: Any, world: World, call: str = "the second call") -> Result:
    before = len(world.log)
    result = submission.reconcile(world.client(), R1)
    writes = world.writes(since=before)
    scenario.check(not writes, got=f"{call} wrote: {', '.join(map(str, writes))}")
    return result


def check_asks_again(scenario: Any, result: Result) -> None:
    asks = result.requeue_after is not None and result.requeue_after > 0
    scenario.check(asks, got=f"asks for no further call: {result}")


def check_same(scenario: Any, world: World, before: Job) -> None:
    found = world.get(Job, before.name)
    scenario.check(found == before, got=f"{before.name} {'is gone' if found is None else 'was changed'}")


def until_done(submission: Any, world: World) -> None:
    for _ in range(5):
        if submission.reconcile(world.client(), R1).requeue_after is None:
            break
    submission.reconcile(world.client(), R1)


# --- job -----------------------------------------------------------------------------------------------------


@rubric("job")
def test_makes_the_job(submission, scenario, world):
    scenario.given("RackNode r1, generation 1, desired firmware 2.1.0, and no Job")
    scenario.expected("Job r1-flash-1 with one container of image flasher:2.1.0 and restartPolicy Never")
    scenario.why("Rule 2: one Job per generation, with a name that follows from the RackNode.")
    fill(world)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"])
    pods = world.list(Job)[0].spec.template.spec
    images = [c.image for c in pods.containers]
    got = f"images {images}, restart policy {pods.restart_policy!r}"
    scenario.check(images == ["flasher:2.1.0"] and pods.restart_policy == "Never", got=got)


@rubric("job", needs=MAKES)
def test_makes_it_once(submission, scenario, world):
    scenario.given(
        "RackNode r1, generation 1; reconcile is called, the controller restarts, and it is called again"
    )
    scenario.expected("Job r1-flash-1 and no other; the second call writes nothing")
    scenario.why("The Job is found again in the cluster, not in the controller's memory.")
    fill(world)
    submission.reconcile(world.client(), R1)
    submission.restart()
    check_no_writes(submission, scenario, world, "the call after the restart")
    check_no_writes(submission, scenario, world, "the third call")
    check_jobs(scenario, world, ["r1-flash-1"])


@rubric("job")
def test_a_new_generation_gets_a_new_job(submission, scenario, world):
    scenario.given("RackNode r1 was flashed with 2.1.0 by r1-flash-1; now it wants 2.2.0 (generation 2)")
    scenario.expected("Job r1-flash-2 with image flasher:2.2.0; the finished r1-flash-1 stays")
    scenario.why("Every change of the spec is a new generation. A finished Job is history, and does no harm.")
    fill(world)
    submission.reconcile(world.client(), R1)
    finish_if_there(world, "r1-flash-1")
    submission.reconcile(world.client(), R1)
    change_firmware(world, "2.2.0")
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1", "r1-flash-2"])
    images = [c.image for c in job_named(scenario, world, "r1-flash-2").spec.template.spec.containers]
    scenario.check(images == ["flasher:2.2.0"], got=f"images {images}")


def finish_if_there(world: World, name: str) -> None:
    if world.get(Job, name) is not None:
        finish_job(world, name)


@rubric("job")
def test_two_jobs_never_work_at_once(submission, scenario, world):
    scenario.given(
        "r1-flash-1 is at work when RackNode r1 changes to generation 2; its pod takes a while to stop"
    )
    scenario.expected(
        "r1-flash-1 is being deleted in the foreground, and r1-flash-2 is made only when it is gone"
    )
    scenario.why(
        "Two flashers on one machine ruin it. Foreground means: the Job is there until its pods are not."
    )
    fill(world)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"], "before the change: ")
    change_firmware(world, "2.2.0")
    result = submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1 (being deleted)"])
    finalizers = job_named(scenario, world, "r1-flash-1").metadata.finalizers
    scenario.check(
        finalizers == [FOREGROUND], got=f"r1-flash-1 is being deleted with finalizers {finalizers}"
    )
    check_asks_again(scenario, result)
    waiting = check_no_writes(submission, scenario, world)
    check_asks_again(scenario, waiting)
    collect(world, "r1-flash-1")
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-2"], "after r1-flash-1 is gone: ")


@rubric("job", needs=MAKES)
def test_all_earlier_jobs_are_stopped(submission, scenario, world):
    scenario.given(
        "RackNode r1 is at generation 4; r1-flash-1 is complete, r1-flash-2 and r1-flash-3 are at work"
    )
    scenario.expected("the two at work are being deleted, r1-flash-1 stays, r1-flash-4 is not made yet")
    scenario.why(
        "Whatever got them there, two Jobs of earlier generations are at work; each has to stop first."
    )
    node = fill(world, generation=4)
    add_job(world, "r1-flash-1", node, end="Complete")
    for name in ("r1-flash-2", "r1-flash-3"):
        add_job(world, name, node)
    submission.reconcile(world.client(), R1)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1", "r1-flash-2 (being deleted)", "r1-flash-3 (being deleted)"])


@rubric("job", needs=MAKES)
def test_earlier_is_not_a_matter_of_the_alphabet(submission, scenario, world):
    scenario.given("RackNode r1 is at generation 10; r1-flash-9 is at work")
    scenario.expected("r1-flash-9 is being deleted, and r1-flash-10 is not made yet")
    scenario.why("Every unfinished Job of r1 under another name is earlier; as text, 9 comes after 10.")
    add_job(world, "r1-flash-9", fill(world, generation=10))
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-9 (being deleted)"])


@rubric("job", needs=MAKES)
def test_earlier_jobs_that_failed_are_history(submission, scenario, world):
    scenario.given("RackNode r1 is at generation 2; r1-flash-1 has Failed")
    scenario.expected("r1-flash-1 stays, r1-flash-2 is made")
    scenario.why("A failed Job does not work any more, so nothing has to stop.")
    node = fill(world, generation=2)
    failed = add_job(world, "r1-flash-1", node, end="Failed")
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1", "r1-flash-2"])
    check_same(scenario, world, failed)


@rubric("job", needs=MAKES)
def test_a_condition_that_is_false_ends_nothing(submission, scenario, world):
    scenario.given("RackNode r1 is at generation 2; r1-flash-1 has a condition Failed with status False")
    scenario.expected("r1-flash-1 is being deleted, and r1-flash-2 is not made yet")
    scenario.why("A condition says something only when its status is True.")
    node = fill(world, generation=2)
    job = Job(
        metadata=ObjectMeta(name="r1-flash-1", namespace="default", owner_references=[node.owner_reference()])
    )
    job.status.conditions = [
        Condition(type="Failed", status="False"),
        Condition(type="Complete", status="Unknown"),
    ]
    world.add(job)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1 (being deleted)"])


@rubric("job", needs=MAKES)
def test_what_is_over_stays_over(submission, scenario, world):
    for phase in ("Ready", "Failed"):
        place = World()
        scenario.given(
            f"RackNode r1: phase {phase}, observed_generation 3, generation 3; its Job has been cleaned up"
        )
        scenario.expected("nothing is written, and Result()")
        scenario.why("This generation is over, and the status says so: a missing Job is not made again.")
        fill(place, generation=3, phase=phase, firmware="2.1.0", observed_generation=3)
        result = check_no_writes(submission, scenario, place, "the call")
        scenario.check(result == Result(), got=f"{result}")


@rubric("job", needs=MAKES)
def test_over_is_about_this_generation(submission, scenario, world):
    for phase in ("Ready", "Failed"):
        place = World()
        scenario.given(f"RackNode r1: phase {phase}, observed_generation 2, but generation 3")
        scenario.expected("Job r1-flash-3")
        scenario.why("The status is about an earlier spec: observed_generation says which.")
        fill(place, generation=3, phase=phase, observed_generation=2)
        submission.reconcile(place.client(), R1)
        check_jobs(scenario, place, ["r1-flash-3"])


@rubric("job", needs=MAKES)
def test_a_job_deleted_at_work_is_made_again(submission, scenario, world):
    scenario.given("r1-flash-1 is at work; a person deletes it; reconcile is called again")
    scenario.expected("r1-flash-1 is there again")
    scenario.why("The machine has not been flashed, so the generation is not over.")
    fill(world)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"], "after the first call: ")
    world.client("person").delete(Job, "r1-flash-1")
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"])


@rubric("job", needs=MAKES)
def test_a_rack_node_under_deletion_gets_no_job(submission, scenario, world):
    scenario.given("RackNode r1 is being deleted; an orphan Job is called r1-flash-1")
    scenario.expected("nothing is written, and Result()")
    scenario.why("An owner that is going takes on nothing new, and its Jobs follow it by themselves.")
    node = fill(world)
    node.metadata.finalizers = ["rack.example.com/decommission"]
    node.metadata.deletion_timestamp = EPOCH
    world.add(node)
    add_job(world, "r1-flash-1")
    result = check_no_writes(submission, scenario, world, "the call")
    scenario.check(result == Result(), got=f"{result}")


@rubric("job", needs=MAKES)
def test_a_missing_rack_node_is_success(submission, scenario, world):
    scenario.given("a request for RackNode r1, which does not exist; its Job r1-flash-1 still does")
    scenario.expected("nothing is written, and Result()")
    scenario.why("The RackNode was deleted. What it owned is the garbage collector's.")
    gone = rack_node("r1")
    gone.metadata.uid = "11111111-0000-4000-8000-000000000000"
    add_job(world, "r1-flash-1", gone)
    result = check_no_writes(submission, scenario, world, "the call")
    scenario.check(result == Result(), got=f"{result}")


@rubric("job")
def test_works_in_the_namespace_of_the_request(submission, scenario, world):
    scenario.given(
        "RackNodes r1 in namespaces lab and default; the request names lab; a Job r1-flash-1 in default"
    )
    scenario.expected("Job r1-flash-1 in lab, and the one in default as it was")
    scenario.why("Owner and dependent share a namespace; the same name elsewhere is something else.")
    world.add(Namespace(metadata=ObjectMeta(name="lab")))
    fill(world)
    other = add_job(world, "r1-flash-1")
    world.add(rack_node("r1", namespace="lab"))
    submission.reconcile(world.client(), Request("r1", "lab"))
    found = world.get(Job, "r1-flash-1", "lab")
    scenario.check(found is not None, got=f"Jobs: {[f'{j.namespace}/{j.name}' for j in world.list(Job)]}")
    check_same(scenario, world, other)
    submission.reconcile(world.client(), Request("r1", "lab"))
    writes = [str(w) for w in world.writes() if w.verb == "create"]
    scenario.check(len(writes) == 1, got=", ".join(writes))


@rubric("job")
def test_two_rack_nodes(submission, scenario, world):
    scenario.given("RackNodes r1 and r1-flash; r1 has a Job at work from generation 1 and is at generation 2")
    scenario.expected("r1-flash gets Job r1-flash-flash-1, and r1's Job is not touched by its call")
    scenario.why("Whose Job it is says the controller reference; names only look alike.")
    node = fill(world, generation=2)
    other = add_job(world, "r1-flash-1", node)
    world.add(rack_node("r1-flash"))
    submission.reconcile(world.client(), Request("r1-flash"))
    check_jobs(scenario, world, ["r1-flash-1", "r1-flash-flash-1"])
    check_same(scenario, world, other)


# --- owner ---------------------------------------------------------------------------------------------------


@rubric("owner")
def test_the_job_names_its_owner(submission, scenario, world):
    scenario.given("RackNode r1, and no Job")
    scenario.expected(
        "one owner reference to r1: apiVersion, kind, name, uid, controller and blockOwnerDeletion true"
    )
    scenario.why("The reference is how the Job is found again, and how it goes when the RackNode goes.")
    node = fill(world)
    submission.reconcile(world.client(), R1)
    refs = [ref for job in world.list(Job) for ref in job.metadata.owner_references]
    scenario.check(refs == [node.owner_reference()], got=f"{refs}")


@rubric("owner", needs=MAKES)
def test_an_orphan_is_adopted(submission, scenario, world):
    scenario.given("RackNode r1; a Job r1-flash-1 without a controller, owned by a ConfigMap besides")
    scenario.expected("the reference to r1 is added, the other one stays, and no second Job is made")
    scenario.why("A Job without a controller under our name is taken over, with what else it has.")
    node = fill(world)
    note = world.add(ConfigMap(metadata=ObjectMeta(name="note", namespace="default")))
    add_job(world, "r1-flash-1", note, controller=False)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"])
    refs = job_named(scenario, world, "r1-flash-1").metadata.owner_references
    wanted = [note.owner_reference(controller=False), node.owner_reference()]
    scenario.check(
        sorted(refs, key=str) == sorted(wanted, key=str), got=f"owners: {[ref.name for ref in refs]}"
    )
    check_no_writes(submission, scenario, world)


@rubric("owner", needs=MAKES)
def test_a_finished_orphan_counts(submission, scenario, world):
    scenario.given("RackNode r1; a Job r1-flash-1 without a controller, which is complete")
    scenario.expected("the Job is adopted, and the status says Ready with firmware 2.1.0")
    scenario.why("After adoption it is the Job of this generation, finished or not.")
    node = fill(world)
    add_job(world, "r1-flash-1", end="Complete")
    until_done(submission, world)
    controller = job_named(scenario, world, "r1-flash-1").metadata.controller
    scenario.check(controller and controller.uid == node.uid, got=f"controller: {controller}")
    check_status(scenario, world, "Ready", "2.1.0", 1)


@rubric("owner", needs=MAKES)
def test_a_foreign_job_is_refused(submission, scenario, world):
    scenario.given("RackNode r1; the name r1-flash-1 is taken by a Job that another RackNode controls")
    scenario.expected(
        "the Job as it was, no other, phase Blocked, requeue_after; the second call writes nothing"
    )
    scenario.why(
        "A dependent has one controller. Taking it over, or working beside it, would flash behind its back."
    )
    fill(world)
    other = world.add(rack_node("r2"))
    foreign = add_job(world, "r1-flash-1", other)
    result = submission.reconcile(world.client(), R1)
    check_same(scenario, world, foreign)
    check_jobs(scenario, world, ["r1-flash-1"])
    check_status(scenario, world, "Blocked", "", 1)
    check_asks_again(scenario, result)
    check_asks_again(scenario, check_no_writes(submission, scenario, world))


@rubric("owner", needs=MAKES)
def test_a_foreign_jobs_success_is_not_ours(submission, scenario, world):
    scenario.given("RackNode r1; the name r1-flash-1 is taken by a complete Job of another RackNode")
    scenario.expected("phase Blocked, and no firmware")
    scenario.why("It flashed another machine.")
    fill(world)
    other = world.add(rack_node("r2"))
    add_job(world, "r1-flash-1", other, end="Complete")
    submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Blocked", "", 1)


@rubric("owner", needs=MAKES)
def test_a_job_of_an_earlier_namesake(submission, scenario, world):
    scenario.given(
        "RackNode r1 was deleted and made anew; r1-flash-1 still refers to the earlier r1 by its uid"
    )
    scenario.expected("phase Blocked while it is there; when the collector has taken it, a new r1-flash-1")
    scenario.why("Owners are compared by uid. The old Job is garbage, and goes soon.")
    earlier = rack_node("r1")
    earlier.metadata.uid = "11111111-0000-4000-8000-000000000000"
    old = add_job(world, "r1-flash-1", earlier)
    node = fill(world)
    check_asks_again(scenario, submission.reconcile(world.client(), R1))
    check_same(scenario, world, old)
    check_status(scenario, world, "Blocked", "", 1)
    world.client("garbage-collector").delete(old)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"], "after the old one is gone: ")
    controller = job_named(scenario, world, "r1-flash-1").metadata.controller
    scenario.check(controller and controller.uid == node.uid, got=f"controller: {controller}")
    check_status(scenario, world, "Flashing", "", 1)


@rubric("owner", needs=MAKES)
def test_a_job_on_its_way_out_is_left_alone(submission, scenario, world):
    for owned in (True, False):
        place = World()
        whose = "of r1" if owned else "without a controller"
        scenario.given(f"RackNode r1; a Job r1-flash-1 {whose} is being deleted")
        scenario.expected("nothing is written, and requeue_after; when the Job is gone, a new r1-flash-1")
        scenario.why("It still holds the name, and cannot be called back. Come back when it is gone.")
        node = fill(place)
        job = add_job(place, "r1-flash-1", node if owned else None)
        place.client("person").delete(job, propagation_policy="Foreground")
        check_asks_again(scenario, check_no_writes(submission, scenario, place, "the call"))
        collect(place, "r1-flash-1")
        submission.reconcile(place.client(), R1)
        check_jobs(scenario, place, ["r1-flash-1"], "after it is gone: ")


@rubric("owner", needs=MAKES)
def test_jobs_of_others_are_not_predecessors(submission, scenario, world):
    scenario.given(
        "RackNode r1, generation 2, no Job of its own; at work are a Job that r1 owns without being its "
        "controller, an orphan called r1-flash-1, and a Job of r2"
    )
    scenario.expected("r1-flash-2 is made, the others stay as they were")
    scenario.why("Only a Job whose controller is r1 is one that r1 has started.")
    node = fill(world, generation=2)
    other = world.add(rack_node("r2"))
    others = [
        add_job(world, "a-backup", node, controller=False),
        add_job(world, "r1-flash-1"),
        add_job(world, "r2-flash-1", other),
    ]
    submission.reconcile(world.client(), R1)
    scenario.check(world.get(Job, "r1-flash-2") is not None, got=f"Jobs: {', '.join(jobs(world))}")
    for before in others:
        check_same(scenario, world, before)


# --- status --------------------------------------------------------------------------------------------------


@rubric("status")
def test_status_while_flashing(submission, scenario, world):
    scenario.given("RackNode r1, generation 2, flashed with 2.0.0 before; it gets its new Job")
    scenario.expected("phase Flashing, firmware still 2.0.0, observed_generation 2")
    scenario.why("What is in the machine is what was flashed last. What is wanted stands in the spec.")
    fill(world, generation=2, phase="Ready", firmware="2.0.0", observed_generation=1)
    submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Flashing", "2.0.0", 2)


@rubric("status")
def test_status_when_flashed(submission, scenario, world):
    scenario.given("RackNode r1; its Job r1-flash-1 has completed")
    scenario.expected("phase Ready, firmware 2.1.0, observed_generation 1, and Result()")
    scenario.why("A Job with condition Complete true has done its work.")
    node = fill(world, phase="Flashing", observed_generation=1)
    add_job(world, "r1-flash-1", node)
    finish_job(world, "r1-flash-1")
    result = submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Ready", "2.1.0", 1)
    scenario.check(result == Result(), got=f"{result}")
    check_no_writes(submission, scenario, world)


@rubric("status")
def test_status_when_failed(submission, scenario, world):
    scenario.given("RackNode r1, firmware 2.0.0, wants 2.1.0; its Job r1-flash-2 has failed")
    scenario.expected("phase Failed, firmware still 2.0.0, observed_generation 2, and no other Job")
    scenario.why(
        "A failed Job is this generation's end too: the next one comes with the next change of the spec."
    )
    node = fill(world, generation=2, phase="Flashing", firmware="2.0.0", observed_generation=2)
    add_job(world, "r1-flash-2", node)
    finish_job(world, "r1-flash-2", "Failed")
    submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Failed", "2.0.0", 2)
    check_no_writes(submission, scenario, world)
    check_jobs(scenario, world, ["r1-flash-2"])


@rubric("status", needs=("test_status_when_flashed",))
def test_status_is_written_once(submission, scenario, world):
    scenario.given("RackNode r1, phase Flashing; its Job is at work; reconcile is called")
    scenario.expected("nothing is written, and Result()")
    scenario.why(
        "Status that says nothing new is not written, and the end of the Job will cause the next call."
    )
    node = fill(world, phase="Flashing", observed_generation=1)
    add_job(world, "r1-flash-1", node)
    result = check_no_writes(submission, scenario, world, "the call")
    scenario.check(result == Result(), got=f"{result}")


@rubric("status", needs=("test_status_while_flashing",))
def test_the_generation_counts_as_news(submission, scenario, world):
    scenario.given(
        "RackNode r1, generation 2, whose status says Flashing for generation 1; r1-flash-2 is at work"
    )
    scenario.expected("observed_generation 2, phase Flashing, everything else in the status as it was")
    scenario.why("Whoever waits for generation 2 looks at observed_generation.")
    node = fill(
        world, generation=2, phase="Flashing", observed_generation=1, power_state="On", message="slot 7"
    )
    add_job(world, "r1-flash-2", node)
    submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Flashing", "", 2)
    status = world.get(RackNode, "r1").status
    kept = (status.power_state, status.message) == ("On", "slot 7")
    scenario.check(kept, got=f"power_state {status.power_state!r}, message {status.message!r}")


# --- races ---------------------------------------------------------------------------------------------------


@rubric("races", needs=MAKES)
def test_a_cache_that_lags_behind(submission, scenario, world):
    scenario.given(
        "RackNode r1; r1-flash-1 was made by the first call, but the second call's reads do not see it yet"
    )
    scenario.expected("no crash, no second Job, and requeue_after if the Job could not be seen")
    scenario.why(
        "Reads may be old. A name that follows from the generation turns a second create into AlreadyExists."
    )
    fill(world)
    before = world.api.store.version
    submission.reconcile(world.client(), R1)
    for verb in ("get", "list"):
        world.faults.stale_reads(before, verb, Job)
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"])
    world.faults.clear()
    until_done(submission, world)
    check_jobs(scenario, world, ["r1-flash-1"])
    check_status(scenario, world, "Flashing", "", 1)


@rubric("races", needs=("test_a_foreign_job_is_refused",))
def test_somebody_takes_the_name(submission, scenario, world):
    scenario.given(
        "RackNode r1, no Job; just before r1-flash-1 is made, r2's controller makes a Job of that name"
    )
    scenario.expected("no crash; r2's Job is left alone, and the next calls report Blocked")
    scenario.why(
        "AlreadyExists says that the name is taken, not by whom: look before you believe that it is yours."
    )
    fill(world)
    other = world.add(rack_node("r2"))
    rival = Job(metadata=ObjectMeta(name="r1-flash-1", namespace="default"))
    rival.metadata.owner_references = [other.owner_reference()]
    world.faults.before(lambda: world.client("rival").create(rival), "create", Job)
    result = submission.reconcile(world.client(), R1)
    blocked = world.get(RackNode, "r1").status.phase == "Blocked"
    scenario.check(
        result.requeue_after or blocked, got=f"not Blocked, and asks for no further call: {result}"
    )
    submission.reconcile(world.client(), R1)
    check_status(scenario, world, "Blocked", "", 1)
    owners = [ref.name for ref in job_named(scenario, world, "r1-flash-1").metadata.owner_references]
    scenario.check(owners == ["r2"], got=f"owners of the Job: {owners}")


@rubric("races", needs=("test_an_orphan_is_adopted",))
def test_somebody_else_adopts_first(submission, scenario, world):
    scenario.given("RackNode r1; the orphan r1-flash-1 is adopted by r2's controller just before r1 does")
    scenario.expected("no crash; r2 stays its only controller, and the next calls report Blocked")
    scenario.why("Conflict: the Job is no longer what was read. Decide again from what it is now.")
    fill(world)
    other = world.add(rack_node("r2"))
    add_job(world, "r1-flash-1")
    world.faults.before(lambda: adopt(world, other), "update", Job)
    result = submission.reconcile(world.client(), R1)
    blocked = world.get(RackNode, "r1").status.phase == "Blocked"
    scenario.check(
        result.requeue_after or blocked, got=f"not Blocked, and asks for no further call: {result}"
    )
    submission.reconcile(world.client(), R1)
    owners = [ref.name for ref in job_named(scenario, world, "r1-flash-1").metadata.owner_references]
    scenario.check(owners == ["r2"], got=f"owners of the Job: {owners}")
    check_status(scenario, world, "Blocked", "", 1)


def adopt(world: World, owner: RackNode) -> None:
    rival = world.client("rival")
    found = rival.get(Job, "r1-flash-1")
    found.metadata.owner_references = [owner.owner_reference()]
    rival.update(found)


@rubric("races", needs=MAKES)
def test_a_create_whose_answer_is_lost(submission, scenario, world):
    scenario.given("RackNode r1; r1-flash-1 is made, but the answer is lost: ServerTimeout; then more calls")
    scenario.expected("requeue_after from the first call, and one Job in the end")
    scenario.why("After a ServerTimeout the write may have happened. The next look tells.")
    fill(world)
    world.faults.fail_after(ServerTimeout("no answer in time"), "create", Job)
    submission.reconcile(world.client(), R1)
    until_done(submission, world)
    check_jobs(scenario, world, ["r1-flash-1"])
    check_status(scenario, world, "Flashing", "", 1)


@rubric("races", needs=MAKES)
def test_a_server_that_asks_for_patience(submission, scenario, world):
    scenario.given("RackNode r1, no Job; every call is answered with TooManyRequests, retry_after 9 s")
    scenario.expected("no crash; requeue_after of at least 9 seconds")
    scenario.why("The answer says when it makes sense to come back: error.retry_after.")
    fill(world)
    world.faults.fail(TooManyRequests("slow down", details={"retryAfterSeconds": 9}), times=1000)
    seconds = submission.reconcile(world.client(), R1).requeue_after
    scenario.check(seconds is not None and seconds >= 9, got=f"requeue_after {seconds}")


@rubric("races", needs=MAKES)
def test_a_timeout_is_a_requeue(submission, scenario, world):
    scenario.given(
        "RackNode r1, no Job; the server answers the create with ServerTimeout, without a retry_after"
    )
    scenario.expected("no crash; a positive requeue_after, and the Job from a later call")
    scenario.why("Nothing else will cause another call: ask for it.")
    fill(world)
    world.faults.fail(ServerTimeout("try again"), "create", Job, times=100)
    check_asks_again(scenario, submission.reconcile(world.client(), R1))
    world.faults.clear()
    submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-1"])


@rubric("races", needs=("test_two_jobs_never_work_at_once",))
def test_an_earlier_job_that_goes_first(submission, scenario, world):
    scenario.given(
        "RackNode r1, generation 3; r1-flash-1 and -2 are at work; r1-flash-1 goes just before it is deleted"
    )
    scenario.expected("no crash; r1-flash-2 is being deleted, and requeue_after")
    scenario.why("NotFound: it is gone, as it should be. Go on with the other.")
    node = fill(world, generation=3)
    for name in ("r1-flash-1", "r1-flash-2"):
        add_job(world, name, node)
    world.faults.before(lambda: world.client("person").delete(Job, "r1-flash-1"), "delete", Job)
    result = submission.reconcile(world.client(), R1)
    check_jobs(scenario, world, ["r1-flash-2 (being deleted)"])
    check_asks_again(scenario, result)


@rubric("races", needs=MAKES)
def test_conflict_on_the_status(submission, scenario, world):
    scenario.given("RackNode r1, no Job; a person wants 2.2.0 just before the status is written")
    scenario.expected(
        "no crash; in the end r1-flash-1 is being deleted, or was never made and r1-flash-2 is there"
    )
    scenario.why("Conflict: somebody changed the RackNode after it was read. Look again.")
    fill(world)
    world.faults.before(lambda: change_firmware(world, "2.2.0"), "update", RackNode, subresource="status")
    for _ in range(3):
        submission.reconcile(world.client(), R1)
    found = jobs(world)
    right = found in (["r1-flash-1 (being deleted)"], ["r1-flash-2"])
    scenario.check(right, got=f"Jobs: {', '.join(found) or 'none'}")
    wants = world.get(RackNode, "r1").spec.desired_firmware
    scenario.check(wants == "2.2.0", got=f"desired_firmware {wants}")


@rubric("races", needs=MAKES)
def test_deleted_before_the_status_is_written(submission, scenario, world):
    scenario.given("RackNode r1 is deleted just before its status is written")
    scenario.expected("no crash, and Result() from the next call")
    scenario.why("NotFound: the RackNode has gone, and nothing is left to report.")
    fill(world)
    person = world.client("person")
    world.faults.before(lambda: person.delete(RackNode, "r1"), "update", RackNode, subresource="status")
    submission.reconcile(world.client(), R1)
    result = submission.reconcile(world.client(), R1)
    scenario.check(result == Result(), got=f"{result}")


# --- the garbage collector: words for objects ----------------------------------------------------------------

KINDS: dict[str, type[Resource]] = {
    kind.kind: kind for kind in (ConfigMap, Deployment, Job, Node, Pod, RackNode, ReplicaSet)
}


def thing(kind: type[Resource], name: str, *owners: Any, going: str | None = None, **about: Any) -> Any:
    """An object. Owners are objects, or (object, blocks); ``going`` is its finalizer while it is being deleted."""
    namespace = about.get("namespace", "default") if kind.namespaced else ""
    made = kind(
        metadata=ObjectMeta(name=name, namespace=namespace, uid=about.get("uid", f"uid-{namespace}-{name}"))
    )
    for owner in owners:
        owner_object, blocks = owner if isinstance(owner, tuple) else (owner, True)
        made.metadata.owner_references.append(
            owner_object.owner_reference(controller=False, block_owner_deletion=blocks)
        )
    made.metadata.finalizers = list(about.get("finalizers", ()))
    if going is not None:
        made.metadata.deletion_timestamp = EPOCH + timedelta(seconds=1)
        made.metadata.finalizers += [going] if going else []
    return made


def absent(name: str = "gone", kind: type[Resource] = ReplicaSet) -> Any:
    """An owner that is not among the objects."""
    return thing(kind, name, uid=f"uid-of-absent-{name}")


def told(deletions: list[Deletion]) -> str:
    words = [
        f"{d.action} {d.kind} {d.namespace + '/' if d.namespace else ''}{d.name} ({d.policy})"
        for d in deletions
    ]
    return ", ".join(sorted(words)) or "nothing to do"


def expect(kind: type[Resource], name: str, action: str, policy: str, namespace: str = "default") -> Deletion:
    return Deletion(kind.kind, namespace if kind.namespaced else "", name, action, policy)


def ask(
    submission: Any, scenario: Any, given: str, objects: list[Any], wanted: list[Deletion], *, why: str
) -> None:
    """Ask for one pass and check it, whatever the order of the answer."""
    scenario.given(given)
    scenario.expected(told(wanted))
    scenario.why(why)
    answer = submission.collect_garbage(objects)
    scenario.check(by_text(answer) == by_text(wanted), got=told(answer))


def by_text(deletions: list[Deletion]) -> list[str]:
    return sorted(map(str, deletions))


# --- garbage -------------------------------------------------------------------------------------------------


@rubric("garbage")
def test_nobody_left_who_owns_it(submission, scenario):
    why = "Its only owner is not there any more: nobody needs it."
    objects = [thing(Pod, "web-1", absent()), thing(ConfigMap, "settings")]
    wanted = [expect(Pod, "web-1", "delete", "Background")]
    ask(
        submission,
        scenario,
        "Pod web-1, whose only owner is gone; ConfigMap settings without owners",
        objects,
        wanted,
        why=why,
    )


@rubric("garbage", needs=DELETES)
def test_without_owners_nothing_is_garbage(submission, scenario):
    why = "Only what had an owner can lose it. A RackNode that a person made has none."
    objects = [thing(RackNode, "r1"), thing(ConfigMap, "settings"), thing(Node, "node-1")]
    ask(submission, scenario, "a RackNode, a ConfigMap and a Node without owners", objects, [], why=why)


@rubric("garbage", needs=DELETES)
def test_an_owner_that_is_there_keeps_it(submission, scenario):
    why = "The owner is there: its uid is that of an object in the same namespace."
    node = thing(RackNode, "r1")
    ask(submission, scenario, "RackNode r1 and its Job", [thing(Job, "r1-flash-1", node), node], [], why=why)


@rubric("garbage", needs=DELETES)
def test_one_owner_of_two_is_enough(submission, scenario):
    why = "One owner that is there is enough, whichever of them it is."
    owner = thing(ReplicaSet, "two")
    for owners in ((absent(), owner), (owner, absent())):
        objects = [owner, thing(Pod, "web-1", *owners)]
        ask(submission, scenario, "Pod web-1 with two owners, one of them gone", objects, [], why=why)


@rubric("garbage")
def test_all_of_two_owners_gone(submission, scenario):
    why = "The last owner is gone too."
    objects = [thing(Pod, "web-1", absent("one"), absent("two")), thing(ReplicaSet, "three")]
    wanted = [expect(Pod, "web-1", "delete", "Background")]
    ask(submission, scenario, "Pod web-1 with two owners, both gone", objects, wanted, why=why)


@rubric("garbage")
def test_a_namesake_is_not_the_owner(submission, scenario):
    why = "Kind and name are those of the owner, the uid is not: it is another object."
    node = thing(RackNode, "r1", uid="uid-new")
    objects = [
        node,
        thing(Job, "r1-flash-1", thing(RackNode, "r1", uid="uid-old")),
        thing(Job, "r1-flash-2", node),
    ]
    wanted = [expect(Job, "r1-flash-1", "delete", "Background")]
    given = (
        "RackNode r1 (uid-new), Job r1-flash-1 owned by r1 (uid-old), Job r1-flash-2 owned by r1 (uid-new)"
    )
    ask(submission, scenario, given, objects, wanted, why=why)


@rubric("garbage")
def test_an_owner_in_another_namespace(submission, scenario):
    why = (
        "An owner is looked up in the dependent's own namespace. In another one it looks absent, uid or not."
    )
    owner = thing(ReplicaSet, "web", namespace="shop")
    objects = [owner, thing(Pod, "web-1", owner), thing(Pod, "web-2", owner, namespace="shop")]
    wanted = [expect(Pod, "web-1", "delete", "Background")]
    given = "ReplicaSet web in shop; it owns Pod web-1 in default and Pod web-2 in shop"
    ask(submission, scenario, given, objects, wanted, why=why)


@rubric("garbage")
def test_a_cluster_scoped_owner(submission, scenario):
    why = "A cluster-scoped owner may own objects in any namespace."
    node = thing(Node, "node-1")
    objects = [
        node,
        thing(Pod, "a", node),
        thing(Pod, "b", node, namespace="shop"),
        thing(Pod, "c", absent("node-2", Node)),
    ]
    wanted = [expect(Pod, "c", "delete", "Background")]
    given = "Node node-1 owns Pod a in default and Pod b in shop; Pod c is owned by a Node that is gone"
    ask(submission, scenario, given, objects, wanted, why=why)


@rubric("garbage", needs=DELETES)
def test_a_cluster_scoped_object_with_a_namespaced_owner(submission, scenario):
    why = "In which namespace should the owner be looked up? It cannot be found, so the object is never collected."
    owner = thing(RackNode, "r1")
    for others in ((), (absent("node-9", Node),)):
        for owners in ((owner, *others), (*others, owner)):
            given = "Node node-1, owned by RackNode r1 (which is namespaced)"
            given += " and by a Node that is gone" if others else ""
            ask(submission, scenario, given, [owner, thing(Node, "node-1", *owners)], [], why=why)


@rubric("garbage")
def test_a_cluster_scoped_object_whose_owner_is_gone(submission, scenario):
    why = "Cluster-scoped objects lose their owners too; their namespace is empty."
    objects = [thing(Node, "node-1", absent("node-9", Node)), thing(Node, "node-2")]
    ask(
        submission,
        scenario,
        "Node node-1, owned by a Node that is gone",
        objects,
        [expect(Node, "node-1", "delete", "Background")],
        why=why,
    )


@rubric("garbage", needs=DELETES)
def test_an_owner_that_is_going_is_still_there(submission, scenario):
    why = "Until it is really gone, an owner under deletion keeps its dependents, unless it waits for them."
    for finalizer in ("", "example.com/hold", "orphan"):
        owner = thing(RackNode, "r1", going=finalizer)
        objects = [owner, thing(Job, "r1-flash-1", owner)]
        held = f"with finalizer {finalizer}" if finalizer else "without a finalizer"
        given = f"RackNode r1 is being deleted, {held}; it owns Job r1-flash-1"
        scenario.given(given)
        scenario.expected("no deletion of r1-flash-1")
        scenario.why(why)
        answer = submission.collect_garbage(objects)
        scenario.check(all(d.name != "r1-flash-1" for d in answer), got=told(answer))


@rubric("garbage", needs=DELETES)
def test_what_is_going_is_not_deleted_again(submission, scenario):
    why = "It is being deleted already, and somebody else's finalizer holds it."
    objects = [thing(Pod, "web-1", absent(), going="example.com/hold")]
    ask(submission, scenario, "Pod web-1 is being deleted, its owner is gone", objects, [], why=why)


@rubric("garbage")
def test_one_pass_one_level(submission, scenario):
    why = "Each object is judged by the snapshot: web is still there, so its pods have an owner. Their turn comes next."
    web = thing(ReplicaSet, "web", absent("web", Deployment))
    objects = [thing(Pod, "web-1", web), web, thing(Pod, "web-2", web)]
    wanted = [expect(ReplicaSet, "web", "delete", "Background")]
    given = "ReplicaSet web, whose Deployment is gone, and its Pods web-1 and web-2"
    ask(submission, scenario, given, objects, wanted, why=why)


@rubric("garbage")
def test_names_repeat_across_kinds_and_namespaces(submission, scenario):
    why = "An object is a kind, a namespace and a name together."
    objects = [
        thing(Pod, "a", absent(), uid="1"),
        thing(Pod, "a", absent(), uid="2", namespace="shop"),
        thing(Job, "a", absent(), uid="3"),
        thing(ConfigMap, "a", uid="4"),
    ]
    wanted = [
        expect(Pod, "a", "delete", "Background"),
        expect(Pod, "a", "delete", "Background", "shop"),
        expect(Job, "a", "delete", "Background"),
    ]
    given = "Pod a in default, Pod a in shop and Job a, whose owners are gone; ConfigMap a without owners"
    ask(submission, scenario, given, objects, wanted, why=why)


@rubric("garbage")
def test_the_order_does_not_matter(submission, scenario):
    owner = thing(ReplicaSet, "web")
    objects = [owner, *(thing(Pod, f"p{n}", owner if n % 2 else absent()) for n in range(6))]
    wanted = [expect(Pod, f"p{n}", "delete", "Background") for n in (0, 2, 4)]
    given = "ReplicaSet web and Pods p0 to p5; p1, p3 and p5 are web's, the owner of the others is gone; {}"
    why = "A snapshot has no order: what is listed first is not there first."
    ask(submission, scenario, given.format("listed forwards"), objects, wanted, why=why)
    ask(submission, scenario, given.format("listed backwards"), objects[::-1], wanted, why=why)


@rubric("garbage", needs=DELETES)
def test_the_objects_are_not_changed(submission, scenario):
    scenario.given("Pod web-1 with two owners, one of them gone; Pod web-2, whose owner is gone")
    scenario.expected("the objects that were passed are as they were")
    scenario.why("A snapshot belongs to the caller.")
    owner = thing(ReplicaSet, "web", going=FOREGROUND)
    objects = [owner, thing(Pod, "web-1", owner, absent()), thing(Pod, "web-2", absent())]
    submission.collect_garbage(objects)
    (after,) = submission.arguments_after
    scenario.check(after == objects, got="the objects were changed")


# --- policy --------------------------------------------------------------------------------------------------


@rubric("policy")
def test_a_waiting_owner_lets_its_dependents_go(submission, scenario):
    why = "An owner with the finalizer foregroundDeletion waits for its dependents to go: it does not keep them."
    web = thing(ReplicaSet, "web", going=FOREGROUND)
    wanted = [expect(Pod, "web-1", "delete", "Background")]
    given = "ReplicaSet web is being deleted in the foreground; Pod web-1 blocks it"
    ask(submission, scenario, given, [web, thing(Pod, "web-1", web)], wanted, why=why)


@rubric("policy")
def test_foreground_spreads_down(submission, scenario):
    why = "web has dependents of its own, so it is deleted in the foreground as well: children first, all the way down."
    shop = thing(Deployment, "shop", going=FOREGROUND)
    web = thing(ReplicaSet, "web", shop)
    wanted = [expect(ReplicaSet, "web", "delete", "Foreground")]
    given = "Deployment shop is being deleted in the foreground; it owns ReplicaSet web, which owns Pod web-1"
    ask(submission, scenario, given, [shop, web, thing(Pod, "web-1", web)], wanted, why=why)
    ask(
        submission,
        scenario,
        given + " without blocking",
        [shop, web, thing(Pod, "web-1", (web, False))],
        wanted,
        why=why,
    )


@rubric("policy")
def test_absent_owners_mean_background(submission, scenario):
    why = "No owner waits for it. In the background the pod follows when web is gone."
    web = thing(ReplicaSet, "web", absent())
    wanted = [expect(ReplicaSet, "web", "delete", "Background")]
    ask(
        submission,
        scenario,
        "ReplicaSet web, whose owner is gone, and its Pod web-1",
        [web, thing(Pod, "web-1", web)],
        wanted,
        why=why,
    )


@rubric("policy")
def test_its_own_finalizer_decides(submission, scenario):
    why = "What shall become of its dependents, the object says itself, with a finalizer."
    for finalizer, policy in (
        ("orphan", "Orphan"),
        (FOREGROUND, "Foreground"),
        ("example.com/hold", "Background"),
    ):
        web = thing(ReplicaSet, "web", absent(), finalizers=["example.com/x", finalizer])
        wanted = [expect(ReplicaSet, "web", "delete", policy)]
        given = f"ReplicaSet web with finalizers example.com/x and {finalizer}, whose owner is gone; its Pod web-1"
        ask(submission, scenario, given, [web, thing(Pod, "web-1", web)], wanted, why=why)


@rubric("policy")
def test_a_waiting_owner_comes_before_the_own_finalizer(submission, scenario):
    shop = thing(Deployment, "shop", going=FOREGROUND)
    web = thing(ReplicaSet, "web", shop, finalizers=["orphan"])
    given = "Deployment shop is being deleted in the foreground; its ReplicaSet web has the finalizer orphan"
    why = "Its owner waits for everything below, so the foreground comes first."
    objects = [shop, web, thing(Pod, "web-1", web)]
    ask(
        submission,
        scenario,
        f"{given} and a Pod",
        objects,
        [expect(ReplicaSet, "web", "delete", "Foreground")],
        why=why,
    )
    why = "It has no dependents that its owner could wait for, so its own finalizer decides."
    ask(
        submission,
        scenario,
        f"{given} and no Pod",
        objects[:2],
        [expect(ReplicaSet, "web", "delete", "Orphan")],
        why=why,
    )


@rubric("policy")
def test_foreground_is_finished_when_nothing_is_left(submission, scenario):
    why = "All that it waited for is gone: the collector takes its finalizer off, and leaves those of others."
    for others in ((), ("example.com/hold",)):
        web = thing(ReplicaSet, "web", going=FOREGROUND, finalizers=others)
        given = f"ReplicaSet web is being deleted in the foreground, other finalizers {list(others)}; no dependents"
        ask(submission, scenario, given, [web], [expect(ReplicaSet, "web", "finish", "Foreground")], why=why)


@rubric("policy")
def test_only_blocking_dependents_are_waited_for(submission, scenario):
    why = "Foreground waits for dependents with blockOwnerDeletion true. The others go later."
    web = thing(ReplicaSet, "web", going=FOREGROUND)
    loose = thing(Pod, "web-1", (web, False))
    wanted = [expect(Pod, "web-1", "delete", "Background"), expect(ReplicaSet, "web", "finish", "Foreground")]
    given = "ReplicaSet web is being deleted in the foreground; Pod web-1 does not block it"
    ask(submission, scenario, given, [web, loose], wanted, why=why)
    loose.metadata.owner_references[0].block_owner_deletion = False
    ask(submission, scenario, given, [web, loose], wanted, why=why)


@rubric("policy")
def test_one_blocking_dependent_of_several_is_enough(submission, scenario):
    why = "As long as one blocking dependent is there, web is not finished."
    web = thing(ReplicaSet, "web", going=FOREGROUND)
    for blocks in ((True, False), (False, True)):
        pods = [thing(Pod, f"web-{n}", (web, block)) for n, block in enumerate(blocks)]
        wanted = [expect(Pod, f"web-{n}", "delete", "Background") for n in (0, 1)]
        given = "ReplicaSet web is being deleted in the foreground; of its Pods web-0 and web-1 one blocks it"
        ask(submission, scenario, given, [web, *pods], wanted, why=why)


@rubric("policy")
def test_a_dependent_that_blocks_another_owner(submission, scenario):
    why = "web-1 blocks the other owner's deletion, not web's; and as the other one is there, web-1 stays."
    web, other = thing(ReplicaSet, "web", going=FOREGROUND), thing(ReplicaSet, "other")
    wanted = [expect(ReplicaSet, "web", "finish", "Foreground")]
    given = "ReplicaSet web is being deleted in the foreground; Pod web-1 is owned by web, and by other with block"
    ask(submission, scenario, given, [web, other, thing(Pod, "web-1", (web, False), other)], wanted, why=why)
    why = "web-1 would block web, but other keeps it: waiting for it would take for ever."
    given = "ReplicaSet web is being deleted in the foreground; Pod web-1 is owned by web and other, both with block"
    ask(submission, scenario, given, [web, other, thing(Pod, "web-1", web, other)], wanted, why=why)


@rubric("policy")
def test_cluster_scoped_objects_wait_too(submission, scenario):
    why = "Owner and dependent are both cluster-scoped, so the owner is found, and it waits."
    rack = thing(Node, "rack", going=FOREGROUND)
    wanted = [expect(Node, "node-1", "delete", "Background")]
    given = "Node rack is being deleted in the foreground; Node node-1, owned by rack, blocks it"
    ask(submission, scenario, given, [rack, thing(Node, "node-1", rack)], wanted, why=why)


@rubric("policy")
def test_two_owners_that_both_wait(submission, scenario):
    why = "Neither owner keeps it, so it goes, and both wait until it is gone."
    one, two = (thing(ReplicaSet, name, going=FOREGROUND) for name in ("one", "two"))
    wanted = [expect(Pod, "p", "delete", "Background")]
    given = "ReplicaSets one and two are being deleted in the foreground; Pod p is owned by both, with block"
    ask(submission, scenario, given, [one, two, thing(Pod, "p", one, two)], wanted, why=why)


@rubric("policy", needs=("test_foreground_is_finished_when_nothing_is_left",))
def test_a_dependent_that_is_held_still_blocks(submission, scenario):
    why = "The pod is going, but not gone: somebody's finalizer holds it, and so it holds its owner."
    web = thing(ReplicaSet, "web", going=FOREGROUND)
    given = "ReplicaSet web is being deleted in the foreground; its Pod web-1 is being deleted and held by a finalizer"
    ask(submission, scenario, given, [web, thing(Pod, "web-1", web, going="example.com/hold")], [], why=why)


@rubric("policy")
def test_a_waiting_dependent_is_finished_first(submission, scenario):
    why = "From the bottom up: web has nothing left to wait for, shop still waits for web."
    shop = thing(Deployment, "shop", going=FOREGROUND)
    web = thing(ReplicaSet, "web", shop, going=FOREGROUND)
    wanted = [expect(ReplicaSet, "web", "finish", "Foreground")]
    given = "Deployment shop and its ReplicaSet web are both being deleted in the foreground; no Pods"
    ask(submission, scenario, given, [shop, web], wanted, why=why)


@rubric("policy")
def test_orphaning_is_finished_at_once(submission, scenario):
    why = "With the finalizer orphan the dependents only lose their reference, which takes no waiting."
    web = thing(ReplicaSet, "web", going="orphan")
    wanted = [expect(ReplicaSet, "web", "finish", "Orphan")]
    given = "ReplicaSet web is being deleted with the finalizer orphan; Pod web-1 blocks it"
    ask(submission, scenario, given, [web, thing(Pod, "web-1", web)], wanted, why=why)


@rubric("policy", needs=("test_foreground_is_finished_when_nothing_is_left",))
def test_finalizers_mean_nothing_without_a_deletion(submission, scenario):
    why = "Nobody has deleted it: the finalizers only say what shall happen when somebody does."
    for finalizer in (FOREGROUND, "orphan"):
        web = thing(ReplicaSet, "web", finalizers=[finalizer])
        given = f"ReplicaSet web with finalizer {finalizer}, not being deleted; its Pod web-1"
        ask(submission, scenario, given, [web, thing(Pod, "web-1", web)], [], why=why)


@rubric("policy", needs=("test_foreground_is_finished_when_nothing_is_left",))
def test_foreign_finalizers_are_not_finished(submission, scenario):
    why = "example.com/hold is somebody else's promise. The collector finishes only its own work."
    web = thing(ReplicaSet, "web", going="example.com/hold")
    ask(
        submission,
        scenario,
        "ReplicaSet web is being deleted and held by example.com/hold",
        [web],
        [],
        why=why,
    )


@rubric("policy")
def test_a_dependent_in_another_namespace_does_not_block(submission, scenario):
    why = "Across namespaces the owner is not found, so nothing ties web-1 to web."
    web = thing(ReplicaSet, "web", going=FOREGROUND)
    wanted = [
        expect(Pod, "web-1", "delete", "Background", "shop"),
        expect(ReplicaSet, "web", "finish", "Foreground"),
    ]
    given = (
        "ReplicaSet web in default is being deleted in the foreground; Pod web-1 in shop names it, with block"
    )
    ask(submission, scenario, given, [web, thing(Pod, "web-1", web, namespace="shop")], wanted, why=why)


# --- whole stories: the world's API server does what the submission says ----------------------------------------


def story(world: World) -> None:
    """Deployment shop owns ReplicaSet web, which owns Pods web-1 and web-2."""
    shop, web = world.add(deployment("shop", 2)), replica_set("web", 2)
    web.metadata.owner_references = [shop.owner_reference()]
    web = world.add(web)
    for name in ("web-1", "web-2"):
        world.add(pod(name, owner=web))


def play(submission: Any, world: World) -> list[str]:
    """Carry out pass after pass, and tell in which order objects went."""
    went: list[str] = []
    names = {"shop", "web", "web-1", "web-2"}
    for _ in range(12):
        before = present(world)
        went += sorted(names - before - set(went))
        deletions = submission.collect_garbage(snapshot(world))
        if not deletions:
            break
        for step in deletions:
            carry_out(world, step)
    return went


def snapshot(world: World) -> list[Any]:
    return [obj for kind in (Pod, Deployment, ReplicaSet) for obj in world.list(kind)]


def present(world: World) -> set[str]:
    return {obj.name for obj in snapshot(world)}


def carry_out(world: World, step: Deletion) -> None:
    collector = world.client("garbage-collector")
    kind = KINDS[step.kind]
    found = world.get(kind, step.name, step.namespace)
    if found is None:
        return
    if step.action == "delete":
        collector.delete(found, propagation_policy=step.policy)
        return
    if step.policy == "Orphan":
        for other in snapshot(world):
            if any(ref.uid == found.uid for ref in other.metadata.owner_references):
                other.metadata.owner_references = []
                collector.update(other)
    found.metadata.finalizers = [f for f in found.metadata.finalizers if f not in (FOREGROUND, "orphan")]
    collector.update(found)


def check_story(
    submission: Any, scenario: Any, world: World, policy: str, wanted: list[str], expected: str, why: str
) -> None:
    scenario.given(f"Deployment shop owns ReplicaSet web, which owns two Pods; kubectl delete shop, {policy}")
    scenario.expected(expected)
    scenario.why(why)
    story(world)
    world.client("person").delete(Deployment, "shop", propagation_policy=policy)
    went = play(submission, world)
    scenario.check(went == wanted, got=f"went, in this order: {', '.join(went) or 'nothing'}")


@rubric("garbage")
def test_the_whole_story_in_the_background(submission, scenario, world):
    check_story(
        submission,
        scenario,
        world,
        "Background",
        ["shop", "web", "web-1", "web-2"],
        "pass by pass: shop, then web, then the Pods",
        "In the background the owner goes at once, and each level follows when the one above is gone.",
    )


@rubric("policy")
def test_the_whole_story_in_the_foreground(submission, scenario, world):
    check_story(
        submission,
        scenario,
        world,
        "Foreground",
        ["web-1", "web-2", "web", "shop"],
        "pass by pass: the Pods, then web, then shop",
        "In the foreground every owner waits for what blocks it: from the bottom up.",
    )


@rubric("policy")
def test_the_whole_story_of_orphans(submission, scenario, world):
    check_story(
        submission,
        scenario,
        world,
        "Orphan",
        ["shop"],
        "shop goes; web and the Pods stay",
        "web loses its reference and is nobody's now; its Pods have their owner still.",
    )


# --- generated snapshots -------------------------------------------------------------------------------------

FINALIZERS = ([], [], ["orphan"], [FOREGROUND], ["example.com/hold"], ["example.com/hold", FOREGROUND])


def clusters(*, deleting: bool) -> Any:
    """Up to six objects that own one another in a row, by chance."""

    def build(draws: list[tuple[Any, ...]]) -> tuple[list[Any]]:
        objects: list[Any] = []
        for number, (kind, shop, going, finalizers, picks) in enumerate(draws):
            owners = [
                (absent(f"gone-{number}") if pick >= len(objects) else objects[pick], block)
                for pick, block in picks
            ]
            namespace = "shop" if shop else "default"
            made = thing(kind, f"obj-{number}", *owners, namespace=namespace, finalizers=finalizers)
            # A namespaced owner of a cluster-scoped object that is gone cannot be told from a cluster-scoped one.
            if not kind.namespaced and any(pick >= len(objects) for pick, _ in picks):
                made.metadata.owner_references = []
            if deleting and going and finalizers:
                made.metadata.deletion_timestamp = EPOCH
            objects.append(made)
        random.Random(len(objects)).shuffle(objects)
        return (objects,)

    one = st.tuples(
        st.sampled_from((ReplicaSet, Pod, Pod, Node)),
        st.sampled_from((False, False, False, True)),
        st.booleans(),
        st.sampled_from(FINALIZERS if deleting else FINALIZERS[:4]),
        st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=3, unique_by=lambda pick: pick[0]),
    )
    return st.lists(one, min_size=1, max_size=6).map(build)


def show(objects: list[Any]) -> str:
    return "; ".join(map(shown, sorted(objects, key=lambda obj: obj.name)))


def shown(obj: Any) -> str:
    text = f"{obj.kind} {obj.namespace + '/' if obj.namespace else ''}{obj.name}"
    if obj.metadata.owner_references:
        refs = [
            ref.name + (" with block" if ref.block_owner_deletion else "")
            for ref in obj.metadata.owner_references
        ]
        text += f" owned by {', '.join(refs)}"
    if obj.metadata.finalizers:
        text += f", finalizers {', '.join(obj.metadata.finalizers)}"
    return text + (", being deleted" if obj.metadata.deleting else "")


def alike(one: list[Deletion], other: list[Deletion]) -> bool:
    return by_text(one) == by_text(other)


@rubric("garbage", needs=DELETES)
def test_agrees_on_any_cluster_at_rest(submission, scenario, reference):
    scenario.why("Rules 8 to 10: an object goes when it has owners and none of them is there to keep it.")
    submit, refer = submission.collect_garbage, reference.collect_garbage
    scenario.agree(submit, refer, clusters(deleting=False), show=show, max_examples=40, equal=alike)


@rubric("policy", needs=DELETES)
def test_agrees_on_any_cluster(submission, scenario, reference):
    scenario.why("Rules 8 to 12, with objects that are being deleted.")
    submit, refer = submission.collect_garbage, reference.collect_garbage
    scenario.agree(submit, refer, clusters(deleting=True), show=show, max_examples=60, equal=alike)
