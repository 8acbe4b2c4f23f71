"""``kubectl auth can-i``: everybody with the token may do everything."""

from __future__ import annotations

from aiohttp import web

from kubekata.cluster.errors import MethodNotAllowed
from kubekata.serve.answers import answer
from kubekata.serve.bodies import read_object
from kubekata.serve.negotiation import negotiate
from kubekata.serve.routes import Target


async def review(request: web.Request, target: Target) -> web.Response:
    """Answer a SelfSubjectAccessReview."""
    if request.method != "POST" or target.name:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    manifest = read_object(await request.read(), request.headers.get("Content-Type", ""), target.resource)
    return answer(
        {
            "apiVersion": target.resource.api_version,
            "kind": target.resource.kind,
            "metadata": {},
            "spec": manifest.get("spec") or {},
            "status": {"allowed": True},
        },
        negotiate(request.headers.get("Accept", "")),
        status=201,
    )
