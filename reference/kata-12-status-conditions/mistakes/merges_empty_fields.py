"""Misconception: an empty field means "no news", so the old value is kept.

Fails: content
"""

import copy


def set_condition(conditions, new, now):
    new = copy.copy(new)
    old = find_condition(conditions, new.type)
    if old is None:
        new.last_transition_time = new.last_transition_time or now
        return conditions + [new]
    if old.status == new.status:
        new.last_transition_time = old.last_transition_time
    else:
        new.last_transition_time = new.last_transition_time or now
    new.reason = new.reason or old.reason
    new.message = new.message or old.message
    if new.observed_generation is None:
        new.observed_generation = old.observed_generation
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
    return found is not None and found.status == status
