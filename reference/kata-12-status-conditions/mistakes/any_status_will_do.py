"""Misconception: is_condition asks whether the condition is there and true.

Fails: lookup
"""

import copy


def set_condition(conditions, new, now):
    new = copy.copy(new)
    old = find_condition(conditions, new.type)
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
    for c in conditions:
        if c.type == condition_type:
            return c
    return None


def is_condition(conditions, condition_type, status):
    found = find_condition(conditions, condition_type)
    return found is not None and found.status == "True"
