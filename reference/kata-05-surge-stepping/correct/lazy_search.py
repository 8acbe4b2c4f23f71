"""Searches instead of computing: the largest new size and the fewest old pods that keep the rules."""

from kubekata import Step


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    def hundredths(limit):
        if not isinstance(limit, str):
            return limit * 100
        if limit.lstrip("0123456789") != "%" or len(limit) < 2:
            raise ValueError(limit)
        return int(limit.rstrip("%")) * replicas

    surge = next(n for n in range(10**6) if n * 100 >= hundredths(max_surge))
    unavailable = next(n for n in range(10**6) if (n + 1) * 100 > hundredths(max_unavailable))
    return surge, unavailable or int(surge == 0)


def distributions(old, keep):
    """The old sizes when only `keep` pods stay."""
    gone = sum(rs.spec for rs in old) - keep
    idle = [rs.spec - rs.available for rs in old]
    victims = [i for i, n in enumerate(idle) for _ in range(n)]
    victims += [i for i, rs in enumerate(old) for _ in range(rs.available)]
    return [rs.spec - victims[:gone].count(i) for i, rs in enumerate(old)]


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)
    n = rollout.replicas
    old = [rs.spec for rs in rollout.old]
    fits = [size for size in range(n + 1) if size + sum(old) <= n + surge]
    new = min(n, max([rollout.new.spec, *fits]))
    if new != rollout.new.spec:
        return Step("scale-new", new, old)
    keeps = [k for k in range(sum(old) + 1) if k + rollout.new.available >= n - unavailable]
    after = distributions(rollout.old, min([sum(old), *keeps]))
    return Step("scale-old" if after != old else "none", new, after)
