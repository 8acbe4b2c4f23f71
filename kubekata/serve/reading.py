"""Reads: get, list, and watch."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from aiohttp import web

from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.errors import ApiError, Expired, InternalError, Timeout
from kubekata.cluster.paging import Page, read_token
from kubekata.cluster.scale import scale_of
from kubekata.cluster.store import StoreEvent
from kubekata.serve.answers import LIST_FORMS, OBJECT_FORMS, answer, as_served, list_form, object_form
from kubekata.serve.negotiation import Accepted, negotiate
from kubekata.serve.options import ListOptions, list_options, resource_version
from kubekata.serve.routes import Target
from kubekata.serve.tables import partial_metadata, table
from kubekata.serve.watching import Filter, Watcher, Watches

Manifest = dict[str, Any]

_BOOKMARK_SECONDS = 60.0
_BOOKMARK_BEFORE_END = 2.0
_SHORTEST_DEFAULT_WATCH = 1800


class Reader:
    """Answers GET requests about resources."""

    def __init__(self, api: ApiServer, watches: Watches) -> None:
        self._api = api
        self._watches = watches

    def get(self, request: web.Request, target: Target) -> web.Response:
        """Answer with one object, or a subresource of it."""
        accepted = negotiate(request.headers.get("Accept", ""), OBJECT_FORMS)
        self._check_not_in_future(resource_version(request.query.get("resourceVersion", ""), target.resource))
        found = self._api.get(target.resource, target.namespace, target.name)
        warnings = [target.resource.warning] if target.resource.warning else []
        if target.subresource == "scale":
            return answer(scale_of(target.resource, found), accepted, warnings=warnings)
        include = request.query.get("includeObject", "Metadata")
        form = object_form(target.resource, found, accepted, self._api.now(), include)
        return answer(form, accepted, warnings=warnings)

    async def list_or_watch(self, request: web.Request, target: Target) -> web.StreamResponse:
        """Answer with a list, or with the changes from now on."""
        options = list_options(request.query, target.resource)
        accepted = negotiate(request.headers.get("Accept", ""), (*LIST_FORMS, "PartialObjectMetadata"))
        if options.watch:
            return await self._watch(request, target, options, accepted)
        page = self.page(target, options)
        selects = bool(options.label_selector or options.field_selector)
        include = request.query.get("includeObject", "Metadata")
        form = list_form(target.resource, page, accepted, self._api.now(), include, counts=not selects)
        return answer(form, accepted, warnings=[target.resource.warning] if target.resource.warning else [])

    def page(self, target: Target, options: ListOptions) -> Page:
        """Return what a list selects, as of the version that it asks for.

        Raises:
            Timeout: a version that does not exist yet.
            Expired: one that has been forgotten.
        """
        self._check_not_in_future(options.resource_version)
        api = self._api
        if options.match == "Exact" and options.resource_version is not None:
            api = api.as_of(options.resource_version)
        elif options.continue_token:
            # Later pages show the list as it was when the first one was asked for.
            version, _ = read_token(options.continue_token, api.store.oldest_version)
            if version < api.store.version:
                api = api.as_of(version)
        return api.list(
            target.resource,
            target.namespace,
            label_selector=options.label_selector,
            field_selector=options.field_selector,
            limit=options.limit,
            continue_token=options.continue_token,
        )

    def _check_not_in_future(self, version: int | None) -> None:
        current = self._api.store.version
        if version is not None and version > current:
            cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
            raise Timeout(
                f"Timeout: Too large resource version: {version}, current: {current}",
                details={"causes": [cause]},
            )

    async def _watch(
        self, request: web.Request, target: Target, options: ListOptions, accepted: Accepted
    ) -> web.StreamResponse:
        filter_ = Filter.of(target.resource, target.namespace, options.label_selector, options.field_selector)
        stream = _Stream(request, self._watches, filter_, accepted, self._api)
        first: list[Manifest] = []
        watcher: Watcher | None = None
        problem: ApiError | None = None
        try:
            self._check_not_in_future(options.resource_version)
            if options.initial_events:
                # The answer of a store that cannot report progress; clients then list and watch instead.
                raise InternalError(
                    "a watch stream was requested by the client but the required storage feature "
                    "RequestWatchProgress is disabled"
                )
            if not options.resource_version:
                watcher = self._watches.open(filter_, None)
                page = self._api.list(
                    target.resource,
                    target.namespace,
                    label_selector=options.label_selector,
                    field_selector=options.field_selector,
                )
                first = page.items
            else:
                watcher = self._watches.open(filter_, options.resource_version)
        except (Expired, Timeout, InternalError) as error:
            problem = error
        await stream.start()
        if problem is not None or watcher is None:
            await stream.send_error(problem or InternalError())
            return stream.response
        try:
            for item in first:
                await stream.send_object("ADDED", item)
            await self._follow(stream, watcher, options)
        except (ConnectionError, asyncio.CancelledError):
            # The client has gone. A cancelled handler has nobody left to answer.
            pass
        finally:
            self._watches.end(watcher)
        return stream.response

    async def _follow(self, stream: _Stream, watcher: Watcher, options: ListOptions) -> None:
        loop = asyncio.get_running_loop()
        seconds = options.timeout_seconds or _SHORTEST_DEFAULT_WATCH * (1 + random.random())
        end = loop.time() + seconds
        bookmark_at = loop.time() + min(_BOOKMARK_SECONDS, max(seconds - _BOOKMARK_BEFORE_END, 0))
        while loop.time() < end:
            wait_until = min(end, bookmark_at) if options.bookmarks else end
            for event in await watcher.events(wait_until - loop.time()):
                await stream.send_event(event)
            if watcher.closed:
                return
            if options.bookmarks and loop.time() >= bookmark_at and loop.time() < end:
                await stream.send_bookmark()
                remaining = end - loop.time() - _BOOKMARK_BEFORE_END
                bookmark_at = loop.time() + (min(_BOOKMARK_SECONDS, remaining) if remaining > 1 else seconds)


class _Stream:
    """An open watch response: one JSON document a line."""

    def __init__(
        self, request: web.Request, watches: Watches, filter_: Filter, accepted: Accepted, api: ApiServer
    ) -> None:
        self._request = request
        self._watches = watches
        self._filter = filter_
        self._accepted = accepted
        self._api = api
        self._headers_sent = False
        self._include = request.query.get("includeObject", "Metadata")
        self.response = web.StreamResponse(headers={"Content-Type": "application/json"})
        warning = filter_.resource.warning
        if warning:
            self.response.headers.add("Warning", f'299 - "{warning}"')

    async def start(self) -> None:
        """Send the headers, so that the client knows that the watch is on."""
        self.response.enable_chunked_encoding()
        await self.response.prepare(self._request)

    async def send_event(self, event: StoreEvent) -> None:
        """Send a change, if it means something to this watch."""
        found = self._filter.translate(event)
        if found is None:
            return
        kind, manifest = found
        if self._accepted.form:
            await self.send_object(kind, manifest)
            return
        resource = self._filter.resource
        key = (event.resource_version, kind, resource.api_version)
        await self.response.write(
            self._watches.encode(key, lambda: self._line(kind, as_served(resource, manifest)))
        )

    async def send_object(self, kind: str, manifest: Manifest) -> None:
        """Send an object in the form that was asked for."""
        served = as_served(self._filter.resource, manifest)
        if self._accepted.form == "Table":
            metadata = {"resourceVersion": manifest["metadata"].get("resourceVersion", "")}
            form = table(
                self._filter.resource,
                [served],
                metadata,
                self._api.now(),
                version=self._accepted.version,
                include=self._include,
                headers=not self._headers_sent,
            )
            self._headers_sent = True
        elif self._accepted.form:
            form = partial_metadata(served, self._accepted.version)
        else:
            form = served
        await self.response.write(self._line(kind, form))

    async def send_bookmark(self) -> None:
        """Tell the client that it has seen everything up to now."""
        resource = self._filter.resource
        metadata = {"resourceVersion": str(self._api.store.version), "creationTimestamp": None}
        mark: Manifest = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        if self._accepted.form == "Table":
            mark = table(resource, [], metadata, self._api.now(), headers=False)
        await self.response.write(self._line("BOOKMARK", mark))

    async def send_error(self, error: ApiError) -> None:
        """Send an error as the last event."""
        await self.response.write(self._line("ERROR", error.to_status()))
        await self.response.write_eof()

    def _line(self, kind: str, form: Manifest) -> bytes:
        return Accepted().encode({"type": kind, "object": form}) + b"\n"
