"""Writes: create, update, patch, delete and deletecollection."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from aiohttp import web

from kubekata.cluster.api import ApiRequest
from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.decoding import check_decodes, normalize
from kubekata.cluster.errors import BadRequest, MethodNotAllowed, NotFound
from kubekata.cluster.gojson import repeated_fields
from kubekata.cluster.patching import MEDIA_TYPES, Patch, accepted_media_types, patch_object, unsupported
from kubekata.cluster.scale import scale_of, with_scale
from kubekata.cluster.validation import invalid, invalid_object
from kubekata.serve.answers import OBJECT_FORMS, answer, list_form, object_form
from kubekata.serve.bodies import read_object, read_options, read_patch
from kubekata.serve.negotiation import negotiate
from kubekata.serve.options import WriteOptions, delete_options, list_options, write_options
from kubekata.serve.reading import Reader
from kubekata.serve.routes import Target

Manifest = dict[str, Any]

_UPDATABLE_PARTS = ("", "status", "scale", "finalize", "ephemeralcontainers", "resize")
_PATCHABLE_PARTS = ("", "status", "scale", "ephemeralcontainers", "resize")
_MAIN_PARTS = ("ephemeralcontainers", "resize")


class Writer:
    """Answers requests that change something."""

    def __init__(self, api: ApiServer, reader: Reader) -> None:
        self._api = api
        self._reader = reader

    async def create(self, request: web.Request, target: Target) -> web.Response:
        """POST to a collection, or to a subresource such as a pod's eviction."""
        resource = target.resource
        if bool(target.name) is not bool(target.subresource):
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        options = self._options(request, "CreateOptions")
        body = await request.read()
        if target.subresource:
            return self._create_part(request, target, options, body)
        if resource.namespaced and not target.namespace:
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        manifest = read_object(body, request.headers.get("Content-Type", ""), resource)
        warnings = self._check_fields(target, manifest, options)
        check_decodes(resource, manifest)
        manifest = normalize(resource, manifest)
        created = self._api.create(
            resource,
            target.namespace,
            manifest,
            dry_run=options.dry_run,
            field_manager=options.field_manager,
        )
        return self._answer(request, target, created, warnings, status=201)

    async def update(self, request: web.Request, target: Target) -> web.Response:
        """PUT to an object or to its status, scale or finalizers."""
        _check_part(target, _UPDATABLE_PARTS)
        options = self._options(request, "UpdateOptions")
        resource = target.resource
        body = await request.read()
        part = "" if target.subresource in _MAIN_PARTS else target.subresource
        if part == "scale":
            scale = read_object(
                body, request.headers.get("Content-Type", ""), replace(resource, custom=False)
            )
            old = self._api.get(resource, target.namespace, target.name)
            manifest, part = with_scale(resource, old, scale), ""
            manifest["metadata"].setdefault("resourceVersion", old["metadata"]["resourceVersion"])
            warnings: list[str] = []
        else:
            manifest = read_object(body, request.headers.get("Content-Type", ""), resource)
            warnings = self._check_fields(target, manifest, options)
            check_decodes(resource, manifest)
            manifest = normalize(resource, manifest)
        stored = self._api.update(
            resource,
            target.namespace,
            target.name,
            manifest,
            subresource=part,
            dry_run=options.dry_run,
            field_manager=options.field_manager,
        )
        if target.subresource == "scale":
            return answer(scale_of(resource, stored), negotiate(request.headers.get("Accept", "")))
        return self._answer(request, target, stored, warnings)

    async def patch(self, request: web.Request, target: Target) -> web.Response:
        """PATCH an object or its status or scale; an apply may create it."""
        _check_part(target, _PATCHABLE_PARTS)
        resource = target.resource
        media_type = request.headers.get("Content-Type", "").split(";")[0].strip()
        kind = MEDIA_TYPES.get(media_type)
        if kind is None or (kind == "strategic" and resource.custom):
            raise unsupported(accepted_media_types(resource))
        apply = kind == "apply"
        options = self._options(request, "PatchOptions", apply=apply)
        warnings: list[str] = []
        body = read_patch(await request.read(), is_yaml=apply)

        def check(result: Manifest) -> None:
            warnings.extend(self._check_patched(target, result, options))

        stored, created = patch_object(
            self._api,
            resource,
            target.namespace,
            target.name,
            Patch(kind, body, options.field_manager, force=bool(options.force), check=check),
            subresource="" if target.subresource in _MAIN_PARTS else target.subresource,
            dry_run=options.dry_run,
        )
        if target.subresource == "scale":
            return answer(stored, negotiate(request.headers.get("Accept", "")), warnings=warnings)
        return self._answer(request, target, stored, warnings, status=201 if created else 200)

    async def delete(self, request: web.Request, target: Target) -> web.Response:
        """DELETE an object."""
        if target.subresource:
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        body = read_options(await request.read(), request.headers.get("Content-Type", ""))
        options, dry_run = delete_options(request.query, body)
        result = self._api.delete(target.resource, target.namespace, target.name, options, dry_run=dry_run)
        if result.get("kind") == "Status":
            return answer(result, negotiate(request.headers.get("Accept", "")))
        return self._answer(request, target, result, [])

    async def delete_collection(self, request: web.Request, target: Target) -> web.Response:
        """DELETE everything that a list would show; answers with that list."""
        resource = target.resource
        if resource.kind == "Namespace" or (resource.namespaced and not target.namespace):
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        body = read_options(await request.read(), request.headers.get("Content-Type", ""))
        options, dry_run = delete_options(request.query, body)
        page = self._reader.page(target, list_options(request.query, resource))
        for item in page.items:
            metadata = item["metadata"]
            try:
                self._api.delete(
                    resource, metadata.get("namespace", ""), metadata["name"], options, dry_run=dry_run
                )
            except NotFound:
                continue
        accepted = negotiate(request.headers.get("Accept", ""))
        after = replace(page, resource_version=str(self._api.store.version))
        form = list_form(resource, after, accepted, self._api.now(), "Metadata", counts=False)
        return answer(form, accepted)

    def _create_part(
        self, request: web.Request, target: Target, options: WriteOptions, body: bytes
    ) -> web.Response:
        resource = target.resource
        manifest = read_object(body, request.headers.get("Content-Type", ""), replace(resource, custom=False))
        result = self._api.call(
            ApiRequest(
                verb="create",
                api_version=resource.api_version,
                kind=resource.kind,
                namespace=target.namespace,
                name=target.name,
                subresource=target.subresource,
                body=manifest,
                options=delete_options({}, manifest.get("deleteOptions"))[0],
                dry_run=options.dry_run,
            )
        )
        return answer(result, negotiate(request.headers.get("Accept", "")), status=201)

    def _options(self, request: web.Request, kind: str, *, apply: bool = False) -> WriteOptions:
        agent = request.headers.get("User-Agent", "")
        return write_options(request.query, kind, apply=apply, user_agent=agent)

    def _answer(
        self,
        request: web.Request,
        target: Target,
        manifest: Manifest,
        warnings: list[str],
        *,
        status: int = 200,
    ) -> web.Response:
        accepted = negotiate(request.headers.get("Accept", ""), OBJECT_FORMS)
        if target.resource.warning:
            warnings = [target.resource.warning, *warnings]
        form = object_form(target.resource, manifest, accepted, self._api.now())
        return answer(form, accepted, status=status, warnings=warnings)

    def _check_fields(self, target: Target, manifest: Manifest, options: WriteOptions) -> list[str]:
        """Return the warnings about fields that will not be stored; with Strict they are refused."""
        problems = self._problems(target, manifest, options)
        if problems and options.field_validation == "Strict":
            resource = target.resource
            raise BadRequest(
                f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
                f"strict decoding error: {', '.join(problems)}"
            )
        return problems

    def _check_patched(self, target: Target, result: Manifest, options: WriteOptions) -> list[str]:
        problems = self._problems(target, result, options)
        if problems and options.field_validation == "Strict":
            why = f"strict decoding error: {', '.join(problems)}"
            shown = json.dumps(result, separators=(",", ":"), ensure_ascii=False)
            refusal = invalid_object("", "", [invalid("patch", shown, why)])
            raise refusal
        return problems

    def _problems(self, target: Target, manifest: Manifest, options: WriteOptions) -> list[str]:
        if options.field_validation == "Ignore":
            return []
        repeated = [f'duplicate field "{path}"' for path in repeated_fields(manifest)]
        unknown = self._api.unknown_fields(target.resource, manifest)
        return repeated + [f'unknown field "{path}"' for path in unknown]


def _check_part(target: Target, parts: tuple[str, ...]) -> None:
    if not target.name or target.subresource not in parts:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
