"""Objects that know their part of the rules, and an error type of their own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kubekata import ReplicaCount, Rollout, Step


class NotALimit(ValueError):
    pass


@dataclass
class Limit:
    raw: int | str

    def share(self, replicas: int) -> tuple[int, int]:
        """Whole pods, and hundredths of a pod."""
        match self.raw:
            case int():
                return self.raw, 0
            case str() if self.raw.count("%") == 1 and self.raw.endswith("%"):
                digits = self.raw[:-1]
                if digits and all(character in "0123456789" for character in digits):
                    return divmod(int(digits) * replicas, 100)
        raise NotALimit(self.raw)

    def up(self, replicas: int) -> int:
        whole, rest = self.share(replicas)
        return whole + (rest > 0)

    def down(self, replicas: int) -> int:
        return self.share(replicas)[0]


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    surge = Limit(max_surge).up(replicas)
    unavailable = Limit(max_unavailable).down(replicas)
    if not surge and not unavailable:
        unavailable += 1
    return surge, unavailable


@dataclass
class Planner:
    rollout: Rollout
    surge: int = field(init=False)
    floor: int = field(init=False)

    def __post_init__(self):
        r = self.rollout
        self.surge, unavailable = resolve_fenceposts(r.max_surge, r.max_unavailable, r.replicas)
        self.floor = max(r.replicas - unavailable, 0)

    @property
    def specs(self) -> list[int]:
        return [each.spec for each in self.rollout.old]

    def unchanged(self) -> Step:
        return Step("none", self.rollout.new.spec, self.specs)

    def grow(self) -> Step:
        r = self.rollout
        gap = r.replicas - r.new.spec
        room = r.replicas + self.surge - r.new.spec - sum(self.specs)
        change = gap if gap < 0 else min(gap, max(room, 0))
        if change == 0:
            return self.unchanged()
        return replace(self.unchanged(), action="scale-new", new=r.new.spec + change)

    def shrink(self) -> Step:
        old = {index: each for index, each in enumerate(self.rollout.old)}
        spare = sum(self.specs) + self.rollout.new.available - self.floor
        queue = [i for i, each in old.items() for _ in range(each.spec - each.available)]
        queue += [i for i, each in old.items() for _ in range(each.available)]
        for i in queue[: max(spare, 0)]:
            old[i] = ReplicaCount(old[i].spec - 1, old[i].available)
        after = [old[i].spec for i in sorted(old)]
        return self.unchanged() if after == self.specs else Step("scale-old", self.rollout.new.spec, after)


def next_step(rollout: Rollout) -> Step:
    planner = Planner(rollout)
    grown = planner.grow()
    return planner.shrink() if grown.action == "none" else grown
