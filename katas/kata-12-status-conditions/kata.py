"""Kata 12: Status conditions. The brief is README.md beside this file."""

from datetime import datetime

from kubekata import Condition


def set_condition(conditions: list[Condition], new: Condition, now: datetime) -> list[Condition]:
    """Return the conditions with ``new`` set among them.

    conditions: what the object's status holds, at most one of each type.
    new: what was observed just now; its last_transition_time is usually None.
    now: the cluster's time (aware, UTC).
    """
    raise NotImplementedError


def remove_condition(conditions: list[Condition], condition_type: str) -> list[Condition]:
    """Return the conditions without the one of this type."""
    raise NotImplementedError


def find_condition(conditions: list[Condition], condition_type: str) -> Condition | None:
    """Return the condition of this type, or None."""
    raise NotImplementedError


def is_condition(conditions: list[Condition], condition_type: str, status: str) -> bool:
    """Say whether there is a condition of this type with this status ("True", "False" or "Unknown")."""
    raise NotImplementedError
