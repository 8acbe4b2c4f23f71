"""Misconception: whoever looks a condition up knows that it is there.

Fails: lookup
"""

import copy


def set_condition(conditions, new, now):
    new = copy.copy(new)
    old = {c.type: c for c in conditions}.get(new.type)
    if old is not None and old.status == new.status:
        new.last_transition_time = old.last_transition_time
    else:
        new.last_transition_time = new.last_transition_time or now
    if old is None:
        return conditions + [new]
    return [new if c.type == new.type else c for c in conditions]


def remove_condition(conditions, condition_type):
    return [c for c in conditions if c.type != condition_type]


def find_condition(conditions, condition_type):
    return [c for c in conditions if c.type == condition_type][0]


def is_condition(conditions, condition_type, status):
    return any(c.type == condition_type and c.status == status for c in conditions)
