"""Examples from the brief. They run in your own process: print and the debugger work."""

import pytest
from kata import prune_history, record_revision, rollback

from kubekata import Deployment, ReplicaSet, Request, RevisionNotFoundError
from kubekata.testing import World, deployment

REVISION = "deployment.kubernetes.io/revision"
WEB = Request("web")


def roll_out(world: World, image: str) -> int:
    """Set another image, and record the revision, as a sync of the Deployment would."""
    client = world.client()
    web = client.get(Deployment, "web")
    web.spec.template.spec.containers[0].image = image
    client.update(web)
    return record_revision(client, WEB)


@pytest.fixture
def world() -> World:
    """A Deployment with the revisions 1 to 3, which are a:1 to a:3."""
    world = World()
    world.client().create(deployment("web", 2, image="a:1"))
    assert record_revision(world.client(), WEB) == 1
    assert roll_out(world, "a:2") == 2
    assert roll_out(world, "a:3") == 3
    return world


def revisions(world: World) -> dict[str, str]:
    """The revision of each image, as the ReplicaSets say."""
    sets = world.client().list(ReplicaSet)
    return {rs.spec.template.spec.containers[0].image: rs.metadata.annotations[REVISION] for rs in sets}


def image(world: World) -> str:
    return world.client().get(Deployment, "web").spec.template.spec.containers[0].image


def test_recording_again_changes_nothing(world: World) -> None:
    before = len(world.log)
    assert record_revision(world.client(), WEB) == 3
    assert not world.writes(since=before)


def test_back_and_back_again(world: World) -> None:
    assert rollback(world.client(), WEB) == 4
    assert (image(world), revisions(world)) == ("a:2", {"a:1": "1", "a:2": "4", "a:3": "3"})
    assert rollback(world.client(), WEB) == 5
    assert (image(world), revisions(world)) == ("a:3", {"a:1": "1", "a:2": "4", "a:3": "5"})


def test_to_a_number(world: World) -> None:
    assert rollback(world.client(), WEB, 1) == 4
    assert (image(world), revisions(world)) == ("a:1", {"a:1": "4", "a:2": "2", "a:3": "3"})


def test_a_number_that_is_not_there(world: World) -> None:
    rollback(world.client(), WEB)
    with pytest.raises(RevisionNotFoundError, match=r"1.*3.*4"):
        rollback(world.client(), WEB, 2)


def test_history_limit(world: World) -> None:
    client = world.client("deployment-controller")
    web = client.get(Deployment, "web")
    web.spec.revision_history_limit = 1
    web = client.update(web)
    for rs in client.list(ReplicaSet):
        rs.status.observed_generation = rs.metadata.generation
        client.update_status(rs)
    prune_history(world.client(), WEB)
    assert len(revisions(world)) == 3  # the rollout is not complete yet

    web.status.observed_generation = web.metadata.generation
    web.status.replicas = web.status.updated_replicas = web.status.available_replicas = 2
    client.update_status(web)
    prune_history(world.client(), WEB)
    assert revisions(world) == {"a:2": "2", "a:3": "3"}
