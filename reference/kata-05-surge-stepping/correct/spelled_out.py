"""Every case by itself, with names for everything."""

import sys

from kubekata import Step


def parse_percentage(text):
    if text == "" or text[-1] != "%":
        raise ValueError("a percentage ends with %: " + text)
    number = text[0 : len(text) - 1]
    if number == "":
        raise ValueError("a percentage has a number")
    value = 0
    for character in number:
        if character not in "0123456789":
            raise ValueError("not a digit: " + character)
        value = value * 10 + int(character)
    return value


def resolve_fenceposts(max_surge, max_unavailable, replicas):
    if isinstance(max_surge, str):
        hundredths = parse_percentage(max_surge) * replicas
        surge = hundredths // 100
        if hundredths % 100 != 0:
            surge = surge + 1
    else:
        surge = max_surge

    if isinstance(max_unavailable, str):
        hundredths = parse_percentage(max_unavailable) * replicas
        unavailable = hundredths // 100
    else:
        unavailable = max_unavailable

    if surge == 0:
        if unavailable == 0:
            unavailable = 1
    return (surge, unavailable)


def next_step(rollout):
    surge, unavailable = resolve_fenceposts(rollout.max_surge, rollout.max_unavailable, rollout.replicas)

    current_old = []
    for replica_set in rollout.old:
        current_old.append(replica_set.spec)
    number_of_pods = rollout.new.spec
    for spec in current_old:
        number_of_pods = number_of_pods + spec

    # the new ReplicaSet
    if rollout.new.spec > rollout.replicas:
        return Step("scale-new", rollout.replicas, current_old)
    if rollout.new.spec < rollout.replicas:
        free = rollout.replicas + surge - number_of_pods
        missing = rollout.replicas - rollout.new.spec
        if free > 0:
            if free < missing:
                return Step("scale-new", rollout.new.spec + free, current_old)
            return Step("scale-new", rollout.replicas, current_old)

    # the old ones
    needed = rollout.replicas - unavailable
    if needed < 0:
        needed = 0
    may_go = 0
    for spec in current_old:
        may_go = may_go + spec
    may_go = may_go + rollout.new.available - needed
    print("may go:", may_go, file=sys.stderr)

    wanted_old = current_old[:]
    index = 0
    while index < len(rollout.old):
        idle = rollout.old[index].spec - rollout.old[index].available
        while idle > 0 and may_go > 0:
            wanted_old[index] = wanted_old[index] - 1
            idle = idle - 1
            may_go = may_go - 1
        index = index + 1
    index = 0
    while index < len(rollout.old):
        while wanted_old[index] > 0 and may_go > 0:
            wanted_old[index] = wanted_old[index] - 1
            may_go = may_go - 1
        index = index + 1

    if wanted_old == current_old:
        return Step("none", rollout.new.spec, current_old)
    return Step("scale-old", rollout.new.spec, wanted_old)
