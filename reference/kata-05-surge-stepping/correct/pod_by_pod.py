"""Removes one pod after the other while the rule allows it; slow, plain and right."""

from fractions import Fraction

from kubekata import Rollout, Step


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    def exact(limit):
        if isinstance(limit, int):
            return Fraction(limit)
        number, percent = limit[:-1], limit[-1:]
        if percent != "%" or not number.isdigit():
            raise ValueError(f"cannot read {limit!r}")
        return Fraction(int(number), 100) * replicas

    surge = exact(max_surge).__ceil__()
    unavailable = exact(max_unavailable).__floor__()
    return (surge, unavailable) if surge + unavailable > 0 else (surge, 1)


class Board:
    """Every old pod by itself: a list of booleans (does it serve?) per ReplicaSet, oldest first."""

    def __init__(self, rollout: Rollout):
        self.sets = [[False] * (rs.spec - rs.available) + [True] * rs.available for rs in rollout.old]
        self.new_available = rollout.new.available

    def could_serve(self):
        return self.new_available + sum(len(pods) for pods in self.sets)

    def remove(self, serves):
        for pods in self.sets:
            if serves in pods:
                pods.remove(serves)
                return True
        return False

    def counts(self):
        return [len(pods) for pods in self.sets]


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    board = Board(rollout)
    before = board.counts()

    new = rollout.new.spec
    while new > rollout.replicas:
        new -= 1
    while new < rollout.replicas and new + sum(before) < rollout.replicas + surge:
        new += 1
    if new != rollout.new.spec:
        return Step("scale-new", new, before)

    floor = rollout.replicas - unavailable
    while board.could_serve() > floor and (board.remove(False) or board.remove(True)):
        pass
    after = board.counts()
    return Step("scale-old", new, after) if after != before else Step("none", new, before)
