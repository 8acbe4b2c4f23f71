from kubekata import ConfigMap, Request
from kubekata.grading.hidden import rubric


@rubric("create")
def test_it_is_created(submission, scenario, world):
    scenario.given("no ConfigMap")
    scenario.expected("a ConfigMap called web, and another look after 30 s")
    result = submission.reconcile(world.client(), Request("web"))
    found = world.get(ConfigMap, "web")
    scenario.check(found is not None, got="no ConfigMap")
    scenario.equal(found.data, {"at": world.now().isoformat()})
    scenario.equal(result.requeue_after, 30)


@rubric("create", needs=("test_it_is_created",))
def test_twice_is_once(submission, scenario, world):
    submission.reconcile(world.client(), Request("web"))
    submission.restart()
    result = submission.reconcile(world.client(), Request("web"))
    scenario.check(result.requeue_after is None, got=f"another look after {result.requeue_after} s")
