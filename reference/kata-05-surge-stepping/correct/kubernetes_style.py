"""The way the Deployment controller's own code goes, function by function."""

import math
import re

from kubekata import Rollout, Step


def get_scaled_value(int_or_percent, total, round_up):
    if type(int_or_percent) is int:
        return int_or_percent
    if not isinstance(int_or_percent, str) or not int_or_percent.endswith("%"):
        raise ValueError("invalid value for IntOrString: not a percentage")
    if re.match(r"^[0-9]+%$", int_or_percent) is None:
        raise ValueError(f"invalid value {int_or_percent!r}")
    percent = int(int_or_percent[:-1])
    share = float(percent) * float(total) / 100
    return int(math.ceil(share) if round_up else math.floor(share))


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    surge = get_scaled_value(max_surge, replicas, True)
    unavailable = get_scaled_value(max_unavailable, replicas, False)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return surge, unavailable


def reconcile_new(rollout, max_surge):
    if rollout.new.spec == rollout.replicas:
        return rollout.new.spec
    if rollout.new.spec > rollout.replicas:
        return rollout.replicas
    current_pods = rollout.new.spec + sum(rs.spec for rs in rollout.old)
    max_total_pods = rollout.replicas + max_surge
    if current_pods >= max_total_pods:
        return rollout.new.spec
    scale_up = min(max_total_pods - current_pods, rollout.replicas - rollout.new.spec)
    return rollout.new.spec + scale_up


def reconcile_old(rollout, max_unavailable):
    specs = [rs.spec for rs in rollout.old]
    if sum(specs) == 0:
        return specs
    min_available = rollout.replicas - min(max_unavailable, rollout.replicas)
    all_pods = rollout.new.spec + sum(specs)
    new_unavailable = rollout.new.spec - rollout.new.available
    max_scaled_down = all_pods - min_available - new_unavailable
    if max_scaled_down <= 0:
        return specs

    cleaned = 0
    for i, rs in enumerate(rollout.old):
        if cleaned >= max_scaled_down:
            break
        unhealthy = min(max_scaled_down - cleaned, rs.spec - rs.available)
        specs[i] -= unhealthy
        cleaned += unhealthy

    available = rollout.new.available + sum(rs.available for rs in rollout.old)
    if available <= min_available:
        return specs
    to_scale, scaled = available - min_available, 0
    for i in range(len(specs)):
        if scaled >= to_scale:
            break
        if specs[i] == 0:
            continue
        down = min(specs[i], to_scale - scaled)
        specs[i] -= down
        scaled += down
    return specs


def next_step(rollout: Rollout) -> Step:
    max_surge, max_unavailable = resolve_fenceposts(
        rollout.max_surge, rollout.max_unavailable, rollout.replicas
    )
    old = [rs.spec for rs in rollout.old]
    new = reconcile_new(rollout, max_surge)
    if new != rollout.new.spec:
        return Step(action="scale-new", new=new, old=old)
    scaled = reconcile_old(rollout, max_unavailable)
    if scaled != old:
        return Step(action="scale-old", new=new, old=scaled)
    return Step(action="none", new=new, old=old)
