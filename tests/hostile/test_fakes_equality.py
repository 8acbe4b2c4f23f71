"""Answers that compare equal to anything: only plain data crosses, and the declared type is named."""

import pytest

from tests.hostile.arena import Attack
from tests.hostile.conftest import Judge

EQUAL = "class Equal{base}:\n    def __eq__(self, other):\n        return True\n    __hash__ = None"
ATTACKS = [
    Attack("an object", "return Equal()", EQUAL.format(base=""), got="a Equal object, expected int"),
    Attack(
        "an int", "return Equal(6)", EQUAL.format(base="(int)"), got="a subclass of int (6), expected int"
    ),
    Attack("a float", "return Equal(6)", EQUAL.format(base="(float)"), got="a subclass of float"),
    Attack("a str", "return Equal('6')", EQUAL.format(base="(str)"), got="a subclass of str"),
    Attack("a list", "return Equal([6])", EQUAL.format(base="(list)"), got="a subclass of list"),
    Attack(
        "not unequal",
        "return Odd(6)",
        "class Odd(int):\n    def __ne__(self, other):\n        return False",
        got="a subclass of int",
    ),
    Attack(
        "an int that lies about itself",
        "return Liar(1)",
        "class Liar(int):\n    def __int__(self):\n        return 6\n"
        "    def __index__(self):\n        return 6\n    def __repr__(self):\n        return '6'",
        outcome="failed",
        got="1",
    ),
    Attack(
        "a metaclass",
        "return Odd()",
        "class Meta(type):\n    def __instancecheck__(cls, x):\n        return True\n"
        "    def __eq__(cls, other):\n        return True\n    __hash__ = type.__hash__\n"
        "class Odd(metaclass=Meta):\n    __class__ = int",
        got="expected int",
    ),
    Attack("true", "return True", got="True (bool), expected int"),
    Attack("not a number", "return float('nan')", got="nan (float), expected int"),
    Attack("a decimal", "from decimal import Decimal\nreturn Decimal(number * 2)", got="decimal.Decimal"),
    Attack("unittest.mock.ANY", "from unittest.mock import ANY\nreturn ANY", got="expected int"),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_does_not_cross(judge: Judge, attack: Attack) -> None:
    judge(attack)
