"""Misconception: list(conditions) is a copy of everything in it.

Fails: input
"""

import copy


def set_condition(conditions, new, now):
    conditions = list(conditions)
    for old in conditions:
        if old.type == new.type:
            if old.status != new.status:
                old.status = new.status
                old.last_transition_time = new.last_transition_time or now
            old.reason = new.reason
            old.message = new.message
            old.observed_generation = new.observed_generation
            return conditions
    added = copy.copy(new)
    added.last_transition_time = new.last_transition_time or now
    conditions.append(added)
    return conditions


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
