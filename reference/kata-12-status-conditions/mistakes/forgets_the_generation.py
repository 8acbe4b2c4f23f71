"""Misconception: a condition is status, reason and message; the generation is somebody else's business.

Fails: content
"""

import copy


def set_condition(conditions, new, now):
    old = find_condition(conditions, new.type)
    if old is None:
        new = copy.copy(new)
        new.last_transition_time = new.last_transition_time or now
        return conditions + [new]
    changed = copy.copy(old)
    if old.status != new.status:
        changed.status = new.status
        changed.last_transition_time = new.last_transition_time or now
    changed.reason = new.reason
    changed.message = new.message
    return [changed if c.type == new.type else c for c in conditions]


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
