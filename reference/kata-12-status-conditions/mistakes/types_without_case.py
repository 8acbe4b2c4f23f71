"""Misconception: types are words, and words are compared without case.

Fails: new-type
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
    return [new if c is old else c for c in conditions]


def remove_condition(conditions, condition_type):
    return [c for c in conditions if c.type.lower() != condition_type.lower()]


def find_condition(conditions, condition_type):
    return next((c for c in conditions if c.type.lower() == condition_type.lower()), None)


def is_condition(conditions, condition_type, status):
    found = find_condition(conditions, condition_type)
    return found is not None and found.status == status
