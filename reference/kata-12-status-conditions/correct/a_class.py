"""A small class around the list, which knows about positions."""

from __future__ import annotations

from copy import copy


class ConditionList:
    def __init__(self, items):
        self.items = [copy(item) for item in items]

    def position(self, wanted):
        return next((i for i, item in enumerate(self.items) if item.type == wanted), -1)

    def get(self, wanted):
        at = self.position(wanted)
        return None if at < 0 else self.items[at]

    def put(self, condition, now):
        at = self.position(condition.type)
        entry = copy(condition)
        if at < 0:
            self.items.append(self.begin(entry, now))
        elif self.items[at].status != entry.status:
            self.items[at] = self.begin(entry, now)
        else:
            entry.last_transition_time = self.items[at].last_transition_time
            self.items[at] = entry
        return self

    def drop(self, wanted):
        at = self.position(wanted)
        if at >= 0:
            self.items.pop(at)
        return self

    @staticmethod
    def begin(entry, now):
        if not entry.last_transition_time:
            entry.last_transition_time = now
        return entry


def set_condition(conditions, new, now):
    return ConditionList(conditions).put(new, now).items


def remove_condition(conditions, condition_type):
    return ConditionList(conditions).drop(condition_type).items


def find_condition(conditions, condition_type):
    return ConditionList(conditions).get(condition_type)


def is_condition(conditions, condition_type, status):
    found = ConditionList(conditions).get(condition_type)
    return getattr(found, "status", None) == status
