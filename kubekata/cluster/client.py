"""The client: the only way in which a controller sees or changes the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar, overload

from kubekata.cluster.api import ApiRequest, DeleteOptions, PropagationPolicy, Transport, Verb
from kubekata.cluster.objects import LabelSelector, Pod, Resource
from kubekata.cluster.scheme import from_manifest, to_manifest
from kubekata.cluster.selectors import format_labels

R = TypeVar("R", bound=Resource)


class Client:
    """Reads and writes objects, like controller-runtime's ``client.Client``.

    Every read returns a fresh copy: changing it changes nothing until it is written. Every method may
    raise an ``ApiError``: ``NotFound``, ``AlreadyExists``, ``Conflict``, ``Invalid``, ``Forbidden``,
    ``TooManyRequests`` or ``ServerTimeout``.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, kind: type[R], name: str, namespace: str = "default") -> R:
        """Return one object.

        Raises:
            NotFound: it is not there.
        """
        return from_manifest(self._call("get", kind, namespace, name), kind)

    def list(
        self,
        kind: type[R],
        *,
        labels: Mapping[str, str] | LabelSelector | str | None = None,
        owner: Resource | None = None,
        fields: str = "",
        namespace: str | None = "default",
    ) -> list[R]:
        """Return the objects of a kind, sorted by namespace and name.

        Args:
            kind: for example ``Pod``.
            labels: only objects that carry these labels (a mapping, a LabelSelector, or ``"app in (a,b)"``).
            owner: only objects with an owner reference to this object's uid.
            fields: a field selector such as ``"spec.nodeName=node-1"``.
            namespace: None for all namespaces; ignored for cluster-scoped kinds.
        """
        listing = self._call(
            "list",
            kind,
            namespace or "",
            label_selector=selector_text(labels),
            field_selector=fields,
            owner_uid=owner.metadata.uid if owner is not None else "",
        )
        return [from_manifest(item, kind) for item in listing["items"]]

    def create(self, obj: R) -> R:
        """Create an object and return it as stored, with its uid, resource version and defaults.

        Raises:
            AlreadyExists: the name is taken.
            Invalid: a validation rule is broken.
        """
        return self._write("create", obj)

    def update(self, obj: R) -> R:
        """Replace everything but the status. Returns the object as stored.

        Raises:
            Conflict: ``obj`` was read before somebody else's write; read again and retry.
            NotFound: it is gone.
        """
        return self._write("update", obj)

    def update_status(self, obj: R) -> R:
        """Replace the status and nothing else. Returns the object as stored.

        Raises:
            Conflict: ``obj`` was read before somebody else's write; read again and retry.
            NotFound: it is gone.
        """
        return self._write("update", obj, subresource="status")

    @overload
    def delete(
        self,
        target: Resource,
        *,
        propagation_policy: PropagationPolicy | None = ...,
        grace_period_seconds: int | None = ...,
        precondition_uid: str | None = ...,
        precondition_resource_version: str | None = ...,
    ) -> None: ...

    @overload
    def delete(
        self,
        target: type[Resource],
        name: str,
        namespace: str = ...,
        *,
        propagation_policy: PropagationPolicy | None = ...,
        grace_period_seconds: int | None = ...,
        precondition_uid: str | None = ...,
        precondition_resource_version: str | None = ...,
    ) -> None: ...

    def delete(
        self,
        target: Resource | type[Resource],
        name: str = "",
        namespace: str = "default",
        *,
        propagation_policy: PropagationPolicy | None = None,
        grace_period_seconds: int | None = None,
        precondition_uid: str | None = None,
        precondition_resource_version: str | None = None,
    ) -> None:
        """Ask for an object's deletion: ``delete(pod)`` or ``delete(Pod, "web-1")``.

        An object with finalizers, or a running pod within its grace period, is only stamped with
        ``deletion_timestamp``; it goes when they are done.

        Raises:
            NotFound: it is gone already.
            Conflict: a precondition does not hold.
        """
        if isinstance(target, Resource):
            kind, name, namespace = type(target), target.name, target.namespace
        else:
            kind = target
        options = DeleteOptions(
            grace_period_seconds=grace_period_seconds,
            propagation_policy=propagation_policy,
            uid=precondition_uid,
            resource_version=precondition_resource_version,
        )
        self._call("delete", kind, namespace, name, options=options)

    def evict(self, pod: Pod) -> None:
        """Ask for a pod's eviction: a deletion that respects disruption budgets.

        Raises:
            TooManyRequests: a budget does not allow it now.
            ApiError: more than one budget covers the pod (500, without a reason).
        """
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
        }
        self._call("create", Pod, pod.namespace, pod.name, subresource="eviction", body=body)

    def now(self) -> datetime:
        """Return the cluster's time (aware, UTC). A controller that reads its own clock cannot be tested."""
        return self._transport.now()

    def _write(self, verb: Verb, obj: R, *, subresource: str = "") -> R:
        kind = type(obj)
        namespace = obj.namespace or ("default" if kind.namespaced else "")
        body = to_manifest(obj)
        stored = self._call(verb, kind, namespace, obj.name, subresource=subresource, body=body)
        return from_manifest(stored, kind)

    def _call(
        self, verb: Verb, kind: type[Resource], namespace: str, name: str = "", **fields: Any
    ) -> dict[str, Any]:
        request = ApiRequest(
            verb=verb,
            api_version=kind.api_version,
            kind=kind.kind,
            namespace=namespace if kind.namespaced else "",
            name=name,
            **fields,
        )
        return self._transport.call(request)


def selector_text(labels: Mapping[str, str] | LabelSelector | str | None) -> str:
    """Return the text form of a label selector; None and an empty one select everything."""
    if labels is None:
        return ""
    if isinstance(labels, str):
        return labels
    if isinstance(labels, LabelSelector):
        terms = [format_labels(labels.match_labels)] if labels.match_labels else []
        return ",".join(terms + [_expression(e.key, e.operator, e.values) for e in labels.match_expressions])
    return format_labels(labels)


def _expression(key: str, operator: str, values: list[str]) -> str:
    match operator:
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case "In" | "NotIn":
            return f"{key} {operator.lower()} ({','.join(values)})"
    msg = f"unknown label selector operator {operator!r}"
    raise ValueError(msg)
