"""filter, map and partial application."""

import functools
import operator

import msgspec

type_of = operator.attrgetter("type")


def has_type(wanted):
    return lambda condition: type_of(condition) == wanted


def find_condition(conditions, condition_type):
    return next(filter(has_type(condition_type), conditions), None)


def remove_condition(conditions, condition_type):
    return functools.reduce(
        lambda kept, c: kept if type_of(c) == condition_type else [*kept, c], conditions, []
    )


def is_condition(conditions, condition_type, status):
    return any(c.status == status for c in filter(has_type(condition_type), conditions))


def set_condition(conditions, new, now):
    begin = new.last_transition_time if new.last_transition_time is not None else now
    if not any(map(has_type(new.type), conditions)):
        return conditions + [msgspec.structs.replace(new, last_transition_time=begin)]

    def successor(old):
        if old.type != new.type:
            return old
        time = old.last_transition_time if old.status == new.status else begin
        return msgspec.structs.replace(new, last_transition_time=time)

    return list(map(successor, conditions))
