"""Reference solution of kata 12: status conditions by apimachinery's rules."""

import copy
from datetime import datetime

from kubekata import Condition


def set_condition(conditions: list[Condition], new: Condition, now: datetime) -> list[Condition]:
    """Return the conditions with new set among them; its time moves only if its status does."""
    old = find_condition(conditions, new.type)
    updated = copy.copy(new)
    if old is not None and old.status == new.status:
        updated.last_transition_time = old.last_transition_time
    else:
        updated.last_transition_time = new.last_transition_time or now

    if old is None:
        return [*conditions, updated]
    return [updated if condition.type == new.type else condition for condition in conditions]


def remove_condition(conditions: list[Condition], condition_type: str) -> list[Condition]:
    """Return the conditions without the one of this type."""
    return [condition for condition in conditions if condition.type != condition_type]


def find_condition(conditions: list[Condition], condition_type: str) -> Condition | None:
    """Return the condition of this type, or None."""
    return next((condition for condition in conditions if condition.type == condition_type), None)


def is_condition(conditions: list[Condition], condition_type: str, status: str) -> bool:
    """Say whether there is a condition of this type with this status; what is absent has none."""
    found = find_condition(conditions, condition_type)
    return found is not None and found.status == status
