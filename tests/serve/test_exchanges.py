"""The server answers as a real Kubernetes v1.36.2 API server did, request by request.

``tests/data/http_exchanges.json`` holds recorded requests in their order with the answers they got. Status,
media type, warnings and every field are compared; uids, times and resource versions are translated as they
fell, and managedFields are left aside.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubekata.serve.cluster import LiveCluster
from tests.serve.serving import Answer, ServedCluster, served_cluster

Manifest = dict[str, Any]

EXCHANGES: list[Manifest] = json.loads(
    (Path(__file__).parent.parent / "data" / "http_exchanges.json").read_text(encoding="utf-8")
)
RACKNODES = "/apis/rack.example.com/v1/namespaces/default/racknodes"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_OURS = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "lastTransitionTime", "time")


class Replay:
    """Translates between the recorded names of things and ours."""

    def __init__(self) -> None:
        self.ours: dict[str, str] = {}

    def learn(self, theirs: Any, ours: Any) -> None:
        """Note which of our uids, versions, tokens and generated names stand for which recorded ones."""
        if isinstance(theirs, dict) and isinstance(ours, dict):
            for key in theirs.keys() & ours.keys():
                if key in (*_OURS, "continue", "name") and isinstance(theirs[key], str) and theirs[key]:
                    if key != "name" or theirs.get("generateName"):
                        self.ours[theirs[key]] = str(ours[key])
                else:
                    self.learn(theirs[key], ours[key])
        elif isinstance(theirs, list) and isinstance(ours, list):
            for their_item, our_item in zip(theirs, ours, strict=False):
                self.learn(their_item, our_item)

    def translate(self, text: str) -> str:
        """Return a recorded text with our names in it."""
        if not self.ours:
            return text
        known = sorted(self.ours, key=len, reverse=True)
        pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in known))
        return pattern.sub(lambda match: self.ours[match[0]], text)


def comparable(value: Any) -> Any:
    """Return an answer without what differs from run to run."""
    if isinstance(value, dict):
        return {
            key: "<ours>" if key in (*_OURS, "continue") and item else comparable(item)
            for key, item in value.items()
            if key != "managedFields"
        }
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"\b\d+s\b", "<age>", _TIME.sub("<time>", value))
    return value


@dataclass(frozen=True)
class Played:
    """One request played: the answer, and what it has to be in our names. Watches answer with events."""

    answer: Answer
    ours: Any
    theirs: Any


@pytest.fixture(scope="module")
def played() -> list[Played]:
    """The whole recording played in its order, on an API server alone, as it was recorded."""
    replay = Replay()
    with served_cluster(LiveCluster(seed=1, controllers=False)) as server:
        return [_play(exchange, server, replay) for exchange in EXCHANGES]


@pytest.mark.parametrize(
    "index", range(len(EXCHANGES)), ids=[f"{i:02} {e['title']}" for i, e in enumerate(EXCHANGES)]
)
def test_exchange(index: int, played: list[Played]) -> None:
    """One request of the recording, after all those before it."""
    expected, got = EXCHANGES[index]["response"], played[index]
    assert got.answer.status == expected["status"], got.answer.body
    assert got.answer.content_type.split(";")[0] == expected["content_type"].split(";")[0]
    assert got.answer.headers.get("Warning") == expected.get("warning")
    assert comparable(got.ours) == comparable(got.theirs)


def _play(exchange: Manifest, server: ServedCluster, replay: Replay) -> Played:
    request, expected = exchange["request"], exchange["response"]
    _prepare(exchange, server)
    path = replay.translate(request["path"])
    if "events" in expected:
        return _play_watch(exchange, server, path)
    body = request["body"]
    if isinstance(body, str):
        body = body.encode()
    elif body is not None:
        body = json.loads(replay.translate(json.dumps(body)))
    answer = server.call(request["method"], path, body, request["headers"])
    ours, theirs = answer.body, expected["body"]
    if isinstance(ours, dict) and isinstance(theirs, dict):
        replay.learn(theirs, ours)
        theirs = json.loads(replay.translate(json.dumps(theirs)))
        if "aggregated discovery" in exchange["title"]:
            ours = _only_recorded(ours, theirs)
        if "in the future" in exchange["title"]:
            # "current: 986" is the version as it fell.
            for status in (ours, theirs):
                status["message"] = re.sub(r"current: \d+", "current: <ours>", status["message"])
    return Played(answer, ours, theirs)


def _prepare(exchange: Manifest, server: ServedCluster) -> None:
    """Make what the recorded cluster had by then without a recorded request."""
    made: list[Manifest] = []
    if exchange["title"] == "get":
        made = [_rack_node({"name": "node-01", "labels": {"rack": "r1"}})]
    elif exchange["title"] == "list all namespaces":
        made = [_rack_node({"generateName": "gen-"}), _rack_node({"name": "node-03"})]
    for manifest in made:
        assert server.call("POST", RACKNODES, manifest).status == 201


def _rack_node(metadata: Manifest) -> Manifest:
    return {
        "apiVersion": "rack.example.com/v1",
        "kind": "RackNode",
        "metadata": metadata,
        "spec": {"desiredFirmware": "2.1.0"},
    }


def _only_recorded(ours: Manifest, theirs: Manifest) -> Manifest:
    """The recording kept three resources of the core group."""
    names = {entry["resource"] for entry in theirs["items"][0]["versions"][0]["resources"]}
    version = ours["items"][0]["versions"][0]
    version["resources"] = [entry for entry in version["resources"] if entry["resource"] in names]
    return ours


def _play_watch(exchange: Manifest, server: ServedCluster, path: str) -> Played:
    theirs = exchange["response"]["events"]
    timer = None
    if "added, modified, deleted" in exchange["title"]:
        current = server.call("GET", f"{RACKNODES}?limit=1").body["metadata"]["resourceVersion"]
        path = re.sub(r"resourceVersion=\d+", f"resourceVersion={current}", path)
        timer = threading.Timer(0.2, _write_three_times, [server])
        timer.start()
    if "far too old" in exchange["title"]:
        server.on_loop(server.cluster.api.store.compact)
    answer = server.call("GET", f"{path}&timeoutSeconds=1")
    if timer is not None:
        timer.join()
    ours = answer.body if isinstance(answer.body, list) else [answer.body]
    for event in (*ours, *theirs):
        if "message" in event["object"]:
            event["object"]["message"] = re.sub(r"\(\d+\)", "(<ours>)", event["object"]["message"])
    return Played(answer, ours, theirs)


def _write_three_times(server: ServedCluster) -> None:
    server.call("POST", RACKNODES, _rack_node({"name": "w-1"}))
    merge = {"Content-Type": "application/merge-patch+json"}
    server.call("PATCH", f"{RACKNODES}/w-1", {"spec": {"slots": 2}}, merge)
    server.call("DELETE", f"{RACKNODES}/w-1")
