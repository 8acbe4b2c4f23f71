"""A dictionary by type: insertion order is the list's order."""

import msgspec


def set_condition(conditions, new, now):
    held = {c.type: c for c in conditions}
    before = held.get(new.type)
    unchanged = before is not None and before.status == new.status
    since = before.last_transition_time if unchanged else new.last_transition_time
    if since is None:
        since = now
    held[new.type] = msgspec.structs.replace(new, last_transition_time=since)
    return list(held.values())


def remove_condition(conditions, condition_type):
    held = {c.type: c for c in conditions}
    held.pop(condition_type, None)
    return list(held.values())


def find_condition(conditions, condition_type):
    return {c.type: c for c in conditions}.get(condition_type)


def is_condition(conditions, condition_type, status):
    return {c.type: c.status for c in conditions}.get(condition_type) == status
