"""The in-process API server answers as a real one (v1.36) did, wherever no transport is involved.

``tests/data/apiserver_exchanges.json`` holds the recorded requests in their order, without those that only
HTTP knows: versions and discovery, CustomResourceDefinitions, media types, field
validation, Tables, patch formats, server-side apply, watches, authentication, deletecollection, and lists
at a version. A merge patch is played as a read followed by an update, which is what it stands for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kubekata.cluster.api import ApiRequest, DeleteOptions
from kubekata.cluster.errors import ApiError
from kubekata.cluster.world import World

Manifest = dict[str, Any]

_EXCHANGES = json.loads((Path(__file__).parent.parent / "data" / "apiserver_exchanges.json").read_text())
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
_KINDS = {"racknodes": "RackNode", "namespaces": "Namespace", "events": "Event"}
_OUR_OWN = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "continue",
    "remainingItemCount",
)
_TRANSLATED = ("uid", "resourceVersion", "creationTimestamp")


@dataclass
class _Replay:
    """Plays the exchanges on a world; uids and resource versions are translated as they fell."""

    world: World = field(default_factory=World)
    ours: dict[str, str] = field(default_factory=dict)

    def play(self, exchange: Manifest) -> tuple[int, Manifest]:
        request = self._request(exchange)
        try:
            answer = self.world.transport("recorded").call(request)
        except ApiError as error:
            return error.code, self._in_their_terms(error.to_status())
        self._remember(exchange["answer"], answer)
        return (201 if exchange["method"] == "POST" else 200), answer

    def seed(self, answer: Manifest) -> None:
        """Add the objects that were there without a recorded request."""
        api = self.world.api
        for item in answer["items"]:
            metadata = item["metadata"]
            if api.store.get("racknodes.rack.example.com", "default", metadata["name"]) is None:
                given = {k: v for k, v in metadata.items() if k not in _OUR_OWN}
                self._remember(item, api.load({**item, "metadata": given}))

    def _request(self, exchange: Manifest) -> ApiRequest:
        url = urlsplit(exchange["path"])
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        parts = url.path.strip("/").split("/")
        version = "/".join(parts[1:3]) if parts[0] == "apis" else "v1"
        rest = parts[3:] if parts[0] == "apis" else parts[2:]
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        name = rest[1] if len(rest) > 1 else ""
        read = "get" if name else "list"
        body = self._in_our_terms(exchange["body"])
        request = ApiRequest(
            verb=_VERBS.get(exchange["method"], read),
            api_version=version,
            kind=_KINDS[rest[0]],
            namespace=namespace,
            name=name,
            subresource=rest[2] if len(rest) > 2 and exchange["method"] != "GET" else "",
            body=body,
            label_selector=query.get("labelSelector", ""),
            field_selector=query.get("fieldSelector", ""),
            options=_options(body if exchange["method"] == "DELETE" else None),
            dry_run="dryRun" in query,
        )
        if exchange["method"] != "PATCH":
            return request
        resource = self.world.api.resource(version, request.kind)
        stored = self.world.api.store.get(resource.qualified, namespace, name) or {"metadata": {"name": name}}
        return ApiRequest(
            verb="update",
            api_version=version,
            kind=request.kind,
            namespace=namespace,
            name=name,
            subresource=request.subresource,
            body=_merged(stored, body),
        )

    def _remember(self, theirs: Manifest, ours: Manifest) -> None:
        if theirs.get("kind", "").endswith("List"):
            return
        for key in _TRANSLATED:
            recorded = theirs.get("metadata", {}).get(key)
            if recorded is not None and key in ours.get("metadata", {}):
                self.ours[recorded] = ours["metadata"][key]

    def _in_our_terms(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: self.ours.get(item, item) if key in _TRANSLATED else self._in_our_terms(item)
                for key, item in value.items()
            }
        return [self._in_our_terms(item) for item in value] if isinstance(value, list) else value

    def _in_their_terms(self, value: Any) -> Any:
        text = json.dumps(value)
        for theirs, ours in self.ours.items():
            if len(theirs) > 10 or f"in record ({ours})" in text:
                text = text.replace(ours, theirs)
        return json.loads(text)


def _options(body: Manifest | None) -> DeleteOptions:
    body = body or {}
    conditions = body.get("preconditions") or {}
    return DeleteOptions(
        propagation_policy=body.get("propagationPolicy"),
        uid=conditions.get("uid"),
        resource_version=conditions.get("resourceVersion"),
    )


def _merged(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


def _comparable(answer: Manifest) -> Any:
    """What the store decides of an answer: not ids and times, nor how often a cause is repeated."""
    if answer.get("kind", "").endswith("List"):
        return [item["metadata"]["name"] for item in answer["items"]]
    if answer.get("kind") == "Status":
        details = {key: value for key, value in (answer.get("details") or {}).items() if key != "uid"}
        causes = details.pop("causes", [])
        return answer.get("message"), answer.get("reason"), answer.get("code"), details, _unique(causes)
    metadata = {key: value for key, value in answer["metadata"].items() if key not in _OUR_OWN}
    if "deletionTimestamp" in answer["metadata"]:
        metadata["being deleted"] = True
    return {**answer, "metadata": metadata}


def _unique(causes: list[Manifest]) -> list[str]:
    return sorted({json.dumps(cause, sort_keys=True) for cause in causes})


def _without_what_only_the_codec_adds(answer: Manifest) -> Manifest:
    """A typed Event always shows the fields of the new events API, and a typed object says nothing of null."""
    empty = {"eventTime", "reportingComponent", "reportingInstance"}
    if answer.get("kind") != "Event":
        return answer
    metadata = {k: v for k, v in answer["metadata"].items() if k != "name"}
    return {**{k: v for k, v in answer.items() if k not in empty}, "metadata": metadata}


def test_every_recorded_exchange_is_decided_the_same() -> None:
    replay = _Replay()
    differences: list[str] = []
    for exchange in _EXCHANGES:
        if exchange["title"] == "list all namespaces":
            replay.seed(exchange["answer"])
        if exchange["title"] == "list with limit":
            _check_pages(replay.world, exchange["answer"], differences)
            continue
        if exchange["title"] == "list: bad continue":
            continue
        status, answer = replay.play(exchange)
        expected = _comparable(_without_what_only_the_codec_adds(exchange["answer"]))
        got = _comparable(_without_what_only_the_codec_adds(answer))
        if (status, got) != (exchange["status"], expected):
            differences.append(
                f"{exchange['title']}\n  expected {exchange['status']} {expected}\n  got {status} {got}"
            )
    assert not differences, "\n".join(differences)


def _check_pages(world: World, recorded: Manifest, differences: list[str]) -> None:
    resource = world.api.resource("rack.example.com/v1", "RackNode")
    page = world.api.list(resource, "default", limit=2)
    names = [item["metadata"]["name"] for item in page.items]
    if names != [item["metadata"]["name"] for item in recorded["items"]]:
        differences.append(f"list with limit: {names}")
    if page.remaining != recorded["metadata"]["remainingItemCount"]:
        differences.append(f"list with limit: {page.remaining} remaining")
    rest = world.api.list(resource, "default", limit=100, continue_token=page.continue_token)
    if len(rest.items) != page.remaining or rest.resource_version != page.resource_version:
        differences.append("list: continue")
