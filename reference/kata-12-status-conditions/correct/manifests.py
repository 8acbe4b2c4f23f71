"""Thinks in plain dictionaries, as kubectl shows them, and converts at the edges."""

import msgspec

from kubekata import Condition

TIME = "lastTransitionTime"


def set_condition(conditions, new, now):
    fresh = msgspec.to_builtins(new)
    rows = [msgspec.to_builtins(c) for c in conditions]
    known = False
    for number, row in enumerate(rows):
        if row["type"] != fresh["type"]:
            continue
        known = True
        if row["status"] == fresh["status"]:
            fresh[TIME] = row[TIME]
        else:
            fresh.setdefault(TIME, now)
        rows[number] = fresh
    if not known:
        fresh.setdefault(TIME, now)
        rows.append(fresh)
    return msgspec.convert(rows, list[Condition])


def remove_condition(conditions, condition_type):
    keep = []
    for c in conditions:
        if c.type == condition_type:
            continue
        keep.append(c)
    return keep


def find_condition(conditions, condition_type):
    matching = [c for c in conditions if c.type == condition_type]
    return matching[0] if matching else None


def is_condition(conditions, condition_type, status):
    matching = [c.status for c in conditions if c.type == condition_type]
    return matching == [status]
