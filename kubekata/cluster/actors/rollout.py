"""The arithmetic of rolling updates (``pkg/controller/deployment/{rolling,sync}.go``, ``deployment_util.go``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from kubekata.cluster.objects import Deployment, RollingUpdate


@dataclass(frozen=True)
class Fences:
    """How far a rollout may go: pods above the desired number, and pods below it."""

    surge: int
    unavailable: int


@dataclass(frozen=True)
class SetSize:
    """One ReplicaSet in numbers.

    Attributes:
        spec: the pods it is told to run.
        available: those that serve.
        ceiling: desired plus surge when it was last scaled (its max-replicas annotation, or else the
            pods it reports).
        newness: orders sets by age; the higher, the newer.
    """

    spec: int
    available: int = 0
    ceiling: int = 0
    newness: int = 0


def fences_of(deployment: Deployment) -> Fences:
    """Return a Deployment's fences; a Recreate strategy has none."""
    if deployment.spec.strategy.type == "Recreate":
        return Fences(0, 0)
    rolling = deployment.spec.strategy.rolling_update or RollingUpdate()
    return resolve_fences(rolling.max_surge, rolling.max_unavailable, deployment.spec.replicas)


def resolve_fences(max_surge: int | str, max_unavailable: int | str, desired: int) -> Fences:
    """Scale percentages: surge rounds up, unavailable rounds down; not both may end up as nothing."""
    surge = ceil(_scaled(max_surge, desired))
    unavailable = floor(_scaled(max_unavailable, desired))
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return Fences(surge, unavailable)


def min_available(desired: int, fences: Fences) -> int:
    """Return how many pods must stay available."""
    return desired - min(fences.unavailable, desired)


def new_set_size(desired: int, fences: Fences, new: SetSize, old: Sequence[SetSize]) -> int:
    """Return the new set's next size: down to the desired number at once, up as far as the surge allows."""
    if new.spec >= desired:
        return desired
    room = desired + fences.surge - new.spec - sum(size.spec for size in old)
    return new.spec + min(max(room, 0), desired - new.spec)


def old_set_sizes(desired: int, fences: Fences, new: SetSize, old: Sequence[SetSize]) -> list[int]:
    """Return the next sizes of the old sets, given oldest first.

    Pods that do not serve go first: they cost no availability. Then whole pods, as far as the floor allows.
    """
    sizes = [size.spec for size in old]
    floor_ = min_available(desired, fences)
    room = new.spec + sum(sizes) - floor_ - (new.spec - new.available)
    if room <= 0:
        return sizes
    for index, size in enumerate(old):
        idle = min(size.spec - size.available, room)
        if idle > 0:
            sizes[index] -= idle
            room -= idle
    spare = new.available + sum(size.available for size in old) - floor_
    for index, _ in enumerate(old):
        taken = min(sizes[index], spare)
        if taken > 0:
            sizes[index] -= taken
            spare -= taken
    return sizes


def scale_in_proportion(
    desired: int, fences: Fences, new: SetSize | None, old: Sequence[SetSize], *, rolling: bool = True
) -> tuple[int | None, list[int]]:
    """Return the sizes after ``spec.replicas`` changed in the middle of a rollout; ``old`` is oldest first.

    Each active set keeps its share, so that a scaling does not bet on a version that may be broken.
    """
    everyone = [*old, new] if new is not None else list(old)
    sizes = [size.spec for size in everyone]
    active = [index for index, size in enumerate(everyone) if size.spec > 0]
    if len(active) <= 1:
        if everyone:
            sizes[active[0] if active else -1] = desired
    elif new is not None and new.spec == desired == new.available:
        sizes = [0] * len(old) + [desired]
    elif rolling:
        sizes = _shares(desired, fences, everyone, active)
    return (sizes.pop() if new is not None else None), sizes


def _shares(desired: int, fences: Fences, everyone: Sequence[SetSize], active: list[int]) -> list[int]:
    sizes = [size.spec for size in everyone]
    allowed = desired + fences.surge if desired > 0 else 0
    left = allowed - sum(sizes)
    newest_first = left > 0
    active.sort(key=lambda i: (-sizes[i], -everyone[i].newness if newest_first else everyone[i].newness))
    to_add = left
    for index in active:
        change = _fraction(everyone[index], allowed)
        change = min(change, left) if to_add > 0 else max(change, left)
        sizes[index] += change
        left -= change
    sizes[active[0]] = max(0, sizes[active[0]] + left)
    return sizes


def _fraction(size: SetSize, allowed: int) -> int:
    if allowed == 0:
        return -size.spec
    if size.ceiling == 0:
        return 0
    return floor(Fraction(size.spec * allowed, size.ceiling) + Fraction(1, 2)) - size.spec


def _scaled(value: int | str, total: int) -> Fraction:
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(int(value.rstrip("%")) * total, 100)
