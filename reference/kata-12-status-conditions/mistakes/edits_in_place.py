"""Misconception: the list is passed in to be changed.

Fails: input
"""


def set_condition(conditions, new, now):
    old = find_condition(conditions, new.type)
    if old is None:
        new.last_transition_time = new.last_transition_time or now
        conditions.append(new)
        return conditions
    if old.status != new.status:
        old.status = new.status
        old.last_transition_time = new.last_transition_time or now
    old.reason = new.reason
    old.message = new.message
    old.observed_generation = new.observed_generation
    return conditions


def remove_condition(conditions, condition_type):
    found = find_condition(conditions, condition_type)
    if found is not None:
        conditions.remove(found)
    return conditions


def find_condition(conditions, condition_type):
    for c in conditions:
        if c.type == condition_type:
            return c
    return None


def is_condition(conditions, condition_type, status):
    found = find_condition(conditions, condition_type)
    return found is not None and found.status == status
