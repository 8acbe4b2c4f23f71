"""Copies everything first, and edits the copy like apimachinery does."""

from copy import deepcopy


def set_condition(conditions, new, now):
    result, wanted = deepcopy(conditions), deepcopy(new)
    existing = find_condition(result, wanted.type)
    if existing is None:
        if wanted.last_transition_time is None:
            wanted.last_transition_time = now
        result.append(wanted)
        return result
    if existing.status != wanted.status:
        existing.status = wanted.status
        if wanted.last_transition_time is not None:
            existing.last_transition_time = wanted.last_transition_time
        else:
            existing.last_transition_time = now
    existing.reason = wanted.reason
    existing.message = wanted.message
    existing.observed_generation = wanted.observed_generation
    return result


def remove_condition(conditions, condition_type):
    result = deepcopy(conditions)
    for position, condition in enumerate(result):
        if condition.type == condition_type:
            del result[position]
            break
    return result


def find_condition(conditions, condition_type):
    for condition in conditions:
        if condition.type == condition_type:
            return condition


def is_condition(conditions, condition_type, status):
    condition = find_condition(conditions, condition_type)
    if condition is None:
        return False
    return condition.status == status
