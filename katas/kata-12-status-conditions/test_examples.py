"""Examples from the brief. They run in your own process: print and the debugger work."""

import copy
from datetime import UTC, datetime

from kata import find_condition, is_condition, remove_condition, set_condition

from kubekata import Condition


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 1, 1, hour, minute, tzinfo=UTC)


AVAILABLE = Condition(type="Available", status="True", reason="Racked", last_transition_time=at(8))


def test_a_morning() -> None:
    status = [AVAILABLE]

    status = set_condition(status, Condition(type="Ready", status="False", reason="Booting"), at(9))
    assert [c.type for c in status] == ["Available", "Ready"]
    assert status[1].last_transition_time == at(9)

    status = set_condition(status, Condition(type="Ready", status="False", reason="Flashing"), at(9, 5))
    assert status[1].reason == "Flashing"
    assert status[1].last_transition_time == at(9)

    flashed = Condition(type="Ready", status="True", reason="Flashed", message="took 5 min")
    status = set_condition(status, flashed, at(9, 10))
    assert status[1].message == "took 5 min"
    assert status[1].last_transition_time == at(9, 10)

    status = set_condition(status, Condition(type="Ready", status="True", reason="Flashed"), at(9, 20))
    assert status[1].message == ""
    assert status[1].last_transition_time == at(9, 10)


def test_a_time_that_is_given() -> None:
    status = [AVAILABLE, Condition(type="Ready", status="True", last_transition_time=at(9, 10))]
    unknown = Condition(type="Ready", status="Unknown", reason="NoAnswer", last_transition_time=at(9, 27))

    status = set_condition(status, unknown, at(9, 30))
    assert status[1].last_transition_time == at(9, 27)

    again = Condition(type="Ready", status="Unknown", reason="NoAnswer", last_transition_time=at(9, 40))
    assert set_condition(status, again, at(9, 40)) == status


def test_the_input_stays_as_it_is() -> None:
    status = [AVAILABLE]
    before = copy.deepcopy(status)
    after = set_condition(status, Condition(type="Available", status="False"), at(9))
    assert after != before
    assert status == before


def test_looking_up_and_removing() -> None:
    ready = Condition(type="Ready", status="False", last_transition_time=at(9))
    assert find_condition([AVAILABLE, ready], "Ready") == ready
    assert find_condition([AVAILABLE], "Ready") is None
    assert is_condition([AVAILABLE, ready], "Ready", "False")
    assert not is_condition([AVAILABLE], "Ready", "False")
    assert remove_condition([AVAILABLE, ready], "Available") == [ready]
    assert remove_condition([AVAILABLE], "Ready") == [AVAILABLE]
