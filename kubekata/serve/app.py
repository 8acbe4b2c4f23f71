"""The HTTP face: checks who asks, finds out what about, and hands over."""

from __future__ import annotations

import hmac
import json
import logging
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.errors import (
    ApiError,
    InternalError,
    MethodNotAllowed,
    ServiceUnavailable,
    Unauthorized,
)
from kubekata.serve import discovery, openapi
from kubekata.serve.answers import answer, page_not_found, status_answer
from kubekata.serve.negotiation import Accepted, negotiate
from kubekata.serve.reading import Reader
from kubekata.serve.reviews import review
from kubekata.serve.routes import PageNotFound, Target, find_target
from kubekata.serve.watching import Watches
from kubekata.serve.writing import Writer

Manifest = dict[str, Any]

VERSION: Manifest = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": "v1.36.2",
    "gitCommit": "$Format:%H$",
    "gitTreeState": "",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "go1.27.3",
    "compiler": "gc",
    "platform": "linux/amd64",
}
_OPEN_TO_ALL = {"/version", "/healthz", "/readyz", "/livez"}
_PROTOBUF_OPENAPI = "application/com.github.proto-openapi.spec.v2"
_NO_CONTAINERS = {"attach", "exec", "portforward", "proxy"}

log = logging.getLogger(__name__)


def make_app(api: ApiServer, *, token: str = "") -> web.Application:
    """Return the application that serves ``api``.

    Args:
        token: what a client has to present; empty for nothing.
    """
    watches = Watches(api)
    reader = Reader(api, watches)
    face = _Face(api, reader, Writer(api, reader))
    app = web.Application(middlewares=[_errors, _authentication(token)], client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", face.handle)

    async def close_watches(_: web.Application) -> None:
        watches.close()

    app.on_shutdown.append(close_watches)
    return app


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ApiError as error:
        return status_answer(error)
    except PageNotFound:
        return page_not_found()
    except web.HTTPException:
        raise
    except (ConnectionError, TimeoutError):
        raise
    except Exception:
        log.exception("%s %s", request.method, request.path_qs)
        return status_answer(
            InternalError("an error on the server has prevented the request from succeeding")
        )


def _authentication(token: str) -> Middleware:
    expected = f"Bearer {token}".encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode(errors="replace")
        known = not token or hmac.compare_digest(given, expected)
        if not known and (given or request.path not in _OPEN_TO_ALL):
            raise Unauthorized("Unauthorized")
        return await handler(request)

    return check


class _Face:
    """Finds the part of the API that a request is about."""

    def __init__(self, api: ApiServer, reader: Reader, writer: Writer) -> None:
        self._api = api
        self._reader = reader
        self._writer = writer

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        document = self._document(request)
        if document is not None:
            if request.method not in ("GET", "HEAD"):
                raise MethodNotAllowed("the server does not allow this method on the requested resource")
            return document
        target = find_target(request.path, self._api.resources)
        if target.resource.plural.endswith("reviews"):
            return await review(request, target)
        return await self._resource(request, target)

    async def _resource(self, request: web.Request, target: Target) -> web.StreamResponse:
        known = {part.name for part in discovery.subresources(target.resource)}
        if target.subresource and target.subresource not in known:
            raise PageNotFound
        if target.subresource in _NO_CONTAINERS:
            raise ServiceUnavailable("pods of this cluster have no containers to connect to")
        method = request.method
        if method == "GET":
            return await self._read(request, target)
        writes = {
            "POST": self._writer.create,
            "PUT": self._writer.update,
            "PATCH": self._writer.patch,
            "DELETE": self._writer.delete if target.name else self._writer.delete_collection,
        }
        if method not in writes:
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        return await writes[method](request, target)

    async def _read(self, request: web.Request, target: Target) -> web.StreamResponse:
        if target.subresource == "log":
            self._api.get(target.resource, target.namespace, target.name)
            return web.Response(text="")
        if target.name:
            return self._reader.get(request, target)
        return await self._reader.list_or_watch(request, target)

    def _document(self, request: web.Request) -> web.Response | None:
        path = request.path.rstrip("/") or "/"
        if path in ("/healthz", "/readyz", "/livez"):
            return web.Response(text="ok")
        if path == "/version":
            # What kubectl compares with its own version.
            text = json.dumps(VERSION, indent=2)
            return web.Response(text=text, content_type="application/json")
        if path == "/":
            return answer(
                {"paths": ["/api", "/apis", "/healthz", "/openapi/v2", "/openapi/v3", "/version"]}, Accepted()
            )
        if path.startswith("/openapi/"):
            return self._openapi(request, path)
        if path.startswith(("/api", "/apis")):
            return self._discovery(request, path)
        return None

    def _openapi(self, request: web.Request, path: str) -> web.Response:
        resources = self._api.resources
        if path == "/openapi/v2":
            if request.headers.get("Accept", "").startswith(_PROTOBUF_OPENAPI):
                # An empty document: kubectl then goes by the types that it has compiled in.
                return web.Response(body=b"", content_type=_PROTOBUF_OPENAPI + "@v1.0+protobuf")
            return answer(openapi.swagger(resources), Accepted())
        if path == "/openapi/v3":
            return answer(openapi.index(resources), Accepted())
        parts = path.removeprefix("/openapi/v3/").split("/")
        group, version = ("", parts[1]) if parts[0] == "api" else (*parts[1:], "", "")[:2]
        if (group, version) not in {(r.group, r.version) for r in resources}:
            raise PageNotFound
        return answer(openapi.document(resources, group, version), Accepted())

    def _discovery(self, request: web.Request, path: str) -> web.Response | None:
        resources = self._api.resources
        parts = path.strip("/").split("/")
        if parts[0] not in ("api", "apis") or len(parts) > (2 if parts[0] == "api" else 3):
            return None
        accepted = negotiate(request.headers.get("Accept", ""), ("APIGroupDiscoveryList",))
        if len(parts) == 1 and accepted.form:
            found = discovery.aggregated(resources, core=parts[0] == "api", version=accepted.version)
            response = answer(found, accepted)
            response.headers["Content-Type"] = (
                f"application/json;g=apidiscovery.k8s.io;v={accepted.version};as=APIGroupDiscoveryList"
            )
            return response
        if parts == ["api"]:
            return answer(discovery.api_versions(request.host), accepted)
        if parts == ["apis"]:
            return answer(discovery.api_group_list(resources), accepted)
        if parts[0] == "apis" and len(parts) == 2:
            versions = discovery.group_versions(resources).get(parts[1])
            if not versions or not parts[1]:
                raise PageNotFound
            return answer(discovery.api_group(parts[1], versions), accepted)
        group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
        served = [r for r in resources if (r.group, r.version) == (group, version)]
        if not served:
            raise PageNotFound
        return answer(discovery.api_resource_list("/".join(parts[1:]), served), accepted)
