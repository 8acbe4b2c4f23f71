"""The API server's rules, free of any transport: what is stored, what is refused, and in which words.

Optimistic concurrency on resourceVersion; status and the rest written separately; generation counting
changes of the spec; deletion held by finalizers and grace; owner references checked. The in-process
client and the HTTP server both end here, so that they decide the same.
"""

from __future__ import annotations

import copy
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from kubekata.cluster.api import ApiRequest, DeleteOptions
from kubekata.cluster.binding import bind
from kubekata.cluster.clock import Clock, timestamp
from kubekata.cluster.decoding import check_decodes
from kubekata.cluster.deletion import (
    finalizers_for_delete,
    finishes_deletion,
    grace_seconds,
    is_held,
    mark_deleting,
)
from kubekata.cluster.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Expired,
    Forbidden,
    MethodNotAllowed,
    NotFound,
)
from kubekata.cluster.eviction import evict
from kubekata.cluster.listkeys import ListKeys
from kubekata.cluster.managedfields import Manager, after_update, to_entries
from kubekata.cluster.paging import Page, page_of
from kubekata.cluster.requestchecks import (
    check_namespace,
    check_place,
    check_preconditions,
    check_type,
    check_version,
)
from kubekata.cluster.resources import ResourceTable, ResourceType
from kubekata.cluster.scheme import copy_manifest
from kubekata.cluster.selectors import Requirement, parse_fields, parse_labels
from kubekata.cluster.store import Store
from kubekata.cluster.strategies import Strategy, strategy_for
from kubekata.cluster.updating import (
    carry_over,
    desired,
    drop_empty_metadata,
    same,
    same_managers,
    with_status,
    without_status,
)
from kubekata.cluster.validation import (
    invalid_object,
    validate_metadata,
    validate_metadata_update,
)

Manifest = dict[str, Any]
Items = list[Manifest]

_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_IMMORTAL = ("default", "kube-system", "kube-public")
_LONGEST_BASE = 63 - _SUFFIX_LENGTH
_STAMPED = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


SubresourceHandler = Callable[["ApiServer", ApiRequest], Manifest]


class ApiServer:
    """A store with the API server's rules around it.

    Args:
        clock: the cluster's time.
        resources: what is served; by default every typed kind.
        seed: fixes uids and generated names.
    """

    def __init__(
        self,
        clock: Clock,
        resources: ResourceTable | None = None,
        *,
        seed: int = 0,
        store: Store | None = None,
    ) -> None:
        self.clock = clock
        self.resources = resources or ResourceTable.of_kinds()
        self.store = store or Store()
        self._random = random.Random(seed)
        self._strategies: dict[tuple[str, str], Strategy] = {}
        self._subresources: dict[tuple[str, str], SubresourceHandler] = {
            ("Pod", "binding"): bind,
            ("Pod", "eviction"): evict,
        }
        for name in ("default", "kube-system"):
            self.create(
                self.resource("v1", "Namespace"),
                "",
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            )

    def serve_subresource(self, kind: str, name: str, handler: SubresourceHandler) -> None:
        """Answer ``create`` on a subresource, such as a pod's eviction, with ``handler``."""
        self._subresources[kind, name] = handler

    def set_strategy(self, resource: ResourceType, strategy: Strategy) -> None:
        """Give a custom resource its own defaults and validation."""
        self._strategies[resource.api_version, resource.kind] = strategy

    def unknown_fields(self, resource: ResourceType, manifest: Manifest) -> list[str]:
        """Return the paths of fields that would not be stored, such as ``spec.color``."""
        return self._strategy(resource).unknown_fields(manifest)

    def resource(self, api_version: str, kind: str) -> ResourceType:
        """Return a served resource.

        Raises:
            NotFound: nothing of that kind is served.
        """
        found = self.resources.find(api_version, kind)
        if found is None:
            raise NotFound("the server could not find the requested resource")
        return found

    def as_of(self, version: int) -> ApiServer:
        """Return a server for reading, whose store is this one's as it was at an earlier version.

        Raises:
            Expired: the changes since then have been forgotten.
        """
        try:
            store = self.store.as_of(version)
        except LookupError as error:
            raise Expired(str(error)) from None
        past = copy.copy(self)
        past.store = store
        return past

    def now(self) -> datetime:
        """Return the cluster's time (aware, UTC)."""
        return self.clock.now()

    def call(self, request: ApiRequest) -> Manifest:
        """Carry out one request of a client; returns a manifest, or a list manifest.

        Raises:
            ApiError: refused.
        """
        resource = self.resource(request.api_version, request.kind)
        where = (resource, request.namespace, request.name)
        match request.verb:
            case "get":
                return self.get(*where)
            case "list":
                return self._list_manifest(resource, request)
            case "create" if request.subresource:
                handler = self._subresources.get((resource.kind, request.subresource))
                if handler is None:
                    raise NotFound("the server could not find the requested resource")
                return handler(self, request)
            case "create":
                check_decodes(resource, request.body)
                return self.create(resource, request.namespace, request.body, dry_run=request.dry_run)
            case "update":
                check_decodes(resource, request.body)
                return self.update(
                    *where, request.body, subresource=request.subresource, dry_run=request.dry_run
                )
            case "delete":
                return self.delete(*where, request.options, dry_run=request.dry_run)
        raise MethodNotAllowed("the server does not allow this method on the requested resource")

    def get(self, resource: ResourceType, namespace: str, name: str) -> Manifest:
        """Return the stored object; not to be changed.

        Raises:
            NotFound: it is not there.
        """
        found = self.store.get(resource.qualified, namespace, name)
        if found is None:
            raise NotFound.of(resource.plural, name, resource.group)
        return found

    def list(
        self,
        resource: ResourceType,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        owner_uid: str = "",
        limit: int = 0,
        continue_token: str = "",
    ) -> Page:
        """Return objects sorted by namespace and name; an empty namespace means all of them.

        Raises:
            BadRequest: a selector or token that cannot be read.
            Expired: the token is older than what the server remembers.
        """
        requirements = parse_labels(label_selector)
        terms = parse_fields(field_selector, resource.selectable)
        indexed = next((r for r in requirements if r.operator == "="), None)
        items = self.store.list(
            resource.qualified,
            namespace=namespace or None,
            owner=owner_uid or None,
            node=next((v for f, equal, v in terms if f == "spec.nodeName" and equal and v), None),
            label=(indexed.key, next(iter(indexed.values))) if indexed else None,
        )
        if requirements or terms:
            getters = resource.selectable
            items = [
                item
                for item in items
                if _labels_match(item, requirements)
                and all((getters[f](item) == v) is equal for f, equal, v in terms)
            ]
        return page_of(
            items,
            limit,
            continue_token,
            version=self.store.version,
            oldest_version=self.store.oldest_version,
        )

    def create(
        self,
        resource: ResourceType,
        namespace: str,
        body: Manifest,
        *,
        dry_run: bool = False,
        field_manager: str = "",
        managers: Sequence[Manager] = (),
    ) -> Manifest:
        """Store a new object and return it.

        Args:
            field_manager: who is noted in ``managedFields`` as having set what ``body`` sets.
            managers: the whole of ``managedFields``, where it is known already.

        Raises:
            AlreadyExists, Invalid, BadRequest, NotFound (no such namespace), Forbidden (it is going).
        """
        manifest: Manifest = copy_manifest(body)
        check_type(resource, manifest)
        metadata = manifest.setdefault("metadata", {})
        if metadata.get("resourceVersion"):
            raise ApiError("resourceVersion should not be set on objects to be created")
        self._place(resource, namespace, metadata)
        drop_empty_metadata(metadata)
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = metadata["generateName"][:_LONGEST_BASE] + self._suffix()
        if resource.namespaced:
            found = self.store.get("namespaces", "", namespace)
            check_namespace(resource, namespace, metadata.get("name", ""), found)
        strategy = self._strategy(resource)
        strategy.default(manifest)
        if resource.has_status:
            strategy.prepare_for_create(manifest)
        self._check(resource, strategy, manifest, None)
        if self.store.get(resource.qualified, namespace, metadata["name"]) is not None:
            raise AlreadyExists.of(resource.plural, metadata["name"], resource.group)
        self._stamp(resource, metadata)
        metadata.pop("managedFields", None)
        if field_manager and not managers:
            own = self._manager(resource, field_manager)
            managers = after_update(without_status(resource, manifest), None, own, list_keys(resource))
        if managers:
            metadata["managedFields"] = to_entries(managers)
        return manifest if dry_run else self.store.put(resource.qualified, manifest)

    def load(self, body: Manifest) -> Manifest:
        """Put an object in place as it is, status and all, past defaults and validation.

        For building a scenario: what is missing of uid, creation time and generation is filled in.
        """
        manifest: Manifest = copy_manifest(body)
        resource = self.resource(manifest["apiVersion"], manifest["kind"])
        metadata = manifest.setdefault("metadata", {})
        if resource.namespaced:
            metadata.setdefault("namespace", "default")
        given = {key: metadata[key] for key in _STAMPED if key in metadata}
        self._stamp(resource, metadata)
        metadata.update(given)
        return self.store.put(resource.qualified, manifest)

    def update(
        self,
        resource: ResourceType,
        namespace: str,
        name: str,
        body: Manifest,
        *,
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "",
        managers: Sequence[Manager] = (),
    ) -> Manifest:
        """Replace an object, or with subresource ``status`` its status only, and return it as stored.

        A change that changes nothing is not written. The update that empties the finalizers of an object
        under deletion removes it.

        Args:
            field_manager: who is noted in ``managedFields`` as having set what changes.
            managers: the whole of ``managedFields``, where it is known already.

        Raises:
            NotFound, Conflict, Invalid.
        """
        old = self.get(resource, namespace, name)
        new: Manifest = copy_manifest(body)
        check_type(resource, new)
        metadata = new.setdefault("metadata", {})
        check_place(metadata, old)
        check_version(resource, metadata, old)
        strategy = self._strategy(resource)
        if subresource == "status":
            new = with_status(resource, new, old)
        elif subresource == "finalize":
            new = {**old, "metadata": dict(old["metadata"]), "spec": new.get("spec") or {}}
        else:
            carry_over(resource, new, old)
            strategy.prepare_for_update(new, old)
        drop_empty_metadata(new["metadata"])
        strategy.default(new)
        self._check(resource, strategy, new, old)
        if (
            resource.has_generation
            and subresource != "status"
            and desired(resource, new) != desired(resource, old)
        ):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if field_manager and not managers:
            own = self._manager(resource, field_manager, subresource)
            managers = after_update(new, old, own, list_keys(resource))
        if same(new, old) and (not managers or same_managers(managers, old)):
            return old
        if managers:
            new["metadata"]["managedFields"] = to_entries(managers)
        if dry_run:
            return new
        if finishes_deletion(new, old):
            self.store.remove(resource.qualified, namespace, name)
            return new
        return self.store.put(resource.qualified, new)

    def delete(
        self,
        resource: ResourceType,
        namespace: str,
        name: str,
        options: DeleteOptions = DeleteOptions(),  # noqa: B008 - frozen
        *,
        dry_run: bool = False,
    ) -> Manifest:
        """Delete an object, or stamp it when finalizers or a grace period hold it.

        Returns the stamped object, or a ``Status`` of success when it is gone.

        Raises:
            NotFound, Conflict (a precondition does not hold), Forbidden (a namespace that has to be there).
        """
        if resource.kind == "Namespace" and name in _IMMORTAL:
            raise Forbidden.of(resource.plural, name, resource.group, "this namespace may not be deleted")
        old = self.get(resource, namespace, name)
        check_preconditions(resource, old, options)
        new: Manifest = copy_manifest(old)
        self._strategy(resource).prepare_for_delete(new)
        metadata = new["metadata"]
        finalizers = finalizers_for_delete(metadata.get("finalizers") or [], options.propagation_policy)
        if finalizers:
            metadata["finalizers"] = finalizers
        else:
            metadata.pop("finalizers", None)
        grace = grace_seconds(new, options.grace_period_seconds)
        if not is_held(new) and (grace == 0 or dry_run):
            if not dry_run:
                self.store.remove(resource.qualified, namespace, name)
            return _success(resource, old)
        mark_deleting(new, grace, self.now())
        if resource.kind == "Namespace":
            # A namespace shows no grace period, and its phase is what people look at.
            metadata.pop("deletionGracePeriodSeconds", None)
            new["status"] = {**new.get("status", {}), "phase": "Terminating"}
        if same(new, old) or dry_run:
            return new
        return self.store.put(resource.qualified, new)

    def remove(self, resource: ResourceType, namespace: str, name: str) -> None:
        """Take an object away whose deletion nothing holds any more (what a kubelet does for its pods)."""
        self.store.remove(resource.qualified, namespace, name)

    def _list_manifest(self, resource: ResourceType, request: ApiRequest) -> Manifest:
        page = self.list(
            resource,
            request.namespace,
            label_selector=request.label_selector,
            field_selector=request.field_selector,
            owner_uid=request.owner_uid,
        )
        return {
            "apiVersion": resource.api_version,
            "kind": f"{resource.kind}List",
            "metadata": {"resourceVersion": page.resource_version},
            "items": page.items,
        }

    def _place(self, resource: ResourceType, namespace: str, metadata: Manifest) -> None:
        if not resource.namespaced:
            metadata.pop("namespace", None)
            return
        if metadata.get("namespace", namespace) != namespace:
            raise BadRequest(
                "the namespace of the provided object does not match the namespace sent on the request"
            )
        metadata["namespace"] = namespace

    def _stamp(self, resource: ResourceType, metadata: Manifest) -> None:
        for key in _STAMPED:
            metadata.pop(key, None)
        metadata["uid"] = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        metadata["creationTimestamp"] = timestamp(self.now())
        if resource.has_generation:
            metadata["generation"] = 1

    def _manager(self, resource: ResourceType, name: str, subresource: str = "") -> Manager:
        now = timestamp(self.now().replace(microsecond=0))
        return Manager(name, "Update", resource.api_version, subresource, time=now)

    def _check(self, resource: ResourceType, strategy: Strategy, new: Manifest, old: Manifest | None) -> None:
        metadata = new["metadata"]
        errors = validate_metadata(
            metadata,
            name_is_label=resource.kind == "Namespace" and old is None,
            any_finalizer=resource.schema is not None or resource.group == "apiextensions.k8s.io",
        )
        if old is not None:
            # Generic registry and strategy both look at an update; people read a sentence once, but each
            # look is a cause of its own.
            errors += 2 * validate_metadata_update(metadata, old["metadata"])
        errors += strategy.validate(new)
        if old is not None:
            errors += strategy.validate_update(new, old)
        if errors:
            raise invalid_object(resource.qualified_kind, metadata.get("name", ""), errors)

    def _strategy(self, resource: ResourceType) -> Strategy:
        key = (resource.api_version, resource.kind)
        if key not in self._strategies:
            self._strategies[key] = strategy_for(resource.kind)
        return self._strategies[key]

    def _suffix(self) -> str:
        return "".join(self._random.choices(_SUFFIX_ALPHABET, k=_SUFFIX_LENGTH))


def list_keys(resource: ResourceType) -> ListKeys:
    """Return how the lists of a resource merge."""
    return ListKeys(resource.kind, resource.schema)


def _success(resource: ResourceType, old: Manifest) -> Manifest:
    details = {"name": old["metadata"]["name"]}
    if resource.group:
        details["group"] = resource.group
    details |= {"kind": resource.plural, "uid": old["metadata"]["uid"]}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def _labels_match(manifest: Manifest, requirements: tuple[Requirement, ...]) -> bool:
    labels: Mapping[str, str] = manifest["metadata"].get("labels") or {}
    return all(requirement.holds(labels) for requirement in requirements)
