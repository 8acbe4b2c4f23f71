"""Integer ceiling by floor division of the negated load; no float ratio for the count."""


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1):
    errors = [
        text
        for wrong, text in ((target <= 0, "target <= 0"), (min_replicas > max_replicas, "min > max"))
        if wrong
    ]
    if errors:
        raise ValueError("; ".join(errors))
    if current < 1:
        return 0
    steady = (1 - tolerance) <= (value / target) <= (1 + tolerance)
    proposal = (current, int(-(-current * value // target)))[not steady]
    return min(max_replicas, max(min_replicas, proposal))
