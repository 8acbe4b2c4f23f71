"""Head and tail, all the way down."""

from kubekata import Condition


def stamped(c, since):
    return Condition(
        type=c.type,
        status=c.status,
        reason=c.reason,
        message=c.message,
        observed_generation=c.observed_generation,
        last_transition_time=since,
    )


def set_condition(conditions, new, now):
    if not conditions:
        return [stamped(new, new.last_transition_time or now)]
    head, *tail = conditions
    if head.type != new.type:
        return [head] + set_condition(tail, new, now)
    if head.status != new.status:
        return set_condition([], new, now) + tail
    return [stamped(new, head.last_transition_time)] + tail


def remove_condition(conditions, condition_type):
    if not conditions:
        return []
    head, *tail = conditions
    return tail if head.type == condition_type else [head] + remove_condition(tail, condition_type)


def find_condition(conditions, condition_type):
    if not conditions:
        return None
    return conditions[0] if conditions[0].type == condition_type else find_condition(conditions[1:], condition_type)


def is_condition(conditions, condition_type, status):
    return bool(conditions) and (
        (conditions[0].type, conditions[0].status) == (condition_type, status)
        or is_condition(conditions[1:], condition_type, status)
    )
