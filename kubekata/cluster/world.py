"""A world: one cluster, its clock, its hardware, and the actors that bring it to life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from kubekata.cluster.actors import Actor, ControlPlane
from kubekata.cluster.api import ApiRequest
from kubekata.cluster.apiserver import ApiServer
from kubekata.cluster.client import Client, selector_text
from kubekata.cluster.clock import EPOCH, Clock
from kubekata.cluster.errors import ApiError
from kubekata.cluster.faults import Faults
from kubekata.cluster.hardware import Rack
from kubekata.cluster.objects import LabelSelector, Namespace, ObjectMeta, Resource
from kubekata.cluster.outages import Outages
from kubekata.cluster.racksim import SimulatedRack, UserRack
from kubekata.cluster.resources import ResourceTable
from kubekata.cluster.scheme import from_manifest, to_manifest
from kubekata.cluster.writelog import Call, CallLog

Manifest = dict[str, Any]
R = TypeVar("R", bound=Resource)

SUBMISSION = "submission"
_ROUNDS_TO_SETTLE = 1000


class World:
    """The same seed and the same calls give the same world, down to names and uids.

    Args:
        seed: fixes uids and generated names.
        start: the moment at which the clock stands.
        clock: a clock that moves by itself, instead of one that ``advance`` moves.
        resources: what the API server serves; by default every typed kind.
        remembered_calls: how many calls the log keeps; None for all.
    """

    def __init__(
        self,
        seed: int = 0,
        start: datetime = EPOCH,
        *,
        clock: Clock | None = None,
        resources: ResourceTable | None = None,
        remembered_calls: int | None = None,
    ) -> None:
        self.clock = clock or Clock(start)
        self.api = ApiServer(self.clock, resources, seed=seed)
        self.log = CallLog(remembered_calls)
        self._faults: dict[str, Faults] = {}
        self.hardware = SimulatedRack(self.clock.now)
        self.outages = Outages()
        self._actors: list[Actor] = []

    def start(self, *actors: Actor) -> None:
        """Let actors take part from now on; they act when the clock next moves, or on ``settle``."""
        self._actors += actors

    def start_control_plane(
        self, ready_after: float | None = 0.0, *, stop_after: float = 0.0
    ) -> ControlPlane:
        """Start every actor there is, and return them; the arguments are the kubelet's."""
        control_plane = ControlPlane.of(self, ready_after, stop_after=stop_after)
        self.start(*control_plane.actors)
        return control_plane

    def now(self) -> datetime:
        """Return the world's time (aware, UTC)."""
        return self.clock.now()

    def client(self, user: str = SUBMISSION) -> Client:
        """Return a client whose calls are logged under ``user`` and meet that user's faults."""
        return Client(self.transport(user))

    @property
    def faults(self) -> Faults:
        """The faults that the submission's calls meet."""
        return self.faults_of(SUBMISSION)

    def faults_of(self, user: str) -> Faults:
        """Return the faults that a user's calls meet; an actor's user is its ``name``."""
        return self._faults.setdefault(user, Faults())

    def rack(self, user: str = SUBMISSION) -> Rack:
        """Return a handle on the hardware whose calls are logged under ``user``."""
        return Rack(self.rack_transport(user))

    def transport(self, user: str = SUBMISSION) -> UserTransport:
        """Return what a ``Client`` needs."""
        return UserTransport(self, user)

    def rack_transport(self, user: str = SUBMISSION) -> UserRack:
        """Return what a ``Rack`` needs."""
        return UserRack(self.hardware, user)

    def add(self, obj: R) -> R:
        """Put an object in place as it is, status included, past validation and faults."""
        return from_manifest(self.api.load(to_manifest(obj)), type(obj))

    def get(self, kind: type[R], name: str, namespace: str = "default") -> R | None:
        """Return an object, or None; not logged, and never hit by a fault."""
        resource = self.api.resource(kind.api_version, kind.kind)
        found = self.api.store.get(resource.qualified, namespace if kind.namespaced else "", name)
        return None if found is None else from_manifest(found, kind)

    def list(
        self,
        kind: type[R],
        *,
        labels: Mapping[str, str] | LabelSelector | str | None = None,
        owner: Resource | None = None,
        fields: str = "",
        namespace: str | None = None,
    ) -> list[R]:
        """Return the objects of a kind, in all namespaces by default; never logged or hit by a fault."""
        resource = self.api.resource(kind.api_version, kind.kind)
        page = self.api.list(
            resource,
            namespace or "",
            label_selector=selector_text(labels),
            field_selector=fields,
            owner_uid=owner.uid if owner else "",
        )
        return [from_manifest(item, kind) for item in page.items]

    def ensure_namespace(self, name: str) -> None:
        """Create a namespace unless it is there."""
        if self.get(Namespace, name) is None:
            resource = self.api.resource("v1", "Namespace")
            self.api.create(resource, "", to_manifest(Namespace(metadata=ObjectMeta(name=name))))

    def writes(self, user: str = SUBMISSION, *, since: int = 0) -> Sequence[Call]:
        """Return the successful writes of a user; ``since`` is an earlier ``len(world.log)``."""
        return self.log.writes(user=user, since=since)

    def advance(self, seconds: float) -> None:
        """Move the clock, stopping wherever an actor has something to do."""
        end = self.now() + timedelta(seconds=seconds)
        self.settle()
        while True:
            moment = self.next_wakeup()
            if moment is None or moment > end:
                break
            self.clock.set(max(moment, self.now()))
            self.settle()
        self.clock.set(end)
        self.settle()

    def next_wakeup(self) -> datetime | None:
        """The next moment at which an actor has something to do even if nothing changes; None for never."""
        wakeups = [due for actor in self._actors if (due := actor.next_wakeup()) is not None]
        return min(wakeups, default=None)

    def settle(self) -> None:
        """Let the actors act until none has anything left to do at this moment.

        Raises:
            RuntimeError: they never come to rest (an actor that writes on every call).
        """
        for _ in range(_ROUNDS_TO_SETTLE):
            wrote = [actor.sync() for actor in self._actors]
            if not any(wrote):
                return
        names = ", ".join(actor.name for actor in self._actors)
        msg = f"the actors do not settle: {names}"
        raise RuntimeError(msg)


class UserTransport:
    """Carries one user's calls: faults first, then the API server, then the log."""

    def __init__(self, world: World, user: str) -> None:
        self._world = world
        self._user = user
        self._faults = world.faults_of(user)

    def now(self) -> datetime:
        """Return the world's time."""
        return self._world.now()

    def call(self, request: ApiRequest) -> Manifest:
        """Carry out one request; see ``Transport``."""
        delay = self._faults.delay(request)
        if delay:
            self._world.advance(delay)
        self._faults.run_before(request)
        before = self._stored(request)
        try:
            answer = self._answer(request)
        except ApiError as error:
            self._note(request, before, self._stored(request), error)
            raise
        self._note(request, before, self._stored(request, answer), None)
        return answer

    def _answer(self, request: ApiRequest) -> Manifest:
        refusal = self._faults.refusal(request)
        if refusal is not None:
            raise refusal
        lost = self._faults.lost_answer(request)
        version = self._faults.stale_version(request)
        if version is not None:
            return self._read_at(version, request)
        answer = self._world.api.call(request)
        if lost is not None:
            raise lost
        return answer

    def _read_at(self, version: int, request: ApiRequest) -> Manifest:
        """Answer a read from the store as it was at an earlier version."""
        return self._world.api.as_of(version).call(request)

    def _stored(self, request: ApiRequest, answer: Manifest | None = None) -> Manifest | None:
        if request.verb in ("get", "list"):
            return None
        name = request.name or (answer or request.body or {}).get("metadata", {}).get("name", "")
        resource = self._world.api.resource(request.api_version, request.kind)
        return self._world.api.store.get(resource.qualified, request.namespace, name)

    def _note(
        self, request: ApiRequest, before: Manifest | None, after: Manifest | None, error: ApiError | None
    ) -> None:
        name = request.name or ((after or request.body or {}).get("metadata") or {}).get("name", "")
        self._world.log.add(
            Call(
                at=self._world.now(),
                user=self._user,
                verb=request.verb,
                kind=request.kind,
                namespace=request.namespace,
                name=name,
                subresource=request.subresource,
                before=before,
                after=after,
                error=error,
            )
        )
