"""The binding subresource of pods: how a scheduler assigns a node (``registry/core/pod/storage``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubekata.cluster.api import ApiRequest
from kubekata.cluster.clock import timestamp
from kubekata.cluster.errors import Conflict
from kubekata.cluster.selectors import dig
from kubekata.cluster.validation import invalid_object, required

if TYPE_CHECKING:
    from kubekata.cluster.apiserver import ApiServer

Manifest = dict[str, Any]


def bind(api: ApiServer, request: ApiRequest) -> Manifest:
    """Set a pod's node, once, and its PodScheduled condition in the same write.

    Raises:
        NotFound: no such pod.
        Conflict: the pod is being deleted, or has a node already.
        Invalid: no node is named.
    """
    resource = api.resource("v1", "Pod")
    pod = api.get(resource, request.namespace, request.name)
    target = dig(request.body, "target", "name")
    if not target:
        raise invalid_object("Binding", request.name, [required("target.name")])
    why = _objection(pod)
    if why:
        raise Conflict.of("pods/binding", request.name, why=why)
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": timestamp(api.now())}
    status = pod.get("status") or {}
    others = [c for c in status.get("conditions") or [] if c["type"] != "PodScheduled"]
    bound = {
        **pod,
        "metadata": dict(pod["metadata"]),
        "spec": {**pod["spec"], "nodeName": target},
        "status": {**status, "conditions": [scheduled, *others]},
    }
    if not request.dry_run:
        api.store.put(resource.qualified, bound)
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _objection(pod: Manifest) -> str:
    name, node = pod["metadata"]["name"], dig(pod, "spec", "nodeName")
    if pod["metadata"].get("deletionTimestamp"):
        return f"pod {name} is being deleted, cannot be assigned to a host"
    if node:
        return f'pod {name} is already assigned to node "{node}"'
    return ""
