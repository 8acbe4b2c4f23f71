"""Reference solution of kata 05: a rolling update, one sync of the Deployment controller at a time."""

from math import ceil

from kubekata import ReplicaCount, Rollout, Step


def resolve_fenceposts(max_surge: int | str, max_unavailable: int | str, replicas: int) -> tuple[int, int]:
    """Turn both limits of a rolling update into numbers of pods: (surge, unavailable).

    Raises ValueError for text that is not digits followed by "%".
    """
    surge = ceil(_pods(max_surge, replicas))
    unavailable = int(_pods(max_unavailable, replicas))
    if surge == 0 and unavailable == 0:
        return 0, 1  # with neither a pod more nor a pod less, no rollout could ever move
    return surge, unavailable


def _pods(limit: int | str, replicas: int) -> float:
    if isinstance(limit, int):
        return limit
    percent, sign, rest = limit.partition("%")
    if not (percent.isdecimal() and sign and not rest):
        raise ValueError(f"{limit!r} is neither a number of pods nor a percentage such as '25%'")
    return int(percent) * replicas / 100  # the product first: 0.07 * 100 is a little more than 7


def next_step(rollout: Rollout) -> Step:
    """Say what one sync of the Deployment controller does to the ReplicaSets of this rollout."""
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    ceiling, floor = rollout.replicas + surge, rollout.replicas - unavailable
    new, old = rollout.new, [replica_set.spec for replica_set in rollout.old]

    room = max(0, ceiling - new.spec - sum(old))
    grown = min(new.spec + room, rollout.replicas)
    if grown != new.spec:
        return Step("scale-new", grown, old)

    spare = max(0, sum(old) + new.available - floor)
    shrunk = _shrink(rollout.old, spare)
    return Step("scale-old" if shrunk != old else "none", new.spec, shrunk)


def _shrink(old: list[ReplicaCount], spare: int) -> list[int]:
    """Take up to `spare` pods: those that serve nobody before those that serve, oldest ReplicaSet first."""
    left = [replica_set.spec for replica_set in old]
    idle = [replica_set.spec - replica_set.available for replica_set in old]
    serving = [replica_set.available for replica_set in old]
    for pods in (idle, serving):
        for i, count in enumerate(pods):
            taken = min(count, spare)
            left[i] -= taken
            spare -= taken
    return left
